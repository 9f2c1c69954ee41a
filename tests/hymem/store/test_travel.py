"""What travels: every table of both schemas, and every column, has its say."""

from contextlib import closing
from pathlib import Path

from hymem.store.database import Database
from hymem.store.erasure import IN_STEP
from hymem.store.materialization import MATERIALIZED
from hymem.store.server import SERVER
from hymem.store.travel import NUMBERED, STAYS, TRAVELS
from hymem.store.vec_tables import INDEXES
from tests.support.conversations import World

_TABLES = "select name from pragma_table_list where schema = 'main' and type = 'table' and name not like 'sqlite_%'"
COMPUTED = {
    *MATERIALIZED,
    *(IN_STEP - {"fact_acts"}),
    *("vector_blocks", "vector_changes"),
    *(table for table, _, _ in INDEXES.values()),
}


def test_every_table_travels_or_stays_for_a_reason_or_is_computed(tmp_path: Path):
    with World.of() as world, closing(Database.open(tmp_path / "server.db", SERVER)) as server:
        tables = {name for (name,) in [*world.rows(_TABLES), *server.rows(_TABLES)]}

    assert tables == {*TRAVELS, *STAYS, *COMPUTED}
    assert all(STAYS.values())


def test_every_column_of_what_travels_travels_or_only_tells_the_order():
    with World.of() as world:
        columns = {
            table: {name for (name,) in world.rows(f"select name from pragma_table_info('{table}')")}
            for table in TRAVELS
        }

    assert columns == {table: {*names, *NUMBERED.get(table, ())} for table, names in TRAVELS.items()}
