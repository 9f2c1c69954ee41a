import pytest

from hymem.errors import InputError
from hymem.store.materialization import MATERIALIZED
from tests.support.world import World


def test_stored_tables_are_the_frames_that_the_dataflow_makes():
    with World.of() as world:
        world.say("api depends on Redis. I prefer tabs.")
        world.say("api uses PostgreSQL.", 3)
        world.dream()
        made = world.memory.driver().execute(["knowledge_graph"], inputs=world.memory.inputs())["knowledge_graph"]

        stored = world.memory.frames("knowledge_graph")["knowledge_graph"]

        order = ["subject", "predicate", "object"]
        assert not stored.empty
        assert stored.dtypes.to_dict() == made.dtypes.to_dict()
        assert stored.sort_values(order, ignore_index=True).equals(made.sort_values(order, ignore_index=True))


def test_nobody_said_what_was_concluded_so_that_it_has_no_moment_of_being_said():
    with World.of() as world:
        world.say("api depends on Redis.")
        world.say("Redis depends on PostgreSQL.")
        world.dream()
        graph = world.memory.frames("knowledge_graph")["knowledge_graph"]

    assert sorted(graph.derived) == [False, False, True]
    assert graph.last_reinforced.isna().equals(graph.derived)


def test_all_tables_are_there_also_where_nothing_was_said():
    with World.of() as world:
        frames = world.memory.frames()

    assert {*MATERIALIZED, "messages", "extraction_feedback", "facts_told"} <= frames.keys()
    assert frames["messages"].columns[0] == "seq"


def test_tables_of_an_index_are_left_out():
    with World.of() as world:
        assert [name for name in world.memory.frames() if "fts" in name or name.startswith("sqlite")] == []


def test_a_table_that_there_is_not_is_said():
    with World.of() as world, pytest.raises(InputError, match=r"there is no table grpah: choose of .*knowledge_graph"):
        world.memory.frames("grpah")
