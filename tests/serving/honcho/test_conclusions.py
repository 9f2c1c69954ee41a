"""Conclusions that memory draws, with the SDK: beside those of clients in lists, sought by words, and deleted for good."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from honcho import Honcho
from honcho.http.exceptions import NotFoundError

from hymem.testing import HashedWordsEmbedder
from tests.support.honcho_server import Served, honcho_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with honcho_server(tmp_path_factory.mktemp("honcho")) as served:
        yield served


@pytest.fixture
def honcho(server: Served, request: pytest.FixtureRequest) -> Iterator[Honcho]:
    """Ann talks with bob on monday and to herself on friday; bob's client concludes that she likes tea."""
    client = server.client(request.node.name)
    ann, bob = client.peer("ann"), client.peer("bob")
    monday = client.session("monday")
    monday.add_peers(["ann", "bob"])
    monday.add_messages([ann.message("The billing service depends on Redis."), ann.message("I prefer short answers.")])
    client.session("friday").add_messages([ann.message("Redis depends on jemalloc.")])
    bob.conclusions_of("ann").create([{"content": "ann likes tea", "session_id": "monday"}])
    server.dream(client.workspace_id)
    yield client
    client._http.close()


def told(found: object) -> set[tuple[str, str]]:
    return {(one.level, one.content) for one in found}  # type: ignore[attr-defined]


WISH = ("explicit", "ann prefers short answers")
BILLING = ("explicit", "billing service depends on redis")
JEMALLOC = ("explicit", "redis depends on jemalloc")
FOLLOWS = ("deductive", "billing service depends on jemalloc")
TEA = ("explicit", "ann likes tea")


def test_a_list_has_what_memory_draws_beside_what_clients_wrote(honcho: Honcho):
    ann, of_ann = honcho.peer("ann").conclusions, honcho.peer("bob").conclusions_of("ann")

    assert told(ann.list()) == {WISH, BILLING, JEMALLOC, FOLLOWS}
    assert told(of_ann.list()) == {WISH, BILLING, TEA}
    assert told(honcho.conclusions.list()) == {WISH, BILLING, JEMALLOC, FOLLOWS, TEA}
    assert told(of_ann.list(session="monday")) == {WISH, BILLING, TEA}
    assert told(honcho.conclusions.list(filters={"level": "deductive"})) == {FOLLOWS}
    assert told(honcho.conclusions.list(filters={"times_derived": {"gt": 1}})) == set()
    times = [one.created_at for one in honcho.conclusions.list()]
    assert times == sorted(times, reverse=True)
    assert [one.created_at for one in honcho.conclusions.list(reverse=True)] == times[::-1]
    pages = [honcho.conclusions.list(page=number, size=2) for number in (1, 2, 3)]
    assert [len(page.items) for page in pages] == [2, 2, 1]


def test_a_deductive_conclusion_leads_to_its_premises_and_they_to_it(honcho: Honcho):
    view = honcho.peer("ann").conclusions
    (follows,) = (one for one in view.list() if one.level == "deductive")

    assert told(view.get_many(follows.source_ids or [])) == {BILLING, JEMALLOC}
    premise = view.get((follows.source_ids or [])[0])
    assert (premise.source_ids, premise.times_derived) == ([], 1)
    assert told(view.derived(premise.id)) == {FOLLOWS}
    assert told(honcho.conclusions.list(filters={"source_ids": {"contains": premise.id}})) == {FOLLOWS}


def test_another_peers_conclusion_is_found_by_its_id_alone(honcho: Honcho):
    (wish,) = (one for one in honcho.peer("bob").conclusions_of("ann").list() if one.content == WISH[1])

    found = honcho.conclusions.get(wish.id)

    assert (found.content, found.observer_id, found.observed_id) == (WISH[1], "bob", "ann")
    assert [one.id for one in honcho.conclusions.get_many([wish.id])] == [wish.id]
    with pytest.raises(NotFoundError):
        honcho.conclusions.get("0" * 21)


