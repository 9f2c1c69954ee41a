"""What clients are told: Pydantic models of every answer, as honcho-ai reads them. `shapes.py` makes them from records."""

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel

Item = TypeVar("Item")


class Workspace(BaseModel):
    """A workspace."""

    id: str
    metadata: dict[str, Any]
    configuration: dict[str, Any]
    created_at: str


class Peer(Workspace):
    """A peer; `role` is an extension."""

    workspace_id: str
    role: Literal["user", "assistant", "system", "tool"]


class Session(Workspace):
    """A session."""

    workspace_id: str
    is_active: bool


class Message(BaseModel):
    """A message, with its tokens by `o200k_base`."""

    id: str
    content: str
    peer_id: str
    session_id: str
    workspace_id: str
    metadata: dict[str, Any]
    created_at: str
    token_count: int


class Conclusion(BaseModel):
    """A conclusion."""

    id: str
    content: str
    observer_id: str
    observed_id: str
    session_id: str | None
    level: Literal["explicit", "deductive", "inductive", "contradiction"]
    created_at: str
    source_ids: list[str]
    times_derived: int


class Fact(BaseModel):
    """Extension: a fact of the graph, in words and in parts, with the reasons for which it was found."""

    fact: str
    subject: str
    predicate: str
    object: str
    confidence: float
    negated: bool
    derived: bool
    why: list[str]


class ConclusionRead(BaseModel):
    """A conclusion that an answer was made from."""

    id: str
    level: Literal["explicit", "deductive", "inductive", "contradiction"]
    content: str
    created_at: str
    session_id: str | None
    observer_id: str
    observed_id: str
    source_ids: list[str]


class MessageRead(BaseModel):
    """A message that an answer was made from."""

    id: str
    session_id: str
    peer_id: str
    created_at: str


class Evidence(BaseModel):
    """What an answer was made from; memory calls no tools and keeps no trace of reasoning."""

    conclusions: list[ConclusionRead]
    messages: list[MessageRead]
    tool_calls: list[dict[str, Any]]
    reasoning_trace_id: None


class Chat(BaseModel):
    """An answer; null where nothing is remembered. `evidence` where it was asked for."""

    content: str | None
    facts: list[Fact]
    evidence: Evidence | None = None


class ConflictSide(BaseModel):
    """One of two facts that cannot both hold."""

    fact: str
    predicate: str
    object: str
    confidence: float
    last_seen: str


class Conflict(BaseModel):
    """Two facts of one subject that cannot both hold, and why."""

    kind: Literal["competing_object", "opposing_predicate"]
    subject: str
    first: ConflictSide
    second: ConflictSide
    reason: str


class Conflicts(BaseModel):
    """Extension: what contradicts itself in a workspace's memory, the most confident first."""

    conflicts: list[Conflict]


class Scope(BaseModel):
    """A scope."""

    id: str
    metadata: dict[str, Any]
    created_at: str


class ScopeJob(BaseModel):
    """How far a scope's view of a session is: always complete, since views are computed when they are asked for."""

    state: Literal["pending", "completed", "failed"]
    updated_at: str
    docs_copied: int


class ScopeStatus(BaseModel):
    """The jobs of a scope, by session."""

    backfill_status: dict[str, ScopeJob]


class Attention(BaseModel):
    """What holds for a peer in a session; null where nothing was said."""

    observe_me: bool | None
    observe_others: bool | None


class Representation(BaseModel):
    """What is concluded of a peer, as Markdown; "" for nothing."""

    representation: str


class Card(BaseModel):
    """The lines of a card; null where there is none."""

    peer_card: list[str] | None


class PeerContext(Card):
    """What one peer knows of another, or of itself."""

    peer_id: str
    target_id: str
    representation: str


class Summary(BaseModel):
    """What happened in a session, up to a message."""

    content: str
    message_id: str
    summary_type: Literal["short", "long"]
    created_at: str
    token_count: int


class Summaries(BaseModel):
    """A session's summaries; null where a dream noted nothing yet."""

    id: str
    short_summary: Summary | None
    long_summary: Summary | None


class SessionContext(Card):
    """What a model is to be told of a session."""

    id: str
    messages: list[Message]
    summary: Summary | None
    peer_representation: str | None


class Notice(BaseModel):
    """That something was done."""

    message: str


class NumberedPage(BaseModel, Generic[Item]):
    """A page by number."""

    items: list[Item]
    total: int
    page: int
    size: int
    pages: int


class CursorPage(BaseModel, Generic[Item]):
    """A page from a cursor."""

    items: list[Item]
    total: None
    current_page: str | None
    current_page_backwards: str | None
    previous_page: str | None
    next_page: str | None


class Trouble(BaseModel):
    """Why a request was refused: a sentence, or one entry for each field."""

    detail: str | list[dict[str, Any]]
