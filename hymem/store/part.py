"""A part of a ledger: some of its sessions, as of a moment, with what people did by then.

A part is copied into a fresh database of the same schema, row by row, so that nothing of the other sessions is in that file, not
even in its free pages. Replies come along whenever they arrived: what was asked about a message is no younger than the message.
Metadata and configuration are as they are now, since the ledger keeps no history of them.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

from hymem.aliases import Aliases
from hymem.config import HyMemConfig
from hymem.errors import UnknownError
from hymem.store.acts import alias_acts
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.ledger import LedgerState, ledger_state
from hymem.store.snapshot import END_OF_TIME


@dataclass(frozen=True)
class Part:
    """All sessions, or those named, but for some; as of a moment, or all that was ever said.

    `heard_by` a peer, only what was said while it was there; where it never came by name, as in logs of other doors, all of it.
    """

    as_of: str | None = None
    sessions: tuple[str, ...] | None = None
    without: tuple[str, ...] = ()
    heard_by: str | None = None

    @property
    def of_some_sessions(self) -> bool:
        """Whether there may be sessions that are no part of it."""
        return self.sessions is not None or bool(self.without) or self.heard_by is not None

    def bindings(self) -> dict[str, Any]:
        """What the conditions of `COPIED` ask for."""
        sessions = None if self.sessions is None else json.dumps(self.sessions)
        without = json.dumps(self.without)
        return {
            "as_of": self.as_of or END_OF_TIME,
            "sessions": sessions,
            "without": without,
            "heard_by": self.heard_by,
        }


@dataclass(frozen=True)
class Viewpoint:
    """From where memory is looked at: which part of the ledger, with which numbers, as which model answered, and when."""

    part: Part
    config: HyMemConfig
    model: str
    now: str


CHOSEN: Final = """(:sessions is null or session_id in (select value from json_each(:sessions)))
    and session_id not in (select value from json_each(:without))"""

HEARD: Final = """(:heard_by is null
    or exists (
        select 1 from ledger.session_peers sp
        where sp.session_id = messages.session_id and sp.peer_id = :heard_by
          and messages.seq > sp.after_seq and messages.seq <= coalesce(sp.last_seq, messages.seq))
    or not exists (
        select 1 from ledger.session_peers sp
        where sp.session_id = messages.session_id and sp.peer_id = :heard_by))"""

SAID_HERE: Final = "message_id in (select message_id from main.messages)"

COPIED: Final[Mapping[str, str]] = {
    "ledger_state": "true",
    "sessions": f"started_at <= :as_of and {CHOSEN}",
    "peers": f"peer_id in (select peer_id from ledger.messages where created_at <= :as_of and {CHOSEN} and {HEARD})",
    "messages": f"created_at <= :as_of and {CHOSEN} and {HEARD}",
    "processed_chunks": f"""{CHOSEN}
        and first_seq in (select seq from main.messages) and last_seq in (select seq from main.messages)
        and (:heard_by is null or not exists (
            select 1 from ledger.messages unheard
            where unheard.session_id = processed_chunks.session_id
              and unheard.seq between processed_chunks.first_seq and processed_chunks.last_seq
              and unheard.seq not in (select seq from main.messages)))""",
    "reply_rejections": "created_at <= :as_of",
    "entity_aliases": "created_at <= :as_of",
    "extraction_feedback": "created_at <= :as_of",
    "fact_space": "true",
    "facts_told": f"""created_at <= :as_of and (:heard_by is null or peer_id = :heard_by)
        and case when message_id is null then :sessions is null else {SAID_HERE} end""",
    "fact_acts": f"""created_at <= :as_of and fact_id in (select fact_id from main.facts_told)
        and (message_id is null or {SAID_HERE})""",
}
"""Every table of the ledger, each after those it refers to, and which of its rows belong to a part."""

_THEN: Final = {
    "sessions": {"summary": "null", "ended_at": "case when ended_at <= :as_of then ended_at end"},
}
"""Columns that are not copied as they are."""

_BORN_FILLED: Final = ("ledger_state", "fact_space")
"""Tables that have a row in an empty database too."""


def copy_part(part: Part, ledger: Database, scratch: Database) -> LedgerState:
    """Copy a part of a ledger into an empty database; returns where the ledger stood.

    Raises `UnknownError` where a session that the part names is not there.
    """
    with scratch.preparing() as connection:
        connection.execute("attach ? as ledger", (str(ledger.path),))
        try:
            connection.execute("begin")  # an immediate one would lock the ledger as well
            try:
                _refuse_unknown(connection, part)
                for table in _BORN_FILLED:
                    connection.execute(f"delete from main.{table}")
                for table, condition in COPIED.items():
                    _copy(connection, table, condition, part)
                connection.execute("commit")
            except BaseException:  # Ctrl-C included: an attached database cannot be let go within a transaction
                connection.execute("rollback")
                raise
        finally:
            connection.execute("detach ledger")
        return ledger_state(connection)


def drop_acts_about_others(connection: Connection) -> None:
    """Remove what people said of names and edges that this part's memory does not have; nothing in it hangs on them."""
    acts = list(connection.execute("select alias_id, alias, canonical from entity_aliases order by alias_id"))
    known = Aliases.replay(alias_acts(connection))
    entities = {
        entity
        for (entity,) in connection.execute("select entity from entity_names union select entity from entity_types")
    }
    foreign = [(number,) for number, alias, _ in acts if known.resolve(alias) not in entities]
    connection.executemany("delete from entity_aliases where alias_id = ?", foreign)
    edges = set(connection.execute("select subject, predicate, object from knowledge_graph"))
    said = list(connection.execute("select feedback_id, subject, predicate, object from extraction_feedback"))
    foreign = [
        (number,)
        for number, subject, predicate, object_ in said
        if (known.resolve(subject), predicate, known.resolve(object_)) not in edges
    ]
    connection.executemany("delete from extraction_feedback where feedback_id = ?", foreign)


