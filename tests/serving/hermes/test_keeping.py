"""What the agent hands over again and again is kept once, and what was forgotten stays away."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from serving.hermes.keeping import Keeper
from serving.hermes.session_search import SessionSearch
from serving.hermes.transcript import Said, Stored, merged
from serving.memory import HyMem

SECRET, OTHER = Said("user", "The vault is behind the boiler."), Said("assistant", "Noted.")


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[HyMem]:
    with HyMem(tmp_path) as memory:
        Keeper(memory).keep_transcript("s1", [SECRET, OTHER])
        yield memory


def texts(memory: HyMem) -> list[str]:
    return [message.content for message in memory.messages()]


@pytest.mark.parametrize("forgotten", ["message", "session"])
def test_what_was_forgotten_is_not_brought_back_by_the_agents_transcript(memory: HyMem, forgotten: str):
    memory.forget(**{forgotten: "s1" if forgotten == "session" else memory.messages()[0].message_id})
    later = Keeper(memory)

    later.keep_transcript("s1", [SECRET, OTHER, Said("user", "Good night.")])
    later.go_on("s2", "s1")
    later.keep_transcript("s2", [SECRET, OTHER, Said("user", "Good morning.")])

    assert SECRET.text not in texts(memory)
    assert texts(memory)[-2:] == ["Good night.", "Good morning."]


def test_what_was_forgotten_and_is_said_again_is_kept(memory: HyMem):
    memory.forget(message=memory.messages()[0].message_id)
    later = Keeper(memory)

    later.keep_turn("s1", [SECRET])
    later.keep_transcript("s1", [SECRET, OTHER, SECRET])

    assert sorted(texts(memory)) == sorted([OTHER.text, SECRET.text])


def test_what_the_user_took_back_can_be_said_again(memory: HyMem):
    keeper = Keeper(memory)
    keeper.rewind("s1")
    keeper.keep_transcript("s1", [SECRET])
    keeper.keep_transcript("s1", [SECRET, OTHER])

    assert texts(memory) == [SECRET.text, OTHER.text]


def test_words_said_again_after_a_compression_are_kept_and_the_end_that_it_left_is_not_kept_twice():
    rows = [Said(*row) for row in (("user", "continue"), ("assistant", "Done."), ("user", "X"), ("assistant", "Y"))]
    stored = [Stored(row.digest, str(number)) for number, row in enumerate(rows)]

    found = merged("s", stored, [*rows[2:], *rows[:2]])

    assert ([row.text for row, _ in found.new], found.withdrawn) == (["continue", "Done."], ())


def test_a_session_is_kept_with_its_title_and_where_it_was_held(memory: HyMem):
    Keeper(memory).describe("s1", {"platform": "cli", "title": "The vault"})
    Keeper(memory).keep_apart("child", [OTHER], {"platform": "subagent", "delegated_by": "s1"})

    assert {
        one["session_id"]: (one["source"], one["title"]) for one in SessionSearch(memory).answer({})["results"]
    } == {"s1": ("cli", "The vault")}
