"""A peer's perspective holds what it heard, and not a word, a confidence or a conclusion more."""

from collections.abc import Iterator

import pytest
from honcho import Honcho
from honcho.api_types import SessionPeerConfig

from hymem.records import ProfileEntry
from serving.honcho.concluding import wish_in_words
from serving.honcho.perspective import perspective
from tests.support.honcho_server import Served, honcho_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with honcho_server(tmp_path_factory.mktemp("honcho")) as served:
        client = served.client("w")
        tell(client)
        client._http.close()
        served.dream("w")
        yield served


def tell(honcho: Honcho) -> None:
    """Ann talks with bob on monday, with carol on tuesday and with nobody on friday; bob leaves on monday; dora is deaf."""
    ann, bob = honcho.peer("ann"), honcho.peer("bob")
    monday, tuesday, friday = (honcho.session(day) for day in ("monday", "tuesday", "friday"))
    monday.add_peers(["ann", "bob", ("dora", SessionPeerConfig(observe_others=False))])
    tuesday.add_peers(["ann", "carol", ("shy", SessionPeerConfig(observe_me=False))])
    monday.add_messages([ann.message("We use Redis."), ann.message("The billing service depends on Redis.")])
    monday.add_messages([bob.message("We use Postgres.")])
    monday.remove_peers("bob")
    monday.add_messages([ann.message("I prefer short answers.")])
    tuesday.add_messages([ann.message("We use Redis."), ann.message("Redis depends on jemalloc.")])
    tuesday.add_messages([honcho.peer("shy").message("We use Oracle.")])
    friday.add_messages([ann.message("We don't use MySQL.")])
    honcho.scope("work").add_sessions(["tuesday"])


def known(server: Served, observer: str, observed: str | None = None, **limits: object) -> list[tuple[str, str, int]]:
    with perspective(server.workspaces, "w", observer, observed, **limits) as it:  # type: ignore[arg-type]
        return sorted((one.level, one.content, one.times_derived) for one in it.conclusions())


BILLING = ("explicit", "billing service depends on redis", 1)
JEMALLOC = ("explicit", "redis depends on jemalloc", 1)
REDIS = ("explicit", "ann uses redis", 1)


def test_of_itself_a_peer_knows_what_it_said_and_what_follows(server: Served):
    assert known(server, "ann") == [
        ("deductive", "ann depends on jemalloc", 1),
        ("deductive", "billing service depends on jemalloc", 1),
        ("explicit", "ann does not use mysql", 1),
        ("explicit", "ann prefers short answers", 1),
        ("explicit", "ann uses redis", 2),
        BILLING,
        JEMALLOC,
    ]


def test_of_another_it_knows_what_was_said_while_it_was_there_and_nothing_that_follows_from_more(server: Served):
    assert known(server, "bob", "ann") == [REDIS, BILLING]
    assert known(server, "carol", "ann") == [("deductive", "ann depends on jemalloc", 1), REDIS, JEMALLOC]


def test_its_memory_believes_no_more_than_what_it_heard(server: Served):
    with perspective(server.workspaces, "w", "bob", "ann") as it:
        assert it.memory is not None
        heard = {(edge.subject, edge.object): round(edge.confidence, 2) for edge in it.memory.edges()}
        messages = [message.content for message in it.memory.messages()]

    assert heard == {("ann", "redis"): 0.67, ("billing_service", "redis"): 0.67, ("bob", "postgresql"): 0.67}
    assert messages == ["We use Redis.", "The billing service depends on Redis.", "We use Postgres."]


@pytest.mark.parametrize(("observer", "observed"), [("dora", "ann"), ("bob", "carol"), ("carol", "shy"), ("shy", None)])
def test_nothing_is_known_of_whom_one_did_not_meet_or_who_is_not_observed(
    server: Served, observer: str, observed: str | None
):
    assert known(server, observer, observed) == []


def test_a_perspective_may_be_limited_to_sessions_and_then_knows_only_of_these(server: Served):
    assert known(server, "ann", sessions=["friday"]) == [("explicit", "ann does not use mysql", 1)]
    assert known(server, "bob", "ann", sessions=["tuesday"]) == []


def test_a_scope_hears_its_sessions_whole(server: Served):
    assert known(server, "ann", scopes=["work"]) == [("deductive", "ann depends on jemalloc", 1), REDIS, JEMALLOC]


def test_whoever_heard_everything_asks_memory_itself(server: Served):
    honcho = server.client("alone")
    honcho.session("s").add_messages([honcho.peer("ann").message("We use Redis.")])
    honcho._http.close()
    server.dream("alone")

    with perspective(server.workspaces, "alone", "ann") as it:
        assert (it.memory is it.ledger, [one.content for one in it.conclusions()]) == (True, ["ann uses redis"])


def test_conclusions_name_their_sources_and_keep_their_ids(server: Served):
    with perspective(server.workspaces, "w", "ann") as it:
        first = it.conclusions()
    with perspective(server.workspaces, "w", "ann", sessions=["tuesday"]) as it:
        again = {one.conclusion_id: one.content for one in it.conclusions()}
    ids = {one.conclusion_id: one for one in first}

    assert all(len(one) == 21 for one in ids)
    assert {one.conclusion_id: one.content for one in first if one.conclusion_id in again} == again
    (billing,) = (one for one in first if one.content == "billing service depends on jemalloc")
    assert [ids[source].content for source in billing.source_ids] == [BILLING[1], JEMALLOC[1]]
    assert (billing.session_id, ids[billing.source_ids[0]].session_id) == (None, "monday")


@pytest.mark.parametrize(
    ("statement", "words"),
    [
        ("I prefer short answers", "ann prefers short answers"),
        ("we really like tea", "ann really likes tea"),
        ("prefers tabs", "ann prefers tabs"),
        ("The user does not want emojis", "ann does not want emojis"),
        ("I don't want emojis", "ann does not want emojis"),
        ("don't use emojis", "ann asks: don't use emojis"),
        ("short answers", "ann asks: short answers"),
        ("I", "ann asks: I"),
    ],
)
def test_a_wish_is_told_as_a_sentence_about_the_peer(statement: str, words: str):
    entry = ProfileEntry(1, "ann", "preference", statement, 1, 0, 0.67, "", "")

    assert wish_in_words("ann", entry) == words
