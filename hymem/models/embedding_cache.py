"""Vectors that were asked for a moment ago, kept so that the same words are not embedded twice.

A cold question is dominated by the embedding of its text, and one question is embedded for several searches.
"""

import threading
from collections import OrderedDict
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from hymem.models.embedding import EmbeddingClient, Vectors, no_vectors

Vector = npt.NDArray[np.float32]


class CachedEmbeddingClient:
    """An `EmbeddingClient` around another, which keeps the vectors of the `size` texts that were asked for last.

    What is not kept is asked for in one call, each text once. `hits` and `misses` count texts. Errors are handed on, and
    nothing is kept of a call that failed.
    """

    def __init__(self, client: EmbeddingClient, size: int = 128) -> None:
        self.client = client
        self.size = size
        self.hits = 0
        self.misses = 0
        self._kept: OrderedDict[tuple[str, str], Vector] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def model(self) -> str:
        """The other client's."""
        return self.client.model

    @property
    def dimension(self) -> int | None:
        """The other client's."""
        return self.client.dimension

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """A row for each text, in the order of asking."""
        model = self.model
        found = self._found(model, texts)
        missing = list(dict.fromkeys(text for text in texts if text not in found))
        if missing:
            found |= self._kept_now(model, missing, self.client.embed(missing))
        return np.stack([found[text] for text in texts]) if len(texts) else no_vectors(self.dimension)

    def _found(self, model: str, texts: Sequence[str]) -> dict[str, Vector]:
        with self._lock:
            found = {text: self._kept[model, text] for text in texts if (model, text) in self._kept}
            for text in found:
                self._kept.move_to_end((model, text))
            hits = sum(text in found for text in texts)
            self.hits += hits
            self.misses += len(texts) - hits
        return found

    def _kept_now(self, model: str, texts: list[str], vectors: Vectors) -> dict[str, Vector]:
        asked = {text: vector.copy() for text, vector in zip(texts, vectors, strict=True)}
        with self._lock:
            self._kept.update({(model, text): vector for text, vector in asked.items()})
            for text in texts:
                self._kept.move_to_end((model, text))
            while len(self._kept) > self.size:
                self._kept.popitem(last=False)
        return asked
