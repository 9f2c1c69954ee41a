"""sqlite-vec's tables: an exact index over the stored vectors, wherever the extension loads.

They answer where an exact scan is asked for, and where vectors are too short for the index of signs.
"""

import json
from collections.abc import Iterable
from importlib import import_module
from typing import Any, Final, cast

import apsw

from hymem.errors import StoreError
from hymem.store.connection import Connection

INDEXES: Final = {
    "chunk": ("chunk_embeddings", "chunk_id", "vec_chunks"),
    "edge": ("edge_embeddings", "text_id", "vec_edges"),
    "episode": ("episode_embeddings", "episode_id", "vec_episodes"),
}
"""For each kind of thing: the table of its vectors, their key, and the sqlite-vec table."""

LARGEST_K: Final = 4096
"""Neighbours that sqlite-vec gives at most."""


def load_vec(connection: Connection) -> bool:
    """Load sqlite-vec into this connection; False where it cannot be had on this platform."""
    raw = cast(apsw.Connection, connection)
    try:
        connection.execute("select vec_version()")
        return True
    except apsw.SQLError:
        pass
    try:
        sqlite_vec: Any = import_module("sqlite_vec")
        raw.enable_load_extension(True)
        raw.load_extension(sqlite_vec.loadable_path())
    except (ImportError, apsw.ExtensionLoadingError):
        return False
    finally:
        raw.enable_load_extension(False)
    return True


def has_vec_table(connection: Connection, kind: str) -> bool:
    """Whether the vectors of a kind are indexed, and this connection can ask the index."""
    _, _, index = INDEXES[kind]
    made = connection.execute("select 1 from sqlite_schema where name = ?", (index,)).fetchall() != []
    return made and load_vec(connection)


def fill_vec_table(connection: Connection, kind: str, dimension: int) -> int:
    """Bring the index of a kind in line with its vectors; returns how many it lacked."""
    table, key, index = INDEXES[kind]
    if not load_vec(connection):
        return 0
    connection.execute(
        f"create virtual table if not exists {index} using vec0({key} integer primary key,"
        f" embedding float[{dimension}] distance_metric=cosine)"
    )
    connection.execute(f"delete from {index} where {key} not in (select {key} from {table})")
    connection.execute(
        f"insert into {index} ({key}, embedding) select {key}, vector from {table} where {key} not in (select {key} from {index})"
    )
    return connection.changes()


def forget_in_vec_table(connection: Connection, kind: str, owners: Iterable[int]) -> None:
    """Take these owners out of the index."""
    _, key, index = INDEXES[kind]
    if has_vec_table(connection, kind):
        connection.executemany(f"delete from {index} where {key} = ?", [(owner,) for owner in owners])


def add_to_vec_table(connection: Connection, kind: str, dimension: int, owners: Iterable[int]) -> None:
    """Index the vectors of these owners, which are not indexed; the first time, those of all."""
    table, key, index = INDEXES[kind]
    if not has_vec_table(connection, kind):
        fill_vec_table(connection, kind, dimension)
        return
    connection.execute(
        f"insert into {index} ({key}, embedding) select {key}, vector from json_each(?) join {table} on {key} = value",
        (json.dumps(list(owners)),),
    )


def scanned_by_vec(connection: Connection, kind: str, vector: bytes, k: int) -> list[tuple[int, float]]:
    """The owners of the `k` vectors that lie nearest, with their cosines: sqlite-vec compares all there are."""
    _, key, index = INDEXES[kind]
    return cast(
        list[tuple[int, float]],
        connection.execute(
            f"select {key}, 1 - distance from {index} where embedding match ? and k = ?", (vector, min(k, LARGEST_K))
        ).fetchall(),
    )


def broken_vec_tables(connection: Connection) -> list[str]:
    """The tables that do not hold the stored vectors."""
    return [
        index
        for kind, (table, key, index) in INDEXES.items()
        if has_vec_table(connection, kind)
        and connection.execute(
            f"""
            select exists (
                select {key}, vector from {table}
                except
                select {key}, embedding from {index})
              or (select count(*) from {table}) <> (select count(*) from {index})
            """
        ).fetchall()
        == [(1,)]
    ]


def vec_version() -> str:
    """What sqlite-vec says of itself, after finding a neighbour; raises `StoreError` where it cannot be used."""
    try:
        import_module("sqlite_vec")
    except ImportError as error:
        raise StoreError(f"sqlite-vec is not installed ({error})") from None
    raw = apsw.Connection(":memory:")
    connection = cast(Connection, raw)
    try:
        if not load_vec(connection):
            raise StoreError("sqlite-vec does not load")
        connection.execute("create virtual table probe using vec0(id integer primary key, embedding float[2])")
        connection.execute("insert into probe values (1, '[1, 0]'), (2, '[0, 1]')")
        near = connection.execute("select id from probe where embedding match '[0.1, 0.9]' and k = 1").fetchall()
        if near != [(2,)]:
            raise StoreError(f"sqlite-vec finds {near} where 2 lies nearest")
        return str(connection.execute("select vec_version()").fetchall()[0][0])
    except apsw.Error as error:
        raise StoreError(f"sqlite-vec fails: {error}") from error
    finally:
        raw.close()
