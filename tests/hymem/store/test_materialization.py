from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hymem.errors import StoreError
from hymem.records import Message
from hymem.store.database import Database
from hymem.store.materialization import apply, changes, staged
from hymem.store.messages import log


@dataclass(frozen=True)
class Listed:
    """A table written down row by row."""

    columns: tuple[str, ...]
    listed: list[tuple[Any, ...]]
    kept: tuple[int, ...] = ()

    @property
    def digests(self) -> list[int]:
        return [hash(row) for row in self.listed]

    def rows(self, numbers: Sequence[int]) -> list[tuple[Any, ...]]:
        return [self.listed[number] for number in numbers]


def table(columns: str, *rows: tuple[Any, ...]) -> Listed:
    return Listed(tuple(columns.split(", ")), list(rows))


def names(*rows: tuple[str, str]) -> dict[str, Listed]:
    return {"entity_names": table("name, entity", *rows)}


def write(database: Database, tables: dict[str, Listed]) -> dict[str, int]:
    with database.reading() as connection:
        found = changes(connection, tables)
    with database.preparing() as aside, staged(aside, found), database.writing() as connection:
        return apply(connection, found)


def stored(database: Database) -> list[tuple[Any, ...]]:
    return database.rows("select name, entity from entity_names order by name")


def test_new_rows_are_written_and_counted(database: Database):
    assert write(database, names(("a", "x"), ("b", "yy"))) == {"entity_names": 2}
    assert stored(database) == [("a", "x"), ("b", "yy")]


def test_writing_the_same_again_touches_nothing(database: Database):
    write(database, names(("a", "x"), ("b", "yy")))

    assert write(database, names(("b", "yy"), ("a", "x"))) == {}


def test_changed_rows_are_written_and_missing_ones_deleted(database: Database):
    write(database, names(("a", "x"), ("b", "yy"), ("c", "z")))

    assert write(database, names(("a", "xxx"), ("b", "yy"))) == {"entity_names": 2}
    assert stored(database) == [("a", "xxx"), ("b", "yy")]


def test_a_table_that_is_not_named_is_left_alone(database: Database):
    write(database, names(("a", "x")))

    assert write(database, {}) == {}
    assert stored(database) == [("a", "x")]


def test_only_materialized_tables_can_be_written(database: Database):
    with pytest.raises(StoreError, match="no dream may write messages"):
        write(database, {"messages": table("seq", (1,))})


CHUNK = (
    "chunk_id, session_id, message_seq, context_seq, part, peer_id, said_at, salience_reason, context, text, bigrams"
)


def a_chunk(chunk_id: int) -> tuple[Any, ...]:
    return (chunk_id, "monday", 1, None, 0, "user", "2026-01-01", "length", "", "pg is down", "")


def test_tables_that_refer_to_each_other_change_together(database: Database):
    with database.writing() as connection:
        log(connection, [Message("monday", "user", "pg is down")], "2026-01-01T00:00:00.000000Z")
    one = {"chunks": table(CHUNK, a_chunk(1)), "entity_mentions": table("chunk_id, name, entity", (1, "pg", "pg"))}
    two = {"chunks": table(CHUNK, a_chunk(2)), "entity_mentions": table("chunk_id, name, entity", (2, "pg", "pg"))}

    write(database, one)
    assert write(database, two) == {"chunks": 2, "entity_mentions": 2}

    assert database.rows("select chunk_id from entity_mentions join chunks using (chunk_id)") == [(2,)]


def test_a_row_that_refers_to_nothing_spoils_the_whole_transaction(database: Database):
    dangling = {**names(("a", "x")), "entity_mentions": table("chunk_id, name, entity", (7, "pg", "pg"))}

    with pytest.raises(apsw.ConstraintError):
        write(database, dangling)

    assert stored(database) == []


ROWS = st.dictionaries(st.sampled_from("abcdef"), st.sampled_from(["x", "yy", "zzz"]))


@given(ROWS, ROWS)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_table_becomes_what_it_should_be_by_its_changed_rows_alone(
    database: Database, before: dict[str, str], after: dict[str, str]
):
    write(database, names(*before.items()))

    touched = write(database, names(*after.items()))

    assert dict(stored(database)) == after
    differing = {name for name in before | after if before.get(name) != after.get(name)}
    assert touched == ({"entity_names": len(differing)} if differing else {})
