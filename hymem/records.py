"""What passes between the rooms: plain values, named as `docs/domain.md` names them. Times are ISO-8601 UTC text."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from hymem.confidence import is_doubtful, is_negated

Role = Literal["user", "assistant", "system", "tool"]
Status = Literal["active", "stale", "retracted"]


def _empty() -> dict[str, Any]:
    return {}


@dataclass(frozen=True)
class Message:
    """One turn as it is to be logged. Without `message_id` it is new; with one it is stored once, however often told.

    From a turn that is not `observed` nothing is learnt, though it is found by searching. `token_count` is what a client
    is told, where somebody has counted.
    """

    session_id: str
    role: Role
    content: str
    peer_id: str | None = None
    created_at: str | None = None
    message_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=_empty)
    observed: bool = True
    token_count: int | None = None


@dataclass(frozen=True)
class LoggedMessage:
    """One turn as the ledger has it."""

    seq: int
    message_id: str
    session_id: str
    peer_id: str
    role: Role
    content: str
    created_at: str
    metadata: Mapping[str, Any] = field(default_factory=_empty)


@dataclass(frozen=True)
class Session:
    """A conversation: opened by its first message, closed when someone says so."""

    session_id: str
    started_at: str
    ended_at: str | None
    summary: str | None
    messages: int


@dataclass(frozen=True)
class Edge:
    """A relation between two entities, with the arithmetic that makes it believed.

    `neg_evidence` counts stated negatives and decay windows together. `path` holds the edges that a derived one
    follows from. `negated` edges are to be read with the verb denied, `faded` ones with
    doubt.
    """

    edge_id: int
    subject: str
    predicate: str
    object: str
    derived: bool
    status: Status
    confidence: float
    pos_evidence: int
    neg_evidence: int
    decay_windows: int
    first_seen: str
    last_seen: str
    last_reinforced: str | None
    value_text: str | None
    value_numeric: float | None
    value_unit: str | None
    temporal_scope: str | None
    path: tuple[int, ...]

    @property
    def negated(self) -> bool:
        """Whether it is to be read as its denial."""
        return not self.derived and is_negated(self.pos_evidence, self.neg_evidence - self.decay_windows)

    @property
    def faded(self) -> bool:
        """Whether so much time passed without it while its topic was discussed that it must not be shown as a fact."""
        return not self.derived and not self.negated and is_doubtful(self.pos_evidence, self.confidence)


@dataclass(frozen=True)
class Evidence:
    """One chunk's word for or against an edge, with the reply that it was read from."""

    chunk_id: int
    polarity: int
    source: str
    said_at: str
    quote: str
    value_text: str | None
    prompt_version: str
    model: str
    replied_at: str


@dataclass(frozen=True)
class Verdict:
    """A person's word on an edge: "retract" or "restore", with a reason where one was given."""

    act: str
    reason: str | None
    created_at: str


@dataclass(frozen=True)
class Rediscussion:
    """A decay window in which the topic returned and the fact did not."""

    window: int
    chunk_id: int
    said_at: str


@dataclass(frozen=True)
class Chunk:
    """A salient piece of conversation: a user's turn, with the assistant's turn before it."""

    chunk_id: int
    session_id: str
    message_seq: int
    context_seq: int | None
    peer_id: str
    said_at: str
    salience_reason: str
    context: str
    text: str


@dataclass(frozen=True)
class ProfileEntry:
    """What a peer wants, rejects, corrects or how they like things done."""

    entry_id: int
    peer_id: str
    kind: str
    statement: str
    pos_evidence: int
    neg_evidence: int
    confidence: float
    first_seen: str
    last_seen: str


@dataclass(frozen=True)
class Insight:
    """A line of MEMORY.md, with the edges it rests on."""

    rank: int
    kind: str
    statement: str
    edges: tuple[int, ...]


@dataclass(frozen=True)
class FtsHit:
    """A chunk that bears on a question; `score` is higher for better, and docs/recall.md tells the reasons."""

    chunk_id: int
    session_id: str
    said_at: str
    text: str
    score: float
    why_retrieved: tuple[str, ...]
    message_id: str
    peer_id: str
    role: Role


@dataclass(frozen=True)
class MessageHit:
    """A message that a search found; `score` is higher for better."""

    message: LoggedMessage
    score: float
    why_retrieved: tuple[str, ...]


@dataclass(frozen=True)
class PipelineNode:
    """A node of the dreaming dataflow: what it is, of which type, in which chapter, and which nodes it is made from.

    A source comes from outside and has no chapter. `table` is the table that a node fills, or "".
    """

    name: str
    chapter: str
    type: str
    doc: str
    table: str
    needs: tuple[str, ...]


@dataclass(frozen=True)
class DreamRun:
    """What one dream did: questions asked and what became of them, rows changed, what waits."""

    run_id: str
    started_at: str
    finished_at: str | None
    outcome: str
    asked: int = 0
    answered: int = 0
    failed: int = 0
    unavailable: int = 0
    waiting: int = 0
    quarantined: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    embedded: int = 0
    changed: Mapping[str, int] = field(default_factory=_empty)
    warnings: tuple[str, ...] = ()
    error: str | None = None
