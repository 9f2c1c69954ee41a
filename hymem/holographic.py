"""Holographic reduced representations: what belongs together, and in which part, within one vector of fixed length.

Plate's circular convolution, done on phases (a frequency-domain or Fourier HRR): a vector of shape (dim,) holds angles in
[0, 2π), float64. Binding adds angles, unbinding subtracts them, and bundling takes the direction of the mean of unit complex
numbers. A bundle is like each of its members and a binding is like neither of its sides, so that a fact's vector, a bundle
of its words in the part of content and of its entities in the part of entities, answers "does this name Zephyr?" by one
comparison with `bind(Zephyr, ROLE_ENTITY)`.

A word's vector is drawn from SHA-256 and not from a generator of random numbers: the same on every machine, for ever.

Sources: T. A. Plate, "Holographic Reduced Representations", IEEE Transactions on Neural Networks 6(3), 1995, which also
gives the capacity; P. Kanerva, "Hyperdimensional Computing", Cognitive Computation 1, 2009.
"""

import hashlib
import math
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from hymem.errors import InputError

Phases = npt.NDArray[np.float64]
"""Angles in [0, 2π), shape (dim,)."""

Codes = npt.NDArray[np.uint16]
"""Angles in units of 2π/65536, shape (dim,) or (count, dim): how vectors are stored."""

DIMENSION: Final = 1024
MOST_DIMENSIONS: Final = 65_536
STEPS: Final = 65_536
ROLE_CONTENT: Final = "__hrr_role_content__"
ROLE_ENTITY: Final = "__hrr_role_entity__"
EMPTY: Final = "__hrr_empty__"

_TURN: Final = 2.0 * math.pi
_EDGES: Final = ".,!?;:\"'()[]{}"
_COSINES: Final = np.cos(np.arange(STEPS) * (_TURN / STEPS)).astype(np.float32)


def encode_atom(word: str, dim: int = DIMENSION) -> Phases:
    """A word's vector, shape (dim,): uint16 from SHA-256 of "word:0", "word:1", … in a row, each a 65,536th of a turn.

    The numbers are little-endian; the last block is cut off at `dim`. Raises `InputError` where `dim` is no dimension.
    """
    return decoded(_atom(storable_word(word), checked_dimension(dim)))


def encode_text(text: str, dim: int = DIMENSION) -> Phases:
    """A text's vector, shape (dim,): the bundle of its lower-cased words; a text without words has a vector of its own."""
    words = [word for token in text.lower().split() if (word := token.strip(_EDGES))]
    return bundle(*(encode_atom(word, dim) for word in words)) if words else encode_atom(EMPTY, dim)


def encode_fact(content: str, entities: Iterable[str], dim: int = DIMENSION) -> Phases:
    """A fact's vector, shape (dim,): its text in the part of content and each entity in its own, bundled."""
    parts = [bind(encode_text(content, dim), encode_atom(ROLE_CONTENT, dim))]
    parts += [in_role(entity, ROLE_ENTITY, dim) for entity in entities]
    return bundle(*parts)


def in_role(word: str, role: str, dim: int = DIMENSION) -> Phases:
    """A word bound to its part, shape (dim,): what a fact's vector is compared with to see whether the word plays it."""
    return bind(encode_atom(word.lower(), dim), encode_atom(role, dim))


def bind(first: npt.ArrayLike, second: npt.ArrayLike) -> Phases:
    """Two vectors as one that is like neither: circular convolution, which on phases is addition."""
    return _wrapped(np.add(*_alike(first, second)))


def unbind(bound: npt.ArrayLike, key: npt.ArrayLike) -> Phases:
    """What was bound to `key`: circular correlation. Out of a bundle it comes with the noise of the other members."""
    return _wrapped(np.subtract(*_alike(bound, key)))


def bundle(*vectors: npt.ArrayLike) -> Phases:
    """Vectors as one that is like each: the direction of the sum of unit complex numbers.

    Raises `InputError` for no vectors, or for vectors of different lengths.
    """
    if not vectors:
        raise InputError("a bundle needs a vector: give at least one")
    stacked = np.stack(_alike(*vectors))
    return _wrapped(np.angle(np.exp(1j * stacked).sum(axis=0)))


def similarity(first: npt.ArrayLike, second: npt.ArrayLike) -> float:
    """The mean cosine of the angles between, from -1 to 1: 1 for the same, about 0 ± 1/√(2·dim) for unrelated ones."""
    return float(np.cos(np.subtract(*_alike(first, second))).mean())


def snr_estimate(dim: int, count: int) -> float:
    """√(dim / count): how far a member of a bundle of `count` stands out of the noise; under 2 it is lost. ∞ for none."""
    checked_dimension(dim)
    return math.sqrt(dim / count) if count > 0 else math.inf


def encoded(vector: npt.ArrayLike) -> Codes:
    """A vector's angles rounded to 65,536ths of a turn, shape as given."""
    return (np.rint(np.asarray(vector, dtype=np.float64) * (STEPS / _TURN)).astype(np.int64) % STEPS).astype(np.uint16)


def decoded(codes: Codes) -> Phases:
    """The angles that codes stand for, shape as given."""
    return codes.astype(np.float64) * (_TURN / STEPS)


def similarities(codes: Codes, sought: Codes) -> npt.NDArray[np.float32]:
    """`similarity` of each row of `codes`, shape (count, dim), with `sought`, shape (dim,): shape (count,).

    Raises `InputError` where the lengths differ.
    """
    if codes.ndim != 2 or sought.shape != codes.shape[1:]:
        raise InputError(f"vectors of shape {sought.shape} cannot be compared with {codes.shape}: rebuild them")
    return _COSINES.take(codes - sought).mean(axis=1)  # uint16 wraps around, as angles do


def checked_dimension(dim: int) -> int:
    """The number, if vectors can have so many angles; else `InputError`."""
    if isinstance(dim, bool) or not isinstance(dim, int) or not 1 <= dim <= MOST_DIMENSIONS:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"a vector has 1 to {MOST_DIMENSIONS} dimensions, not {dim!r:.40}")
    return dim


def storable_word(word: str) -> str:
    """The word with half characters, which have no UTF-8, replaced."""
    return word.encode("utf-8", "replace").decode("utf-8")


@lru_cache(maxsize=1 << 12)
def _atom(word: str, dim: int) -> Codes:
    blocks = range(math.ceil(dim / 16))
    digests = b"".join(hashlib.sha256(f"{word}:{number}".encode()).digest() for number in blocks)
    return np.frombuffer(digests, dtype="<u2")[:dim].astype(np.uint16)


def _alike(*vectors: npt.ArrayLike) -> Sequence[npt.NDArray[Any]]:
    """The vectors as arrays, if they are finite and of one length."""
    try:
        arrays = [np.asarray(vector, dtype=np.float64) for vector in vectors]
    except (TypeError, ValueError) as error:
        raise InputError(f"a vector is a row of angles: {error}") from error
    shapes = {array.shape for array in arrays}
    if len(shapes) > 1 or arrays[0].ndim != 1 or not arrays[0].size:
        told = ", ".join(sorted(map(str, shapes)))
        raise InputError(f"vectors must be rows of one length, not {told}: encode them with the same dim")
    if not all(np.isfinite(array).all() for array in arrays):
        raise InputError("a vector is a row of angles: NaN and infinity are none")
    return arrays


def _wrapped(angles: npt.NDArray[Any]) -> Phases:
    """The angles in [0, 2π); of a tiny negative one the remainder rounds to 2π itself, which is 0."""
    wrapped = np.mod(angles, _TURN)
    return np.where(wrapped >= _TURN, 0.0, wrapped)
