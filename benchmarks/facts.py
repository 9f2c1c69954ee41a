"""Told facts: adding is linear, and probing by name is quick and right; hermes-agent's built-in store beside it where it is.

python -m benchmarks facts --hermes PYTHON   an interpreter of an environment in which hermes-agent is installed
"""

import json
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from benchmarks.measuring import Figure
from benchmarks.worlds import Worlds

FACTS = 1_200
BUILT_IN = 1_200
PROJECTS, TOOLS = 40, 15
hermes: str = ""
"""The interpreter of the environment where the built-in store is; "" where there is none."""

BUILT_IN_STORE = """
import json, sys, tempfile, time
from plugins.memory.holographic.store import MemoryStore
from plugins.memory.holographic.retrieval import FactRetriever
facts, names, pairs = json.load(sys.stdin)
with tempfile.TemporaryDirectory() as folder:
    store = MemoryStore(db_path=folder + "/facts.db")
    began = time.process_time()
    for fact in facts:
        store.add_fact(fact)
    adding = time.process_time() - began
    retriever = FactRetriever(store)
    began = time.process_time()
    probed = [[fact["content"] for fact in retriever.probe(name, limit=10)] for name in names]
    probing = (time.process_time() - began) / len(names)
    reasoned = [[fact["content"] for fact in retriever.reason(pair, limit=5)] for pair in pairs]
print(json.dumps([adding, probing, probed, reasoned]))
"""


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Our store at full size; both at the size that the built-in one can bear."""
    count = max(120, int(FACTS * worlds.scale))
    half = min(ours(generated(count // 2), [], [])[0] for _ in range(runs))
    adding, probing, probed, reasoned = min(
        (ours(generated(count), names(), pairs(count)) for _ in range(runs)), key=lambda told: told[0]
    )
    yield Figure(f"adding {count:,} facts", adding, "s")
    yield Figure("times adding half as many", adding / half, "", most=3)
    yield Figure(f"probing {count:,} facts, CPU", probing * 1000, "ms", most=20)
    yield Figure("probe: precision at 10", precision(probed, [[name] for name in names()]), "", least=0.9)
    yield Figure("reason: precision at 5", precision(reasoned, pairs(count)), "", least=0.9)
    if hermes:
        yield from beside_the_built_in(max(60, int(BUILT_IN * worlds.scale)))


def beside_the_built_in(count: int) -> Iterator[Figure]:
    """The same facts told to both."""
    told = (generated(count), names()[:10], pairs(count)[:10])
    adding, probing, _, _ = ours(*told)
    theirs = built_in(*told)
    yield Figure(f"built-in store: adding {count} facts", theirs[0], "s")
    yield Figure("adding: times faster than the built-in store", theirs[0] / adding, "", least=20)
    yield Figure("probing: times faster than the built-in store", theirs[1] / probing, "")
    yield Figure("built-in store, probe: precision at 10", precision(theirs[2], [[name] for name in told[1]]), "")
    yield Figure("built-in store, reason: precision at 5", precision(theirs[3], told[2]), "")


def ours(facts: Sequence[str], asked: Sequence[str], both: Sequence[Sequence[str]]) -> tuple[float, float, Any, Any]:
    """CPU seconds for adding and for one probe, and what was found."""
    from serving.facts import MemoryStore

    with tempfile.TemporaryDirectory() as folder, MemoryStore(folder) as store:
        adding, _ = timed(lambda: [store.add_fact(fact) for fact in facts])
        probing, probed = timed(lambda: [[f["content"] for f in store.probe(name)] for name in asked])
        reasoned = [[f["content"] for f in store.reason(pair, limit=5)] for pair in both]
    return adding, probing / max(1, len(asked)), probed, reasoned


def built_in(*told: Any) -> tuple[float, float, Any, Any]:
    """The same of hermes-agent's store, in a process of its environment."""
    answer = subprocess.run(
        [hermes, "-c", BUILT_IN_STORE], input=json.dumps(told), capture_output=True, text=True, check=False
    )
    if answer.returncode:
        sys.exit(f"the built-in store cannot be measured with {hermes}:\n{answer.stderr[-2000:]}")
    return tuple(json.loads(answer.stdout.splitlines()[-1]))


def generated(count: int) -> list[str]:
    """Facts that name a project and a tool each."""
    return [f"{first} talks to {second} over channel {n} since release {n * 3}" for n, (first, second) in places(count)]


def places(count: int) -> Iterator[tuple[int, tuple[str, str]]]:
    for n in range(count):
        yield n, (names()[n % PROJECTS], f"Kappa{letters((n * 7 + n // PROJECTS) % TOOLS)}")


def names() -> list[str]:
    return [f"Zephyr{letters(n)}" for n in range(PROJECTS)]


def pairs(count: int) -> list[tuple[str, str]]:
    return sorted({pair for _, pair in places(count)})[:100]


def letters(number: int) -> str:
    return "bcdfghklmnprstvz"[number // 16] + "aeiouyaeiouyaeio"[number % 16 % 6] + "bcdfghklmnprstvz"[number % 16]


def precision(found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]]) -> float:
    """The share of what was found that names all that was asked for; an empty answer counts as one that is wrong."""
    right = [
        all(name in fact for name in each) for facts, each in zip(found, wanted, strict=True) for fact in facts or [""]
    ]
    return sum(right) / max(1, len(right))


def timed(act: Callable[[], Any]) -> tuple[float, Any]:
    """Seconds of processor time, and what came of it."""
    began = time.process_time()
    done = act()
    return time.process_time() - began, done
