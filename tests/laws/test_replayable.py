"""The fourth law: memory as of a time, and under another configuration, is what it would have been."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflows.asking import Silence
from hymem.config import HyMemConfig
from tests.support.conversations import ALIASES, DAYS, Turn, World, conversations, day, examples

WINDOWS = {"session_windows", "session_summaries", "episodes", "procedures"}
"""What is asked about a session as a whole is asked again as it grows, so that nobody may have asked about it as it was."""

acts = st.lists(st.tuples(DAYS, st.sampled_from(ALIASES)), max_size=2)


@given(said=conversations(), named_alike=acts, moment=DAYS)
@examples(7)
def test_memory_as_of_a_moment_is_that_of_a_ledger_that_ends_there(said: list[Turn], named_alike: list, moment: float):
    before = [turn for turn in said if turn.day <= moment]
    with World.of(said) as whole, World.of(before, now=day(moment)) as ended:
        for at, names in sorted(named_alike):
            note_alias(whole, at, names)
            if at <= moment:
                note_alias(ended, at, names)
        whole.dream()
        ended.dream()

        replayed = whole.recomputed(now=day(moment), as_of=day(moment))

        assert told(replayed, whole) == told(ended.tables(), ended)


def test_a_retraction_counts_from_its_own_moment():
    with World.of([Turn("m1", "monday", "user", "api uses Redis.", 1)], now=day(10)) as world:
        world.dream()
        world.memory.retract_edge("api", "uses", "redis")
        world.clock.now = day(20)
        world.dream()

        statuses = {at: status(world, as_of=at) for at in (day(9), day(10), day(20))}

        assert statuses == {day(9): "active", day(10): "retracted", day(20): "retracted"}


@pytest.mark.parametrize(
    "changes",
    [
        {"decay_window_days": 3.0},
        {"retract_threshold": 0.45},
        {"salience_min_chars": 5000},
        {"profile_max_entries": 1, "insights_max_entries": 1},
        {"graph_token_overlap_threshold": 0},
    ],
    ids=str,
)
@given(said=conversations())
@examples(1)
def test_what_another_configuration_would_have_made_is_what_it_makes(changes: dict, said: list[Turn]):
    config = HyMemConfig(**changes)
    with World.of(said) as world, World.of(said, config) as other:
        world.dream()
        other.dream()

        assert world.recomputed(config=config) == other.tables()


def note_alias(world: World, at: float, names: tuple[str, str]) -> None:
    now, world.clock.now = world.clock.now, day(at)
    world.memory.alias(*names)
    world.clock.now = now


def told(tables: dict[str, list], world: World) -> dict[str, Counter]:
    return world.told({name: rows for name, rows in tables.items() if name not in WINDOWS})


def status(world: World, as_of: str) -> str:
    edges = world.recollection(Silence(), now=as_of, as_of=as_of).tables["knowledge_graph"]
    return edges.status.item()
