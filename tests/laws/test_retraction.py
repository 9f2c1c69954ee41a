"""A person's word on an edge: it holds until two newer chunks say the same again, and can then be given again."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversations import World, day, examples

EDGE = ("api", "uses", "redis")


@given(later=st.lists(st.floats(100, 200), max_size=4), earlier=st.lists(st.floats(0, 99), min_size=1, max_size=3))
@examples(4)
def test_a_retraction_holds_until_two_newer_chunks_say_it_again(later: list[float], earlier: list[float]):
    with World.of(now=day(99.5)) as world:
        for at in earlier:
            world.say("api uses Redis.", on=at)
        world.dream()
        world.memory.retract_edge(*EDGE)
        world.dream()
        assert world.edges()["api uses redis"][2] == "retracted"

        for at in later:
            world.say("api uses Redis.", on=at)
        world.clock.now = day(366)
        world.dream()

        assert world.edges()["api uses redis"][2] == ("retracted" if len(later) < 2 else "active")


def test_an_edge_that_came_back_can_be_retracted_again():
    with World.of(now=day(10)) as world:
        world.say("api uses Redis.", on=1)
        world.dream()
        world.memory.retract_edge(*EDGE)
        assert not world.memory.retract_edge(*EDGE)
        for at in (20, 21):
            world.say("api uses Redis.", on=at)
        world.clock.now = day(30)
        world.dream()
        assert world.edges() == {"api uses redis": (3, 0, "active")}

        assert world.memory.retract_edge(*EDGE)
        world.dream()

        assert world.edges() == {"api uses redis": (3, 0, "retracted")}


def test_a_retraction_can_be_taken_back():
    with World.of() as world:
        world.say("api uses Redis.")
        world.dream()
        world.memory.retract_edge(*EDGE)
        world.clock.now = day(367)
        world.memory.restore_edge(*EDGE)
        world.dream()

        assert world.edges() == {"api uses redis": (1, 0, "active")}


def test_a_retraction_outlives_the_merging_of_its_names():
    with World.of() as world:
        world.say("api uses Redis.")
        world.say("api uses Valkey.")
        world.dream()
        world.memory.retract_edge("api", "uses", "Valkey")
        world.memory.alias("Valkey", "Redis")
        world.dream()

        assert world.edges() == {"api uses redis": (2, 0, "retracted")}
