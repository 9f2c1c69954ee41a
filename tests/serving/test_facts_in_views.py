"""Told facts in views of memory, as they stood; and several processes that tell facts into one file at once."""

import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from serving.cli.difference import tell_difference
from serving.facts import MemoryStore
from serving.memory import HyMem
from tests.support.conversations import Turn, World, day

SAID = [
    Turn("m1", "monday", "user", "api uses Redis.", 1),
    Turn("m2", "tuesday", "user", "billing depends on Postgres.", 2),
]
HELD = ("facts", "entities", "fact_entities", "fact_aliases", "memory_banks")
WORDS = ("Zephyr deploys on Thursdays.", "Zephyr aka Project Z is written in Rust.", "Ada owns the Quartz cluster.")


@pytest.fixture
def world() -> Iterator[World]:
    with World.of(SAID, now=day(10)) as world:
        world.dream()
        yield world


def contents(memory: HyMem, peer_id: str = "user") -> set[str]:
    return {fact["content"] for fact in memory.facts(peer_id=peer_id)}


def rows(memory: HyMem) -> dict[str, list]:
    return {name: memory._database.rows(f"select * from {name} order by 1, 2") for name in HELD}


def test_a_view_of_the_past_holds_told_facts_with_the_words_and_the_trust_of_then(world: World):
    store = world.memory.fact_store()
    fact_id = store.add_fact("Zephyr deploys on Thursdays.")
    store.record_feedback(fact_id, helpful=True)
    world.clock.now = day(20)
    store.update_fact(fact_id, "Zephyr deploys on Fridays.")
    store.record_feedback(fact_id, helpful=False)
    world.clock.now = day(30)
    store.remove_fact(fact_id)

    def seen(on: float) -> list[tuple[str, float]]:
        with world.memory.view(as_of=day(on)) as then:
            return [(fact["content"], round(fact["trust_score"], 2)) for fact in then.facts()]

    assert seen(5) == []
    assert seen(10) == [("Zephyr deploys on Thursdays.", 0.55)]
    assert seen(20) == [("Zephyr deploys on Fridays.", 0.45)]
    assert seen(30) == world.memory.facts() == []


def test_a_view_recalls_and_searches_told_facts_and_counts_nothing(world: World):
    world.memory.remember("Zephyr deploys on Thursdays.")
    world.clock.now = day(20)

    with world.memory.view(as_of=day(15)) as then:
        recalled = then.augment("When does Zephyr deploy?").facts
        found = then.fact_store().search_facts("When does Zephyr deploy?")

    assert [hit.fact.content for hit in recalled] == [fact["content"] for fact in found] == [WORDS[0]]
    assert found[0]["retrieval_count"] == 0


def test_a_view_of_some_sessions_holds_the_told_facts_of_these_and_one_without_some_all_others(world: World):
    world.memory.remember("Zephyr deploys on Thursdays.")
    world.memory.remember("Ada owns Quartz.", message_id="m1")
    fact_id = world.memory.remember("Basalt is old.", message_id="m2")
    world.memory.fact_store().update_fact(fact_id, "Basalt is new.", message_id="m1")

    with world.memory.view(sessions=["tuesday"]) as part, world.memory.view(without=["tuesday"]) as rest:
        assert contents(part) == {"Basalt is old."}
        assert contents(rest) == {"Zephyr deploys on Thursdays.", "Ada owns Quartz."}
        assert b"Quartz" not in (part.root / "hymem.db").read_bytes()


def test_what_a_peer_heard_holds_its_own_told_facts_and_nobody_elses(world: World):
    world.memory.remember("Zephyr deploys on Thursdays.", peer_id="ada")
    world.memory.remember("Basalt is old.")

    with world.memory.view(heard_by="ada") as heard:
        assert contents(heard, "ada") == {"Zephyr deploys on Thursdays."}
        assert contents(heard) == set()


def test_a_diff_tells_which_told_facts_were_learnt_trusted_otherwise_and_forgotten(
    world: World, capsys: pytest.CaptureFixture[str]
):
    store = world.memory.fact_store()
    marked, reworded, removed = (store.add_fact(words) for words in WORDS)
    world.clock.now = day(20)
    store.record_feedback(marked, helpful=True)
    store.update_fact(reworded, "Zephyr aka Project Z is written in Zig.")
    store.remove_fact(removed)
    learnt = store.add_fact("Basalt is old.")
    world.clock.now = day(30)
    world.memory.remember("Told by another.", peer_id="ada")

    diff = world.memory.diff(day(15), day(25))

    assert {change.fact.fact_id: change.kind for change in diff.told} == {
        learnt: "learnt",
        marked: "strengthened",
        reworded: "reworded",
        removed: "forgotten",
    }
    assert world.memory.diff(day(25), day(26)).told == ()
    tell_difference(diff, as_json=False)
    printed = capsys.readouterr().out
    assert "Told facts strengthened\n  Zephyr deploys on Thursdays.  (trust 0.50 → 0.55)\n" in printed
    assert "      it was: Zephyr aka Project Z is written in Rust.\n" in printed


@settings(max_examples=8, deadline=None)
@given(
    acts=st.lists(st.tuples(st.sampled_from(["tell", "mark", "drop"]), st.sampled_from(WORDS)), max_size=8),
    cut=st.integers(0, 8),
)
def test_told_facts_as_of_a_moment_are_those_of_a_memory_that_never_went_on(acts: list[tuple[str, str]], cut: int):
    with World.of(SAID, now=day(10)) as whole, World.of(SAID, now=day(10)) as stopped:
        for number, (act, words) in enumerate(acts, 1):
            for world in (whole, stopped) if number <= cut else (whole,):
                world.clock.now = day(10 + number)
                _carry_out(world.memory.fact_store(), act, words)
        whole.clock.now = day(40)
        with whole.memory.view(as_of=day(10 + cut)) as then:
            assert rows(then) == rows(stopped.memory)


def _carry_out(store: MemoryStore, act: str, words: str) -> None:
    if act == "tell":
        store.add_fact(words)
        return
    for fact in store.list_facts():
        if fact["content"] == words and act == "mark":
            store.record_feedback(fact["fact_id"], helpful=False)
        elif fact["content"] == words:
            store.remove_fact(fact["fact_id"])


TELLER = """
import sys
from serving.facts import MemoryStore
folder, name, count, shared = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
with MemoryStore(folder) as store:
    for number in range(count):
        store.add_fact(f"{name} told thing number {number}.")
        store.record_feedback(shared, helpful=number % 2 == 0)
"""


@pytest.mark.parametrize("count", [12, pytest.param(400, marks=pytest.mark.soak)])
def test_three_processes_that_tell_and_mark_facts_at_once_lose_nothing(tmp_path: Path, count: int):
    with MemoryStore(tmp_path, hrr_dim=64) as store:
        shared = store.add_fact("Zephyr deploys on Thursdays.")
        tellers = [
            subprocess.Popen(
                [sys.executable, "-c", TELLER, str(tmp_path), name, str(count), str(shared)],
                stderr=subprocess.PIPE,
                text=True,
            )
            for name in ("Ada", "Basalt", "Cyrus")
        ]
        troubles = [teller.communicate()[1] for teller in tellers]
        before = {name: store._database.rows(f"select * from {name} order by 1, 2") for name in HELD}

        assert troubles == ["", "", ""]
        assert len(before["facts"]) == 3 * count + 1
        assert store.fact(shared)["helpful_count"] == 3 * count // 2
        store.rebuild_all_vectors()
        assert before == {name: store._database.rows(f"select * from {name} order by 1, 2") for name in HELD}
