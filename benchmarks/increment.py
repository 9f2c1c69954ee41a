"""A little that is new on much that is known: ten new chunks on a graph of ten thousand edges."""

import json
from collections.abc import Iterator
from statistics import median

from benchmarks.measuring import Figure, python
from benchmarks.worlds import Worlds, build

KNOWN = 3800
NEW = 10


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Processor time of the whole process, Python's start and all imports included; replies are instant."""
    known = worlds.turns(KNOWN)
    costs = []
    for _ in range(runs):
        root = worlds.dreamt(known, of=known + NEW)
        build(root, known, known + NEW, known + NEW)
        costs.append(python("-m", "benchmarks.dreamer", str(root)))
    told = json.loads(costs[0].out)
    imports = median(python("-c", "import pandas, hamilton.driver, pydantic").cpu for _ in range(runs))
    yield Figure("edges that are known", told["rows"]["knowledge_graph"], "")
    yield Figure("chunks that are new", told["rows"]["extraction_prompts"], "")
    yield Figure("python that imports pandas, Hamilton and Pydantic: processor", imports, "s")
    yield Figure("dream over what is new: processor", median(cost.cpu for cost in costs), "s", most=1.5)
    yield Figure("dream over what is new: peak memory", median(cost.peak for cost in costs), "MB")
