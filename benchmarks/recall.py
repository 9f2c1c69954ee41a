"""Recall among 100,000 chunks and 100,000 edges, beside one bare FTS5 query and an exact numpy scan of each vector index used.

The memory is made up (`recall_world`), and asked in processes of its own (`recall_asking`).
"""

import json
import statistics
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from benchmarks.measuring import Figure, python
from benchmarks.recall_asking import K
from benchmarks.worlds import Worlds

ROWS: Final = 100_000

rows = 0
"""Chunks of the memory that is measured in place of the usual ones, set by `--rows`; it has as many edges, 100,000 at most."""


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """At the usual size and a tenth of it; or at another size alone."""
    if rows:
        yield from _large(worlds)
        return
    large = max(1_000, int(ROWS * worlds.scale))
    small, found = large // 10, {}
    for size in (small, large):
        root = _made(worlds, size, size)
        found[size] = told = _told("warm", root, size)
        name = f"{size:,}"
        yield Figure(f"{name}: bare FTS5 query and scans, p50", told["baseline_p50"], "ms")
        yield Figure(f"{name}: bare FTS5 query and scans, p95", told["baseline_p95"], "ms")
        yield Figure(f"{name}: augment, p50", told["p50"], "ms")
        yield Figure(f"{name}: augment, p95", told["p95"], "ms")
        bounds = {"p50": 2.0, "p95": 3.0} if size == large and worlds.scale >= 1 else {}
        for point in ("p50", "p95"):
            times = told[point] / told[f"baseline_{point}"]
            yield Figure(f"{name}: augment, times the baseline, {point}", times, "", most=bounds.get(point))
        yield Figure(f"{name}: of the {K} nearest chunks, found", told["found"], "", least=0.98)
    ours, theirs = (found[large][key] / found[small][key] for key in ("p50", "baseline_p50"))
    yield Figure("growth over ten times the rows: augment, times the baseline's", ours / theirs, "", most=1.0)
    yield from _cold(_made(worlds, large, large), large, found[large]["p50"], runs)
    lean = python("-m", "benchmarks.recall_asking", "lean", str(_made(worlds, large, large)), str(large))
    yield Figure(f"{large:,}: peak memory of a process that only recalls", lean.peak, "MB", most=300)


def _large(worlds: Worlds) -> Iterator[Figure]:
    edges = min(rows, ROWS)
    told = _told("warm", _made(worlds, rows, edges), edges)
    yield Figure(f"{rows:,}: augment, p50", told["p50"], "ms", most=100)
    yield Figure(f"{rows:,}: augment, p95", told["p95"], "ms")
    yield Figure(f"{rows:,}: of the {K} nearest chunks, found", told["found"], "", least=0.95)


def _cold(root: Path, edges: int, warm: float, runs: int) -> Iterator[Figure]:
    first = statistics.median(_told("cold", root, edges)["first"] for _ in range(runs))
    yield Figure(f"{edges:,}: opening and the first answer, imports apart", first, "ms")
    yield Figure(f"{edges:,}: opening and the first answer, times a warm one", first / warm, "", most=5)


def _made(worlds: Worlds, chunks: int, edges: int) -> Path:
    root = worlds.folder / f"recall-{chunks}-{edges}"
    if not root.exists():
        unfinished = worlds.folder / "unfinished-recall"
        python("-m", "benchmarks.recall_world", str(unfinished), str(chunks), str(edges))
        unfinished.rename(root)
    return root


def _told(what: str, root: Path, edges: int) -> dict[str, float]:
    return json.loads(python("-m", "benchmarks.recall_asking", what, str(root), str(edges)).out)
