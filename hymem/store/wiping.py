"""Everything at once: a workspace that is taken back."""

from hymem.store.connection import Connection
from hymem.store.ledger import record_act
from hymem.store.vectors import drop_vectors


def wipe(connection: Connection) -> None:
    """Remove what the workspace holds, in the caller's transaction; its counters move on, so that nobody carries on from it."""
    connection.pragma("defer_foreign_keys", True)
    drop_vectors(connection)
    tables = connection.execute(
        """
        select name
        from pragma_table_list
        where schema = 'main' and type = 'table' and name not like 'sqlite_%' and name not in ('ledger_state')
        """
    ).fetchall()
    for (table,) in tables:
        connection.execute(f"delete from {table}")
    record_act(connection)
