"""Waiting for a language model: two hundred questions of 200 ms each, sixteen at once."""

import json
from collections.abc import Iterator
from math import ceil

from benchmarks.measuring import Figure, python
from benchmarks.worlds import Worlds

CHUNKS, LATENCY, CONCURRENCY = 200, 0.2, 16


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """The best of some runs, beside the time that the model alone takes."""
    chunks = worlds.turns(CHUNKS)
    options = ("--latency", str(LATENCY), "--concurrency", str(CONCURRENCY))
    told = [
        json.loads(python("-m", "benchmarks.dreamer", str(worlds.logged(chunks)), *options).out) for _ in range(runs)
    ]
    ideal = ceil(chunks / CONCURRENCY) * LATENCY
    asking = min(dream["milliseconds"]["extraction_replies"] / 1000 for dream in told)
    sessions = ceil((told[0]["asked"] - chunks) / CONCURRENCY) * LATENCY
    yield Figure("asking about the chunks: at best", ideal, "s")
    yield Figure("asking about the chunks", asking, "s")
    yield Figure("asking about the chunks: times the best", asking / ideal, "", most=1.3)
    whole = min(dream["seconds"] for dream in told)
    yield Figure("whole dream, the sessions asked about and all imported", whole, "s")
    yield Figure("whole dream: times the best", whole / (ideal + sessions), "")
