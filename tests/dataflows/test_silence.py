from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.config import HyMemConfig
from hymem.salience import CHUNK_LIMIT
from hymem.testing import HashedWordsEmbedder
from tests.support.conversations import World, day
from tests.support.talk import examples

SECRET = "ghp_9fQ2xW7bLk3TzR8mVc5NyH1sJdG4pE6uAoXi"
SEARCHED = "select text from chunks where text <> '' order by said_at, message_seq, part"


def texts(world: World) -> list[str]:
    return [text for (text,) in world.rows(SEARCHED)]


def passing(world: World, *words: str, on: int = 1, **more: Any) -> None:
    for place, said in enumerate(words):
        world.say(said, on=on + place, **more)


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
def test_a_turn_that_no_model_reads_is_searchable(role: str):
    with World.of() as world:
        world.say("Bicycle, yellow", role=role)
        world.dream()

        assert texts(world) == ["Bicycle, yellow"]
        assert world.listener.asked == []


def test_system_prompts_and_what_was_recalled_are_not_searched():
    with World.of() as world:
        world.say("Always use Oracle", role="system")
        world.say("<hymem-memory>we use Oracle</hymem-memory>", role="assistant")
        world.dream()

        assert texts(world) == []


def test_secrets_in_silent_turns_go_no_further():
    with World.of() as world:
        world.say(f"login with {SECRET}, please", role="tool")
        world.dream()

        assert SECRET not in texts(world)[0]


def test_the_beginning_of_a_tools_output_is_searched():
    with World.of() as world:
        world.say("line of output\n" * 1000, role="tool")
        world.dream()

        assert [len(text) for text in texts(world)] == [CHUNK_LIMIT]


def test_no_topic_returns_because_of_a_silent_turn():
    with World.of() as world:
        world.say("api uses Redis. Redis is a database.")
        world.dream()
        world.say("Redis, Redis, Redis", on=100, role="assistant")
        world.clock.now = day(200)
        world.dream()

        assert world.edges() == {"api uses redis": (1, 0, "active")}


def test_the_oldest_silent_turns_are_the_first_to_be_let_go():
    with World.of(now=day(200), config=HyMemConfig(max_chunks=2)) as world:
        passing(world, "one", "two")
        world.say("api uses Redis. Redis is a database.", on=0)
        world.dream()

        assert texts(world) == ["api uses Redis. Redis is a database.", "two"]


@given(
    acts=st.lists(st.tuples(st.sampled_from("saeu"), st.integers(0, 200), st.integers(0, 3)), min_size=1, max_size=12)
)
@examples(5)
def test_what_is_let_go_of_dream_by_dream_is_what_a_rebuild_lets_go(acts: list[tuple[str, int, int]]):
    with World.of(now=day(150), config=HyMemConfig(max_chunks=3, retention_days=50)) as world:
        for number, (act, on, session) in enumerate(acts):
            if act == "e":
                known = world.rows("select message_id from messages order by seq")
                if known:
                    world.memory.erase_message(known[on % len(known)][0])
            elif act == "a":
                world.clock.now = day(on)
            else:
                words = "api uses Redis. Redis is a database." if act == "u" else f"turn {number}"
                world.say(words, on=on, session=f"s{session}")
            world.dream()

        assert world.tables() == world.recomputed()


def test_silent_turns_that_have_no_vector_yet_get_one_later():
    with World.of() as world:
        passing(world, "yellow bicycle", "blue bicycle")
        world.dream()
        world.memory.embedder = HashedWordsEmbedder()
        world.dream()

        assert world.rows("select count(*) from chunk_embeddings") == [(2,)]


def test_silent_turns_of_unchanged_sessions_are_not_written_again():
    with World.of() as world:
        passing(world, "one", "two")
        world.dream()
        world.say("three", session="tuesday")
        run = world.dream()

        assert run.changed == {"chunked_sessions": 1, "chunks": 1}
