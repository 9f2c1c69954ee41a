"""Embedding what a dream left without a vector: batch by batch, each kept at once, so that nothing paid for is lost.

An endpoint that fails ends the embedding and not the dream; what is left waits for the next one.
"""

import logging
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from dataflows.tables import EmbeddingText, Table
from hymem.digests import digest63
from hymem.errors import ConfigError, ModelError, ReplyError
from hymem.models.embedding import EmbeddingClient, Vectors
from hymem.store.database import Database
from hymem.store.lock import Lease
from hymem.store.vectors import OwnedVector, Space, keep_vectors, refuse_other_model

BATCH = 256
"""Texts that are embedded and kept together."""

log = logging.getLogger(__name__)

Batch = list[tuple[str, int, str]]


@dataclass
class Embedder:
    """Embeds texts and keeps their vectors, as long as the dream holds its lock; `warnings` say why some have none."""

    client: EmbeddingClient
    database: Database
    lease: Lease
    concurrency: int = 1
    progress: Callable[[int, int], None] | None = None
    kept: int = 0
    warnings: list[str] = field(default_factory=list[str])

    def embed(self, texts: Table[EmbeddingText]) -> int:
        """Embed the texts in their order; returns how many are left without a vector."""
        try:
            with self.database.reading() as connection:
                refuse_other_model(connection, self.client.model, self.client.dimension)
        except ConfigError as error:
            self.warnings.append(str(error))
            return len(texts)
        rows = iter(zip(texts.kind, texts.owner, texts.text, strict=True))
        with ThreadPoolExecutor(max(1, self.concurrency), thread_name_prefix="embedding") as pool:
            self._embed_all(pool, rows, len(texts))
        return len(texts) - self.kept

    def _embed_all(self, pool: ThreadPoolExecutor, rows: Iterator[tuple[str, int, str]], total: int) -> None:
        under_way: list[tuple[Batch, Future[Vectors]]] = []
        while True:
            while len(under_way) < self.concurrency and not self.warnings and (batch := list(islice(rows, BATCH))):
                under_way.append((batch, pool.submit(self.client.embed, [text for _, _, text in batch])))
            if not under_way:
                return
            self._settle(*under_way.pop(0))
            if self.progress:
                self.progress(self.kept, total)

    def _settle(self, batch: Batch, answer: "Future[Vectors]") -> None:
        try:
            self._keep(batch, answer.result())
        except ReplyError as error:
            self._halve(batch, error)
        except ModelError as error:
            self.warnings.append(str(error))

    def _halve(self, batch: Batch, error: ReplyError) -> None:
        """Find the texts for which the model has no usable answer; the others get theirs."""
        if len(batch) == 1:
            log.warning("a %s gets no vector: %s", batch[0][0], error)
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            answer: Future[Vectors] = Future()
            try:
                answer.set_result(self.client.embed([text for _, _, text in half]))
            except ModelError as trouble:
                answer.set_exception(trouble)
            self._settle(half, answer)

    def _keep(self, batch: Batch, vectors: Vectors) -> None:
        space = Space(self.client.model, int(vectors.shape[1]))
        owned = [
            OwnedVector(kind, int(owner), digest63(text), text, row.astype("<f4").tobytes())
            for (kind, owner, text), row in zip(batch, vectors, strict=True)
        ]
        with self.database.writing() as connection:
            self.lease.check(connection)
            keep_vectors(connection, space, owned)
        self.kept += len(owned)