def settle_told_facts(connection: Connection) -> None:
    """Make what was told as facts count in this part, as it stood."""
    if connection.execute("select exists (select 1 from facts_told)").fetchall()[0][0]:
        from hymem.store.facts.standing import rebuild  # numpy comes with it

        rebuild(connection)


def part_stamp(connection: Connection, part: Part) -> tuple[Any, ...]:
    """Equal as long as a part of this ledger is what it was; cheap beside a dream, one look at an index of the messages."""
    counted = {
        "messages": "count(*), max(seq)",
        "processed_chunks": "count(*), max(rowid)",
        "entity_aliases": "count(*), max(rowid)",
        "extraction_feedback": "count(*), max(rowid)",
        "facts_told": "count(*), max(rowid)",
        "fact_acts": "count(*), max(rowid)",
    }
    conditions = {table: condition.replace("ledger.", "") for table, condition in COPIED.items()}
    conditions["processed_chunks"] = CHOSEN
    found = [
        connection.execute(f"select {what} from {table} where {conditions[table]}", part.bindings()).fetchall()[0]
        for table, what in counted.items()
    ]
    return (ledger_state(connection).generation, *found)


def _refuse_unknown(connection: Connection, part: Part) -> None:
    named = [*(part.sessions or ()), *part.without]
    unknown = connection.execute(
        """
        select value
        from json_each(?)
        where value not in (select session_id from ledger.sessions)
        order by key
        """,
        (json.dumps(named),),
    ).fetchall()
    if unknown:
        names = ", ".join(repr(name) for (name,) in unknown)
        raise UnknownError(f"no session {names}: `hymem show sessions` lists what there is")


def _copy(connection: Connection, table: str, condition: str, part: Part) -> None:
    names = _columns(connection, table)
    values = [_THEN.get(table, {}).get(name, name) for name in names]
    connection.execute(
        f"""
        insert into main.{table} ({", ".join(names)})
        select {", ".join(values)}
        from ledger.{table}
        where {condition}
        order by rowid
        """,
        part.bindings(),
    )


def _columns(connection: Connection, table: str) -> Iterable[str]:
    return [name for (name,) in connection.execute("select name from pragma_table_info(?) order by cid", (table,))]
