"""The fifth law at once: `forget` leaves nothing of a thing, says what went, and no later dream brings it back."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from signal import SIGKILL
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import hymem
from hymem.errors import InputError, StoreError, UnknownError
from hymem.memory_files import FILES
from hymem.testing import HashedWordsEmbedder
from tests.support.conversations import Turn, World, conversations, examples

SECRET = "Zanzibar"
SAID = [
    Turn("m1", "monday", "user", "api uses Redis. I prefer tabs.", 1),
    Turn("m2", "monday", "user", f"worker depends on {SECRET}. {SECRET} uses uv.", 2, "alice"),
    Turn("m3", "offsite", "assistant", f"So billing uses {SECRET}?", 3),
    Turn("m4", "offsite", "user", "Exactly. billing depends on worker.", 4),
    Turn("m5", "offsite", "user", "billing uses Redis.", 5),
]


@pytest.fixture
def world() -> Iterator[World]:
    """A world that has dreamt of something that is to be forgotten, and of other things."""
    with World.of(SAID) as world:
        world.dream()
        yield world


def tells_of(world: World, secret: str = SECRET) -> bool:
    """Whether a byte of the folder tells of it, whatever its case."""
    return secret.casefold().encode() in world.bytes_on_disk().lower()


def everything(world: World) -> dict[str, list[Any]]:
    """Every row of every table, those of search indexes included."""
    tables = world.rows("select name from sqlite_schema where type = 'table' and name not like 'vec_%' order by name")
    return {table: world.rows(f"select * from {table}") for (table,) in tables}


@given(said=conversations(), data=st.data())
@examples(6)
def test_memory_after_forgetting_is_at_once_that_of_a_ledger_that_never_had_it(said: list[Turn], data):
    gone = data.draw(st.sampled_from([turn.message_id for turn in said]))
    with World.of(said) as world, World.of(turn for turn in said if turn.message_id != gone) as other:
        world.dream()
        world.memory.forget(message=gone)
        other.dream()
        at_once = world.edges()
        world.dream()

        assert world.told() == other.told()
        assert world.files() == other.files()
        assert at_once.keys() <= world.edges().keys() | {name for name, edge in at_once.items() if edge[0] == 0}


@pytest.mark.parametrize(
    "target", [{"entity": "ZANZIBAR"}, {"entity": "zanzibar"}], ids=["as it is written", "as it is known"]
)
def test_a_forgotten_entity_is_in_no_byte_and_does_not_come_back(world: World, target: dict[str, str]):
    world.memory.alias("the island", SECRET)
    world.memory.retract_edge(SECRET, "uses", "uv", f"{SECRET} was a joke")
    world.dream()
    assert tells_of(world)

    world.memory.forget(**target)

    assert not tells_of(world)
    assert world.edges().keys() == {"api uses redis", "billing uses redis", "billing depends_on worker"} & set(
        world.edges()
    )
    world.dream()
    world.write("delete from dream_state")
    world.dream()
    assert not tells_of(world)
    world.say(f"api uses {SECRET}.", on=200)
    world.dream()
    assert "api uses zanzibar" in world.edges()


def test_a_forgotten_peer_takes_what_it_said_and_its_own_row_along(world: World):
    world.memory.forget(peer="alice")

    assert world.rows("select count(*) from peers where peer_id = 'alice'") == [(0,)]
    assert [message.message_id for message in world.memory.messages()] == ["m1", "m3", "m4", "m5"]
    assert "worker depends_on zanzibar" not in world.edges()


@pytest.mark.parametrize("kind", ["message", "session", "peer", "entity"])
def test_what_only_one_message_told_is_in_no_byte_whatever_it_is_forgotten_by(kind: str):
    telling = f"worker depends on {SECRET}. I prefer {SECRET}. {SECRET} is a tool. uv replaces {SECRET}. Exactly."
    said = [*SAID[:1], Turn("secret", "offsite", "user", telling, 2, "alice"), Turn("m9", "monday", "user", "ok.", 3)]
    name = {"message": "secret", "session": "offsite", "peer": "alice", "entity": SECRET}[kind]
    with World.of(said) as world:
        world.memory.embedder = HashedWordsEmbedder(16)
        world.dream()
        world.memory.alias("isle", SECRET)
        world.memory.retract_edge("worker", "depends_on", SECRET, f"{SECRET}? no")
        world.dream()

        world.memory.forget(**{kind: name})
        assert not tells_of(world)
        world.check()
        world.dream()
        assert not tells_of(world)


def test_a_forgotten_session_is_gone_from_every_table_that_has_sessions(world: World):
    world.memory.forget(session="offsite")

    for table in ("sessions", "messages", "chunks", "processed_chunks", "session_windows", "episodes"):
        assert world.rows(f"select count(*) from {table} where session_id = 'offsite'") == [(0,)]


def test_what_people_said_of_a_name_goes_with_the_only_message_that_told_it():
    said = [Turn("m1", "monday", "user", f"api uses {SECRET}.", 1), Turn("m2", "monday", "user", "api uses uv.", 2)]
    with World.of(said) as world:
        world.dream()
        world.memory.alias("zz_top", SECRET)
        world.memory.alias("pip", "uv")
        world.memory.retract_edge("api", "uses", SECRET, "we only joked")
        world.dream()

        world.memory.forget(message="m1")

        assert not tells_of(world)
        assert world.rows("select alias from entity_aliases") == [("pip",)]
        assert world.rows("select reason from extraction_feedback") == []


def test_a_reason_goes_with_the_evidence_that_it_may_quote():
    said = [Turn("m1", "monday", "user", "api uses uv.", 1), Turn("m2", "offsite", "user", "api uses uv.", 2)]
    with World.of(said) as world:
        world.dream()
        world.memory.retract_edge("api", "uses", "uv", f"said in {SECRET} over a drink")

        world.memory.forget(message="m1")

        assert world.rows("select act, reason from extraction_feedback") == [("retract", None)]
        assert not tells_of(world)


def test_a_preview_changes_nothing_and_foretells_the_receipt(world: World):
    before = everything(world)

    preview = world.memory.forget(entity=SECRET, preview=True)

    assert everything(world) == before
    receipt = world.memory.forget(entity=SECRET)
    assert (preview.gone, preview.changed, preview.markdown) == (receipt.gone, receipt.changed, receipt.markdown)
    assert preview.examples["messages"] == (SAID[1].content, SAID[2].content, SAID[3].content)
    assert receipt.examples == {}
    assert receipt.log_emptied


def test_the_receipt_counts_the_rows_that_went(world: World):
    before = {table: world.rows(f"select count(*) from {table}")[0][0] for table in ("messages", "knowledge_graph")}

    receipt = world.memory.forget(entity=SECRET)

    after = {table: world.rows(f"select count(*) from {table}")[0][0] for table in before}
    assert {table: before[table] - after[table] for table in before} == {table: receipt.gone[table] for table in before}


def test_a_label_that_bears_the_name_is_told(world: World):
    world.say("Nothing.", session=f"trip to {SECRET}")

    receipt = world.memory.forget(entity=SECRET)

    assert [remark.partition(" bears")[0] for remark in receipt.remarks] == [f"session trip to {SECRET}"]


def test_what_is_not_there_cannot_be_forgotten(world: World):
    with pytest.raises(UnknownError, match="no message"):
        world.memory.forget(message="m99")
    with pytest.raises(UnknownError, match="nothing tells of"):
        world.memory.forget(entity="atlantis")
    with pytest.raises(InputError, match="name one thing"):
        world.memory.forget(message="m1", session="monday")


def test_where_a_file_cannot_be_written_nothing_is_erased(world: World):
    (world.root / "MEMORY.md").write_bytes(b"\xff\xfe\x00")
    before = world.tables()

    with pytest.raises(StoreError, match="UTF-16"):
        world.memory.forget(entity=SECRET)

    assert world.tables() == before
    assert len(world.memory.messages()) == len(SAID)


def test_what_a_killed_writer_of_the_files_left_is_swept_away(world: World):
    (world.root / ".hymem-x.tmp").write_text(SECRET)

    world.memory.forget(entity=SECRET)

    assert not tells_of(world)


def test_forgetting_before_the_first_dream_erases_what_was_said():
    with World.of(SAID) as world:
        world.memory.forget(entity=SECRET)

        assert not tells_of(world)
        assert [message.message_id for message in world.memory.messages()] == ["m1", "m4", "m5"]


def forgetting(world: World) -> Callable[[], None]:
    """What forgets from another thread, as another program would."""

    def forget() -> None:
        with world.memory.fork() as other:
            other.forget(entity=SECRET)

    return forget


def test_a_dream_that_is_under_way_does_not_write_back_what_is_forgotten():
    with World.of(SAID) as world:
        world.listener.during = forgetting(world)
        world.dream()

        assert not tells_of(world)


def test_a_dream_that_writes_its_files_does_not_write_back_what_is_forgotten(world: World, monkeypatch: Any):
    from dataflows import dreaming

    write, forgotten = dreaming.write_memory_files, threading.Event()

    def late(root: Path, bodies: Any) -> Any:
        if not forgotten.is_set():
            forgotten.set()
            forgetting(world)()
        return write(root, bodies)

    monkeypatch.setattr(dreaming, "write_memory_files", late)
    world.say("api uses pip.", on=9)
    world.dream()

    assert forgotten.is_set()
    assert not tells_of(world)


def test_a_dream_that_embeds_does_not_keep_the_vector_of_what_is_forgotten():
    with World.of(SAID) as world:
        world.memory.embedder = Interrupting(HashedWordsEmbedder(16), forgetting(world))
        run = world.dream()

        assert not tells_of(world)
        assert "the next dream embeds the rest" in run.warnings[0]
        world.dream()
        assert world.rows("select embedded from dream_state") == [("hashed-words",)]


class Interrupting:
    """An embedder during whose first work something else happens."""

    def __init__(self, embedder: HashedWordsEmbedder, during: Callable[[], None]) -> None:
        self.model, self.dimension, self._embedder, self._during = embedder.model, embedder.dimension, embedder, during

    def embed(self, texts: Sequence[str]) -> Any:
        """The vectors, once that has happened."""
        self._during()
        self._during = lambda: None
        return self._embedder.embed(texts)


DYING = """
import os, signal, sys
import apsw

root, now, left = sys.argv[1], sys.argv[2], int(sys.argv[3])

def count(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

apsw.connection_hooks.append(lambda connection: connection.set_update_hook(count))
from serving.memory import HyMem
HyMem(root, clock=lambda: now).forget(entity="Zanzibar")
"""


@pytest.mark.parametrize("row", [1, 20, 50, 70])
def test_who_is_killed_while_forgetting_has_done_all_or_nothing(world: World, row: int):
    before = world.remembered()
    environment = {**os.environ, "PYTHONPATH": str(Path(hymem.__file__).parents[1])}
    command = [sys.executable, "-c", DYING, str(world.root), world.clock(), str(row)]

    assert subprocess.run(command, env=environment, check=False).returncode == -SIGKILL

    world.check()
    assert world.tables() == before[0]
    world.dream()
    assert world.remembered() == before
    assert {*world.files()} == {*FILES.values()}
