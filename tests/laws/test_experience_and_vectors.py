"""The laws hold with everything switched on: sessions that are told of, vectors, and chunks that are let go."""

import json
import os
import subprocess
import sys
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule

from hymem.config import HyMemConfig
from hymem.errors import ModelUnavailableError, ReplyError
from hymem.models.chat import ChatReply, ChatRequest
from hymem.store.vec_tables import INDEXES, load_vec
from hymem.testing import HashedWordsEmbedder
from tests.support.conversations import Listener, Turn, conversations, day, examples, turns
from tests.support.world import Rows, World

FRUGAL = HyMemConfig(max_chunks=2, retention_days=60.0)
SECRET = "Zanzibar"


@dataclass
class Moody(Listener):
    """A listener that may be in no mood to tell of sessions."""

    tells_of_sessions: bool = True

    def complete(self, request: ChatRequest) -> ChatReply:
        """Answer, but for sessions where it does not tell of them."""
        if request.kind == "session" and not self.tells_of_sessions:
            raise ReplyError("not now")
        return super().complete(request)


@contextmanager
def everything(said: list[Turn] = [], config: HyMemConfig = FRUGAL, now: str = day(366)):  # noqa: B006 - not changed
    """A world in which there are vectors, few chunks are kept, and telling of sessions may fail."""
    with World.of(said, config, now) as world:
        world.listener = world.memory.llm = Moody()
        world.memory.embedder = HashedWordsEmbedder(64)
        yield world


def vectors(world: World) -> dict[str, Rows]:
    return {table: world.rows(f"select * from {table} order by {key}") for table, key, _ in INDEXES.values()}


def check_vectors(world: World) -> None:
    """Whether exactly the texts that should have a vector have one, but for edges that may come back; in the index too."""
    chunks = world.rows("select chunk_id from chunk_embeddings order by 1")
    assert chunks == world.rows("select chunk_id from chunks where text <> '' order by 1")
    episodes = world.rows("select episode_id from episode_embeddings order by 1")
    assert episodes == world.rows("select episode_id from episodes order by 1")
    edges = world.rows(
        """select subject || ' ' || predicate || ' ' || object from knowledge_graph
           where status <> 'retracted' and json_array_length(path) <= 2"""
    )
    assert set(edges) <= set(world.rows("select text from edge_embeddings"))
    with world.database.reading() as connection:
        assert load_vec(connection)
        for table, key, index in INDEXES.values():
            if connection.execute("select 1 from sqlite_schema where name = ?", (index,)).fetchall():
                stored = connection.execute(f"select {key}, vector from {table} order by 1").fetchall()
                assert connection.execute(f"select {key}, embedding from {index} order by 1").fetchall() == stored


@given(said=conversations())
@examples(3)
def test_a_second_dream_has_nothing_to_do_and_a_forced_one_changes_nothing(said: list[Turn]):
    with everything(said) as world:
        world.dream()
        remembered, known = world.remembered(), vectors(world)
        check_vectors(world)
        idle = world.dream()
        world.write("delete from dream_state")
        forced = world.dream()

        assert (idle.outcome, forced.asked, forced.embedded, dict(forced.changed)) == ("nothing to do", 0, 0, {})
        assert (world.remembered(), vectors(world)) == (remembered, known)


class AnyMishap(RuleBasedStateMachine):
    """Talk, silence, endpoints that fail and recover, erasure and time, in any order, with dreams in between."""

    def __init__(self) -> None:
        super().__init__()
        self.until_the_end = ExitStack()
        self.world = self.until_the_end.enter_context(everything(now=day(100)))
        self.logged: list[str] = []

    @initialize(said=conversations(longest=5))
    def someone_talked_before(self, said):
        self.world.log(said)
        self.logged = [turn.message_id for turn in said]

    @rule(data=st.data(), count=st.integers(1, 2))
    def someone_talks(self, data, count):
        for _ in range(count):
            said = data.draw(turns(100 + len(self.logged) + len(self.world.listener.requests) * 10))
            if said.message_id not in self.logged:
                self.world.log([said])
                self.logged.append(said.message_id)

    @precondition(lambda self: self.logged)
    @rule(data=st.data())
    def someone_takes_a_message_back(self, data):
        message = data.draw(st.sampled_from(self.logged))
        self.logged.remove(message)
        self.world.memory.erase_message(message)

    @rule(willing=st.booleans())
    def telling_of_sessions_fails_or_works_again(self, willing):
        self.world.listener.tells_of_sessions = willing

    @rule(trouble=st.sampled_from([None, ModelUnavailableError("down")]))
    def the_embedding_model_goes_or_returns(self, trouble):
        self.world.memory.embedder.trouble = trouble

    @rule(now=st.sampled_from([day(50), day(150), day(366)]))
    def the_clock_shows_another_time(self, now):
        self.world.clock.now = now
        self.world.write("delete from dream_state")

    @rule(budget=st.sampled_from([0, 1]))
    def a_dream(self, budget):
        run = self.world.dream(budget)

        assert self.world.tables() == self.world.recomputed()
        if run.outcome == "done" and self.world.memory.embedder.trouble is None:
            check_vectors(self.world)

    def teardown(self):
        try:
            self.world.listener.tells_of_sessions, self.world.memory.embedder.trouble = True, None
            self.world.write("delete from attempts")
            while self.world.dream().outcome != "nothing to do":
                pass
            remembered = self.world.remembered()
            check_vectors(self.world)
            self.world.forget_what_was_computed()
            self.world.dream()

            assert self.world.remembered() == remembered
            check_vectors(self.world)
            self.world.check()
            for index in ("episodes_fts", "procedures_fts"):
                self.world.write(f"insert into {index} ({index}, rank) values ('integrity-check', 1)")
        finally:
            self.until_the_end.close()


