"""An embedding model behind any endpoint that speaks OpenAI's protocol.

Endpoints differ most in how much they take at once: 2048 texts here and 10 there, 8192 tokens of a text here and 512
there. None of them tells beforehand. So a request that is refused for its size is asked again in halves, and what a
batch may hold is remembered; a single text that is still too large loses its second half, which the log tells.
"""

import base64
import logging
import threading
from collections.abc import Sequence
from typing import Any, ClassVar, Final, cast

import numpy as np
import numpy.typing as npt

from hymem.errors import ReplyError
from hymem.models.embedding import Vectors, no_vectors, presentable, unit_vectors
from hymem.models.endpoint import Endpoint
from hymem.models.envelope import mapping, opened
from hymem.models.trouble import EMBEDDING, Service, Trouble, shown, verdict

BATCH: Final = 128
"""Texts in one request, until the endpoint is found to take fewer."""

_SHORTEST: Final = 64
"""Characters: an endpoint that finds these too many means something else."""

log = logging.getLogger(__name__)


class OpenAIEmbedder(Endpoint):
    """An `EmbeddingClient` for an OpenAI-compatible endpoint, safe to use from many threads.

    One `embed` asks batch by batch; who has many texts asks in parallel, as `concurrency` hints. `dimension` is known
    after the first answer, and binds all that follow.
    """

    service: ClassVar[Service] = EMBEDDING

    dimension: int | None = None
    batch: int = BATCH
    _encoding: str = "float"

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """A row for each text; see `hymem.models.embedding` for what is raised."""
        ready, rows, done = presentable(texts), list[Vectors](), 0
        impatience = self._impatience
        while done < len(ready):
            batch = ready[done : done + self.batch]
            rows.append(self._embedded(batch, impatience)[0])
            done += len(batch)
        return np.concatenate(rows) if rows else no_vectors(self.dimension)

    def _embedded(self, texts: list[str], impatience: threading.Event) -> tuple[Vectors, bool]:
        """A row for each text, and whether the endpoint took all of them whole and at once."""
        try:
            return self._asked(texts, impatience), True
        except Trouble as trouble:
            smallest = len(texts) == 1 and len(texts[0]) <= _SHORTEST
            if smallest or not trouble.too_large:
                raise verdict(trouble, self.base_url, self.model, self.service) from None
        if len(texts) == 1:
            return self._embedded([self._first_half(texts[0])], impatience)[0], False
        middle = len(texts) // 2
        first, first_at_once = self._embedded(texts[:middle], impatience)
        second, second_at_once = self._embedded(texts[middle:], impatience)
        if first_at_once and second_at_once:  # so it was their number, and no single text among them
            self.batch = min(self.batch, len(second))
        return np.concatenate([first, second]), False

    def _first_half(self, text: str) -> str:
        half = len(text) // 2
        log.warning("%s finds %d characters too many: %d are embedded", shown(self.base_url), len(text), half)
        return text[:half]

    def _asked(self, texts: list[str], impatience: threading.Event) -> Vectors:
        encoding = self._encoding
        try:
            vectors = self._vectors(texts, encoding, impatience)
        except Trouble as trouble:
            if encoding == "base64" or "encoding_format" not in trouble.words:
                raise
            vectors = self._vectors(texts, "base64", impatience)
            self._encoding = "base64"
        return self._of_one_dimension(vectors)

    def _vectors(self, texts: list[str], encoding: str, impatience: threading.Event) -> Vectors:
        return self._answered(
            lambda client: client.embeddings.with_streaming_response.create(
                model=self.model, input=texts, encoding_format=encoding
            ),
            lambda body: vectors_of(body, len(texts)),
            impatience,
        )

    def _of_one_dimension(self, vectors: Vectors) -> Vectors:
        given = vectors.shape[1]
        with self._lock:
            known = self.dimension = self.dimension or given
        if given != known:
            raise ReplyError(f"{self.model} answers with vectors of {given} numbers now, and had {known} before")
        return vectors


def vectors_of(body: bytes, count: int) -> Vectors:
    """The vectors in a response's body, in the order of asking. Raises `ReplyError` unless there are `count` good ones.

    Where nothing is numbered, or everything 0, the order is taken to be that of asking.
    """
    items = [mapping(item) for item in cast(list[object], opened(body, "data", EMBEDDING.answer)["data"])]
    if len(items) != count:
        raise ReplyError(f"the embedding model answered {count} texts with {len(items)} vectors")
    indices = [item.get("index") or 0 for item in items]
    if any(indices):
        if set(indices) != set(range(count)):
            raise ReplyError("the embedding model numbered its vectors in a way that cannot be followed")
        items = [item for _, item in sorted(zip(indices, items, strict=True), key=lambda numbered: numbered[0])]
    rows = [_numbers(item.get("embedding")) for item in items]
    if len({row.size for row in rows}) > 1:
        raise ReplyError("the embedding model answered with vectors of different dimensions")
    return unit_vectors(np.stack(rows))


def _numbers(value: Any) -> npt.NDArray[np.floating[Any]]:
    try:
        if isinstance(value, str):
            numbers = np.frombuffer(base64.b64decode(value, validate=True), dtype="<f4")
        else:
            numbers = np.asarray(value, dtype=np.float64)
    except (ValueError, TypeError, OverflowError):
        raise ReplyError("the embedding model answered with something that is no vector") from None
    if numbers.ndim != 1 or not numbers.size:
        raise ReplyError("the embedding model answered with something that is no vector")
    return numbers
