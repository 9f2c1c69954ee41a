"""Embedding what a dream left without a vector: batch by batch, each kept at once, so that nothing paid for is lost.

An endpoint that fails ends the embedding and not the dream; what is left waits for the next one. A text that the model has no
usable answer for goes without a vector, and is offered again whenever there is something to dream about.
"""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from itertools import islice

from dataflows.rows import EmbeddingText
from dataflows.tables import Table
from hymem.digests import digest63
from hymem.errors import ConfigError, ModelError, ReplyError
from hymem.models.embedding import EmbeddingClient, Vectors, embedded
from hymem.store.database import Database
from hymem.store.ledger import ledger_state
from hymem.store.lock import Lease
from hymem.store.vectors import OwnedVector, Space, index_vectors, keep_vectors, refuse_other_model

BATCH = 256
"""Texts that are embedded and kept together."""

PATIENCE = 8
"""Texts without a usable answer after which, if no other had one, the fault is the model's and not theirs."""

Batch = list[tuple[str, int, str]]


@dataclass
class Embedder:
    """Embeds texts and keeps their vectors, as long as the dream holds its lock and the ledger is of that `generation`.

    `kept` counts the vectors, `refused` the texts for which the model has none; `trouble` says what ended the embedding early.
    """

    client: EmbeddingClient
    database: Database
    lease: Lease
    concurrency: int = 1
    stop: threading.Event | None = None
    progress: Callable[[int, int], None] | None = None
    generation: int | None = None
    kept: int = 0
    refused: list[str] = field(default_factory=list[str])
    trouble: str = ""

    def embed(self, texts: Table[EmbeddingText]) -> int:
        """Embed the texts in their order; returns how many are still to be embedded."""
        try:
            with self.database.reading() as connection:
                refuse_other_model(connection, self.client.model, self.client.dimension)
        except ConfigError as error:
            self.trouble = str(error)
            return len(texts)
        rows = iter(zip(texts.kind, texts.owner, texts.text, strict=True))
        with ThreadPoolExecutor(max(1, self.concurrency), thread_name_prefix="embedding") as pool:
            self._embed_all(pool, rows, len(texts))
        if self.kept:
            with self.database.writing() as connection:
                self.lease.check(connection)
                index_vectors(connection)
        return len(texts) - self.kept - len(self.refused)

    @property
    def warnings(self) -> tuple[str, ...]:
        """What a person should know of texts without a vector."""
        count = len(self.refused)
        unusable = f"{count} texts have no vector, the first since: {self.refused[0]}" if count else ""
        return tuple(told for told in (self.trouble, unusable) if told)

    @property
    def _ended(self) -> bool:
        return bool(self.trouble) or (self.stop is not None and self.stop.is_set())

    def _embed_all(self, pool: ThreadPoolExecutor, rows: Iterator[tuple[str, int, str]], total: int) -> None:
        under_way: list[tuple[Batch, Future[Vectors]]] = []
        while True:
            while len(under_way) < self.concurrency and not self._ended and (batch := list(islice(rows, BATCH))):
                under_way.append((batch, pool.submit(embedded, self.client, [text for _, _, text in batch])))
            if not under_way:
                return
            self._settle(*under_way.pop(0))
            if self.progress:
                self.progress(self.kept, total)

    def _settle(self, batch: Batch, answer: "Future[Vectors]") -> None:
        try:
            self._keep(batch, answer.result())
        except ReplyError as error:
            self._halve(batch, str(error))
        except (ModelError, ConfigError) as error:
            self.trouble = self.trouble or str(error)

    def _halve(self, batch: Batch, reason: str) -> None:
        """Find the texts for which the model has no usable answer; the others get theirs."""
        if len(batch) == 1:
            self._refuse(reason)
            return
        middle = len(batch) // 2
        for half in (batch[:middle], batch[middle:]):
            if self._ended:
                return
            answer: Future[Vectors] = Future()
            try:
                answer.set_result(embedded(self.client, [text for _, _, text in half]))
            except ModelError as error:
                answer.set_exception(error)
            self._settle(half, answer)

    def _refuse(self, reason: str) -> None:
        self.refused.append(reason)
        if len(self.refused) >= PATIENCE and not self.kept:
            self.trouble = f"the embedding model has no usable answer to anything: {reason}"
            self.refused.clear()

    def _keep(self, batch: Batch, vectors: Vectors) -> None:
        space = Space(self.client.model, int(vectors.shape[1]))
        owned = [
            OwnedVector(kind, int(owner), digest63(text), text, row.astype("<f4").tobytes())
            for (kind, owner, text), row in zip(batch, vectors, strict=True)
        ]
        with self.database.writing() as connection:
            self.lease.check(connection)
            if self.generation not in (None, ledger_state(connection).generation):  # some text may be forgotten by now
                self.trouble = self.trouble or "memory was edited while it was embedded: the next dream embeds the rest"
                return
            keep_vectors(connection, space, owned)
        self.kept += len(owned)
