"""Logging while another process dreams: how long a message waits.

    python -m benchmarks.waiting ROOT

logs an assistant's message, which no model reads, every few milliseconds until its input is closed, twenty at least, and
prints as JSON how long each took, in milliseconds.
"""

import json
import select
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from statistics import quantiles

from benchmarks.measuring import Figure, Process, python
from benchmarks.rebuild import TURNS
from benchmarks.worlds import Worlds, build
from hymem import HyMem

PAUSE = 0.003
LEAST = 20  # a percentile of fewer says nothing; a short dream on a busy machine may leave time for none
CHANGED = 0.03
NEW = 10
ALONE = 2.0


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """The longest and the hundredth longest of a hundred waits: with nobody else, with a small dream, with a first one."""
    turns = worlds.turns(TURNS)
    known = round(turns * (1 - CHANGED))
    yield from _told("nobody dreams", _waits(worlds.logged(10), lambda: time.sleep(ALONE)), None)
    root = worlds.dreamt(known, of=turns)
    build(root, known, turns - NEW, turns)
    yield from _told(f"{CHANGED:.0%} is new", _waits_of_a_dream(root), 50)
    build(root, turns - NEW, turns, turns)
    yield from _told("ten chunks are new", _waits_of_a_dream(root), 50)
    yield from _told("all is new", _waits_of_a_dream(worlds.answered(turns)), 4000)


def _told(name: str, waits: list[float], most: float | None) -> Iterator[Figure]:
    yield Figure(f"{name}: messages logged meanwhile", len(waits), "")
    yield Figure(f"{name}: wait, 99th percentile", quantiles(waits, n=100)[98], "ms")
    yield Figure(f"{name}: longest wait", max(waits), "ms", most=most)


def _waits_of_a_dream(root: Path) -> list[float]:
    return _waits(root, lambda: python("-m", "benchmarks.dreamer", str(root)))


def _waits(root: Path, meanwhile: Callable[[], object]) -> list[float]:
    """What each message took that was logged while something happened."""
    writer = Process("-m", "benchmarks.waiting", str(root))
    meanwhile()
    return json.loads(writer.end().out)


def main() -> None:
    waits = []
    with HyMem(Path(sys.argv[1])) as memory:
        while not select.select([sys.stdin], [], [], PAUSE)[0] or len(waits) < LEAST:
            began = time.perf_counter()
            memory.log_message("meanwhile", "assistant", "Something was said while nobody listened.")
            waits.append((time.perf_counter() - began) * 1000)
    print(json.dumps(waits))


if __name__ == "__main__":
    main()
