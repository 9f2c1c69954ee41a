"""What the frames of the dataflow are made of: one class a table, whose annotations are its columns.

The classes hold nothing; `dataflows.tables` makes frames of these shapes and checks them. `str` is text, `int`
whole numbers of 64 bits, then `float` and `bool`; moments and the kinds of column that may be missing come first.
"""


class Time:
    """A moment: datetime64 in microseconds, UTC."""


class OptionalText:
    """Text, or missing."""


class OptionalNumber:
    """A float, NaN where missing."""


class OptionalTime:
    """A moment, NaT where missing."""


class Message:
    """A turn of a session that is to be cut into chunks, in order of time within its session."""

    seq: int
    message_id: str
    session_id: str
    peer_id: str
    role: str
    content: str
    created_at: Time
    observed: bool


class SessionRevision:
    """A session, and the number that moves with its messages."""

    session_id: str
    revision: int


class AliasAct:
    """A person's word that one name means another, in order."""

    alias: str
    canonical: str


class FeedbackAct:
    """A person's word on an edge, in order."""

    act: str
    subject: str
    predicate: str
    object: str
    created_at: Time


class Reply:
    """What a model replied about a chunk."""

    chunk_id: int
    prompt_version: str
    model: str
    reply: str
    replied_at: str


class ChosenReply:
    """The best of a chunk's replies; without its text where an earlier dream has read it."""

    chunk_id: int
    prompt_version: str
    model: str
    replied_at: str
    reply: OptionalText


class Unreadable:
    """A reply that could not be read, and why."""

    chunk_id: int
    reason: str


class Attempt:
    """How often a chunk was asked about in vain, under the present prompt and model."""

    chunk_id: int
    failures: int


class ChunkedSession(SessionRevision):
    """A session as it was cut into chunks, and how many of its silent chunks are kept no longer."""

    let_go: int


class SilentRow:
    """A stored chunk that no model reads, as far as a dream must know it: its row is known by its digest."""

    chunk_id: int
    session_id: str
    said_at: Time
    row_digest: int


class Chunk:
    """A piece of conversation; where it is not salient, its reason is empty and no model reads it."""

    chunk_id: int
    session_id: str
    message_seq: int
    context_seq: OptionalNumber
    part: int
    peer_id: str
    said_at: Time
    salience_reason: str
    context: str
    text: str


class StoredChunk(Chunk):
    """A chunk as it is stored: with what search needs, and without text where it was let go."""

    bigrams: str


class Prompt:
    """A question about a chunk, as JSON; the messages that it shows lie between `first_seq` and `last_seq`.

    `between` holds those of them that are neither, as a JSON list.
    """

    chunk_id: int
    prompt_version: str
    session_id: str
    first_seq: int
    last_seq: int
    between: str
    question: str
    beside: str


class ReadReply:
    """Which reply a chunk was read from, and what of it was refused."""

    chunk_id: int
    prompt_version: str
    model: str
    replied_at: str
    refused: str


class Triple:
    """A relation as the reply gave it: surface forms, and the words that support it."""

    chunk_id: int
    position: int
    subject: str
    predicate: str
    object: str
    polarity: int
    quote: str
    value_text: OptionalText
    value_numeric: OptionalNumber
    value_unit: OptionalText
    temporal_scope: OptionalText


class Marker:
    """An explicit behavioral signal of a peer."""

    chunk_id: int
    position: int
    peer_id: str
    kind: str
    statement: str
    quote: str


class TypeClaim:
    """A chunk's word on what kind of thing a name is."""

    chunk_id: int
    name: str
    type: str


class EntityName:
    """A canonical name, and the entity that it leads to."""

    name: str
    entity: str


class KnownName:
    """A canonical name that earlier dreams searched the chunks for."""

    name: str


class EntityType:
    """What kind of thing an entity is, and who says so."""

    entity: str
    type: str
    source: str


class FoundName:
    """A known name that occurs in a chunk."""

    chunk_id: int
    name: str


class Mention:
    """A name that occurs in a chunk, and the entity it leads to."""

    chunk_id: int
    name: str
    entity: str


class CanonicalTriple:
    """A triple between entities, with its edge and the time of its chunk."""

    edge_id: int
    subject: str
    predicate: str
    object: str
    chunk_id: int
    position: int
    polarity: int
    said_at: Time
    quote: str
    value_text: OptionalText
    value_numeric: OptionalNumber
    value_unit: OptionalText
    temporal_scope: OptionalText


