"""Writing what a dream computed: the changed rows only, all tables in one short transaction.

Which rows changed is found beforehand by comparing the digest that each stored row carries with the digest of the row as it is
now. The changed rows are then laid out in temporary tables, which lock nobody out; so the transaction itself only copies, a
table a statement, and whoever waits to log a message waits milliseconds.
"""

import json
from collections.abc import Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final, Protocol

from hymem.errors import StoreError
from hymem.store.connection import Connection

MATERIALIZED: Final = (
    "chunked_sessions",
    "chunks",
    "chunk_replies",
    "extracted_triples",
    "behavioral_markers",
    "type_claims",
    "entity_names",
    "entity_types",
    "entity_mentions",
    "knowledge_graph",
    "kg_evidence",
    "rediscussions",
    "profile_entries",
    "profile_evidence",
    "insights",
    "markdown_sections",
    "session_windows",
    "session_summaries",
    "episodes",
    "procedures",
)
"""The tables that dreams fill, each after those it refers to."""


CACHE_KIBIBYTES: Final = 262_144
"""Of the file's pages in memory while a dream writes, at most; with SQLite's own two megabytes most are written twice."""


class TableRows(Protocol):
    """A table as it should be: column names, a digest per row (signed 64 bits) that covers all columns, and the rows."""

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        ...

    @property
    def digests(self) -> Sequence[int]:
        """The digest of each row."""
        ...

    @property
    def kept(self) -> Sequence[int]:
        """The digests of stored rows that are none of these and stay as they are."""
        ...

    def rows(self, numbers: Sequence[int]) -> list[tuple[Any, ...]]:
        """The rows of these numbers, in plain values."""
        ...


@dataclass(frozen=True)
class Change:
    """What must happen to one table: rows to write, keys to delete."""

    table: str
    columns: tuple[str, ...]
    key: tuple[str, ...]
    written: list[tuple[Any, ...]]
    deleted: list[tuple[Any, ...]]

    @property
    def rows(self) -> int:
        """How many rows it touches."""
        return len(self.written) + len(self.deleted)


def changes(connection: Connection, tables: Mapping[str, TableRows]) -> list[Change]:
    """Compare tables with what is stored; call it inside a reading transaction."""
    unknown = set(tables) - set(MATERIALIZED)
    if unknown:
        raise StoreError(f"no dream may write {', '.join(sorted(unknown))}: name a materialized table")
    return [_change(connection, table, tables[table]) for table in MATERIALIZED if table in tables]


@contextmanager
def staged(connection: Connection, found: Sequence[Change]) -> Generator[None, None, None]:
    """Lay the changes out for `apply` on the connection that is to write, before it begins its transaction."""
    usual = connection.pragma("cache_size")
    connection.pragma("cache_size", -CACHE_KIBIBYTES)
    try:
        for change in found:
            _stage(connection, f"written_{change.table}", change.columns, change.written)
            _stage(connection, f"deleted_{change.table}", change.key, change.deleted)
        yield
    finally:
        for change in found:
            connection.execute(f"drop table if exists temp.written_{change.table}")
            connection.execute(f"drop table if exists temp.deleted_{change.table}")
        connection.pragma("cache_size", usual)
        connection.execute("pragma shrink_memory")


def apply(connection: Connection, found: Sequence[Change]) -> dict[str, int]:
    """Carry the staged changes out within the caller's transaction; returns the rows touched, by table."""
    connection.pragma("defer_foreign_keys", True)
    for change in reversed(found):
        if change.deleted:
            _delete(connection, change)
    for change in found:
        if change.written:
            _upsert(connection, change)
    return {change.table: change.rows for change in found if change.rows}


def _change(connection: Connection, table: str, rows: TableRows) -> Change:
    """The rows whose digest is not stored, and the keys that are stored and not among the rows."""
    key = _primary_key(connection, table)
    stored = {digest for (digest,) in connection.execute(f"select row_digest from {table}").fetchall()}
    fresh = [number for number, digest in enumerate(rows.digests) if digest not in stored]
    digests = [(rows.digests[number],) for number in fresh]
    written = [row + digest for row, digest in zip(rows.rows(fresh), digests, strict=True)]
    gone = _keys(connection, table, key, stored.difference(rows.digests, rows.kept))
    if gone:
        places = [rows.columns.index(name) for name in key]
        rewritten = {tuple(row[place] for place in places) for row in written}
        gone = [name for name in gone if name not in rewritten]
    return Change(table, (*rows.columns, "row_digest"), key, written, gone)


def _primary_key(connection: Connection, table: str) -> tuple[str, ...]:
    sql = "select name from pragma_table_info(?) where pk > 0 order by pk"
    return tuple(row[0] for row in connection.execute(sql, (table,)))


def _keys(connection: Connection, table: str, key: tuple[str, ...], digests: set[int]) -> list[tuple[Any, ...]]:
    """The keys of the stored rows with these digests, in order."""
    if not digests:
        return []
    names = ", ".join(key)
    return connection.execute(
        f"""
        select {names} from {table}
        where row_digest in (select value from json_each(?))
        order by {names}
        """,
        (json.dumps(list(digests)),),
    ).fetchall()


def _stage(connection: Connection, name: str, columns: Sequence[str], rows: list[tuple[Any, ...]]) -> None:
    if rows:
        connection.execute(f"create temporary table {name} ({', '.join(columns)})")
        places = ", ".join("?" * len(columns))
        connection.executemany(f"insert into temp.{name} values ({places})", rows)


def _delete(connection: Connection, change: Change) -> None:
    names = ", ".join(change.key)
    connection.execute(
        f"""
        delete from {change.table}
        where ({names}) in (select {names} from temp.deleted_{change.table})
        """
    )


def _unique_columns(connection: Connection, table: str) -> set[str]:
    """The columns that are unique together: an id is their digest, so they never change under it, nor need their index to."""
    found = connection.execute(
        """
        select info.name
        from pragma_index_list(?) as list, pragma_index_info(list.name) as info
        where list."unique"
        """,
        (table,),
    )
    return {name for (name,) in found}


def _upsert(connection: Connection, change: Change) -> None:
    """In one statement: a search index writes to the file at the end of every statement that fills it through a trigger."""
    names = ", ".join(change.columns)
    kept = {*change.key, *_unique_columns(connection, change.table)}
    updates = ", ".join(f"{name} = excluded.{name}" for name in change.columns if name not in kept)
    connection.execute(
        f"""
        insert into {change.table} ({names})
        select {names} from temp.written_{change.table} where true
        on conflict ({", ".join(change.key)}) do update set {updates}
        """
    )
