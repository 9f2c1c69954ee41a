"""An embedding model, as dreaming and recall see it: texts go in, unit vectors come out.

`EmbeddingClient` is an extension point. Anything that has a `model` name, a `dimension` and an `embed` method can be
given to `HyMem(embedder=…)`. What `embed` returns is one numpy array of shape (texts, dimension), of float32, a row for
each text in the order of asking, each row of length 1: the cosine of two texts is the product `a @ b` of their rows.
`embed` may be called from several threads at once, so it must be thread-safe; the vector of a text must not depend on the
texts beside it. It either returns all rows or raises one of `ModelUnavailableError` (worth asking again later),
`ModelRefusedError` (not worth asking again) and `ReplyError` (it answered, and its answer cannot be used).
"""

import logging
from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

import numpy as np
import numpy.typing as npt

from hymem.errors import ModelError, ModelUnavailableError, ReplyError

Vectors = npt.NDArray[np.float32]
"""Shape (texts, dimension), a unit vector in each row."""

LONGEST_TEXT: Final = 8_000
"""Characters: what the larger models take of ordinary text, and twice what a chunk may have."""

log = logging.getLogger(__name__)


@runtime_checkable
class EmbeddingClient(Protocol):
    """Whoever can turn texts into vectors; see the module's docstring for the contract."""

    @property
    def model(self) -> str:
        """The name under which vectors are kept: vectors of different names are never compared."""
        ...

    @property
    def dimension(self) -> int | None:
        """How many numbers a vector has; None as long as only the first answer can tell."""
        ...

    def embed(self, texts: Sequence[str], /) -> Vectors:
        """A row for each text, or a `ModelError`. No texts give no rows, and ask nobody."""
        ...


def embedded(client: EmbeddingClient, texts: Sequence[str]) -> Vectors:
    """What a client answers, if it is what was asked for, and a `ModelError` for anything else: anybody may write a client."""
    try:
        answer = np.asarray(client.embed(texts), dtype=np.float64)
        if answer.ndim == 2 and answer.shape[0] == len(texts) and answer.shape[1]:
            return unit_vectors(answer)
    except ModelError:
        raise
    except (ValueError, TypeError):
        pass
    except Exception as bug:
        raise ModelUnavailableError(f"{client.model} failed ({type(bug).__name__}: {bug})") from bug
    raise ReplyError(f"{client.model} answered {len(texts)} texts with something else than so many vectors")


def unit_vectors(rows: npt.ArrayLike) -> Vectors:
    """The rows scaled to length 1. Raises `ReplyError` where a row has no direction: not finite, or zeros only."""
    numbers = np.asarray(rows, dtype=np.float64)
    largest = np.abs(numbers).max(axis=1, keepdims=True)
    if not np.all(np.isfinite(largest) & (largest > 0)):
        raise ReplyError("the embedding model answered with a vector that has no direction")
    of_modest_size = numbers / largest  # so that no square is too large or too small for a float
    return (of_modest_size / np.linalg.norm(of_modest_size, axis=1, keepdims=True)).astype(np.float32)


def no_vectors(dimension: int | None) -> Vectors:
    """The answer to no texts."""
    return np.empty((0, dimension or 0), dtype=np.float32)


def presentable(texts: Sequence[str], longest: int = LONGEST_TEXT) -> list[str]:
    """The texts as every model takes them, and in a word in the log where one had to be cut.

    No lone surrogates, no more than `longest` characters, and a full stop in place of a blank, which endpoints refuse.
    """
    if cut := sum(len(text) > longest for text in texts):
        log.warning("%d of %d texts are cut to %d characters before they are embedded", cut, len(texts), longest)
    return [_encodable(text[:longest]) or "." for text in texts]


def _encodable(text: str) -> str:
    return text.encode("utf-8", "replace").decode("utf-8").strip()
