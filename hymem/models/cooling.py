"""An embedding endpoint that did not answer is left alone for a while, so that no more questions wait for it in vain.

The first failure costs whoever asked their patience; for the next half minute everybody else is told at once. Then one asks
again, and if that fails, too, the pause doubles. The first answer ends it all.
"""

import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from hymem.errors import ModelUnavailableError
from hymem.models.embedding import EmbeddingClient, Vectors

FIRST_PAUSE: Final = 30.0
LONGEST_PAUSE: Final = 480.0
"""Seconds for which an endpoint is left alone: at first, and at last."""


class CoolingEmbeddingClient:
    """An `EmbeddingClient` around another, which is not asked while it cools down; safe to use from many threads.

    While it cools down, and only one may try whether it is back, `embed` raises `ModelUnavailableError` with the last
    trouble and the length of the pause. `clock` counts seconds and never goes back.
    """

    def __init__(self, client: EmbeddingClient, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.client = client
        self._clock = clock
        self._lock = threading.Lock()
        self._trouble = ""
        self._pause = 0.0
        self._until = 0.0

    @property
    def model(self) -> str:
        """The other client's."""
        return self.client.model

    @property
    def dimension(self) -> int | None:
        """The other client's."""
        return self.client.dimension

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """What the other client answers, or at once the trouble that it had a moment ago."""
        began_with = self._admitted()
        try:
            vectors = self.client.embed(texts)
        except ModelUnavailableError as error:
            self._failed(str(error), began_with)
            raise ModelUnavailableError(self._trouble) from error
        with self._lock:
            self._pause = 0.0
        return vectors

    def _admitted(self) -> float:
        """The pause that is in force, for who may ask; where there is one, everybody else waits for that outcome."""
        with self._lock:
            now = self._clock()
            if self._pause and now < self._until:
                raise ModelUnavailableError(self._trouble)
            self._until = now + self._pause
            return self._pause

    def _failed(self, trouble: str, began_with: float) -> None:
        with self._lock:
            if self._pause == began_with:  # of several that failed together, one counts
                self._pause = min(max(FIRST_PAUSE, 2 * self._pause), LONGEST_PAUSE)
                self._until = self._clock() + self._pause
                self._trouble = f"{trouble} (not asked again for {self._pause:.0f} s)"
