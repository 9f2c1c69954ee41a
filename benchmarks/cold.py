"""The command that an agent starts for each turn: `hymem augment` as a process of its own, from its start to its end."""

import tempfile
from collections.abc import Iterator
from statistics import median

from benchmarks.measuring import Figure, python
from benchmarks.world import MODEL
from benchmarks.worlds import Worlds

TURNS = 300
HYMEM_AUGMENT = """
import sys
sys.argv = ["hymem", "augment", "What does the API depend on?"]
from serving.cli.main import run
run()
"""
BARE = "import apsw, pydantic; pydantic.BaseModel"
"""`import pydantic` alone imports next to nothing; what anybody wants of it costs more."""


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Processor time without an embedding model, beside that of a Python that imports two libraries; by turns."""
    with tempfile.TemporaryDirectory() as compiled:
        environment = {
            "HYMEM_ROOT": str(worlds.dreamt(worlds.turns(TURNS))),
            "HYMEM_LLM_MODEL": MODEL,
            "HYMEM_LLM_BASE_URL": "http://127.0.0.1:9/v1",
            "PYTHONDONTWRITEBYTECODE": "",
            "PYTHONPYCACHEPREFIX": compiled,
        }
        kinds = {"bare": "import apsw, pydantic", "used": BARE, "ours": HYMEM_AUGMENT}
        told: dict[str, list[float]] = {name: [] for name in kinds}
        for turn in range(4 * runs + 1):
            for name, program in kinds.items():
                cpu = python("-c", program, environment=environment).cpu
                if turn:  # the first one compiles
                    told[name].append(cpu)
    bare, used, ours = (median(told[name]) for name in kinds)
    yield Figure("python that imports apsw and pydantic: processor", bare * 1000, "ms")
    yield Figure("the same, and looks at pydantic.BaseModel: processor", used * 1000, "ms")
    yield Figure("hymem augment from cold: processor", ours * 1000, "ms")
    yield Figure("hymem augment from cold, times the imports", ours / bare, "", most=2.0)
