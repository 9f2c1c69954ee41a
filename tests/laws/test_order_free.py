"""The second law: for one set of replies, it does not matter in which order, or in how many dreams, they came."""

from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversations import Turn, World, conversations, examples


@given(said=conversations(), data=st.data(), budget=st.sampled_from([0, 1, 2, 3]))
@examples(3)
def test_any_number_of_dreams_with_any_failures_gives_what_one_dream_gives(said: list[Turn], data, budget: int):
    texts = sorted({turn.content for turn in said})
    with World.of(said) as at_once, World.of(said) as bit_by_bit:
        at_once.dream()
        bit_by_bit.listener.failing = {text: data.draw(st.integers(0, 2)) for text in texts}
        for _ in range(40):
            if bit_by_bit.dream(budget).outcome == "nothing to do":
                break

        assert bit_by_bit.remembered() == at_once.remembered()


@given(said=conversations())
@examples(2)
def test_any_interleaving_of_logging_and_dreaming_gives_what_one_dream_gives(said: list[Turn]):
    with World.of(said) as at_once, World.of() as one_by_one:
        at_once.dream()
        for turn in said:
            one_by_one.log([turn])
            one_by_one.dream()

        assert unrevised(one_by_one) == unrevised(at_once)
        assert one_by_one.files() == at_once.files()


def unrevised(world: World) -> dict[str, list]:
    """The tables, but for the count of a session's edits."""
    return {name: rows for name, rows in world.tables().items() if name != "chunked_sessions"}
