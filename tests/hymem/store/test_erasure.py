"""Every table that holds words is known to erasure; a new one that is not fails here."""

from hymem.store.database import Database
from hymem.store.erasure import HOLDERS, IN_STEP, WORDLESS
from hymem.store.materialization import MATERIALIZED
from hymem.store.vec_tables import INDEXES

SEARCHES = {"chunks_fts": "chunks", "episodes_fts": "episodes", "procedures_fts": "procedures", "facts_fts": "facts"}
SEEN_THROUGH = {"chunks_vocabulary"}
"""Search indexes, each with the table that its triggers follow, and views of them that hold nothing."""


def test_every_table_that_holds_words_is_erased_from_or_computed(database: Database):
    found = database.rows(
        """
        select distinct l.name
        from pragma_table_list as l join pragma_table_info(l.name) as i
        where l.schema = 'main' and l.type in ('table', 'virtual') and l.name not like 'sqlite_%'
          and (l.type = 'virtual' or i.type in ('TEXT', 'BLOB', 'ANY', ''))
        """
    )
    covered = {*HOLDERS, *IN_STEP, *MATERIALIZED, *(table for table, *_ in INDEXES.values()), *WORDLESS}

    unknown = {table for (table,) in found} - covered - SEARCHES.keys() - SEEN_THROUGH
    assert unknown == set(), "say in hymem/store/erasure.py how these tables forget"
    assert set(SEARCHES.values()) <= covered


def test_no_entry_names_a_table_that_is_not_there(database: Database):
    tables = {name for (name,) in database.rows("select name from sqlite_schema where type = 'table'")}

    assert {*HOLDERS, *IN_STEP, *WORDLESS} <= tables
