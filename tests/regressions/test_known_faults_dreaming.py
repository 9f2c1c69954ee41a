"""What goes wrong with dreaming as work: questions asked again and again, and a past that starves the present."""

import pytest

from hymem.errors import NewerSchemaError
from hymem.store.database import SCHEMA_VERSION
from serving.memory import HyMem
from tests.support.conversations import Turn, World, day


def test_a_session_that_was_deleted_behind_hymem_s_back_takes_its_evidence_along():
    with World.of() as world:
        world.say("api uses Redis.", on=1, session="monday")
        world.say("api uses Redis.", on=2, session="tuesday")
        world.dream()
        assert world.edges() == {"api uses redis": (2, 0, "active")}

        world.write("delete from sessions where session_id = 'tuesday'")
        world.say("worker uses uv.", on=3, session="tuesday")
        world.dream()

        assert world.edges() == {"api uses redis": (1, 0, "active"), "worker uses uv": (1, 0, "active")}
        assert world.tables() == world.recomputed()
        world.check()


def test_a_session_that_grows_is_summed_up_anew():
    with World.of() as world:
        world.say("api uses Redis.", on=1)
        world.dream()
        first = world.rows("select summary from session_summaries")
        world.say("worker uses uv.", on=2)
        world.dream()

        assert first == [("api uses Redis.",)]
        assert world.rows("select summary from session_summaries") == [("worker uses uv.",)]
        assert sorted(world.rows("select title from episodes")) == [("api uses Redis",), ("worker uses uv",)]


def long_ago(count: int) -> list[Turn]:
    """A backlog of so many points, one a day."""
    return [Turn(f"m{n}", f"s{n % 9}", "user", f"Long ago point {n} was made, at length.", n) for n in range(count)]


def test_an_import_of_years_does_not_keep_today_waiting():
    with World.of(long_ago(300)) as world:
        world.say("I prefer tabs.", on=300)
        world.dream(budget=10)

        assert [entry.statement for entry in world.memory.profile()] == ["prefers tabs"]


def test_the_oldest_of_a_backlog_is_worked_off_too():
    backlog = long_ago(50)
    with World.of(backlog) as world:
        world.dream(budget=10)

        assert {turn.content for turn in backlog[:2]} <= set(world.listener.asked)
        assert len(world.listener.asked) == 10


def test_a_message_told_three_times_is_one():
    with World.of() as world:
        for _ in range(3):
            world.log([Turn("m1", "monday", "user", "api uses Redis.", 1)])
        world.dream()

        assert len(world.memory.messages()) == 1
        assert world.edges() == {"api uses redis": (1, 0, "active")}


def test_a_database_of_a_newer_hymem_is_refused_and_left_as_it_is():
    with World.of([Turn("m1", "monday", "user", "api uses Redis.", 1)]) as world:
        world.write(f"pragma user_version = {SCHEMA_VERSION + 1}")
        world.memory.close()
        before = world.bytes_on_disk()

        with pytest.raises(NewerSchemaError, match="upgrade HyMem"):
            HyMem(world.root)

        assert world.bytes_on_disk() == before


def test_recall_asks_no_model():
    with World.of([Turn("m1", "monday", "user", "api uses Redis.", 1)]) as world:
        world.dream()
        asked = len(world.listener.requests)
        for n in range(120):
            world.memory.augment(f"what does the api use for point {n}?")

        assert len(world.listener.requests) == asked


def test_an_empty_memory_dreams_and_recalls():
    with World.of() as world:
        assert world.dream().outcome == "done"
        assert world.dream().outcome == "nothing to do"
        assert world.memory.augment("what is the api?").graph_facts == ()


def test_restating_a_faded_fact_brings_it_back():
    with World.of(now=day(366)) as world:
        world.say("api uses Redis.", on=0)
        for n in range(1, 12):
            world.say(f"Number {n}: someone talked about Redis again.", on=31 * n)
        world.dream()
        assert world.edges() == {"api uses redis": (1, 11, "retracted")}

        world.say("api uses Redis.", on=360)
        world.dream()

        assert world.edges() == {"api uses redis": (2, 0, "active")}
