"""What people say of names and edges: appended to the ledger, and made true by the next dream."""

from hymem.errors import BusyError, UnknownError
from hymem.records import Verdict
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


def record_rejection(connection: Connection, act: str, run_id: str, now: str) -> None:
    """Note that a person rejects all that one dream was replied, or wants it asked again.

    Raises `UnknownError` where nothing in the ledger was replied to that dream, `BusyError` where it is still under way.
    """
    replies, outcome = connection.execute(
        """
        select (select count(*) from processed_chunks where run_id = :run),
               (select outcome from dream_runs where run_id = :run)
        """,
        {"run": run_id},
    ).fetchall()[0]
    if outcome == "dreaming" and connection.execute("select 1 from run_lock").fetchall():
        raise BusyError("this dream is still under way: wait for its end, or end it, and then undo it")
    if not replies:
        raise UnknownError(f"no reply that is kept was given to the dream {run_id!r}: `hymem runs` lists the dreams")
    connection.execute("insert into reply_rejections (act, run_id, created_at) values (?, ?, ?)", (act, run_id, now))
    record_act(connection)


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


def verdicts_on(connection: Connection, subject: str, predicate: str, object_: str) -> list[Verdict]:
    """What people said of an edge, in order, under any name that its ends are known by."""
    found = connection.execute(
        """
        with names(name, entity) as (select name, entity from entity_names)
        select act, reason, created_at
        from extraction_feedback f
        where predicate = :predicate
          and (subject = :subject or subject in (select name from names where entity = :subject))
          and (object = :object or object in (select name from names where entity = :object))
        order by created_at, feedback_id
        """,
        {"subject": subject, "predicate": predicate, "object": object_},
    )
    return [Verdict(*row) for row in found]


def alias_acts(connection: Connection) -> list[tuple[str, str]]:
    """Every alias that was registered, in order."""
    return connection.execute("select alias, canonical from entity_aliases order by alias_id").fetchall()


def standing_retractions(connection: Connection) -> dict[tuple[str, str, str], str]:
    """The edges whose last act of a person was a retraction, with the reason that was given, "" for none."""
    found = connection.execute(
        """
        select subject, predicate, object, act, coalesce(reason, '')
        from extraction_feedback
        order by created_at, act = 'retract', feedback_id
        """
    )
    last = {(subject, predicate, object_): (act, reason) for subject, predicate, object_, act, reason in found}
    return {edge: reason for edge, (act, reason) in last.items() if act == "retract"}
