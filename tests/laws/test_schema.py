"""The one file: every table that was promised, and one schema, whether it was made at once or grew step by step."""

from pathlib import Path
from typing import Any

import apsw
import pytest

from hymem.store.database import APPLICATION_ID, SCHEMA_VERSION, Database, migrations, schema
from hymem.store.materialization import MATERIALIZED
from tests.support.conversations import World

OLDEST = Path(__file__).parent / "schema_0001.sql"
"""The schema of the first version, kept here from the moment that there is a second one."""

PROMISED = (
    *("sessions", "messages", "chunks", "chunks_fts", "chunk_embeddings", "processed_chunks", "entity_mentions"),
    *("entity_types", "knowledge_graph", "kg_evidence", "edge_embeddings", "entity_aliases", "behavioral_markers"),
    *("profile_entries", "episodes", "episodes_fts", "procedures", "procedures_fts", "extraction_feedback"),
    *("peers", "run_lock", "dream_runs"),
)


@pytest.mark.parametrize("table", PROMISED)
def test_every_table_that_people_query_by_name_exists(table: str):
    with World.of() as world:
        assert world.rows(f"select count(*) from {table}") == [(0,)]


def test_every_materialized_row_carries_its_digest():
    with World.of() as world:
        kept = [
            name
            for name in MATERIALIZED
            if world.rows(f"select 1 from pragma_table_info('{name}') where name = 'row_digest'")
        ]

        assert kept == list(MATERIALIZED)


def test_the_steps_lead_from_the_first_version_to_the_present_one():
    assert [number for number, _ in migrations()] == list(range(2, SCHEMA_VERSION + 1))


def test_a_database_of_the_first_version_opens_and_becomes_what_a_new_one_is(tmp_path: Path):
    assert OLDEST.exists() == (SCHEMA_VERSION > 1), f"keep the schema of version 1 as {OLDEST.name}"
    old = tmp_path / "old.db"
    first = OLDEST.read_text() if OLDEST.exists() else schema()
    connection = apsw.Connection(str(old))
    connection.pragma("journal_mode", "wal")
    connection.execute(first)
    connection.pragma("user_version", 1)
    connection.pragma("application_id", APPLICATION_ID)
    connection.close()

    grown, made = Database.open(old), Database.open(tmp_path / "new.db")

    assert shape(grown) == shape(made)
    assert grown.rows("pragma user_version") == made.rows("pragma user_version") == [(SCHEMA_VERSION,)]
    grown.close()
    made.close()


def shape(database: Database) -> dict[str, Any]:
    """Columns, keys, indexes and triggers of every table; added columns may stand in another place."""
    tables = [name for (name,) in database.rows("select name from sqlite_schema where type = 'table' order by name")]
    made = database.rows("select name, sql from sqlite_schema where type <> 'table' and sql is not null order by name")
    return {
        "other": [(name, " ".join(sql.split())) for name, sql in made],
        **{
            table: (
                sorted(
                    database.rows(f"select name, type, [notnull], dflt_value, pk from pragma_table_xinfo('{table}')")
                ),
                sorted(
                    database.rows(f"select [table], [from], [to], on_delete from pragma_foreign_key_list('{table}')"),
                    key=repr,
                ),
                database.rows(f"select strict, wr from pragma_table_list where name = '{table}' and schema = 'main'"),
            )
            for table in tables
        },
    }
