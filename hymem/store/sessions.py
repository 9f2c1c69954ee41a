"""Sessions: one conversation each, opened by its first message or in so many words, closed when it is over."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from hymem.digests import digest63
from hymem.errors import UnknownError
from hymem.records import Session
from hymem.store.connection import Connection, Row
from hymem.store.messages import identifier, json_object
from hymem.store.pages import Listing, Page, Slice, page
from hymem.store.where import Where


def open_session(connection: Connection, session_id: str, now: str) -> None:
    """Begin a session, or take it up again; opening an open one changes nothing."""
    connection.execute(
        """insert into sessions (session_id, started_at, created_at) values (:session, :now, :now)
           on conflict (session_id) do update set ended_at = null""",
        {"session": identifier(session_id, "session_id"), "now": now},
    )


def close_session(connection: Connection, session_id: str, now: str) -> None:
    """End a session; closing a closed one keeps its first end."""
    connection.execute("update sessions set ended_at = coalesce(ended_at, ?) where session_id = ?", (now, session_id))
    if not connection.changes():
        raise UnknownError(f"no session {session_id!r}: `hymem show messages` lists what there is")


def erase_session(connection: Connection, session_id: str) -> None:
    """Remove a session with its messages, what was asked about them, and everything that was made of them."""
    from hymem.store.erasure import erase
    from hymem.store.erasure_scope import erasure_of_session

    erase(connection, erasure_of_session(connection, session_id))


def sessions(connection: Connection) -> list[Session]:
    """All sessions, the newest first."""
    found = connection.execute(
        """
        select session_id, started_at, ended_at, summary, (select count(*) from messages m where m.session_id = s.session_id)
        from sessions s
        order by started_at desc, session_id
        """
    )
    return [Session(*row) for row in found]


COLUMNS: Final = "s.session_id, s.metadata, s.configuration, s.created_at"
LISTING: Final = Listing(COLUMNS, "sessions s", ("s.created_at", "s.session_id"))


@dataclass(frozen=True)
class SessionRecord:
    """A session with what its clients attached to it."""

    session_id: str
    metadata: Mapping[str, Any]
    configuration: Mapping[str, Any]
    created_at: str


def read_session(connection: Connection, session_id: str) -> SessionRecord | None:
    """A session, None where there is none of that name."""
    found = connection.execute(f"select {COLUMNS} from sessions s where session_id = ?", (session_id,)).fetchall()
    return session_record(found[0]) if found else None


def ensure_session(
    connection: Connection,
    session_id: str,
    now: str,
    *,
    metadata: Mapping[str, Any] | None = None,
    configuration: Mapping[str, Any] | None = None,
) -> bool:
    """Make sure that there is a session, with these metadata and these members of its configuration; whether it is new.

    Raises `UnknownError` for a session that a client deleted: its name is not taken up again.
    """
    connection.execute(
        """
        insert into sessions (session_id, started_at, created_at)
        select :session, :now, :now
        where not exists (select 1 from deleted_sessions where session_digest = :digest)
        on conflict (session_id) do nothing
        """,
        {"session": identifier(session_id, "session_id"), "now": now, "digest": digest63("session", session_id)},
    )
    created = connection.changes() > 0
    known = created or read_session(connection, session_id) is not None
    if not known:
        raise UnknownError(f"session {session_id!r} was deleted: begin another one")
    _attach(connection, session_id, metadata, configuration)
    return created


def describe_session(connection: Connection, session_id: str, metadata: Mapping[str, Any]) -> None:
    """Attach these members to a session that is known; what is attached already stays as it is."""
    known = read_session(connection, session_id)
    if known is not None and not set(metadata) <= set(known.metadata):
        _attach(connection, session_id, {**metadata, **known.metadata}, None)


def bury_session(connection: Connection, session_id: str, now: str) -> None:
    """Note, beside its erasure, that a client deleted a session: `ensure_session` refuses its name from then on."""
    connection.execute(
        "insert or ignore into deleted_sessions (session_digest, deleted_at) values (?, ?)",
        (digest63("session", session_id), now),
    )


def list_sessions(connection: Connection, where: Where, asked: Slice) -> tuple[Page, list[SessionRecord]]:
    """A page of the sessions, the oldest first."""
    found = page(connection, LISTING, where, asked)
    return found, [session_record(row) for row in found.rows]


def session_record(row: Row) -> SessionRecord:
    """The record of a row of `COLUMNS`."""
    session_id, metadata, configuration, created_at = row
    return SessionRecord(session_id, json.loads(metadata), json.loads(configuration), created_at)


def _attach(
    connection: Connection,
    session_id: str,
    metadata: Mapping[str, Any] | None,
    configuration: Mapping[str, Any] | None,
) -> None:
    if metadata is not None:
        told = (json_object(metadata), session_id)
        connection.execute("update sessions set metadata = ? where session_id = ?", told)
    if configuration:
        found = connection.execute("select configuration from sessions where session_id = ?", (session_id,)).fetchall()
        merged = json_object({**json.loads(found[0][0]), **configuration})
        connection.execute("update sessions set configuration = ? where session_id = ?", (merged, session_id))
