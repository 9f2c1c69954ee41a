"""A compact index of the vectors: of each number its sign, a bit, some hundred vectors to a row.

Vectors that point the same way agree in most signs, so that few of many vectors need to be compared number by number, and a
hundred thousand times 384 signs are 5 MB, read in a moment. The index follows from the stored vectors. Triggers note every
vector that comes or goes; `fold_changes` then rewrites the blocks in which they lie, and no others. Owners are digests, so
a block is a stretch of them, and is halved when it has grown.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, cast

import numpy as np
import numpy.typing as npt

from hymem.store.connection import Connection
from hymem.store.vec_tables import INDEXES

SHORTEST: Final = 128
"""Numbers in a vector below which signs tell too little; shorter vectors are compared as they are."""

BLOCK: Final = 512
"""Vectors in a block that was just divided; one of twice as many is divided."""

FEW: Final = 1024
MANY: Final = 4096
"""Vectors that may come before they are folded in: a thirty-second of what is there, but not fewer nor more than these."""

AT_ONCE: Final = 8192
"""Vectors that are read together."""

Owners = npt.NDArray[np.int64]
Signs = npt.NDArray[np.uint8]
"""Shape (vectors, bytes): the signs of a vector in a row, padded to whole words of 64."""


@dataclass(frozen=True)
class Block:
    """A stretch of owners in rising order, and the signs of their vectors."""

    first: int
    version: int
    owners: Owners
    signs: Signs


def signs_of(vectors: npt.NDArray[np.float32]) -> Signs:
    """The signs of vectors in rows: 1 for numbers above 0."""
    packed = np.packbits(vectors > 0, axis=1)
    return np.pad(packed, ((0, 0), (0, -packed.shape[1] % 8)))


def sign_versions(connection: Connection, kind: str) -> dict[int, int]:
    """The version of each block, by its first owner, in rising order."""
    found = connection.execute(
        "select first_owner, version from vector_blocks where kind = ? order by first_owner", (kind,)
    )
    return dict(cast(list[tuple[int, int]], found.fetchall()))


def read_blocks(connection: Connection, kind: str, firsts: Sequence[int]) -> Iterator[Block]:
    """Some blocks, in rising order."""
    found = connection.execute(
        """
        select first_owner, version, owners, signs
        from vector_blocks
        where kind = ? and first_owner in (select value from json_each(?))
        order by first_owner
        """,
        (kind, json.dumps(list(firsts))),
    )
    for first, version, owners, signs in found:
        ids = np.frombuffer(owners, dtype="<i8")
        yield Block(first, version, ids, np.frombuffer(signs, dtype=np.uint8).reshape(len(ids), -1))


def changed_owners(connection: Connection, kind: str, limit: int = -1) -> list[int]:
    """The owners whose vectors came or went since the blocks were written."""
    found = connection.execute("select owner from vector_changes where kind = ? limit ?", (kind, limit))
    return [owner for (owner,) in found]


def signs_stamp(connection: Connection) -> int:
    """What differs whenever a block was written, by whichever process."""
    return connection.execute("select version from vector_state").fetchall()[0][0]


def fold_if_many(connection: Connection, dimension: int) -> None:
    """Bring the blocks up to date where so many vectors came that looking through them takes time."""
    (changed,) = connection.execute("select count(*) from vector_changes").fetchall()[0]
    (blocks,) = connection.execute("select count(*) from vector_blocks").fetchall()[0]
    if changed > min(max(FEW, blocks * BLOCK // 32), MANY):
        fold_changes(connection, dimension)


def fold_changes(connection: Connection, dimension: int) -> int:
    """Bring the blocks in line with the vectors within the caller's transaction; returns how many blocks were rewritten."""
    written = 0
    if dimension >= SHORTEST:
        connection.execute("update vector_state set version = version + 1 where exists (select 1 from vector_changes)")
        for kind in INDEXES:
            changed = np.array(sorted(changed_owners(connection, kind)), dtype=np.int64)
            for start in range(0, len(changed), AT_ONCE):
                written += _fold(connection, kind, changed[start : start + AT_ONCE])
    connection.execute("delete from vector_changes")
    return written


