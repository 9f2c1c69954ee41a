"""The nineteen endpoints of the earlier HyMem's table, each asked for what its row promises, against a server that dreams."""

import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.honcho_house import House, honcho_house

W, S = "/v3/workspaces/w", "/v3/workspaces/w/sessions/s"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A server with a workspace in which ann tells hermes of her work, and a dream about that."""
    with honcho_house(tmp_path_factory.mktemp("walkthrough")) as house:
        post(house, "/v3/workspaces", id="w", metadata={"team": "blue"})
        post(house, f"{W}/peers", id="ann")
        post(house, f"{W}/peers", id="hermes-agent")
        post(house, f"{W}/sessions", id="s", peer_names=["ann", "hermes-agent"])
        told = ["The api runs on Kubernetes.", "The api runs on Nomad.", "I prefer short answers."]
        post(house, f"{S}/messages", messages=[{"peer_id": "ann", "content": text} for text in told])
        yield house


def post(house: House, path: str, **body: Any) -> Any:
    answer = house.client.post(path, json=body)
    assert answer.is_success, answer.text
    return answer.json()


def get(house: House, path: str, **query: str) -> Any:
    answer = house.client.get(path, params=query)
    assert answer.is_success, answer.text
    return answer.json()


def dreamt(house: House) -> None:
    """Wait until nothing waits for a dream."""
    ends = time.monotonic() + 120
    while get(house, f"{W}/queue/status")["completed_work_units"] < 3:
        assert time.monotonic() < ends, get(house, f"{W}/queue/status")
        time.sleep(0.1)


def test_workspaces_are_got_or_created_and_read(house: House):
    assert post(house, "/v3/workspaces", id="w", metadata={"team": "red"})["metadata"] == {"team": "blue"}
    assert get(house, W)["id"] == "w"


def test_peers_are_got_or_created_and_their_role_is_known_from_the_id(house: House):
    assert post(house, f"{W}/peers", id="ann")["id"] == "ann"
    assert (get(house, f"{W}/peers/ann")["role"], get(house, f"{W}/peers/ann")["metadata"]) == ("user", {})
    assert get(house, f"{W}/peers/hermes-agent")["role"] == "assistant"


def test_sessions_are_got_or_created_with_their_peers_and_read(house: House):
    found = get(house, S)

    assert (found["is_active"], found["metadata"]) == (True, {})
    assert [peer["id"] for peer in get(house, f"{S}/peers")["items"]] == ["ann", "hermes-agent"]


def test_peers_are_registered_with_roles_and_have_a_configuration_in_the_session(house: House):
    post(house, "/v3/workspaces/w/sessions", id="t")
    house.client.post("/v3/workspaces/w/sessions/t/peers", json={"max": {"role": "assistant", "observe_others": True}})

    assert get(house, f"{W}/peers/max")["role"] == "assistant"
    assert get(house, f"{W}/sessions/t/peers/max/config") == {"observe_me": None, "observe_others": True}


def test_turns_are_logged_listed_by_pages_and_dreamt_over_in_the_background(house: House):
    dreamt(house)

    page = post(house, f"{S}/messages/list?page=2&size=2")
    assert (page["total"], page["pages"], page["items"][0]["content"]) == (3, 2, "I prefer short answers.")
    assert get(house, "/health")["dreams_failing"] == 0


def test_a_memory_file_is_uploaded_as_messages_and_only_once(house: House):
    def upload() -> list[dict[str, Any]]:
        file = {"file": ("USER.md", b"- Ann plays the cello.", "text/markdown")}
        return house.client.post(
            f"{W}/sessions/files/messages/upload", files=file, data={"peer_id": "hermes-agent"}
        ).json()

    assert [message["id"] for message in upload()] == [message["id"] for message in upload()]
    assert [message["content"] for message in post(house, f"{W}/sessions/files/messages/list")["items"]] == [
        "- Ann plays the cello."
    ]


def test_a_session_is_searched_for_what_was_said_and_for_facts_with_reasons(house: House):
    dreamt(house)

    first = post(house, f"{S}/search", query="What does the api run on?")[0]

    assert "keyword" in first["metadata"]["why"]
    assert first["metadata"]["facts"][0].startswith("api runs on")


def test_a_sessions_context_has_recent_turns_and_what_is_known(house: House):
    dreamt(house)

    found = get(house, f"{S}/context", peer_target="ann", summary="true", tokens="2000")

    assert [message["content"] for message in found["messages"]][-1] == "I prefer short answers."
    assert "api runs on kubernetes" in found["peer_representation"]
    assert any("short answers" in line for line in found["peer_card"])


def test_a_peers_card_context_and_representation_tell_what_it_wants_and_says(house: House):
    dreamt(house)

    card = get(house, f"{W}/peers/ann/card")["peer_card"]
    context = get(house, f"{W}/peers/ann/context", search_query="nomad")
    told = post(house, f"{W}/peers/ann/representation")["representation"]

    assert any("short answers" in line for line in card)
    assert context["peer_card"] == card
    assert "api runs on nomad" in context["representation"]
    assert "## Explicit Observations" in told


def test_a_chat_returns_prose_and_structured_facts_with_why(house: House):
    dreamt(house)

    told = post(house, f"{W}/peers/ann/chat", query="What does the api run on?")

    assert "Api runs on kubernetes." in told["content"]
    assert {fact["object"] for fact in told["facts"]} >= {"kubernetes", "nomad"}
    assert all("predicate:runs_on" in fact["why"] for fact in told["facts"] if fact["subject"] == "api")


def test_conflicts_are_listed_and_the_server_is_well(house: House):
    dreamt(house)

    (told,) = get(house, f"{W}/conflicts")["conflicts"]

    assert (told["kind"], told["subject"]) == ("competing_object", "api")
    assert (get(house, "/health")["status"], get(house, "/health")["ok"]) == ("ok", True)


def test_every_row_of_the_table_is_a_route(house: House):
    rows = {
        ("post", ""), ("get", "/{workspace_id}"),
        ("post", "/{workspace_id}/peers"), ("get", "/{workspace_id}/peers/{peer_id}"),
        ("post", "/{workspace_id}/sessions"), ("get", "/{workspace_id}/sessions/{session_id}"),
        ("get", "/{workspace_id}/conflicts"),
    }  # fmt: skip
    rows |= {
        (method, "/{workspace_id}/sessions/{session_id}/" + path)
        for method, path in [
            ("post", "messages"), ("post", "messages/upload"), ("post", "messages/list"), ("post", "search"),
            ("get", "context"), ("post", "peers"), ("get", "peers/{peer_id}/config"),
        ]
    }  # fmt: skip
    rows |= {
        (method, "/{workspace_id}/peers/{peer_id}/" + path)
        for method, path in [("get", "card"), ("get", "context"), ("post", "representation"), ("post", "chat")]
    }
    document = httpx.get(f"{house.url}/openapi.json").json()["paths"]

    assert [row for row in rows if row[0] not in document.get(f"/v3/workspaces{row[1]}", {})] == []
    assert len(rows) + ("get" in document["/health"]) == 19
