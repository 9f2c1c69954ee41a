"""Writing what a dream computed: the changed rows only, all tables in one short transaction.

Which rows changed is found beforehand by comparing the digest that each stored row carries with the digest of the row as it is
now, so that the transaction itself only deletes and upserts, and whoever waits to log a message waits milliseconds.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

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


@dataclass(frozen=True)
class TableRows:
    """A table as it should be: column names, one sequence per column, and a digest per row (signed 64 bits)."""

    columns: tuple[str, ...]
    values: Sequence[Sequence[Any]]
    digests: Sequence[int]


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


def apply(connection: Connection, found: Sequence[Change]) -> dict[str, int]:
    """Carry the changes out within the caller's transaction; returns the rows touched, by table."""
    connection.pragma("defer_foreign_keys", True)
    for change in reversed(found):
        _delete(connection, change)
    for change in found:
        _upsert(connection, change)
    return {change.table: change.rows for change in found if change.rows}


def _change(connection: Connection, table: str, rows: TableRows) -> Change:
    key = _primary_key(connection, table)
    stored = _stored_digests(connection, table, key)
    keys = _keys(rows, key)
    pairs = zip(keys, rows.digests, strict=True)
    fresh = [number for number, (name, digest) in enumerate(pairs) if stored.get(name) != digest]
    gone = stored.keys() - set(keys)
    columns = (*rows.columns, "row_digest")
    values = (*rows.values, rows.digests)
    return Change(
        table,
        columns,
        key,
        [tuple(column[number] for column in values) for number in fresh]
        if len(fresh) < len(rows.digests)
        else list(zip(*values, strict=True)),
        sorted(name if isinstance(name, tuple) else (name,) for name in gone),
    )


def _primary_key(connection: Connection, table: str) -> tuple[str, ...]:
    sql = "select name from pragma_table_info(?) where pk > 0 order by pk"
    return tuple(row[0] for row in connection.execute(sql, (table,)))


def _stored_digests(connection: Connection, table: str, key: tuple[str, ...]) -> dict[Any, int]:
    found = connection.execute(f"select {', '.join(key)}, row_digest from {table}").fetchall()
    return dict(found) if len(key) == 1 else {row[:-1]: row[-1] for row in found}


def _keys(rows: TableRows, key: tuple[str, ...]) -> list[Any]:
    columns = [rows.values[rows.columns.index(name)] for name in key]
    return list(columns[0]) if len(key) == 1 else list(zip(*columns, strict=True))


def _delete(connection: Connection, change: Change) -> None:
    condition = " and ".join(f"{name} = ?" for name in change.key)
    connection.executemany(f"delete from {change.table} where {condition}", change.deleted)


def _upsert(connection: Connection, change: Change) -> None:
    places = ", ".join("?" * len(change.columns))
    updates = ", ".join(f"{name} = excluded.{name}" for name in change.columns if name not in change.key)
    connection.executemany(
        f"""insert into {change.table} ({", ".join(change.columns)}) values ({places})
            on conflict ({", ".join(change.key)}) do update set {updates}""",
        change.written,
    )
