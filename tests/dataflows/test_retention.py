from collections.abc import Sequence

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflows.horizon import changes_at
from dataflows.retention import dispensable_chunks, relied_on_chunks, retired_chunks, stored_chunks
from dataflows.rows import Chunk, Edge, Episode, Evidence, Procedure, SilentRow
from dataflows.tables import Table, table
from hymem.config import HyMemConfig
from hymem.testing import HashedWordsEmbedder
from tests.support.conversations import Turn, World, day
from tests.support.frames import day as moment
from tests.support.frames import days, some, sparing, told

NOBODY = pd.Series([], dtype="int64")


def aged(*numbers: float) -> Table[Chunk]:
    """Chunks said on these days, with ids from 1."""
    ids = list(range(1, len(numbers) + 1))
    return some(
        Chunk, chunk_id=ids, message_seq=ids, session_id="s", said_at=days(*numbers), text="said", context="before"
    )


def relied_on(chunks: Table[Chunk], **parts: Table) -> list[int]:
    nothing = {"evidence": table(Evidence), "knowledge_graph": table(Edge), "episodes": table(Episode)}
    every = {**nothing, "procedures": table(Procedure), **parts}
    return sorted(relied_on_chunks(chunks, **every))


# ------------------------------------------------------------------------------------------------------ who may be let go


@pytest.mark.parametrize(("status", "relied"), [("active", [2]), ("stale", [2]), ("retracted", [])])
def test_the_evidence_of_an_edge_in_force_is_kept(status: str, relied: list[int]):
    evidence, graph = some(Evidence, edge_id=9, chunk_id=2, polarity=-1), some(Edge, edge_id=9, status=status)

    assert relied_on(aged(1, 2, 3), evidence=evidence, knowledge_graph=graph) == relied


@pytest.mark.parametrize("kind", ["episodes", "procedures"])
def test_what_lies_within_an_episode_or_a_procedure_is_kept(kind: str):
    row = {"episodes": Episode, "procedures": Procedure}[kind]
    spans = some(row, session_id=["s", "other"], first_seq=[2, 1], last_seq=[3, 9])

    assert relied_on(aged(1, 2, 3, 4), **{kind: spans}) == [2, 3]


SPANS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 12), st.integers(0, 5)), max_size=8)
PLACES = st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 20)), max_size=12)


@given(spans=SPANS, places=PLACES)
@sparing
def test_exactly_the_chunks_within_some_span_are_kept(
    spans: Sequence[tuple[str, int, int]], places: Sequence[tuple[str, int]]
):
    chunks = some(
        Chunk,
        chunk_id=list(range(len(places))),
        session_id=[session for session, _ in places],
        message_seq=[seq for _, seq in places],
    )
    episodes = some(
        Episode,
        session_id=[session for session, _, _ in spans],
        first_seq=[first for _, first, _ in spans],
        last_seq=[first + length for _, first, length in spans],
    )

    within = [
        number
        for number, (session, seq) in enumerate(places)
        if any(session == where and first <= seq <= first + length for where, first, length in spans)
    ]
    assert relied_on(chunks, episodes=episodes) == within


@pytest.mark.parametrize(("most", "let_go"), [(4, []), (3, [2]), (2, [2, 3]), (1, [2, 3, 4]), (0, [2, 3, 4])])
def test_as_many_of_the_oldest_are_dispensable_as_there_are_too_many(most: int, let_go: list[int]):
    chunks = aged(4, 1, 2, 3)

    assert dispensable_chunks(chunks, pd.Series([1]), most).chunk_id.tolist() == let_go


def test_where_everything_is_relied_on_nothing_is_let_go_however_many_there_are():
    chunks = aged(1, 2, 3)

    assert dispensable_chunks(chunks, chunks.chunk_id, 0).empty


def test_a_chunk_is_let_go_once_it_is_older_than_the_days_of_retention():
    chunks = aged(0, 10)

    assert [retired_chunks(chunks, 90.0, moment(now)).tolist() for now in (90, 90.001, 100, 101)] == [
        [],
        [1],
        [1],
        [1, 2],
    ]


def test_retired_chunks_lose_text_context_and_pairs_and_keep_their_row():
    chunks = some(Chunk, chunk_id=[1, 2], text=["数据库", "缓存"], context=["", "ok 好的"])

    stored = stored_chunks(chunks, pd.Series([1]), table(Chunk))

    assert told(stored, "chunk_id", "text", "context", "bigrams") == [
        (1, "", "", ""),
        (2, "缓存", "ok 好的", "缓存"),
    ]


