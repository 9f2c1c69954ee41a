"""What waits to be dreamt over, counted in messages, by session and speaker.

A message is pending while no dream has seen it, while its chunk waits for a reply, or while it ends a stretch of its session
that waits for one. What rests after repeated failures is not waited for. While a dream is under way, what had been said when
it began is in progress.
"""

from dataclasses import dataclass

from hymem.store.connection import Connection
from hymem.store.lock import dreaming_since
from hymem.store.replies import FAILURES_ALLOWED


@dataclass(frozen=True)
class Backlog:
    """How many of a speaker's messages in a session are dreamt over, are being dreamt over, and wait."""

    session_id: str
    peer_id: str
    completed: int
    in_progress: int
    pending: int

    @property
    def total(self) -> int:
        """All of them."""
        return self.completed + self.in_progress + self.pending


def backlogs(connection: Connection, now: str) -> list[Backlog]:
    """The backlog of every session and speaker, by their names."""
    found = connection.execute(
        """
        with
          resting (kind, chunk_id) as (
            select kind, chunk_id
            from attempts
            group by kind, chunk_id
            having max(failures) >= :failures_allowed),
          waiting (seq) as materialized (
            select seq
            from messages
            where logged_at > coalesce((select seen_at from dream_state), '')
              and session_id in (
                select session_id
                from sessions s left join chunked_sessions c using (session_id)
                where c.revision is not s.revision)
            union
            select message_seq
            from chunks
            where text <> '' and salience_reason <> ''
              and chunk_id not in (select chunk_id from chunk_replies)
              and chunk_id not in (select chunk_id from resting where kind = 'extraction')
            union
            select last_seq
            from session_windows
            where prompt_version = ''
              and revision_id not in (select chunk_id from resting where kind = 'session'))
        select session_id, peer_id,
               sum(w.seq is null),
               sum(w.seq is not null and logged_at <= :dreaming_since),
               sum(w.seq is not null and logged_at > :dreaming_since)
        from messages m left join waiting w using (seq)
        group by session_id, peer_id
        order by session_id, peer_id
        """,
        {"failures_allowed": FAILURES_ALLOWED, "dreaming_since": dreaming_since(connection, now) or ""},
    )
    return [Backlog(*row) for row in found]
