"""Whether a database is sound, asked of SQLite itself."""

from typing import Final

import apsw

from hymem.store.connection import Connection
from hymem.store.database import SCHEMA_VERSION, Database
from hymem.store.vec_tables import INDEXES as VECTORS
from hymem.store.vectors import broken_vector_indexes, rebuild_vector_indexes, stored_space

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
        for index in _text_indexes(connection):
            try:
                connection.execute(f"insert into {index} ({index}, rank) values ('integrity-check', 1)")
            except (apsw.CorruptError, apsw.SQLError) as error:
                broken.append(f"{index}: {error}")
        broken += broken_vector_indexes(connection)
    return broken


def rebuild_indexes(database: Database) -> None:
    """Make the search indexes anew from their tables."""
    with database.writing() as connection:
        for index in _text_indexes(connection):
            connection.execute(f"insert into {index} ({index}) values ('rebuild')")
        rebuild_vector_indexes(connection)


def vector_faults(connection: Connection) -> list[str]:
    """Stored vectors that have not as many numbers as the others, or belong to no known model, by table."""
    space = stored_space(connection)
    faults: list[str] = []
    for table, _, _ in VECTORS.values():
        (misfits,) = connection.execute(
            f"select count(*) from {table} where length(vector) is not ?", (4 * space.dimension if space else None,)
        ).fetchall()[0]
        if misfits:
            wanted = f"not of {space.dimension} numbers" if space else "of no known model"
            faults.append(f"{misfits} vectors in {table} are {wanted}")
    return faults


def _text_indexes(connection: Connection) -> list[str]:
    """The full-text indexes; each can be compared with the table that it indexes."""
    found = connection.execute(
        """
        select name
        from sqlite_schema
        where type = 'table' and sql like 'create virtual table%using fts5 (%content = %'
        order by name
        """
    )
    return [name for (name,) in found]


def schema_number(connection: Connection) -> tuple[int, int]:
    """The schema's number in the file, and the one that this code knows."""
    return connection.pragma("user_version"), SCHEMA_VERSION


def sqlite_version() -> str:
    """The version of the SQLite library that is in use."""
    return apsw.sqlite_lib_version()
