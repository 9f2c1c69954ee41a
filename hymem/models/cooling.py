"""A model's endpoint that did not answer is left alone for a while, so that no more questions wait for it in vain.

The first failure costs whoever asked their patience; for the next half minute everybody else is told at once. Then one asks
again, and if that fails, too, the pause doubles. The first answer ends it all.
"""

import threading
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from hymem.errors import ModelUnavailableError

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient, Vectors
    from hymem.models.relevance import Reranker

FIRST_PAUSE: Final = 30.0
LONGEST_PAUSE: Final = 480.0
"""Seconds for which an endpoint is left alone: at first, and at last."""


class Cooling:
    """Whether an endpoint may be asked, by how it answered before; safe to use from many threads.

    `clock` counts seconds and never goes back.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._trouble = ""
        self._pause = 0.0
        self._until = 0.0

    @contextmanager
    def asking(self) -> Generator[None]:
        """While somebody asks. Raises `ModelUnavailableError` with the last trouble and the length of the pause.

        That is raised at once while the endpoint cools down, when only one may try whether it is back.
        """
        began_with = self._admitted()
        try:
            yield
        except ModelUnavailableError as error:
            self._failed(str(error), began_with)
            raise ModelUnavailableError(self._trouble) from error
        with self._lock:
            self._pause = 0.0

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


class CoolingEmbeddingClient:
    """An `EmbeddingClient` around another, which is not asked while it cools down."""

    def __init__(self, client: "EmbeddingClient", *, clock: Callable[[], float] = time.monotonic) -> None:
        self.client = client
        self._cooling = Cooling(clock)

    @property
    def model(self) -> str:
        """The other client's."""
        return self.client.model

    @property
    def dimension(self) -> int | None:
        """The other client's."""
        return self.client.dimension

    def embed(self, texts: Sequence[str], /) -> "Vectors":
        """What the other client answers, or at once the trouble that it had a moment ago."""
        with self._cooling.asking():
            return self.client.embed(texts)


class CoolingReranker:
    """A `Reranker` around another, which is not asked while it cools down: many may be of one endpoint, and share its pause."""

    def __init__(self, reranker: "Reranker", cooling: Cooling) -> None:
        self.reranker = reranker
        self._cooling = cooling

    def grades(self, question: str, passages: Sequence[str], /) -> list[float]:
        """The other's grades, or at once the trouble that it had a moment ago."""
        with self._cooling.asking():
            return self.reranker.grades(question, passages)
