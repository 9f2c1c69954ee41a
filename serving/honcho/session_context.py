"""A session's context, within so many tokens: what is known of a peer, a summary, and as many of the newest messages as fit."""

from dataclasses import dataclass
from typing import Final

from hymem.store.conversation import MessageRecord
from hymem.store.summaries import newest_messages
from hymem.tokens import count_tokens
from serving.honcho.perspective import perspective
from serving.honcho.representation import Choice, card, representation
from serving.honcho.summaries import Summary, says, summaries
from serving.workspaces import Workspaces

TOKENS: Final = 100_000
"""What a context may have at most, and has where nobody says how many."""

FOR_SUMMARY: Final = 0.4
"""The part of what is left for summary and messages that the summary may take."""


@dataclass(frozen=True)
class Knowledge:
    """What is known of a peer: Markdown, and the lines of its card."""

    representation: str | None = None
    card: list[str] | None = None

    @property
    def tokens(self) -> int:
        """How much of a context it takes."""
        return count_tokens("\n".join([self.representation or "", *(self.card or ())]))


@dataclass(frozen=True)
class Target:
    """Of whom knowledge is wanted: whose view it is, and from which sessions."""

    observed: str
    observer: str
    sessions: tuple[str, ...] | None = None
    scopes: tuple[str, ...] = ()


@dataclass(frozen=True)
class SessionContext:
    """What a model is to be told of a session."""

    session_id: str
    messages: list[MessageRecord]
    summary: Summary | None
    knowledge: Knowledge


def known_of(
    workspaces: Workspaces, workspace_id: str, target: Target, choice: Choice, session_id: str | None = None
) -> Knowledge:
    """What is known of a peer; where it is to be known from some sessions only, there is no card, which is of all of them."""
    with perspective(
        workspaces,
        workspace_id,
        target.observer,
        target.observed,
        sessions=target.sessions,
        scopes=target.scopes,
    ) as seen:
        told = representation(seen, choice)
        with seen.ledger.reading() as connection:
            used = target.sessions is None and says(connection, session_id, "peer_card", "use")
            made = says(connection, session_id, "peer_card", "create")
        return Knowledge(told, card(seen, generate=made) if used else None)


def session_context(
    workspaces: Workspaces,
    workspace_id: str,
    session_id: str,
    *,
    tokens: int = TOKENS,
    with_summary: bool = True,
    target: Target | None = None,
    choice: Choice,
) -> SessionContext:
    """The context of a session; an empty one where there is no such session."""
    if not workspaces.has(workspace_id):
        return SessionContext(session_id, [], None, Knowledge())
    known = known_of(workspaces, workspace_id, target, choice, session_id) if target else Knowledge()
    left = max(0, tokens - known.tokens)
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        told = summaries(connection, session_id) if with_summary else None
        summary = told.longest_within(int(left * FOR_SUMMARY)) if told else None
        left -= summary.token_count if summary else 0
        messages = newest_messages(connection, session_id, left) if left else []
    return SessionContext(session_id, messages, summary, known)
