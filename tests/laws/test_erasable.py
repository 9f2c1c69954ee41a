"""The fifth law: what was taken back is gone, from every table and from the bytes of the files, and does not return."""

from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.conversations import Turn, World, conversations, examples

SECRET = "Zanzibar"
IDLE = 0


def is_gone(world: World) -> bool:
    """Whether no byte of the folder tells the secret, whatever its case and its ending."""
    return SECRET.casefold().encode() not in world.bytes_on_disk().lower()


@given(said=conversations(), data=st.data(), dreamt_before=st.booleans())
@examples(6)
def test_memory_after_an_erasure_is_that_of_a_ledger_that_never_had_it(said: list[Turn], data, dreamt_before: bool):
    gone = data.draw(st.sets(st.sampled_from([turn.message_id for turn in said]), min_size=1, max_size=3))
    with World.of(said) as world, World.of(turn for turn in said if turn.message_id not in gone) as other:
        if dreamt_before:
            world.dream()
        for message_id in sorted(gone):
            world.memory.erase_message(message_id)
        world.dream()
        other.dream()

        assert world.told() == other.told()
        assert world.files() == other.files()


@given(said=conversations(), data=st.data())
@examples(3)
def test_no_byte_of_an_erased_message_remains(said: list[Turn], data):
    place = data.draw(st.integers(0, len(said)))
    telling = f"{SECRET} uses Redis. I prefer {SECRET}. {SECRET} is a tool. uv replaces {SECRET}."
    said = [*said[:place], Turn("secret", "monday", "user", telling, 100), *said[place:]]
    with World.of(said) as world:
        world.dream()
        assert not is_gone(world)

        world.memory.erase_message("secret")
        world.dream()

        assert is_gone(world)
        world.say("Nothing of the kind was ever said here before.", on=300)
        world.dream()
        world.write("delete from dream_state")
        world.dream()
        assert is_gone(world)


def test_no_byte_of_an_erased_session_remains():
    said = [
        Turn("m1", "monday", "user", "api uses Redis.", 1),
        Turn("m2", "offsite", "assistant", f"So {SECRET} uses Redis?", 2),
        Turn("m3", "offsite", "user", f"Exactly. worker depends on {SECRET}.", 3),
    ]
    with World.of(said) as world:
        world.dream()

        world.memory.erase_session("offsite")
        world.dream()

        assert is_gone(world)
        assert world.edges() == {"api uses redis": (1, 0, "active")}


@pytest.mark.parametrize("erased", ["m1", "m2", "m3"])
def test_a_message_that_is_erased_while_a_model_reads_it_leaves_nothing(erased: str):
    said = [
        Turn("m1", "monday", "user", f"worker depends on {SECRET if erased == 'm1' else 'uv'}.", 1),
        Turn("m2", "monday", "assistant", f"So api uses {SECRET if erased == 'm2' else 'uv'}?", 2),
        Turn("m3", "monday", "user", f"Exactly. api uses {SECRET if erased == 'm3' else 'uv'}.", 3),
    ]
    with World.of(said) as world:
        world.listener.during = erasing(world, erased)
        world.dream()
        world.dream()

        assert is_gone(world)


def test_the_reason_why_a_reply_was_no_good_goes_with_its_message():
    said = [Turn("m1", "monday", "user", f"api uses {SECRET}.", 1), Turn("m2", "monday", "user", "api uses uv.", 2)]
    with World.of(said) as world:
        world.listener.refusing = f"I will not talk about {SECRET}."
        world.dream()
        assert not is_gone(world)

        world.listener.refusing = None
        world.memory.erase_message("m1")
        world.dream()

        assert is_gone(world)


def erasing(world: World, message_id: str) -> Callable[[], None]:
    """What erases a message from a thread of another program."""

    def erase() -> None:
        with world.memory.fork() as other:
            other.erase_message(message_id)

    return erase