AnyMishap.TestCase.settings = settings(examples(4), stateful_step_count=6)
TestAnyMishap = AnyMishap.TestCase


@given(said=conversations(longest=4))
@examples(2)
def test_of_what_was_taken_back_no_vector_no_episode_and_no_byte_remains(said: list[Turn]):
    telling = f"{SECRET} uses Redis. Redis depends on {SECRET}2. uv replaces {SECRET}."
    with everything([*said, Turn("secret", "monday", "user", telling, 100)]) as world, everything(said) as other:
        world.dream()
        assert world.rows(f"select 1 from edge_embeddings where text like '%{SECRET.lower()}%'") != []
        world.memory.erase_message("secret")
        world.dream()
        other.dream()

        assert SECRET.casefold().encode() not in world.bytes_on_disk().lower()
        assert vectors(world) == vectors(other)
        check_vectors(world)


def test_of_an_edge_between_known_names_no_vector_remains_either():
    with everything([Turn("m1", "monday", "user", "api uses Redis. worker uses uv.", 1)], HyMemConfig()) as world:
        world.say("api uses uv.", on=2, message_id="m2")
        world.dream()
        (kept,) = world.rows("select vector from edge_embeddings where text = 'api uses uv'")[0]
        world.memory.erase_message("m2")
        world.dream()

        assert kept not in world.bytes_on_disk()


def test_a_conclusion_that_returns_is_not_embedded_again():
    with everything([Turn("m1", "monday", "user", "api uses Redis. Redis depends on uv.", 1)], HyMemConfig()) as world:
        world.dream()
        world.memory.retract_edge("api", "uses", "redis")
        world.dream()
        assert "api depends_on uv" not in {f"{e.subject} {e.predicate} {e.object}" for e in world.memory.edges()}
        asked = len(world.memory.embedder.requests)
        world.clock.now = day(367)
        world.memory.restore_edge("api", "uses", "redis")
        world.dream()

        assert "api depends_on uv" in {f"{e.subject} {e.predicate} {e.object}" for e in world.memory.edges()}
        assert len(world.memory.embedder.requests) == asked


DYING = """
import json, os, sys
from pathlib import Path
from hymem.testing import HashedWordsEmbedder
from serving.memory import HyMem
from tests.support.conversations import Clock, Listener, day

kind = sys.argv[2]

class Mortal(Listener):
    def complete(self, request):
        if request.kind == kind:
            os._exit(9)
        return super().complete(request)

class MortalEmbedder(HashedWordsEmbedder):
    def embed(self, texts):
        if kind == "embedding":
            os._exit(9)
        return super().embed(texts)

memory = HyMem(Path(sys.argv[1]), llm=Mortal(), embedder=MortalEmbedder(64), clock=Clock(day(366)), concurrency=1)
memory.log_messages(json.loads(sys.argv[3]))
memory.dream(budget=0)
"""


@pytest.mark.parametrize(("killed_at", "still_to_ask"), [("session", 1), ("embedding", 0)])
def test_a_dream_that_is_killed_leaves_what_the_next_one_completes(killed_at: str, still_to_ask: int):
    said = [Turn(f"m{n}", "monday", "user", f"api uses Redis. api depends on uv. Point {n}.", n) for n in range(3)]
    with TemporaryDirectory() as folder, everything(said, HyMemConfig()) as unharmed:
        died = subprocess.run(
            [sys.executable, "-c", DYING, folder, killed_at, json.dumps([turn.logged() for turn in said])],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])},
            check=False,
        )
        assert died.returncode == 9
        world = World(Path(folder))
        try:
            world.memory.embedder = HashedWordsEmbedder(64)
            world.dream()
            unharmed.dream()

            assert len(world.listener.requests) == still_to_ask
            assert (world.remembered(), vectors(world)) == (unharmed.remembered(), vectors(unharmed))
        finally:
            world.memory.close()