class Evidence:
    """One chunk's word for or against an edge."""

    edge_id: int
    chunk_id: int
    polarity: int
    source: str
    said_at: Time
    position: int
    quote: str
    value_text: OptionalText
    value_numeric: OptionalNumber
    value_unit: OptionalText
    temporal_scope: OptionalText


class Relation:
    """Which entities an edge joins, and how."""

    edge_id: int
    subject: str
    predicate: str
    object: str


class Tally:
    """The evidence of an edge, counted."""

    edge_id: int
    pos_evidence: int
    stated_negatives: int
    first_seen: Time
    last_seen: Time
    last_reinforced: OptionalTime


class Value:
    """The newest value that evidence for an edge gives."""

    edge_id: int
    value_text: OptionalText
    value_numeric: OptionalNumber
    value_unit: OptionalText
    temporal_scope: OptionalText


class Rediscussion:
    """A decay window in which an edge's topic returned and the edge did not."""

    edge_id: int
    window: int
    chunk_id: int


class Decay:
    """How many decay windows count against an edge."""

    edge_id: int
    decay_windows: int


class Retraction:
    """An edge that a person retracted, and that has not come back since."""

    edge_id: int


class Edge:
    """An edge of the graph, stated or derived."""

    edge_id: int
    subject: str
    predicate: str
    object: str
    derived: bool
    status: str
    confidence: float
    pos_evidence: int
    neg_evidence: int
    decay_windows: int
    first_seen: Time
    last_seen: Time
    last_reinforced: OptionalTime
    value_text: OptionalText
    value_numeric: OptionalNumber
    value_unit: OptionalText
    temporal_scope: OptionalText
    path: str


class KeyedMarker:
    """A marker with the profile entry it speaks for, and the time of its chunk."""

    entry_id: int
    topic: str
    peer_id: str
    kind: str
    statement: str
    chunk_id: int
    position: int
    said_at: Time


class ProfileEvidence:
    """A marker that counts for or against a profile entry."""

    entry_id: int
    chunk_id: int
    position: int
    polarity: int


class ProfileEntry:
    """What a peer wants, rejects, corrects, or how they like things done."""

    entry_id: int
    peer_id: str
    kind: str
    statement: str
    pos_evidence: int
    neg_evidence: int
    confidence: float
    first_seen: Time
    last_seen: Time


class Insight:
    """A line for MEMORY.md, with the edges it rests on as a JSON list; `weight` orders lines of one kind."""

    kind: str
    weight: float
    statement: str
    edges: str


class RankedInsight:
    """An insight that is shown, in its place."""

    rank: int
    kind: str
    statement: str
    edges: str


class WindowTurn:
    """A turn within a window of its session; `revision_id` is the window's id as it was when this turn was its last."""

    session_window_id: int
    session_id: str
    place: int
    number: int
    revision_id: int
    seq: int
    message_id: str
    said_at: Time
    speaker: str
    role: str
    text: str


class WindowRevision:
    """A revision_id that a window has had as its session grew: its first `length` turns."""

    session_window_id: int
    revision_id: int
    length: int


class SessionWindow:
    """A stretch of a session that is read as a whole, the reply about its present revision_id, and the sentence it stands for."""

    session_window_id: int
    session_id: str
    place: int
    revision_id: int
    first_seq: int
    last_seq: int
    started_at: Time
    ended_at: Time
    prompt_version: str
    model: str
    replied_at: str
    summary: str


class SessionSummary:
    """What a session was about, in one sentence."""

    session_id: str
    summary: str


class Episode:
    """A stretch of conversation about one thing; `entities` is a JSON list of canonical names."""

    episode_id: int
    session_window_id: int
    session_id: str
    title: str
    summary: str
    outcome: str
    entities: str
    first_seq: int
    last_seq: int
    started_at: Time
    ended_at: Time
    bigrams: str


class Procedure:
    """How something is done; `steps`, `triggers` and `entities` are JSON lists, `wording` is what the steps say."""

    procedure_id: int
    session_window_id: int
    session_id: str
    name: str
    description: str
    steps: str
    triggers: str
    entities: str
    first_seq: int
    last_seq: int
    said_at: Time
    wording: str
    bigrams: str


class EmbeddingText:
    """A text that is to have a vector, and what it belongs to."""

    kind: str
    owner: int
    text: str


class KnownVector:
    """A stored vector, by the digest of the text that it stands for."""

    kind: str
    owner: int
    text_digest: int


class Section:
    """A managed section of a Markdown file."""

    section: str
    body: str
