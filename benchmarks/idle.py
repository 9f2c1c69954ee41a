"""A dream with nothing to do: what a timer costs that finds the memory up to date."""

from collections.abc import Iterator
from statistics import median

from benchmarks.measuring import Cost, Figure, python
from benchmarks.world import MODEL
from benchmarks.worlds import Worlds

HYMEM_DREAM = "import sys; sys.argv = ['hymem', 'dream']; from serving.cli.main import run; run()"
HEAVY = {"pandas", "hamilton", "pydantic", "numpy", "openai"}


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Processor time of `hymem dream`, beside that of a Python that loads SQLite; and what it imported besides."""
    environment = {
        "HYMEM_ROOT": str(worlds.dreamt(worlds.turns(300))),
        "HYMEM_LLM_MODEL": MODEL,
        "HYMEM_LLM_BASE_URL": "http://127.0.0.1:9/v1",
    }
    python("-c", HYMEM_DREAM, environment=environment)  # to bring it from the world's end to the present moment
    said = python("-c", HYMEM_DREAM, environment=environment).out
    if "othing to do" not in said:
        raise RuntimeError(f"the dream that was to find nothing to do said: {said}")
    least = median(python("-c", "import apsw").cpu for _ in range(4 * runs))
    idle = median(python("-c", HYMEM_DREAM, environment=environment).cpu for _ in range(4 * runs))
    yield Figure("python that imports apsw: processor", least * 1000, "ms")
    yield Figure("dream with nothing to do: processor", idle * 1000, "ms", most=1.5 * least * 1000 + 100)
    watched = python("-X", "importtime", "-c", HYMEM_DREAM, environment=environment)
    yield Figure("dream with nothing to do: heavy packages imported", len(_imported(watched) & HEAVY), "", most=0)


def _imported(watched: Cost) -> set[str]:
    lines = [line for line in watched.err.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip().partition(".")[0] for line in lines}