def drop_blocks(connection: Connection) -> None:
    """Remove the index, with what was noted for it."""
    connection.execute("delete from vector_blocks")
    connection.execute("delete from vector_changes")
    connection.execute("update vector_state set version = version + 1")


def rebuild_blocks(connection: Connection, dimension: int) -> None:
    """Make the index anew from the vectors."""
    drop_blocks(connection)
    for kind, (table, key, _) in INDEXES.items():
        connection.execute(f"insert into vector_changes select ?, {key} from {table}", (kind,))
    fold_changes(connection, dimension)


def broken_blocks(connection: Connection) -> list[str]:
    """The kinds whose index does not say what their vectors do."""
    dimensions = connection.execute("select dimension from embedding_space").fetchall()
    indexed = bool(dimensions) and dimensions[0][0] >= SHORTEST
    return [f"signs of {kind} vectors" for kind in INDEXES if indexed and not _is_whole(connection, kind)]


def _is_whole(connection: Connection, kind: str) -> bool:
    table, key, _ = INDEXES[kind]
    noted = np.array(changed_owners(connection, kind), dtype=np.int64)
    seen = 0
    for first in sign_versions(connection, kind):
        (block,) = read_blocks(connection, kind, [first])
        settled = ~np.isin(block.owners, noted)
        owners, signs = _present(connection, kind, block.owners[settled])
        if not np.array_equal(owners, block.owners[settled]):
            return False
        if len(owners) and not np.array_equal(signs, block.signs[settled]):
            return False
        seen += len(owners)
    (stored,) = connection.execute(
        f"select count(*) from {table} where {key} not in (select owner from vector_changes where kind = ?)", (kind,)
    ).fetchall()[0]
    return stored == seen


def _fold(connection: Connection, kind: str, changed: Owners) -> int:
    """Rewrite the blocks in which some owners lie, given in rising order."""
    firsts = np.array([*sign_versions(connection, kind)] or [0], dtype=np.int64)
    places = np.maximum(np.searchsorted(firsts, changed, side="right") - 1, 0)
    owners, signs = _present(connection, kind, changed)
    homes = np.maximum(np.searchsorted(firsts, owners, side="right") - 1, 0)
    written = 0
    for place in np.unique(places).tolist():
        block = Block(int(firsts[place]), 0, owners[homes == place], signs[homes == place])
        written += _rewrite(connection, kind, block, changed[places == place])
    return written


def _rewrite(connection: Connection, kind: str, come: Block, changed: Owners) -> int:
    """Put what came into its block in place of what was there of the changed owners; divide what has grown too long."""
    owners, signs = come.owners, come.signs
    for old in read_blocks(connection, kind, [come.first]):
        stays = ~np.isin(old.owners, changed)
        if stays.any():
            owners = np.concatenate([old.owners[stays], owners])
            signs = np.concatenate([old.signs[stays], signs]) if len(signs) else old.signs[stays]
    connection.execute("delete from vector_blocks where kind = ? and first_owner = ?", (kind, come.first))
    if not len(owners):
        return 1
    order = np.argsort(owners, kind="stable")
    pieces = np.array_split(order, len(order) // BLOCK if len(order) > 2 * BLOCK else 1)
    connection.executemany(
        "insert into vector_blocks select ?, ?, version, ?, ? from vector_state",
        [
            (
                kind,
                int(owners[piece[0]]) if number else min(come.first, int(owners[piece[0]])),
                owners[piece].astype("<i8").tobytes(),
                signs[piece].tobytes(),
            )
            for number, piece in enumerate(pieces)
        ],
    )
    return len(pieces)


def _present(connection: Connection, kind: str, owners: Owners) -> tuple[Owners, Signs]:
    """Those of the owners that have a vector, in rising order, with its signs."""
    table, key, _ = INDEXES[kind]
    found = connection.execute(
        f"select {key}, vector from {table} where {key} in (select value from json_each(?)) order by {key}",
        (json.dumps(owners.tolist()),),
    ).fetchall()
    ids = np.array([owner for owner, _ in found], dtype=np.int64)
    numbers = np.frombuffer(b"".join(vector for _, vector in found), dtype="<f4")
    return ids, signs_of(numbers.reshape(len(ids), -1 if len(ids) else 0))
