"""Whether a database is sound, asked of SQLite itself."""

from typing import Final

import apsw

from hymem.store.connection import Connection
from hymem.store.database import SCHEMA_VERSION, Database
from hymem.store.vectors import broken_vector_indexes, rebuild_vector_indexes

INDEXES: Final = ("chunks_fts", "episodes_fts", "procedures_fts")
"""The search indexes; each can be compared with the table that it indexes."""

FINDINGS: Final = 10
"""Damages that are told at most."""


def quick_check(connection: Connection) -> list[str]:
    """What is wrong with the file's structure; empty where nothing is."""
    found = connection.execute(f"pragma quick_check({FINDINGS})").fetchall()
    return [] if found == [("ok",)] else [str(row[0]) for row in found]


def orphans(connection: Connection) -> list[str]:
    """Rows that refer to what is not there, as "table → table"."""
    found = connection.execute('select distinct "table", parent from pragma_foreign_key_check()').fetchall()
    return [f"{table} → {parent}" for table, parent in found]


def broken_indexes(database: Database) -> list[str]:
    """The search indexes that do not hold what their tables do.

    SQLite counts the question as a write, so writers wait meanwhile.
    """
    broken: list[str] = []
    with database.writing() as connection:
        for index in INDEXES:
            try:
                connection.execute(f"insert into {index} ({index}, rank) values ('integrity-check', 1)")
            except (apsw.CorruptError, apsw.SQLError) as error:
                broken.append(f"{index}: {error}")
        broken += broken_vector_indexes(connection)
    return broken


def rebuild_indexes(database: Database) -> None:
    """Make the search indexes anew from their tables."""
    with database.writing() as connection:
        for index in INDEXES:
            connection.execute(f"insert into {index} ({index}) values ('rebuild')")
        rebuild_vector_indexes(connection)


def schema_number(connection: Connection) -> tuple[int, int]:
    """The schema's number in the file, and the one that this code knows."""
    return connection.pragma("user_version"), SCHEMA_VERSION


def sqlite_version() -> str:
    """The version of the SQLite library that is in use."""
    return apsw.sqlite_lib_version()
