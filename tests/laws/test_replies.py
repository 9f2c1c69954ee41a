"""What a model answered, and did not: nothing readable is asked for twice, and nothing unreadable counts as "no facts"."""

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from hymem.config import HyMemConfig
from tests.support.conversations import Turn, World, conversations, examples

SAID = [Turn("m1", "monday", "user", "api uses Redis. I prefer tabs.", 1)]


@given(said=conversations(longest=6), budget=st.sampled_from([0, 1, 2]))
@examples(4)
def test_no_chunk_is_asked_about_twice(said: list[Turn], budget: int):
    with World.of(said) as world:
        while world.dream(budget).outcome != "nothing to do":
            pass

        asked = Counter(
            request.material["text"] + request.material["context"] + request.material["said_at"]
            for request in world.listener.requests
            if request.kind == "extraction"
        )

        assert len(world.rows("select 1 from chunks where salience_reason <> ''")) == asked.total()


def test_an_unreadable_reply_is_asked_for_again_and_is_not_an_answer_of_nothing():
    with World.of(SAID) as world:
        world.listener.failing = {SAID[0].content: 2}
        runs = [world.dream(), world.dream()]
        assert [(run.failed, run.waiting) for run in runs] == [(1, 1), (1, 1)]
        assert world.edges() == {}

        world.dream()

        assert world.edges() == {"api uses redis": (1, 0, "active")}
        assert world.rows("select * from attempts") == []


def test_a_chunk_that_fails_three_times_rests_and_keeps_nobody_waiting():
    with World.of([*SAID, Turn("m2", "tuesday", "user", "worker uses uv.", 2)]) as world:
        world.listener.failing = {SAID[0].content: 99}
        runs = [world.dream(budget=1) for _ in range(8)]

        assert world.listener.asked.count(SAID[0].content) == 3
        assert world.edges() == {"worker uses uv": (1, 0, "active")}
        assert (runs[-1].outcome, runs[-1].quarantined, runs[-1].waiting) == ("nothing to do", 0, 0)
        assert max(run.quarantined for run in runs) == 1


def test_another_prompt_or_another_model_ends_the_rest():
    for change in ("prompt", "model"):
        with World.of(SAID) as world:
            world.listener.failing = {SAID[0].content: 3}
            for _ in range(5):
                world.dream()
            assert world.listener.asked == [SAID[0].content] * 3

            if change == "prompt":
                world.memory.config = HyMemConfig(prompt_version="v8")
            else:
                world.listener.model = "successor"
            world.dream()

            assert world.edges() == {"api uses redis": (1, 0, "active")}, change


def test_another_prompt_version_replaces_what_was_read_and_adds_nothing():
    with World.of(SAID) as world:
        for version in ("v7", "v8", "v9", "v10"):
            world.memory.config = HyMemConfig(prompt_version=version)
            world.dream()

        assert world.edges() == {"api uses redis": (1, 0, "active")}
        assert [entry.pos_evidence for entry in world.memory.profile()] == [1]
        assert len(world.rows("select * from processed_chunks where kind = 'extraction'")) == 4


def test_an_old_models_replies_serve_until_they_are_replaced():
    with World.of([*SAID, Turn("m2", "monday", "user", "worker uses uv.", 2)]) as world:
        world.dream()
        both = world.edges()

        world.listener.model = "successor"
        world.dream(budget=1)

        assert world.edges() == both
        assert sorted(world.rows("select model from chunk_replies")) == [("listener",), ("successor",)]
        world.dream()
        assert world.rows("select distinct model from chunk_replies") == [("successor",)]
        assert world.edges() == both
