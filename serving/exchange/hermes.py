"""hermes-agent's `state.db`: its sessions and messages, each said once.

Left out is what its user rewound, what subagents were told, and what the agent wrote to itself: summaries of compactions, the
copies beside them, and its reviews. A branch has what was said after it branched off. What a gateway's user says is theirs,
as a peer named for platform and user.
"""

import json
import shutil
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

from hymem.store.hermes_state import AgentSession, HermesState, SpokenRow, hermes_state
from serving.exchange.compactions import Conversation, is_summary, unmerged
from serving.exchange.documents import Found
from serving.exchange.exports import EMPTY, TOOL
from serving.hermes.transcript import Said, message_id, said

PeerOf = Callable[[AgentSession], str | None]
Wanted = Callable[[AgentSession], bool]

REWOUND: Final = "rewound message"
SUMMARY: Final = "summary of a compaction"
COPY: Final = "copy of a message"
SUBAGENT: Final = "message of a subagent"
REVIEW: Final = "the agent's own review"
PARTS: Final = "\x00json:"
"""How the agent marks content that is a list of parts."""

_REVIEWS: Final = (
    "Review the conversation above and update the skill library",
    "Review the conversation above and consider saving to memory",
)


@dataclass
class _Row:
    """A row on its way: what it says, or why it is left out."""

    row: SpokenRow
    content: Any
    skipped: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """Equal for rows that say the same."""
        return self.row.role, self.content if isinstance(self.content, str) else json.dumps(self.content)


def found_in(file: BinaryIO, name: str) -> Iterator[Found]:
    """Every message of every session."""
    path = Path(file.name) if isinstance(getattr(file, "name", None), str) else None
    if path is not None and path.exists():
        yield from found_at(path)
        return
    with tempfile.NamedTemporaryFile(prefix="hymem-") as copy:  # it came through a pipe
        shutil.copyfileobj(file, copy)
        copy.flush()
        yield from found_at(Path(copy.name))


def found_at(
    path: Path, peer_of: PeerOf | None = None, wanted: Wanted | None = None, stored_form: Callable[[str], str] = str
) -> Iterator[Found]:
    """Every message of every session in a file, or of those that are `wanted`; `peer_of` says whose a user's words are.

    `stored_form` is a text as the ledger keeps it, which is what a message's id is a digest of.
    """
    with hermes_state(path) as state:
        yield from _every(state, peer_of or user_of, wanted or _any, stored_form)


def user_of(session: AgentSession) -> str | None:
    """A gateway's user as a peer, named for platform and user; None where the session names nobody."""
    return f"{session.platform}:{session.user_id}" if session.user_id and session.platform else None


def _any(session: AgentSession) -> bool:
    return True


def _every(state: HermesState, peer_of: PeerOf, wanted: Wanted, stored_form: Callable[[str], str]) -> Iterator[Found]:
    conversations = dict[str, Conversation]()
    lines = dict[str, Counter[str]]()
    for session in state.sessions():
        goes_on = session.parent is not None and (session.continues or session.branches)
        before = conversations.get(session.parent or "", Conversation())
        line = Counter(lines.get(session.parent or "", ())) if goes_on else Counter[str]()
        rows = [_row(row, session) for row in state.rows(session.session_id)]
        _leave_out_reviews(rows)
        conversations[session.session_id] = _leave_out_copies(rows, before, session)
        lines[session.session_id] = line
        found = [_found(row, session, peer_of(session), line, stored_form) for row in rows]
        if wanted(session):
            yield from found


def _row(row: SpokenRow, session: AgentSession) -> _Row:
    content = _content(row.content or "")
    if row.rewound:
        return _Row(row, content, REWOUND)
    if session.delegated or session.platform in ("subagent", "tool"):
        return _Row(row, content, SUBAGENT)
    if row.role not in ("user", "assistant"):
        return _Row(row, content, TOOL if row.role == "tool" else "system prompt")
    if not content:
        return _Row(row, content, TOOL if row.calls_tools else EMPTY)
    if isinstance(content, str) and not content.strip():
        return _Row(row, content, TOOL if row.calls_tools else EMPTY)
    return _Row(row, content, SUMMARY if isinstance(content, str) and is_summary(content) else "")


def _leave_out_reviews(rows: Sequence[_Row]) -> None:
    """The agent's questions to itself about skills and memory, each with the answer to it."""
    spoken = [row for row in rows if not row.skipped]
    for row, answer in pairwise([*spoken, None]):
        if row is not None and row.row.role == "user" and str(row.content).lstrip().startswith(_REVIEWS):
            row.skipped = REVIEW
            if answer is not None and answer.row.role == "assistant":
                answer.skipped = REVIEW


def _leave_out_copies(rows: Sequence[_Row], before: Conversation, session: AgentSession) -> Conversation:
    """Mark what only repeats; returns the conversation as it is after this session."""
    conversation = before.goes_on() if session.continues or session.branches else Conversation()
    if session.branches:
        _mark([row for row in rows if not row.skipped], before.branched([row.key for row in rows if not row.skipped]))
    stretches: list[list[_Row]] = [[]]
    for row in rows:
        merged = unmerged(row.content) if isinstance(row.content, str) and not row.skipped else None
        if row.skipped == SUMMARY or merged is not None:
            stretches.append([])
        if merged is not None:
            row.content, row.skipped = merged, "" if merged else SUMMARY
        if not row.skipped:
            stretches[-1].append(row)
    copies = conversation.copies([[row.key for row in stretch] for stretch in stretches])
    for stretch, marks in zip(stretches, copies, strict=True):
        _mark(stretch, marks)
    return conversation


def _mark(rows: Sequence[_Row], copies: Sequence[bool]) -> None:
    for row, copied in zip(rows, copies, strict=True):
        if copied:
            row.skipped = COPY


def _found(
    told: _Row, session: AgentSession, peer: str | None, line: Counter[str], stored_form: Callable[[str], str]
) -> Found:
    """A row as a message; its id is the one that the provider gives it, where the agent's own memory is HyMem."""
    where = f"message {told.row.row}"
    if told.skipped:
        return Found(where, None, 0, skipped=told.skipped)
    spoken = said(told.row.role, told.content)
    name = f"hermes:{session.session_id}:{told.row.row}"
    if spoken is not None:
        kept = Said(spoken.role, stored_form(spoken.text))
        line[kept.digest] += 1
        name = message_id(session.session_id, kept, line[kept.digest])
    value = {
        "session_id": session.session_id,
        "role": told.row.role,
        "content": told.content if spoken is None or not isinstance(told.content, str) else spoken.text,
        "created_at": told.row.timestamp,
        "peer_id": peer if told.row.role == "user" else None,
        "message_id": name,
        "metadata": {"source": "hermes", **({"platform": session.platform} if session.platform else {})},
    }
    return Found(where, value, 0, session_metadata=_attached(session))


def _attached(session: AgentSession) -> dict[str, str]:
    """What is kept of a session beside its messages."""
    told = {
        "platform": session.platform,
        "title": session.title,
        "parent_session_id": session.parent if session.continues or session.branches else None,
    }
    return {name: value for name, value in told.items() if value}


def _content(text: Any) -> Any:
    """The text, or the parts that it holds."""
    if not isinstance(text, str):
        return text.decode("utf-8", "replace") if isinstance(text, bytes) else str(text)
    if not text.startswith(PARTS):
        return text
    try:
        return cast(Any, json.loads(text.removeprefix(PARTS)))
    except ValueError:
        return text.removeprefix(PARTS)