def test_conclusions_are_sought_by_what_they_say(server: Served, honcho: Honcho):
    of_ann = honcho.peer("bob").conclusions_of("ann")

    assert of_ann.query("does she drink tea?")[0].content == TEA[1]
    assert of_ann.query("what does billing depend on?", top_k=1)[0].content == BILLING[1]
    assert told(of_ann.query("jemalloc")) == set()
    url = f"{server.url}/v3/workspaces/{honcho.workspace_id}/conclusions/query"
    pair = {"observer_id": "bob", "observed_id": "ann"}
    sought = {"query": "tea answers", "filters": {**pair, "session_id": {"ne": "monday"}}}
    assert httpx.post(url, json=sought).json() == []
    for body in ({"query": "tea"}, {"query": "", "filters": pair}, {"query": "tea", "top_k": 0, "filters": pair}):
        assert httpx.post(url, json=body).status_code == 422


def test_a_distance_leaves_only_what_is_near_where_a_model_can_tell(server: Served, honcho: Honcho):
    of_ann = honcho.peer("bob").conclusions_of("ann")
    assert len(of_ann.query("ann likes tea", distance=0.1)) == 2
    with server.workspaces.use(honcho.workspace_id) as memory:
        memory.embedder = HashedWordsEmbedder()
        near = of_ann.query("ann likes tea", distance=0.1)
        memory.embedder = None

    assert told(near) == {TEA}


def test_what_is_deleted_stays_away_from_every_view_through_every_dream(server: Served, honcho: Honcho):
    view = honcho.peer("ann").conclusions
    ids = {one.content: one.id for one in view.list()}
    view.delete(ids[WISH[1]])
    view.delete(ids[JEMALLOC[1]])

    assert told(view.list()) == {BILLING, FOLLOWS}
    assert honcho.peer("ann").get_card() is None
    asked = {"query": "What does redis depend on?", "target": "ann"}
    chat = httpx.post(f"{server.url}/v3/workspaces/{honcho.workspace_id}/peers/ann/chat", json=asked, timeout=60).json()
    assert JEMALLOC[1] not in [fact["fact"] for fact in chat["facts"]]
    server.dream(honcho.workspace_id)
    assert told(view.list()) == {BILLING}
    assert told(honcho.peer("bob").conclusions_of("ann").list()) == {BILLING, TEA}
    with pytest.raises(NotFoundError):
        view.delete(ids[WISH[1]])


def test_what_is_deleted_comes_back_when_it_is_said_anew(server: Served, honcho: Honcho):
    view, ann = honcho.peer("ann").conclusions, honcho.peer("ann")
    (wish,) = (one for one in view.list() if one.content == WISH[1])
    view.delete(wish.id)
    assert WISH not in told(view.list())

    honcho.session("friday").add_messages([ann.message("I prefer short answers.")])
    server.dream(honcho.workspace_id)

    assert WISH in told(view.list())


def test_two_that_cannot_both_hold_are_a_contradiction_with_both_as_sources(server: Served, honcho: Honcho):
    ann = honcho.peer("ann")
    honcho.session("friday").add_messages(
        [ann.message("The api runs on Kubernetes."), ann.message("The api runs on Nomad.")]
    )
    server.dream(honcho.workspace_id)

    (clash,) = honcho.conclusions.list(filters={"level": "contradiction"})

    assert {one.content for one in honcho.conclusions.get_many(clash.source_ids or [])} == {
        "api runs on kubernetes",
        "api runs on nomad",
    }


def test_the_asynchronous_client_sees_the_same(honcho: Honcho):
    async def seen() -> tuple[set, set, set]:
        view = honcho.peer("ann").conclusions.aio
        listed = [one async for one in await view.list()]
        (follows,) = (one for one in listed if one.level == "deductive")
        found = await honcho.aio.conclusions.get(follows.id)
        own = await view.derived(follows.source_ids[0])
        sought = await view.query("short answers")
        await honcho._async_http_client.close()
        return told(sought), told([found]), told(own.items)

    sought, derived, own = asyncio.run(seen())

    assert WISH in sought
    assert derived == own == {FOLLOWS}
