"""Embedding offline: ten thousand chunks through a dream's second step, beside the bare model."""

import json
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measuring import Figure, python
from benchmarks.worlds import Worlds

TEXTS = 10_000


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """One process measures both, on the same texts; loading the model is reported apart."""
    count = max(50, int(TEXTS * worlds.scale))
    cost = python("-m", "benchmarks.embedding", str(count))
    told = json.loads(cost.out)
    yield Figure("loading the model", told["loading"], "s")
    yield Figure("the bare model", told["bare"], "s")
    yield Figure("embedding and keeping the vectors", told["kept"], "s")
    yield Figure("times the bare model", told["kept"] / told["bare"], "", most=1.3)
    yield Figure("peak memory", cost.peak, "MB")


def main(count: int) -> None:
    """Embed made-up chunks twice: by the model alone, and as a dream does."""
    import tempfile

    from dataflows.embedding import Embedder
    from dataflows.rows import EmbeddingText
    from dataflows.tables import table
    from hymem import HyMem
    from hymem.models.local_embedding import LocalEmbedder
    from hymem.models.rules import RulesExtractor
    from hymem.store.database import Database
    from hymem.store.lock import dream_lock

    began = time.process_time()
    model = LocalEmbedder()
    model.embed(["warm"])
    loading = time.process_time() - began
    texts = [
        f"Turn {n}: the billing service of region {n % 97} talks to queue {n % 89} since release {n}."
        for n in range(count)
    ]
    with tempfile.TemporaryDirectory() as folder:
        with HyMem(folder, llm=RulesExtractor()) as memory:
            memory.log_messages(
                [{"session_id": f"s{n // 50}", "role": "user", "content": t} for n, t in enumerate(texts)]
            )
            memory.dream(budget=0)
            chunks = memory.query("select chunk_id, text from chunks order by chunk_id")
        rows = table(EmbeddingText, [("chunk", int(chunk), text) for chunk, text in chunks.itertuples(index=False)])
        database = Database.open(Path(folder) / "hymem.db")
        began = time.process_time()
        for start in range(0, len(rows), 256):
            model.embed(rows.text.iloc[start : start + 256].tolist())
        bare = time.process_time() - began
        with dream_lock(database) as lease:
            began = time.process_time()
            left = Embedder(model, database, lease, 1).embed(rows)
            kept = time.process_time() - began
        database.close()
    assert left == 0
    print(json.dumps({"loading": loading, "bare": bare, "kept": kept}))


if __name__ == "__main__":
    main(int(sys.argv[1]))
