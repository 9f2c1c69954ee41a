"""Facts that hermes-agent's built-in store keeps are taken over as they stand there."""

import json
from pathlib import Path

import pytest

from hymem import HyMem
from hymem.store.facts.holographic import kept_facts, take_over
from serving.cli.hermes_import import import_holographic
from tests.support.hermes import HERMES, run_in_hermes

pytestmark = HERMES

KEPT = """
import os
from pathlib import Path
from plugins.memory.holographic.store import MemoryStore

with MemoryStore(Path(os.environ["HERMES_HOME"]) / "memory_store.db", hrr_dim=64) as store:
    a = store.add_fact("Deploys of Zephyr go out on Thursdays.", "project", "deploys")
    b = store.add_fact("Ada prefers tea.", "user_pref")
    c = store.add_fact("我们用 Redis 缓存。")
    store.record_feedback(a, True); store.record_feedback(a, True); store.record_feedback(b, False)
    store.update_fact(c, trust_delta=0.45); store.record_feedback(c, True); store.record_feedback(c, True)
    say([(f["content"], f["category"], f["tags"], f["trust_score"], f["helpful_count"]) for f in store.list_facts(min_trust=0)])
"""


def test_facts_come_over_with_trust_and_feedback_once_and_the_source_stays_as_it_is(tmp_path: Path):
    (there,) = run_in_hermes(KEPT, tmp_path)
    source = tmp_path / ".hermes/memory_store.db"
    before = source.read_bytes()

    with HyMem(tmp_path / "memory") as memory:
        with memory.writing() as connection:
            first = take_over(connection, kept_facts(source), memory.now(), "user")
        facts = memory.facts(limit=10)
        memory.fact_store().remove_fact(facts[-1]["fact_id"])
        with memory.writing() as connection:
            again = take_over(connection, kept_facts(source), memory.now(), "user")
        left = memory.facts(limit=10)

    names = ("content", "category", "tags", "trust_score", "helpful_count")
    assert sorted([fact[name] for name in names] for fact in facts) == sorted(
        [*words, round(trust, 6), helped] for *words, trust, helped in there
    )
    assert (first, again) == ((3, 0, ()), (0, 3, ()))
    assert (left, source.read_bytes()) == (facts[:-1], before)


def test_the_command_tells_what_came_of_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    run_in_hermes(KEPT, tmp_path)
    source = str(tmp_path / ".hermes/memory_store.db")

    told = []
    for _ in range(2):
        with pytest.raises(SystemExit):
            import_holographic.main([source, "--root", str(tmp_path / "memory"), "--json"])
        told.append(json.loads(capsys.readouterr().out))

    assert told == [{"told": 3, "known": 0, "refused": []}, {"told": 0, "known": 3, "refused": []}]
