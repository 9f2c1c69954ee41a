"""Told facts in the database: the ledger of what was told, and the tables that are kept in step with it.

`told` writes the ledger, `standing` keeps facts, entities, links and banks in step, `found` reads.
"""

from hymem.store.connection import Connection
from hymem.told_facts import Fact


def has_facts(connection: Connection) -> bool:
    """Whether any told fact stands."""
    return connection.execute("select exists (select 1 from facts)").fetchall() == [(1,)]


def told_facts(connection: Connection) -> list[Fact]:
    """All that stand, whoever told them, in the order of telling."""
    found = connection.execute(
        """
        select fact_id, peer_id, content, category, tags, trust_score, helpful_count, retrieval_count, created_at, updated_at
        from facts
        order by fact_id
        """
    )
    return [Fact(*row) for row in found]
