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
from hymem.models.trouble import EMBEDDING, Service, Trouble, verdict

BATCH: Final = 128
"""Texts in one request, until the endpoint is found to take fewer."""

_SHORTEST: Final = 64
"""Characters: an endpoint that finds these too many means something else."""

log = logging.getLogger(__name__)


class OpenAIEmbedder(Endpoint):
    """An `EmbeddingClient` for an OpenAI-compatible endpoint, safe to use from many threads.

    One `embed` asks batch by batch; who has many texts asks in parallel, as `concurrency` hints. `dimension` is known
    after the first answer, and holds for all that follow.
    """

    service: ClassVar[Service] = EMBEDDING

    dimension: int | None = None
    batch: int = BATCH

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """A row for each text; see `hymem.models.embedding` for what is raised."""
        waiting, rows = presentable(texts), list[Vectors]()
        impatience = self._impatience
        while waiting:
            batch = waiting[: self.batch]
            waiting = waiting[len(batch) :]
            rows.append(self._embedded(batch, impatience) if len(batch) else no_vectors(self.dimension))
        return np.concatenate(rows) if rows else no_vectors(self.dimension)

    def _embedded(self, texts: list[str], impatience: threading.Event) -> Vectors:
        whole = self._unless_too_large(texts, impatience)
        if whole is not None:
            return whole
        if len(texts) == 1:
            return self._embedded([_first_half(texts[0])], impatience)
        halves = [texts[: len(texts) // 2], texts[len(texts) // 2 :]]
        answers = [self._unless_too_large(half, impatience) for half in halves]
        if all(answer is not None for answer in answers):
            self._learn(len(halves[-1]))
        return np.concatenate(
            [
                self._embedded(half, impatience) if answer is None else answer
                for half, answer in zip(halves, answers, strict=True)
            ]
        )
