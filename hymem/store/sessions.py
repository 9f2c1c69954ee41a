"""Sessions: one conversation each, opened by its first message or in so many words, closed when it is over."""

from hymem.errors import UnknownError
from hymem.records import Session
from hymem.store.connection import Connection
from hymem.store.erasure import erase
from hymem.store.erasure_scope import erasure_of_session
from hymem.store.messages import identifier


def open_session(connection: Connection, session_id: str, now: str) -> None:
    """Begin a session, or take it up again; opening an open one changes nothing."""
    connection.execute(
        """insert into sessions (session_id, started_at) values (?, ?)
           on conflict (session_id) do update set ended_at = null""",
        (identifier(session_id, "session_id"), now),
    )


def close_session(connection: Connection, session_id: str, now: str) -> None:
    """End a session; closing a closed one keeps its first end."""
    connection.execute("update sessions set ended_at = coalesce(ended_at, ?) where session_id = ?", (now, session_id))
    if not connection.changes():
        raise UnknownError(f"no session {session_id!r}: `hymem show messages` lists what there is")


def erase_session(connection: Connection, session_id: str) -> None:
    """Remove a session with its messages, what was asked about them, and everything that was made of them."""
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
