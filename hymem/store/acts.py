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
    """Note that a person retracts or restores an edge; False where that was their last word, and nothing was said since."""
    last = connection.execute(
        """
        select act, created_at from extraction_feedback
        where (subject, predicate, object) = (?, ?, ?)
        order by created_at desc, feedback_id desc limit 1
        """,
        (subject, predicate, object_),
    ).fetchall()
    if last and last[0][0] == act and not _was_said_since(connection, (subject, predicate, object_), last[0][1]):
        return False
    connection.execute(
        """insert into extraction_feedback (act, subject, predicate, object, reason, created_at)
           values (?, ?, ?, ?, ?, ?)""",
        (act, subject, predicate, object_, reason, now),
    )
    record_act(connection)
    return True


def _was_said_since(connection: Connection, edge: tuple[str, str, str], moment: str) -> bool:
    """Whether a chunk newer than that gives evidence for or against the edge, as far as was dreamt."""
    found = connection.execute(
        """
        select 1
        from knowledge_graph join kg_evidence using (edge_id)
        where (subject, predicate, object) = (?, ?, ?) and said_at > ?
        limit 1
        """,
        (*edge, moment),
    )
    return found.fetchall() != []


def alias_acts(connection: Connection) -> list[tuple[str, str]]:
    """Every alias that was registered, in order."""
    return connection.execute("select alias, canonical from entity_aliases order by alias_id").fetchall()