# --------------------------------------------------------------------------------------------------------- when it is due


@given(ages=st.lists(st.integers(-40, 40), max_size=5), retention=st.sampled_from([0.0, 10.0, 1e6]))
@sparing
def test_between_now_and_the_stated_moment_nothing_changes_and_at_it_something_does(ages: list[int], retention: float):
    chunks, now = aged(*ages), moment(0)
    coming = changes_at(chunks, chunks, table(SilentRow), retention, now)

    def state(at: pd.Timestamp) -> tuple[int, int]:
        return len(retired_chunks(chunks, retention, at)), int((chunks.said_at <= at).sum())

    if coming is None:
        assert state(now) == state(moment(1000))
    else:
        assert state(now) == state(coming - pd.Timedelta(1, unit="us")) != state(coming)


def test_time_alone_makes_a_dream_due_when_a_chunk_becomes_old_enough():
    with small_world(now=day(50)) as world:
        world.dream()
        outcomes = []
        for now in (day(89), day(90), day(92), day(93)):
            world.clock.now = now
            outcomes.append((world.dream().outcome, texts(world)))

    kept = [("nothing to do", 3), ("nothing to do", 3), ("done", 2), ("nothing to do", 2)]
    assert outcomes == kept


# ---------------------------------------------------------------------------------------------------- dream after dream

SAID = [
    Turn("m1", "monday", "user", "Yesterday someone talked about Zeppelin again.", 1),
    Turn("m2", "tuesday", "user", "The weather was very nice all day in the city.", 20),
    Turn("m3", "offsite", "user", "Yesterday someone talked about redis again.", 30),
]


def small_world(now: str = day(366), **config: float):
    return World.of(SAID, HyMemConfig(**({"max_chunks": 2, "retention_days": 90.0} | config)), now)


def texts(world: World) -> int:
    return len(world.rows("select 1 from chunks where text <> ''"))


def test_a_retired_chunk_has_no_text_no_index_entry_and_no_vector():
    with small_world(now=day(50)) as world:
        world.memory.embedder = HashedWordsEmbedder(16)
        world.dream()
        before = traces(world)
        world.clock.now = day(200)
        world.dream()

        assert (before, traces(world)) == ((1, 1, 3), (0, 0, 2))
        world.check()


def traces(world: World) -> tuple[int, int, int]:
    """The chunks that tell of Zeppelin, those that are found by that name, and the vectors of all chunks."""
    return (
        len(world.rows("select 1 from chunks where text like '%Zeppelin%'")),
        len(world.rows("select 1 from chunks_fts where chunks_fts match 'zeppelin'")),
        vectors(world),
    )


def vectors(world: World) -> int:
    return len(world.rows("select 1 from chunk_embeddings"))


def test_a_chunk_that_an_edge_needs_stays_and_goes_when_a_person_retracts_the_edge():
    with small_world(max_chunks=0) as world:
        world.say("api depends on Redis.", on=2, session="api")
        world.dream()
        before = texts(world)
        world.memory.retract_edge("api", "depends_on", "redis")
        world.dream()

        assert (before, texts(world)) == (1, 0)


def test_new_names_are_found_in_retired_chunks():
    with small_world(max_chunks=0) as world:
        world.dream()
        assert texts(world) == 0

        world.say("api uses Redis.", on=2, session="api")
        world.dream()

        mentioned = world.rows(
            "select said_at from entity_mentions join chunks using (chunk_id) where entity = 'redis'"
        )
        assert sorted(at for (at,) in mentioned) == [day(2), day(30)]


def test_a_rebuild_from_nothing_lets_go_of_the_same_chunks():
    with small_world() as world:
        world.memory.embedder = HashedWordsEmbedder(16)
        world.dream()
        world.say("billing uses uv.", on=300, session="late")
        world.dream()
        remembered, known = world.remembered(), world.rows("select chunk_id from chunk_embeddings order by 1")
        world.forget_what_was_computed()
        world.dream()

        assert world.remembered() == remembered
        assert world.rows("select chunk_id from chunk_embeddings order by 1") == known


def test_where_the_clock_jumps_back_the_next_dream_with_something_to_do_brings_the_text_back():
    with small_world(now=day(366)) as world:
        world.memory.embedder = HashedWordsEmbedder(16)
        world.dream()
        assert (texts(world), vectors(world)) == (2, 2)

        world.clock.now = day(60)
        world.say("billing uses uv.", on=50, session="late")
        world.dream()

        assert (texts(world), vectors(world)) == (4, 4)
        assert world.tables() == world.recomputed()
