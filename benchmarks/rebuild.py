"""Everything anew: all materialized tables from a ledger whose replies make a hundred thousand evidence rows."""

import json
from collections.abc import Iterator
from statistics import median

from benchmarks.measuring import Figure, python
from benchmarks.worlds import Worlds

TURNS = 33_500
"""Each gives three evidence rows."""


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Processor time and peak memory of the whole process, and the same for twice as many turns."""
    turns = worlds.turns(TURNS)
    once = [python("-m", "benchmarks.dreamer", str(worlds.answered(turns))) for _ in range(runs)]
    worlds.clear()
    twice = [python("-m", "benchmarks.dreamer", str(worlds.answered(2 * turns))) for _ in range(runs)]
    changed = json.loads(once[0].out)["changed"]
    cpu, cpu_twice = (median(cost.cpu for cost in costs) for costs in (once, twice))
    yield Figure("evidence rows", changed["kg_evidence"], "")
    yield Figure("rows written", sum(changed.values()), "")
    yield Figure("rebuilding everything: processor", cpu, "s", most=15)
    yield Figure("rebuilding everything: peak memory", median(cost.peak for cost in once), "MB")
    yield Figure("twice the rows: processor", cpu_twice, "s")
    yield Figure("twice the rows: times as long", cpu_twice / cpu, "", most=2.3)
    yield Figure("twice the rows: peak memory", median(cost.peak for cost in twice), "MB")
