"""Summaries of a session, from what dreams noted of it: a short one, which is the latest note, and a long one, which is them all.

No model is asked for them: a dream's notes are there already, or there is no summary yet.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from hymem.store.connection import Connection
from hymem.store.sessions import read_session
from hymem.store.summaries import SessionNote, episode_notes, window_notes
from hymem.store.workspace import read_workspace
from hymem.tokens import count_tokens


@dataclass(frozen=True)
class Summary:
    """What happened in a session up to a message."""

    content: str
    message_id: str
    summary_type: Literal["short", "long"]
    created_at: str
    token_count: int


@dataclass(frozen=True)
class Summaries:
    """Both summaries of a session, None where a dream noted nothing yet."""

    short: Summary | None = None
    long: Summary | None = None

    def longest_within(self, tokens: int) -> Summary | None:
        """The longest one that has at most so many tokens."""
        fitting = [each for each in (self.long, self.short) if each is not None and each.token_count <= tokens]
        return max(fitting, key=lambda summary: summary.token_count, default=None)


def summaries(connection: Connection, session_id: str) -> Summaries:
    """A session's summaries; none where session or workspace are configured to have none."""
    if not says(connection, session_id, "summary", "enabled"):
        return Summaries()
    windows = window_notes(connection, session_id)
    if not windows:
        return Summaries()
    last = windows[-1]
    notes = sorted([*episode_notes(connection, session_id), *windows], key=lambda note: note.noted_at)
    return Summaries(_summary("short", [last.text], last), _summary("long", (note.text for note in notes), last))


def says(connection: Connection, session_id: str | None, what: str, member: str) -> bool:
    """Whether something may be, as the session says, or its workspace where that says nothing; yes where nobody does."""
    session = read_session(connection, session_id) if session_id is not None else None
    workspace = read_workspace(connection)
    said = [_said(record.configuration, what, member) for record in (session, workspace) if record is not None]
    return next((each for each in said if each is not None), True)


def _said(configuration: Mapping[str, Any], what: str, member: str) -> bool | None:
    told = configuration.get(what)
    said = told.get(member) if isinstance(told, dict) else None
    return said if isinstance(said, bool) else None


def _summary(kind: Literal["short", "long"], texts: Iterable[str], last: SessionNote) -> Summary:
    content = "\n".join(dict.fromkeys(texts))
    return Summary(content, last.message_id, kind, last.noted_at, count_tokens(content))
