"""What dreams noted of a session, stretch by stretch, and its newest messages: what a session's context is made of."""

from typing import NamedTuple

from hymem.store.connection import Connection
from hymem.store.conversation import COLUMNS, MessageRecord, message_record

BATCH = 256
"""Messages that are read at once, so that a short context does not read a long session."""


class SessionNote(NamedTuple):
    """What was noted of a session window or an episode in it, up to which message, and when that was noted."""

    text: str
    message_id: str
    noted_at: str


def window_notes(connection: Connection, session_id: str) -> list[SessionNote]:
    """The summaries of a session's windows, the first window first."""
    found = connection.execute(
        """
        select w.summary, m.message_id, w.replied_at
        from session_windows w join messages m on m.seq = (
          select max(seq) from messages where session_id = w.session_id and seq <= w.last_seq)
        where w.session_id = ? and w.summary <> ''
        order by w.place
        """,
        (session_id,),
    )
    return [SessionNote(*row) for row in found]


def episode_notes(connection: Connection, session_id: str) -> list[SessionNote]:
    """The episodes of a session with their outcomes, in the order in which they happened."""
    found = connection.execute(
        """
        select e.summary || case when e.outcome = '' then '' else ' ' || e.outcome end, m.message_id, w.replied_at
        from episodes e
          join session_windows w using (session_window_id)
          join messages m on m.seq = (
            select max(seq) from messages where session_id = e.session_id and seq <= e.last_seq)
        where e.session_id = ?
        order by e.started_at, e.first_seq, e.episode_id
        """,
        (session_id,),
    )
    return [SessionNote(*row) for row in found]


def newest_messages(connection: Connection, session_id: str, tokens: int) -> list[MessageRecord]:
    """As many of a session's newest messages as have so many tokens together, in the order of their telling."""
    kept, before, left = list[MessageRecord](), (1 << 63) - 1, tokens
    while True:
        rows = connection.execute(
            f"""
            select {COLUMNS}, m.seq
            from messages m
            where session_id = ? and seq < ?
            order by seq desc
            limit ?
            """,
            (session_id, before, BATCH),
        ).fetchall()
        for *row, seq in rows:
            record, before = message_record(tuple(row)), seq
            left -= record.token_count
            if left < 0:
                return kept[::-1]
            kept.append(record)
        if len(rows) < BATCH:
            return kept[::-1]
