"""How much a memory holds, counted where it lies."""

from hymem.store.connection import Connection


def totals(connection: Connection) -> dict[str, int]:
    """How many messages and told facts there are."""
    found = connection.execute(
        """
        select
            (select count(*) from messages),
            (select count(*) from facts)
        """
    )
    messages, facts = found.fetchall()[0]
    return {"messages": messages, "told_facts": facts}
