"""Asking on more than one core: the grammar, which is all computing and no waiting, alone, on threads and on Dask's workers.

    python -m benchmarks.scaling ROOT EXECUTOR

dreams over all of ROOT by rules, and prints as JSON how many questions were asked.
"""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks import world
from benchmarks.measuring import Figure, python
from benchmarks.worlds import Worlds
from hymem import HyMem
from hymem.models.rules.client import RulesExtractor

TURNS = 10_000


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """What each executor makes of the same conversations; the whole process, starting the workers included."""
    alone = _best(worlds, "", runs)
    yield Figure("questions asked of the grammar", alone["asked"], "")
    yield Figure("one thread: the whole dream", alone["wall"], "s")
    for executor in ("threads", "dask"):
        shared = _best(worlds, executor, runs)
        yield Figure(f"{executor}: the whole dream", shared["wall"], "s")
        yield Figure(f"{executor}: times the speed of one thread", alone["wall"] / shared["wall"], "")


def _best(worlds: Worlds, executor: str, runs: int) -> dict[str, float]:
    """Of some runs the quickest; others only slow them."""
    found = list[dict[str, float]]()
    for _ in range(runs):
        cost = python("-m", "benchmarks.scaling", str(worlds.logged(worlds.turns(TURNS))), executor)
        found.append({"wall": cost.wall, **json.loads(cost.out)})
        worlds.clear()
    return min(found, key=lambda run: run["wall"])


def main() -> None:
    root, executor = sys.argv[1:]
    with HyMem(Path(root), llm=RulesExtractor(), concurrency=2) as memory:
        run = memory.dream(budget=0, now=world.END, executor=executor or None)
    print(json.dumps({"asked": run.asked}))


if __name__ == "__main__":
    main()
