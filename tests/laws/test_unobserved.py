"""What may not be learnt from teaches nothing: memory is as if it had not been said, and still it can be found."""

from collections.abc import Mapping
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversations import Turn, World, conversations, examples

Tables = Mapping[str, Any]


@given(said=conversations(), data=st.data())
@examples(4)
def test_memory_is_as_if_unobserved_turns_had_not_been_said(said: list[Turn], data):
    hidden = data.draw(st.sets(st.sampled_from([turn.message_id for turn in said]), min_size=1, max_size=4))
    with World.of() as world, World.of(turn for turn in said if turn.message_id not in hidden) as other:
        world.memory.log_messages([{**turn.logged(), "observed": turn.message_id not in hidden} for turn in said])
        world.dream()
        other.dream()

        assert learnt(world) == learnt(other)
        assert world.files() == other.files()


def learnt(world: World) -> Tables:
    """All that a dream computes but silent chunks, which are for searching."""
    chunks = set(world.rows("select chunk_id from chunks where salience_reason <> ''"))
    return {**world.told(), "chunks": chunks}


def test_an_unobserved_turn_is_asked_about_by_nobody_and_found_all_the_same():
    with World.of() as world:
        world.say("api uses Redis.", observed=False)
        run = world.dream()

        assert (run.asked, world.edges()) == (0, {})
        assert [hit.text for hit in world.memory.augment("redis").fts_hits] == ["api uses Redis."]
