"""What goes over the wire beside what the SDK sends: codes, error shapes, cursors, paths, and the earlier words."""

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from tests.support.honcho_server import honcho_server


@pytest.fixture(scope="module")
def http(tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    with (
        honcho_server(tmp_path_factory.mktemp("honcho")) as served,
        httpx.Client(base_url=f"{served.url}/v3/workspaces") as client,
    ):
        yield client


@pytest.fixture
def w(http: httpx.Client, request: pytest.FixtureRequest) -> str:
    """A workspace that this test alone uses."""
    name = request.node.originalname
    http.post("", json={"id": name})
    return f"/{name}"


def say(http: httpx.Client, w: str, *contents: str, session: str = "monday", peer: str = "alice") -> list[str]:
    told = [{"content": content, "peer_id": peer} for content in contents]
    answer = http.post(f"{w}/sessions/{session}/messages", json={"messages": told})
    assert answer.status_code == 201, answer.text
    return [message["id"] for message in answer.json()]


CODES: list[tuple[str, str, Any, int]] = [
    ("POST", "/peers", {"id": "a b"}, 422),
    ("POST", "/peers", {"id": "new"}, 201),
    ("POST", "/peers", {"id": "alice"}, 200),
    ("POST", "/peers", {"id": "alice", "unknown": [1]}, 200),
    ("POST", "/peers", {"id": "x" * 513}, 422),
    ("POST", "/peers", {"id": "deep", "metadata": {"a": {"b": {"c": {"d": {"e": {}}}}}}}, 422),
    ("POST", "/peers", {"id": "many", "metadata": {str(n): n for n in range(101)}}, 422),
    ("PUT", "/peers/put-first", {}, 200),
    ("PUT", "/peers/scope.work", {}, 422),
    ("GET", "/peers/nobody", None, 404),
    ("POST", "/peers/list?size=101", None, 422),
    ("POST", "/peers/list?page=0", None, 422),
    ("POST", "/peers/list?page=99", None, 200),
    ("POST", "/peers/list", {"filters": {"colour": "blue"}}, 422),
    ("POST", "/peers/list", {"filters": None}, 200),
    ("POST", "/sessions", {"id": "monday", "configuration": {"summary": {"messages_per_short_summary": 5}}}, 422),
    ("POST", "/sessions", {"id": "tuesday", "scopes": ["none"]}, 404),
    ("GET", "/sessions/none", None, 404),
    ("DELETE", "/sessions/none", None, 404),
    ("POST", "/sessions/none/clone", None, 404),
    ("POST", "/sessions/monday/clone?message_id=none", None, 404),
    ("DELETE", "/sessions/monday/peers", ["nobody"], 200),
    ("GET", "/sessions/monday/peers/nobody/config", None, 404),
    ("PUT", "/sessions/monday/peers/alice/config", {"observe_me": None}, 204),
    ("POST", "/sessions/monday/messages", {"messages": []}, 422),
    ("POST", "/sessions/monday/messages", {"messages": [{"content": "", "peer_id": "alice"}]}, 201),
    ("POST", "/sessions/monday/messages", {"messages": [{"content": "x" * 25_001, "peer_id": "alice"}]}, 422),
    ("POST", "/sessions/monday/messages", {"messages": [{"content": "x", "peer_id": "a b"}]}, 422),
    ("POST", "/sessions/monday/messages", {"messages": [{"content": "x", "peer_id": "a", "created_at": "soon"}]}, 422),
    ("GET", "/sessions/monday/messages/none", None, 404),
    ("PUT", "/sessions/monday/messages/none", {}, 404),
    ("DELETE", "/sessions/monday/messages/none", None, 404),
    ("POST", "/conclusions", {"conclusions": [{"content": "x", "observer_id": "alice", "observed_id": "nobody"}]}, 404),
    ("POST", "/conclusions", {"observations": [{"content": "x", "observer_id": "alice", "observed_id": "alice"}]}, 201),
    ("POST", "/conclusions", {"conclusions": [{"content": "", "observer_id": "alice", "observed_id": "alice"}]}, 422),
    ("POST", "/conclusions/list", {"filters": {"level": "guess"}}, 422),
    ("GET", "/conclusions/none", None, 404),
    ("DELETE", "/conclusions/none", None, 404),
    ("POST", "/scopes", {"id": "work"}, 201),
    ("POST", "/scopes", {"id": "work"}, 200),
    ("POST", "/scopes/work/sessions", {"session_ids": ["monday", "none"]}, 404),
    ("POST", "/scopes/work/sessions", {"session_ids": ["monday"]}, 204),
    ("DELETE", "/scopes/work/sessions/monday", None, 204),
    ("GET", "/scopes/none", None, 404),
    ("PATCH", "/peers", {}, 405),
    ("GET", "/nothing/here", None, 404),
]


def test_every_request_gets_its_code_and_every_refusal_its_detail(http: httpx.Client, w: str):
    say(http, w, "hello")

    for method, path, body, code in CODES:
        answer = http.request(method, w + path, json=body) if body is not None else http.request(method, w + path)
        assert (method, path, answer.status_code, answer.text[:300]) == (method, path, code, answer.text[:300])
        if code >= 400:
            assert set(answer.json()) == {"detail"}


def test_what_pydantic_refuses_is_told_field_by_field(http: httpx.Client):
    answer = http.post("", json={"id": "a/../b", "metadata": None})

    assert answer.status_code == 422
    assert [entry["loc"] for entry in answer.json()["detail"]] == [["body", "id"], ["body", "metadata"]]
    assert {"type", "msg", "input"} <= set(answer.json()["detail"][0])


def test_lists_of_a_workspace_that_is_not_there_are_empty_and_make_none(http: httpx.Client):
    for noun in ("peers", "sessions", "conclusions", "scopes"):
        assert http.post(f"/never/{noun}/list").json()["items"] == []
    assert http.get("/never").status_code == 404


@pytest.mark.parametrize("noun", ["peers", "sessions/monday/messages", "conclusions"])
@pytest.mark.parametrize("reverse", ["true", "false"])
def test_cursors_lead_through_a_list_and_back(http: httpx.Client, w: str, noun: str, reverse: str):
    say(http, w, *"abcde")
    for name in "abcde":
        http.post(f"{w}/peers", json={"id": f"peer-{name}"})
        told = {"content": name, "observer_id": "alice", "observed_id": "alice"}
        http.post(f"{w}/conclusions", json={"conclusions": [told]})

    def page(cursor: str) -> dict[str, Any]:
        asked = {"cursor": cursor, "size": "2", "reverse": reverse}
        return http.post(f"{w}/{noun}/list", params=asked).json()

    whole = http.post(f"{w}/{noun}/list", params={"reverse": reverse, "size": 100}).json()["items"]
    pages = [page("")]
    while pages[-1]["next_page"]:
        pages.append(page(pages[-1]["next_page"]))
    back = page(pages[-1]["previous_page"])

    assert [item for found in pages for item in found["items"]] == whole
    assert back["items"] == pages[-2]["items"]
    assert page(back["current_page"])["items"] == back["items"]
    assert (pages[0]["previous_page"], pages[-1]["next_page"], back["total"]) == (None, None, None)


def test_a_cursor_that_is_none_is_refused(http: httpx.Client, w: str):
    assert {http.post(f"{w}/peers/list?cursor={cursor}").status_code for cursor in ("x", "!!", "bnVsbA", "WzFd")} == {
        422
    }


def test_a_path_may_end_in_a_slash_and_name_the_version_twice(http: httpx.Client, w: str):
    base = str(http.base_url).removesuffix("/workspaces/")
    body = {"messages": [{"content": "hello", "peer_id": "alice"}]}

    assert http.post(f"{base}/v3/workspaces{w}/sessions/monday/messages/", json=body).status_code == 201
    assert http.get(f"{base}/v3/workspaces{w}/peers/alice").json()["id"] == "alice"


def test_the_earlier_words_for_peers_and_roles_are_understood(http: httpx.Client, w: str):
    http.post(f"{w}/sessions", json={"id": "monday", "peer_names": ["alice", "abbott", "hermes-agent"]})
    http.post(f"{w}/sessions/monday/peers", json={"robo": "assistant", "watcher": {"role": "tool"}})
    http.post(f"{w}/peers", json={"id": "telegram_42", "metadata": {"role": "assistant"}})

    roles = {peer["id"]: peer["role"] for peer in http.post(f"{w}/peers/list").json()["items"]}
    assert roles == {
        "alice": "user",
        "abbott": "user",
        "hermes-agent": "assistant",
        "robo": "assistant",
        "watcher": "tool",
        "telegram_42": "assistant",
    }
    assert http.get(f"{w}/sessions/monday").json()["is_active"] is True


def test_a_message_is_erased_and_the_others_stay(http: httpx.Client, w: str):
    first, second = say(http, w, "my password is hunter2", "hello")

    assert http.delete(f"{w}/sessions/monday/messages/{first}").status_code == 204
    assert [m["id"] for m in http.post(f"{w}/sessions/monday/messages/list").json()["items"]] == [second]


def test_a_naive_time_is_utc_and_told_with_its_zone(http: httpx.Client, w: str):
    told = {"content": "x", "peer_id": "alice", "created_at": "2025-03-01T09:30:00"}
    answer = http.post(f"{w}/sessions/monday/messages", json={"messages": [told]})

    assert answer.json()[0]["created_at"] == "2025-03-01T09:30:00.000000Z"


def test_a_peer_that_bears_a_scopes_name_is_no_scope(http: httpx.Client, w: str):
    http.post(f"{w}/scopes", json={"id": "work"})

    assert http.post(f"{w}/peers/list").json()["items"] == []
    assert [peer["id"] for peer in http.post(f"{w}/peers/list", json={"kind": "scope"}).json()["items"]] == [
        "scope.work"
    ]
