"""Searching through the server, with the SDK: whose messages are found, in which order, and why."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from honcho import Honcho
from honcho.http.exceptions import UnprocessableEntityError

from hymem.models.rules.client import RulesExtractor
from tests.support.honcho_server import Served, honcho_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with honcho_server(tmp_path_factory.mktemp("honcho")) as served:
        yield served


@pytest.fixture
def honcho(server: Served, request: pytest.FixtureRequest) -> Iterator[Honcho]:
    client = server.client(request.node.name.translate(str.maketrans("[]", "__")))
    yield client
    client._http.close()


def contents(found: list) -> list[str]:
    return [message.content for message in found]


def test_a_workspace_a_peer_and_a_session_are_searched_each_for_its_own(honcho: Honcho):
    ann, bob = honcho.peer("ann"), honcho.peer("bob")
    monday, tuesday = honcho.session("monday"), honcho.session("tuesday")
    monday.add_messages([ann.message("I planted tomatoes."), bob.message("My tomatoes died.")])
    tuesday.add_messages([ann.message("The tomatoes are red now.")])

    assert set(contents(honcho.search("tomatoes"))) == {
        "I planted tomatoes.",
        "My tomatoes died.",
        "The tomatoes are red now.",
    }
    assert contents(bob.search("tomatoes")) == ["My tomatoes died."]
    assert contents(tuesday.search("tomatoes")) == ["The tomatoes are red now."]
    assert contents(asyncio.run(_async_search(honcho))) == ["The tomatoes are red now."]


async def _async_search(honcho: Honcho) -> list:
    try:
        found = await (await honcho.aio.session("tuesday")).aio.search("tomatoes")
        assert {each.id for each in found} <= {each.id for each in await honcho.aio.search("tomatoes")}
        assert {each.id for each in found} <= {each.id for each in await honcho.peer("ann").aio.search("tomatoes")}
        return found
    finally:
        await honcho._async_http_client.close()


def test_a_message_that_is_found_has_its_own_metadata_and_the_reasons(honcho: Honcho):
    session = honcho.session("monday")
    session.add_messages([honcho.peer("ann").message("I planted tomatoes.", metadata={"place": "garden"})])

    (found,) = honcho.search("tomatoes", filters={"metadata": {"place": "garden"}})

    assert found.metadata == {"place": "garden", "why": ["keyword", "undreamt"]}
    assert session.get_message(found.id).metadata == {"place": "garden"}
    assert honcho.search("tomatoes", filters={"metadata": {"place": "kitchen"}}) == []
    assert honcho.search("tomatoes", filters={"token_count": {"gt": 100}}) == []


def test_a_peer_finds_what_it_was_there_to_hear_and_nothing_that_was_said_meanwhile(honcho: Honcho):
    ann, session = honcho.peer("ann"), honcho.session("monday")
    session.add_messages([ann.message("Before: the code is tulip one.")])
    session.add_peers(["bob"])
    session.add_messages([ann.message("During: the code is tulip two.")])
    session.remove_peers("bob")
    session.add_messages([ann.message("After: the code is tulip three.")])
    heard = {"peer_perspective": "bob"}

    (found,) = honcho.search("tulip", filters=heard)

    assert found.content == "During: the code is tulip two."
    assert found.metadata["why"] == ["keyword", "undreamt"]
    assert honcho.search("one three", filters=heard) == []
    assert len(honcho.search("tulip", filters={"NOT": [heard]})) == 2
    assert len(honcho.search("tulip", filters={"peer_perspective": ["bob", "ann"]})) == 3


def test_a_scope_is_searched_as_far_as_it_looks(server: Served, honcho: Honcho):
    for name in ("work", "home"):
        honcho.session(name).add_messages([honcho.peer("ann").message(f"The tulip at {name}.")])
    honcho.scope("office").add_sessions(["work"])
    url = f"{server.url}/v3/workspaces/{honcho.workspace_id}/search"

    found = httpx.post(url, json={"query": "tulip", "scope": "office"}).json()

    assert [message["content"] for message in found] == ["The tulip at work."]
    honcho.scope("office").remove_session("work")
    assert httpx.post(url, json={"query": "tulip", "scope": "office"}).json() == []
    assert httpx.post(url, json={"query": "tulip", "scope": "none"}).status_code == 404
    both = {"query": "tulip", "scope": "office", "filters": {"session_id": "work"}}
    assert httpx.post(url, json=both).status_code == 422


@pytest.mark.parametrize(
    ("query", "limit", "wanted"),
    [("tulip", 1, 1), ("tulip", 100, 3), ("", 10, 0), ("\x00 ???", 10, 0)],
    ids=["one", "all", "empty", "no-words"],
)
def test_at_most_as_many_are_found_as_are_asked_for(
    server: Served, honcho: Honcho, query: str, limit: int, wanted: int
):
    honcho.session("monday").add_messages([honcho.peer("ann").message(f"tulip {n}") for n in range(3)])
    url = f"{server.url}/v3/workspaces/{honcho.workspace_id}/sessions/monday/search"

    assert len(httpx.post(url, json={"query": query, "limit": limit}).json()) == wanted


@pytest.mark.parametrize(
    "body",
    [{"query": "a", "limit": 0}, {"query": "a", "limit": 101}, {}, {"query": "a", "filters": {"content": "a"}}],
    ids=["none", "too-many", "nothing", "unknown-field"],
)
def test_what_cannot_be_searched_for_is_refused(server: Served, honcho: Honcho, body: dict):
    url = f"{server.url}/v3/workspaces/{honcho.workspace_id}/search"

    assert httpx.post(url, json=body).status_code == 422
    with pytest.raises(UnprocessableEntityError):
        honcho.search("a", filters={"peer_perspective": None})


def test_a_session_finds_the_message_that_states_what_answers_in_other_words(server: Served, honcho: Honcho):
    ann = honcho.peer("ann")
    honcho.session("monday").add_messages([ann.message("The billing service runs on kubernetes.")])
    honcho.session("tuesday").add_messages([ann.message("The billing service runs on kubernetes, I said.")])
    with server.workspaces.use(honcho.workspace_id) as memory:
        memory.llm = RulesExtractor()
        memory.dream(budget=0)

    (found,) = honcho.session("monday").search("Where do we deploy billing_service?")

    assert found.content == "The billing service runs on kubernetes."
    assert found.metadata["facts"] == ["billing_service runs on kubernetes"]
    assert not any(reason.startswith("recency") for reason in found.metadata["why"])
