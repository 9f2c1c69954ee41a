"""Told facts in the database: the ledger of what was told, and the tables that are kept in step with it.

`told` writes the ledger, `standing` keeps facts, entities, links and banks in step, `found` reads.
"""

from hymem.store.connection import Connection


def has_facts(connection: Connection) -> bool:
    """Whether any told fact stands."""
    return connection.execute("select exists (select 1 from facts)").fetchall() == [(1,)]
