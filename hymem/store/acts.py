"""What people say of names and edges: appended to the ledger, and made true by the next dream."""

from hymem.store.connection import Connection
from hymem.store.ledger import record_act


def record_alias(connection: Connection, alias: str, canonical: str, now: str) -> bool:
    """Note that one canonical name means another; False where that was the last word already."""
    last = connection.execute(
        "select canonical from entity_aliases where alias = ? order by alias_id desc limit 1", (alias,)
    ).fetchall()
    if last == [(canonical,)]:
        return False
    connection.execute(
        "insert into entity_aliases (alias, canonical, created_at) values (?, ?, ?)", (alias, canonical, now)
    )
    record_act(connection)
    return True


def record_feedback(
    connection: Connection, act: str, subject: str, predicate: str, object_: str, reason: str | None, now: str
) -> bool:
    """Note that a person retracts or restores an edge; False where that was their last word already."""
    last = connection.execute(
        """
        select act from extraction_feedback
        where (subject, predicate, object) = (?, ?, ?)
        order by created_at desc, feedback_id desc limit 1
        """,
        (subject, predicate, object_),
    ).fetchall()
    if last == [(act,)]:
        return False
    connection.execute(
        """insert into extraction_feedback (act, subject, predicate, object, reason, created_at)
           values (?, ?, ?, ?, ?, ?)""",
        (act, subject, predicate, object_, reason, now),
    )
    record_act(connection)
    return True


def alias_acts(connection: Connection) -> list[tuple[str, str]]:
    """Every alias that was registered, in order."""
    return connection.execute("select alias, canonical from entity_aliases order by alias_id").fetchall()
