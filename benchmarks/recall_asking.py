"""Asking a made-up memory its questions, in a process of its own, and what the same would cost without HyMem.

python -m benchmarks.recall_asking warm ROOT EDGES   what a process that stays pays for each question, beside the baseline
python -m benchmarks.recall_asking cold ROOT EDGES   what a new process pays for its first question
python -m benchmarks.recall_asking lean ROOT EDGES   the same questions without the baseline: for the peak of memory

The baseline is one FTS5 query for the question's words without the commonest, and for each vector index that recall looks
into, one exact scan of a float32 matrix in memory.
"""

import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from benchmarks.recall_world import Asked, HashEmbedder
    from hymem import HyMem

QUESTIONS: Final = 200
COMMON: Final = 100
"""Words that the bare query leaves out, the commonest."""
HITS: Final = 5
K: Final = 10
KINDS: Final = ("chunk", "edge")
TABLES: Final = {"chunk": ("chunk_id", "chunk_embeddings"), "edge": ("text_id", "edge_embeddings")}


@dataclass(frozen=True)
class Bare:
    """What recall is compared with."""

    memory: "HyMem"
    common: set[str]
    owners: dict[str, Any]
    matrices: dict[str, Any]

    @classmethod
    def of(cls, memory: "HyMem") -> "Bare":
        """With the matrices loaded."""
        import numpy as np

        sql = f"select term from chunks_vocabulary order by doc desc limit {COMMON}"
        common = {term for (term,) in memory._database.rows(sql)}
        owners, matrices = dict[str, Any](), dict[str, Any]()
        for kind, (key, table) in TABLES.items():
            owners[kind] = [owner for (owner,) in memory._database.rows(f"select {key} from {table} order by {key}")]
            matrix = np.empty((len(owners[kind]), memory.embedder.dimension), dtype=np.float32)
            with memory._database.reading() as connection:
                for n, (vector,) in enumerate(connection.execute(f"select vector from {table} order by {key}")):
                    matrix[n] = np.frombuffer(vector, dtype="<f4")
            matrices[kind] = matrix
        return cls(memory, common, owners, matrices)

    def words(self, text: str) -> None:
        """The query."""
        words = [word for word in re.findall(r"\w+", text.casefold()) if word not in self.common]
        self.memory._database.rows(
            f"""select c.chunk_id, c.text, -bm25(chunks_fts)
                from chunks_fts join chunks c on c.chunk_id = chunks_fts.rowid
                where chunks_fts match ? order by bm25(chunks_fts) limit {HITS}""",
            (" OR ".join(f'"{word}"' for word in words),),
        )

    def nearest(self, kind: str, vector: bytes) -> set[int]:
        """The scan."""
        import numpy as np

        products = self.matrices[kind] @ np.frombuffer(vector, dtype="<f4")
        places = np.argpartition(-products, min(K, len(products) - 1))[:K]
        return {self.owners[kind][place] for place in places}


def warm(root: Path, edges: int) -> dict[str, float]:
    """Ask every question once of both, in turns; times in milliseconds, and the share of the nearest that were found."""
    from benchmarks.recall_world import questions
    from hymem.store.neighbours import nearest

    memory, asked = _memory(root), questions(QUESTIONS, edges)
    bare, ours, theirs, found = Bare.of(memory), list[float](), list[float](), 0
    memory.augment(asked[0].text)
    for one in asked[1:]:
        ours.append(_timed(lambda one=one: memory.augment(one.text)))
        indexes = KINDS[: 2 if _asks_for_edges(memory, one) else 1]
        scans = sum(_timed(lambda kind=kind, one=one: bare.nearest(kind, one.vector)) for kind in indexes)
        theirs.append(scans + _timed(lambda one=one: bare.words(one.text)))
        with memory._database.reading() as connection:
            near = nearest(connection, "chunk", one.vector, K, 0, memory._caches.signs)
        found += len({owner for owner, _ in near} & bare.nearest("chunk", one.vector))
    baseline = {f"baseline_{name}": value for name, value in _points(theirs).items()}
    return _points(ours) | baseline | {"found": found / (K * len(ours))}


def cold(root: Path, edges: int) -> dict[str, float]:
    """Open the memory and ask once, everything that recall loads being imported."""
    from benchmarks.recall_world import HashEmbedder, questions
    from hymem import HyMem  # noqa: F401 - so that it is loaded
    from hymem.models import embedding_cache  # noqa: F401
    from hymem.store import sign_index  # noqa: F401

    asked, embedder, memory = questions(9, edges), HashEmbedder(), list["HyMem"]()
    opening = _timed(lambda: memory.append(_memory(root, embedder)))
    return {"opening": opening, "first": opening + _timed(lambda: memory[0].augment(asked[6].text))}


def lean(root: Path, edges: int) -> dict[str, float]:
    """Ask every question once."""
    from benchmarks.recall_world import questions

    memory, asked = _memory(root), questions(QUESTIONS, edges)
    memory.augment(asked[0].text)
    return _points([_timed(lambda one=one: memory.augment(one.text)) for one in asked[1:]])


def _asks_for_edges(memory: "HyMem", asked: "Asked") -> bool:
    """Whether recall looks for edges by their meaning: where a relation is asked for, and where nothing is named."""
    from serving.recall.routing import routed_predicates

    return bool(routed_predicates(asked.text)) or not memory.augment(asked.text).matched_entities


def _memory(root: Path, embedder: "HashEmbedder | None" = None) -> "HyMem":
    from benchmarks.recall_world import NOW, HashEmbedder
    from hymem import HyMem

    return HyMem(root, embedder=embedder or HashEmbedder(), clock=lambda: NOW)


def _timed(act: Callable[[], object]) -> float:
    began = time.perf_counter()
    act()
    return 1000 * (time.perf_counter() - began)


def _points(times: Sequence[float]) -> dict[str, float]:
    hundredths = statistics.quantiles(times, n=100, method="inclusive")
    return {"p50": hundredths[49], "p95": hundredths[94]}


if __name__ == "__main__":
    print(json.dumps({"warm": warm, "cold": cold, "lean": lean}[sys.argv[1]](Path(sys.argv[2]), int(sys.argv[3]))))
