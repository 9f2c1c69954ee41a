"""The fourth law, at the door: a view of memory is what a memory would be that was told no more than the view shows."""

from collections import Counter
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.config import HyMemConfig
from hymem.store.database import Database
from hymem.store.materialization import MATERIALIZED
from serving.memory import HyMem
from tests.laws.test_replayable import WINDOWS, note_alias
from tests.support.conversations import ALIASES, DAYS, SESSIONS, Turn, World, conversations, day, examples

acts = st.lists(st.tuples(DAYS, st.sampled_from(ALIASES)), max_size=2)
OTHERS = "Aardvark uses Quokka. I prefer wombats."


@given(said=conversations(), named_alike=acts, moment=DAYS)
@examples(4)
def test_a_view_as_of_a_moment_is_a_dream_of_the_ledger_up_to_it(said: list[Turn], named_alike: list, moment: float):
    before = [turn for turn in said if turn.day <= moment]
    with World.of(said) as whole, World.of(before, now=day(moment)) as ended:
        for at, names in sorted(named_alike):
            note_alias(whole, at, names)
            if at <= moment:
                note_alias(ended, at, names)
        whole.dream()
        ended.dream()

        with whole.memory.view(as_of=day(moment)) as then:
            assert told(whole, then, WINDOWS) == told(ended, ended.memory, WINDOWS)
            assert then.profile() == ended.memory.profile()
            assert markdown(then) == markdown(ended.memory)


@given(said=conversations(), named_alike=acts, chosen=st.sets(st.sampled_from(SESSIONS)))
@examples(4)
def test_a_view_of_some_sessions_is_a_dream_of_these_alone(said: list[Turn], named_alike: list, chosen: set[str]):
    chosen &= {turn.session_id for turn in said}
    with World.of(said) as whole, World.of([turn for turn in said if turn.session_id in chosen]) as alone:
        for world in (whole, alone):
            for at, names in sorted(named_alike):
                note_alias(world, at, names)
            world.dream()

        with whole.memory.view(sessions=chosen) as part:
            assert told(whole, part) == told(alone, alone.memory)
            assert markdown(part) == markdown(alone.memory)


@given(said=conversations())
@examples(3)
def test_nothing_of_another_session_is_in_a_views_files(said: list[Turn]):
    with World.of([*said, Turn("secret", "elsewhere", "user", OTHERS, 3, "Zoe")]) as world:
        world.dream()
        world.memory.retract_edge("aardvark", "uses", "quokka", "no such animal")
        world.memory.alias("numbat", "quokka")
        world.dream()

        with world.memory.view(without=["elsewhere"]) as part:
            assert part.root.stat().st_mode & 0o777 == 0o700
            held = b"".join(path.read_bytes() for path in part.root.rglob("*") if path.is_file()).lower()

    assert b"monday" in held or b"tuesday" in held or b"offsite" in held
    assert [word for word in (b"aardvark", b"quokka", b"wombat", b"numbat", b"zoe", b"elsewhere") if word in held] == []


@pytest.mark.parametrize("changes", [{"decay_window_days": 3.0}, {"retract_threshold": 0.45}], ids=str)
@given(said=conversations())
@examples(1)
def test_a_view_under_another_configuration_is_what_that_makes(changes: dict, said: list[Turn]):
    config = HyMemConfig(**changes)
    with World.of(said) as world, World.of(said, config) as other:
        world.dream()
        other.dream()

        with world.memory.view(config=config) as view:
            assert told(world, view) == told(other, other.memory)


def told(world: World, memory: HyMem, but: frozenset[str] | set[str] = frozenset()) -> dict[str, Counter]:
    with closing(Database.open(memory.root / "hymem.db")) as database:
        rows = {name: database.rows(f"select * from {name}") for name in MATERIALIZED if name not in but}
    return world.told(rows)


def markdown(memory: HyMem) -> list[str]:
    return [path.read_text() for path in sorted(memory.root.glob("*.md"))]
