"""The index of signs in memory: which few of very many vectors may lie nearest, told without reading them.

Two passes choose. The first counts, for every vector, the signs that differ from the question's, 64 at a time. The second
weighs those of the few thousand best by the question's own numbers: a sign where the question is strong tells more.
How many each pass keeps was chosen by measurement: of ten nearest vectors, 98 in a hundred and more are found among a
hundred thousand, and 95 and more among a million.
"""

import threading
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt

from hymem.store.connection import Connection
from hymem.store.sign_blocks import Block, Owners, changed_owners, read_blocks, sign_versions, signs_of, signs_stamp

AGREEING: Final = 2048
AGREEING_OF: Final = 256
"""Vectors that the first pass keeps: so many, and one more for each so many that there are."""

WEIGHED: Final = 512
WEIGHED_OF: Final = 2048
"""Vectors that the second pass keeps, in the same way."""

USUAL: Final = 384
"""Numbers in a vector for which these were chosen; shorter vectors, whose signs tell less, are kept in proportion."""

SLICE: Final = 1 << 15
"""Vectors whose signs are counted together: they fit a processor's cache."""

FEW_ROWS: Final = 256
"""Rows that are weighed together: too few for numpy to start threads, which costs more than it brings."""

TIE: Final = 1e-3
"""What the first pass counts in the second: it decides among vectors that are zero in most places, where weights tie."""

Words = npt.NDArray[np.uint64]


@dataclass(frozen=True)
class SignIndex:
    """The blocks of one kind, laid end to end: `words` holds the first 64 signs of every vector, then the next 64, and so on."""

    stamp: int
    versions: dict[int, int]
    starts: dict[int, tuple[int, int]]
    owners: Owners
    words: Words

    def candidates(self, vector: npt.NDArray[np.float32], k: int) -> Owners:
        """The owners among which the `k` nearest are, very likely; some hundred where `k` is small."""
        count, coarse = len(self.owners), max(1.0, USUAL / len(vector))
        weighed = max(round(coarse * (WEIGHED + count // WEIGHED_OF)), 4 * k)
        if count <= weighed:
            return self.owners
        differing = self._differing(vector)
        kept = _smallest(differing, max(round(coarse * (AGREEING + count // AGREEING_OF)), 4 * weighed))
        if len(kept) <= weighed:
            return self.owners[kept]
        weights = self._weights(vector, kept) - TIE * differing[kept] / len(vector)
        return self.owners[kept[np.argpartition(-weights, weighed)[:weighed]]]

    def _differing(self, vector: npt.NDArray[np.float32]) -> npt.NDArray[np.uint16]:
        """In how many signs each of the vectors differs."""
        asked = signs_of(vector[None, :]).view(np.uint64)[0]
        differing = np.zeros(len(self.owners), dtype=np.uint16)
        for start in range(0, len(self.owners), SLICE):
            part = differing[start : start + SLICE]
            for word, row in zip(asked, self.words, strict=True):
                part += np.bitwise_count(row[start : start + SLICE] ^ word)
        return differing

    def _weights(self, vector: npt.NDArray[np.float32], places: npt.NDArray[np.intp]) -> npt.NDArray[np.float32]:
        """For each place, the sum of the vector's numbers over the signs that are set there."""
        rows = np.ascontiguousarray(self.words[:, places].T).view(np.uint8)
        parts = [rows[start : start + FEW_ROWS] for start in range(0, len(rows), FEW_ROWS)]
        return np.concatenate(
            [np.unpackbits(part, axis=1, count=len(vector)).astype(np.float32) @ vector for part in parts]
        )


def _smallest(numbers: npt.NDArray[np.uint16], wanted: int) -> npt.NDArray[np.intp]:
    """The places of the smallest numbers: as many as wanted, and those that tie."""
    limit = np.searchsorted(np.cumsum(np.bincount(numbers)), wanted)
    return np.flatnonzero(numbers <= limit)


class SignIndexes:
    """The index of each kind as it was last seen; threads may share it, whichever moments they see."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._kept: dict[str, SignIndex] = {}

    def of(self, connection: Connection, kind: str) -> SignIndex:
        """The index of a kind as this connection sees it; only blocks that changed are read."""
        stamp = signs_stamp(connection)
        with self._lock:
            kept = self._kept.get(kind)
        if kept is None or kept.stamp != stamp:
            kept = _read(connection, kind, stamp, kept)
            with self._lock:
                self._kept[kind] = kept
        return kept

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._kept.clear()


def candidates(indexes: SignIndexes, connection: Connection, kind: str, vector: bytes, k: int, limit: int) -> list[int]:
    """The owners among which the `k` nearest are, very likely, with at most `limit` of those that came since."""
    index = indexes.of(connection, kind)
    came = changed_owners(connection, kind, limit)
    if not len(index.owners):
        return came
    return [*dict.fromkeys([*index.candidates(np.frombuffer(vector, dtype="<f4"), k).tolist(), *came])]


def _read(connection: Connection, kind: str, stamp: int, before: SignIndex | None) -> SignIndex:
    versions = sign_versions(connection, kind)
    known = before.versions if before else {}
    fresh = [first for first, version in versions.items() if known.get(first) != version]
    blocks = {block.first: block for block in read_blocks(connection, kind, fresh)}
    owners, words, starts, start = list[Owners](), list[Words](), dict[int, tuple[int, int]](), 0
    for first in versions:
        ids, columns = _laid(blocks[first]) if first in blocks or before is None else _taken(before, first)
        owners.append(ids)
        words.append(columns)
        starts[first] = start, start + len(ids)
        start += len(ids)
    if not owners:
        return SignIndex(stamp, versions, starts, np.empty(0, dtype=np.int64), np.empty((0, 0), dtype=np.uint64))
    return SignIndex(
        stamp, versions, starts, np.concatenate(owners), np.ascontiguousarray(np.concatenate(words, axis=1))
    )


def _laid(block: Block) -> tuple[Owners, Words]:
    return block.owners, block.signs.view(np.uint64).T


def _taken(before: SignIndex, first: int) -> tuple[Owners, Words]:
    start, behind = before.starts[first]
    return before.owners[start:behind], before.words[:, start:behind]
