"""Sessions as transcripts: which a peer takes part in, what goes on from what, and a stretch of one of them.

What a client attached to a session says more: `title`, `platform`, and `parent_session_id`, the session that it goes on from.
"""

import json
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from hymem.records import LoggedMessage
from hymem.store.connection import Connection
from hymem.store.where import Where

SPOKEN: Final = "m.role <> 'system'"
_FIELDS: Final = "m.seq, m.message_id, m.session_id, m.peer_id, m.role, m.content, m.created_at, m.metadata"


@dataclass(frozen=True)
class Transcript:
    """A session with what it is called, where it was held, how long it is, and when something was last said in it."""

    session_id: str
    started_at: str
    last_at: str
    messages: int
    title: str | None
    platform: str | None
    parent: str | None


@dataclass(frozen=True)
class Stretch:
    """Successive messages of a session, and how many are before and after them."""

    messages: tuple[LoggedMessage, ...]
    before: int
    after: int


def within_reach(peer_id: str | None, table: str = "m") -> Where:
    """The sessions in which a peer spoke or takes part; all of them for None."""
    if peer_id is None:
        return Where("true", {})
    return Where(
        f"""{table}.session_id in (
            select session_id from messages where peer_id = :reach
            union
            select session_id from session_peers where peer_id = :reach)""",
        {"reach": peer_id},
    )


def transcripts(
    connection: Connection, reach: Where, *, session_ids: Collection[str] | None = None
) -> list[Transcript]:
    """The sessions within reach (of their alias `s`) in which something was said, those of late first."""
    found = connection.execute(
        f"""
        select s.session_id, s.started_at, s.metadata,
               (select max(m.created_at) from messages m where m.session_id = s.session_id) last_at,
               (select count(*) from messages m where m.session_id = s.session_id and {SPOKEN}) told
        from sessions s
        where (:named is null or s.session_id in (select value from json_each(:named)))
          and {reach.condition}
        order by last_at desc, s.session_id
        """,
        {"named": None if session_ids is None else json.dumps(list(session_ids)), **reach.parameters},
    )
    return [_transcript(*row) for row in found if row[4]]


def parents(connection: Connection) -> dict[str, str]:
    """For each session that goes on from another one, which that is."""
    found = connection.execute(
        """
        select s.session_id, json_extract(s.metadata, '$.parent_session_id')
        from sessions s
        where instr(s.metadata, '"parent_session_id"') > 0
        """
    )
    return {session_id: parent for session_id, parent in found if isinstance(parent, str)}


def sessions_titled(connection: Connection, title: str, reach: Where) -> list[str]:
    """The sessions of a title, whatever the case of its letters, the newest first."""
    found = connection.execute(
        f"""
        select s.session_id, json_extract(s.metadata, '$.title')
        from sessions s
        where instr(s.metadata, '"title"') > 0 and {reach.condition}
        order by s.started_at desc, s.session_id
        """,
        reach.parameters,
    )
    return [name for name, told in found if isinstance(told, str) and told.casefold() == title.casefold()]


def first_words(connection: Connection, session_id: str) -> str:
    """What the user said first in a session; "" where nobody did."""
    found = connection.execute(
        """
        select content
        from messages
        where session_id = ? and role = 'user'
        order by created_at, seq
        limit 1
        """,
        (session_id,),
    ).fetchall()
    return found[0][0] if found else ""


def place_of(connection: Connection, session_id: str, seq: int) -> int | None:
    """How many messages of its session were said before a message; None where it is not in that session."""
    found = connection.execute(
        f"""
        select (select count(*)
                from messages m
                where m.session_id = :session and {SPOKEN} and (m.created_at, m.seq) < (here.created_at, here.seq))
        from messages here
        where here.session_id = :session and here.seq = :seq and here.role <> 'system'
        """,
        {"session": session_id, "seq": seq},
    ).fetchall()
    return found[0][0] if found else None


def session_of(connection: Connection, seq: int) -> str | None:
    """The session of a message, by its number."""
    found = connection.execute("select session_id from messages where seq = ?", (seq,)).fetchall()
    return found[0][0] if found else None


def stretch(connection: Connection, session_id: str, first: int, count: int) -> Stretch:
    """The messages of a session from the one at a place on, in the order in which they were said."""
    start = max(0, first)
    found = connection.execute(
        f"""
        select {_FIELDS}
        from messages m
        where m.session_id = ? and {SPOKEN}
        order by m.created_at, m.seq
        limit ? offset ?
        """,
        (session_id, max(0, count + min(0, first)), start),
    ).fetchall()
    total = connection.execute(
        f"select count(*) from messages m where m.session_id = ? and {SPOKEN}", (session_id,)
    ).fetchall()[0][0]
    told = tuple(LoggedMessage(*row[:-1], metadata=json.loads(row[-1])) for row in found)
    return Stretch(told, min(start, total), max(0, total - start - len(told)))


def _transcript(session_id: str, started_at: str, metadata: str, last_at: str | None, messages: int) -> Transcript:
    told: dict[str, Any] = json.loads(metadata)
    title, platform, parent = (_text(told.get(name)) for name in ("title", "platform", "parent_session_id"))
    return Transcript(session_id, started_at, last_at or started_at, messages, title, platform, parent)


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value.strip() else None
