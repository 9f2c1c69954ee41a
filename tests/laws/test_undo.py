"""What one dream was replied can be rejected: memory is then what it would be without, and nobody is asked again unasked."""

from collections.abc import Iterator

import pytest

from hymem.errors import BusyError, UnknownError
from hymem.store.lock import dream_lock
from tests.support.conversations import Turn, World

SAID = [Turn("m1", "monday", "user", "api uses Redis. I prefer tabs.", 1)]
LATER = Turn("m2", "tuesday", "user", "worker depends on api. api uses Zanzibar.", 2)


@pytest.fixture
def world() -> Iterator[World]:
    """A world that has dreamt twice."""
    with World.of(SAID) as world:
        world.dream()
        world.log([LATER])
        world.dream()
        yield world


def test_undoing_a_dream_removes_at_once_what_came_of_its_replies_and_nothing_else(world: World):
    receipt = world.memory.undo("last")

    assert world.edges() == {"api uses redis": (1, 0, "active")}
    assert receipt.gone["knowledge_graph"] >= 2
    assert "messages" not in receipt.gone
    assert b"anzibar" not in b"".join(world.files().values())
    assert world.rows("select count(*) from processed_chunks") == [(4,)]


def test_memory_after_undoing_is_what_the_ledger_gives(world: World):
    world.memory.undo("last")
    world.dream()

    assert world.tables() == world.recomputed()


def test_what_was_undone_is_not_asked_again_until_someone_wants_it(world: World):
    run = world.memory.runs()[0].run_id
    before = world.edges()
    world.memory.undo(run)

    assert world.dream().asked == 0
    world.memory.ask_again(run[:6])
    assert world.dream().asked == 2
    assert world.edges() == before


def test_an_undone_dream_is_asked_again_when_the_model_is_another(world: World):
    world.memory.undo("last")
    world.listener.model = "another"

    assert world.dream().asked >= 2
    assert "api uses zanzibar" in world.edges()


def test_a_preview_of_undoing_changes_nothing(world: World):
    before = world.remembered()

    assert world.memory.undo("last", preview=True).gone["knowledge_graph"] >= 2
    assert world.remembered() == before
    assert world.rows("select * from reply_rejections") == []


def test_a_dream_that_is_under_way_cannot_be_undone(world: World):
    world.write("update dream_runs set outcome = 'dreaming'")

    with dream_lock(world.database), pytest.raises(BusyError, match="under way"):
        world.memory.undo("last")


@pytest.mark.parametrize("name", ["", "zz", "nothing"])
def test_a_dream_that_is_not_known_is_told(world: World, name: str):
    with pytest.raises(UnknownError, match="no dream"):
        world.memory.undo(name)


def test_a_dream_that_was_replied_nothing_has_nothing_to_undo(world: World):
    world.say("api uses pip.", on=3)
    world.memory.undo(world.memory.runs()[0].run_id)
    world.listener.refusing = "no"
    world.dream()

    with pytest.raises(UnknownError, match="no reply that is kept"):
        world.memory.undo("last")


def test_an_alias_that_is_undone_parts_the_two_again(world: World):
    before = world.edges()
    world.memory.alias("worker", "api")
    world.dream()
    assert world.edges() != before

    world.memory.undo_alias("worker")
    world.dream()

    assert world.edges() == before
    with pytest.raises(UnknownError, match="is no alias"):
        world.memory.undo_alias("worker")
