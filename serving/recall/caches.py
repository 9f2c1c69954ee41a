"""What is kept between questions: names, counts of words, what no dream has taken yet, signs of vectors, vectors of questions.

Dreams, of this process and of others, change what they were made of; a stamp of the last one, read with every question, tells.
"""

import threading
from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from hymem.config import HyMemConfig
from hymem.models.chat import LLMClient
from hymem.store.connection import Connection
from hymem.store.ledger import ledger_state
from hymem.store.names import all_names, camel_case_forms, names_stamp
from hymem.store.search import Counts
from serving.recall.expansion import TokenIndex
from serving.recall.tail import TailCache

if TYPE_CHECKING:
    from hymem.models.cooling import Cooling
    from hymem.models.embedding import EmbeddingClient
    from hymem.models.relevance import Reranker
    from hymem.store.sign_index import SignIndexes

PATIENCE: Final = 3.0
"""Seconds that a question waits for the embedding model, where that can be told to hurry."""

JUDGING: Final = 10.0
"""Seconds that a question waits for a language model to rerank, where that can be told to hurry."""

VECTORS: Final = 128
"""Texts whose vectors are kept."""


class QueryCaches:
    """One per `HyMem`; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self.tail = TailCache()
        self._tokens: tuple[tuple[object, ...], TokenIndex] | None = None
        self._counts: tuple[tuple[object, ...], Counts] | None = None
        self._judge: tuple[LLMClient, LLMClient, Callable[[], object] | None] | None = None
        self._cooling: tuple[tuple[object, ...], Cooling] | None = None
        self._embedder: tuple[EmbeddingClient, EmbeddingClient, Callable[[], object] | None] | None = None

    def tokens(self, connection: Connection) -> TokenIndex:
        """The parts of the names as this connection sees them."""
        stamp = names_stamp(connection)
        with self._lock:
            kept = self._tokens
        if kept is None or kept[0] != stamp:
            kept = (stamp, TokenIndex(all_names(connection), camel_case_forms(connection)))
            with self._lock:
                self._tokens = kept
        return kept[1]

    @cached_property
    def signs(self) -> "SignIndexes":
        """The compact indexes of the vectors, which know by themselves when they are out of date."""
        from hymem.store.sign_index import SignIndexes

        return SignIndexes()

    def counts(self, connection: Connection) -> Counts:
        """How many texts there are and hold which term, as this connection sees them."""
        stamp = (ledger_state(connection).generation, *names_stamp(connection))
        with self._lock:
            if self._counts is None or self._counts[0] != stamp:
                self._counts = (stamp, Counts())
            return self._counts[1]

    def embedder(self, client: "EmbeddingClient") -> "EmbeddingClient":
        """The same model for somebody who waits: it hurries where it can, is not asked twice for the same text, and
        is left alone for a while where it does not answer."""
        with self._lock:
            if self._embedder is None or self._embedder[0] is not client:
                self._close_embedder()
                self._embedder = (client, *_for_questions(client))
            return self._embedder[1]

    def reranker(self, config: HyMemConfig, llm: LLMClient | None) -> "Reranker":
        """Who reranks, as the configuration has it; a language model hurries where it can.

        Who does not answer is left alone for a while.
        """
        from hymem.models.cooling import Cooling, CoolingReranker
        from serving.recall.rerank import chosen_reranker

        chosen = (llm, config.rerank_model, config.rerank_cross_encoder_model)
        with self._lock:
            if llm is not None and (self._judge is None or self._judge[0] is not llm):
                self._close_judge()
                self._judge = (llm, *_hurried(llm, JUDGING))
            judge = chosen_reranker(config, None if llm is None or self._judge is None else self._judge[1])
            if self._cooling is None or self._cooling[0] != chosen:
                self._cooling = (chosen, Cooling())
            return CoolingReranker(judge, self._cooling[1])

    def invalidate(self) -> None:
        """Forget all but the embedder, for somebody who changed names, texts or vectors past HyMem."""
        with self._lock:
            self._tokens = self._counts = None
        self.tail.clear()
        self.__dict__.pop("signs", None)

    def close(self) -> None:
        """Close the connections of the hurried clients; they open new ones if they are used again."""
        with self._lock:
            self._close_embedder()
            self._close_judge()

    def _close_embedder(self) -> None:
        if self._embedder is not None and self._embedder[2] is not None:
            self._embedder[2]()
        self._embedder = None

    def _close_judge(self) -> None:
        if self._judge is not None and self._judge[2] is not None:
            self._judge[2]()
        self._judge = None


def _for_questions(client: "EmbeddingClient") -> "tuple[EmbeddingClient, Callable[[], object] | None]":
    """The hurried, cooling and caching client around a client, and how to close what it opens."""
    from hymem.models.cooling import CoolingEmbeddingClient
    from hymem.models.embedding_cache import CachedEmbeddingClient

    hurried, close = _hurried(client, PATIENCE)
    return CachedEmbeddingClient(CoolingEmbeddingClient(hurried), VECTORS), close


def _hurried(client: Any, seconds: float) -> tuple[Any, Callable[[], object] | None]:
    """The same client for somebody who waits so long, where it can hurry, and how to close what that opens."""
    hurry: Any = getattr(client, "hurried", None)
    if not callable(hurry):
        return client, None
    hurried: Any = hurry(seconds)
    close = getattr(hurried, "close", None)
    return hurried, close if callable(close) else None
