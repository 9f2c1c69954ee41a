"""A view of memory: read like memory, changed by nobody, gone when it is closed."""

import os
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hymem.errors import InputError, ReadOnlyError, UnknownError
from hymem.testing import HashedWordsEmbedder
from serving.memory import HyMem
from serving.scratch import PREFIX, Scratch, sweep
from tests.support.conversations import Turn, World, day

SAID = [
    Turn("m1", "monday", "user", "api uses Redis. I prefer short answers.", 1),
    Turn("m2", "tuesday", "user", "billing depends on Postgres.", 20),
]


@pytest.fixture
def world():
    with World.of(SAID, now=day(30)) as world:
        world.dream()
        yield world


def sentences(memory: HyMem) -> list[str]:
    return sorted(f"{edge.subject} {edge.predicate} {edge.object}" for edge in memory.edges())


def test_a_view_answers_what_memory_answers_as_things_stood_then(world: World):
    with world.memory.view(as_of=day(10)) as then:
        found = then.augment("What does the api use?")

        assert sentences(then) == ["api uses redis"]
        assert [str(fact) for fact in found.graph_facts] == ["api uses redis"]
        assert "short answers" in found.user_md
        assert [session.session_id for session in then.sessions()] == ["monday"]
        assert [turn.message_id for turn in then.messages()] == ["m1"]
        assert then.why("api", "uses", "redis")[0].witnesses[0].messages[0].message_id == "m1"
        assert then.now() == day(10)


def test_each_question_can_be_asked_of_the_past(world: World):
    world.say("api no longer uses Redis.", on=25, session="wednesday")
    world.say("api no longer uses Redis.", on=26, session="wednesday")
    world.dream()

    def standing(as_of: str | None) -> tuple:
        graph = world.memory.edges(include_retracted=True, as_of=as_of)
        (edge,) = (edge for edge in graph if edge.object == "redis")
        facts = [str(fact) for fact in world.memory.augment("What does api use?", as_of=as_of).graph_facts]
        witnesses = world.memory.why("api", "uses", "redis", as_of=as_of)[0].witnesses
        return edge.neg_evidence, facts, len(witnesses), len(world.memory.conflicts(as_of=as_of))

    assert standing(day(2)) == (0, ["api uses redis"], 1, 0)
    assert standing(None) == (2, ["api does not use redis"], 3, 0)


def test_a_day_is_meant_to_its_end(world: World):
    world.say("worker uses uv.", on=20.99, session="late")
    world.dream()

    with world.memory.view(as_of="2025-01-21") as then:
        assert sentences(then) == ["api uses redis", "billing depends_on postgresql", "worker uses uv"]


def test_a_retraction_of_later_is_not_known_then(world: World):
    world.memory.retract_edge("api", "uses", "redis")
    world.clock.now = day(40)
    world.dream()

    with world.memory.view(as_of=day(29)) as then, world.memory.view() as now:
        assert "api uses redis" in sentences(then)
        assert "api uses redis" not in sentences(now)


def test_replies_that_were_rejected_later_still_counted_then(world: World):
    world.clock.now = day(40)
    world.memory.undo("last")

    assert (world.memory.edges(), len(world.memory.edges(as_of=day(39)))) == ([], 2)


@pytest.mark.parametrize("moment", ["next week", "2025-02-30", "2031-01-01", float("nan"), ""], ids=str)
def test_what_is_no_moment_of_the_past_is_refused(world: World, moment: object):
    with pytest.raises(InputError):
        world.memory.view(as_of=moment)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize("choice", [{"sessions": ["nobody"]}, {"without": ["nobody"]}], ids=str)
def test_a_session_that_is_not_there_is_told(world: World, choice: dict):
    before = scratch_folders()

    with pytest.raises(UnknownError, match="nobody"):
        world.memory.view(**choice)
    assert scratch_folders() == before


@pytest.mark.parametrize("sessions", ["monday", [""], [None], ["mon\ud800day"], [7]], ids=ascii)
def test_what_cannot_be_a_list_of_sessions_is_refused(world: World, sessions: object):
    with pytest.raises(InputError):
        world.memory.view(sessions=sessions)  # pyright: ignore[reportArgumentType]


def test_a_view_is_built_while_somebody_writes(world: World):
    def look() -> list[str]:
        with world.memory.view() as view:
            return sentences(view)

    with world.database.writing(), ThreadPoolExecutor(1) as pool:
        assert pool.submit(look).result(timeout=8) == ["api uses redis", "billing depends_on postgresql"]


def test_a_view_of_no_session_is_empty(world: World):
    with world.memory.view(sessions=[]) as nothing:
        found = nothing.augment("What does the api use?")
        held = [nothing.edges(), nothing.messages(), nothing.profile(), found.graph_facts, found.fts_hits]

    assert [list(each) for each in held] == [[], [], [], [], []]


def test_a_view_recalls_by_meaning_with_the_vectors_that_are_there(world: World):
    world.memory.embedder = HashedWordsEmbedder()
    world.dream()

    with world.memory.view(sessions=["monday"]) as part:
        held = part.query("select text, vector from edge_embeddings").to_dict("records")
        chunks = part.query("select chunk_id, vector from chunk_embeddings").to_dict("records")

    assert held == world.memory.query("select text, vector from edge_embeddings where text = 'api uses redis'").to_dict(
        "records"
    )
    assert len(held) == len(chunks) == 1


WRITING = {
    "log_message": lambda view: view.log_message("monday", "user", "hello"),
    "open_session": lambda view: view.open_session("new"),
    "close_session": lambda view: view.close_session("monday"),
    "erase_message": lambda view: view.erase_message("m1"),
    "erase_session": lambda view: view.erase_session("monday"),
    "forget": lambda view: view.forget(session="monday"),
    "undo": lambda view: view.undo("last"),
    "ask_again": lambda view: view.ask_again("last"),
    "undo_alias": lambda view: view.undo_alias("postgres"),
    "dream": lambda view: view.dream(),
    "reembed": lambda view: view.reembed(),
    "alias": lambda view: view.alias("db", "redis"),
    "merge_canonical": lambda view: view.merge_canonical("api", "redis"),
    "retract_edge": lambda view: view.retract_edge("api", "uses", "redis"),
    "restore_edge": lambda view: view.restore_edge("api", "uses", "redis"),
    "repair_canonical_drift": lambda view: view.repair_canonical_drift(),
    "view": lambda view: view.view(),
}


def test_no_verb_changes_a_view(world: World):
    with world.memory.view() as view:
        for act in WRITING.values():
            with pytest.raises(ReadOnlyError):
                act(view)

        assert sentences(view) == sentences(world.memory)


def test_a_view_is_gone_when_it_and_its_forks_are_closed(world: World):
    view = world.memory.view()
    fork = view.fork()
    view.close()
    view.close()

    assert sentences(fork) == sentences(world.memory)
    fork.close()
    assert not fork.root.exists()


def test_what_a_killed_process_left_behind_is_removed_and_what_is_held_is_not():
    left = Path(tempfile.mkdtemp(prefix=PREFIX))
    held = Scratch()
    for path in (left, held.path):
        (path / "hymem.db").write_text("what was said")
        os.utime(path, (time.time() - 3600,) * 2)

    sweep()

    assert (left.exists(), held.path.exists()) == (False, True)
    held.release()
    assert not held.path.exists()


def scratch_folders() -> set[Path]:
    return set(Path(tempfile.gettempdir()).glob(f"{PREFIX}*"))
