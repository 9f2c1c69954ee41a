"""The shapes of the frames that flow: one row class a table, checked between nodes and after each of them.

`Table[Chunk]` is a DataFrame whose columns are the annotations of `Chunk`. Hamilton compares these types when the driver is
built, so that a node cannot be wired to the wrong table, and `SchemaCheck` compares names and dtypes when it runs.
"""

import sys
import typing
from collections import namedtuple
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any, Final, Generic, TypeVar

import numpy as np
import pandas as pd
from hamilton.lifecycle import NodeExecutionHook

Row = TypeVar("Row")


class Table(pd.DataFrame, Generic[Row]):
    """A frame with one column for each annotation of `Row`."""


class Time:
    """A moment: datetime64 in microseconds, UTC."""


class OptionalText:
    """Text, or missing."""


class OptionalNumber:
    """A float, NaN where missing."""


class OptionalTime:
    """A moment, NaT where missing."""


DTYPES: Final[dict[type, str]] = {
    int: "int64",
    float: "float64",
    bool: "bool",
    str: "str",
    Time: "datetime64[us]",
    OptionalText: "str",
    OptionalNumber: "float64",
    OptionalTime: "datetime64[us]",
}


class Message:
    """A turn of a session that is to be cut into chunks, in order of time within its session."""

    seq: int
    message_id: str
    session_id: str
    peer_id: str
    role: str
    content: str
    created_at: Time


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


class Chunk:
    """A salient piece of conversation."""

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
    """A turn within a window of its session; `form` is the window's id as it was when this turn was its last."""

    window_id: int
    session_id: str
    place: int
    number: int
    form: int
    seq: int
    message_id: str
    said_at: Time
    speaker: str
    role: str
    text: str


class WindowForm:
    """A form that a window has had as its session grew: its first `length` turns."""

    window_id: int
    form: int
    length: int


class Window:
    """A stretch of a session that is read as a whole, the reply about its present form, and the sentence it stands for."""

    window_id: int
    session_id: str
    place: int
    form: int
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
    window_id: int
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
    window_id: int
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


@cache
def columns(row: type) -> Mapping[str, str]:
    """The dtype of every column of a table."""
    return {name: DTYPES[kind] for name, kind in typing.get_type_hints(row).items()}


def table(row: type[Row], rows: Iterable[Sequence[Any]] = ()) -> Table[Row]:
    """A frame of that shape from rows in its column order; moments may be ISO text."""
    wanted = columns(row)
    values = list(zip(*rows, strict=True)) or [()] * len(wanted)
    return frame(row, dict(zip(wanted, values, strict=True)))


def frame(row: type[Row], values: dict[str, Any]) -> Table[Row]:
    """A frame of that shape from its columns."""
    made = {name: _column(values[name], dtype) for name, dtype in columns(row).items()}
    return typing.cast("Table[Row]", pd.DataFrame(made))


def shaped(row: type[Row], loose: pd.DataFrame) -> Table[Row]:
    """A frame with these columns only, in their order, each of its dtype, numbered from 0.

    Raises `TypeError` where whole numbers arrive as floats: ids have 63 bits, and a float holds 53.
    """
    wanted = columns(row)
    picked = loose[list(wanted)]
    other = {name: dtype for (name, dtype), had in zip(wanted.items(), picked.dtypes, strict=True) if had != dtype}
    lossy = [name for name, dtype in other.items() if dtype == "int64" and picked[name].dtype.kind == "f"]
    if lossy:
        raise TypeError(f"{', '.join(lossy)} of {row.__name__} became floats on the way: keep whole numbers whole")
    return typing.cast("Table[Row]", (picked.astype(other) if other else picked).reset_index(drop=True))


def stacked(row: type[Row], *parts: pd.DataFrame) -> Table[Row]:
    """Frames of one shape, one below the other."""
    filled = [part for part in parts if len(part)]
    if not filled:
        return table(row)
    return shaped(row, pd.concat(filled, ignore_index=True) if len(filled) > 1 else filled[0])


def each(frame: pd.DataFrame) -> Iterator[Any]:
    """The rows of a frame as named tuples; with `itertuples`, each cell of text takes a microsecond by itself."""
    row = namedtuple("Row", frame.columns)
    columns = (texts(column) if column.dtype == "str" else column.tolist() for _, column in frame.items())
    return map(row._make, zip(*columns, strict=True))


def texts(column: pd.Series) -> np.ndarray:
    """A column of text for going through it, NaN where missing."""
    return column.to_numpy(dtype=object)


def has_shape(row: type, value: Any) -> bool:
    """Whether a value is a frame with these columns and dtypes."""
    return isinstance(value, pd.DataFrame) and {n: str(t) for n, t in value.dtypes.items()} == columns(row)


def _column(values: Any, dtype: str) -> pd.Series:
    if dtype == "datetime64[us]" and len(values) and isinstance(values[0], str):
        return pd.Series(np.array([text[:26] for text in values], dtype=dtype))
    if dtype == "str":
        return pd.Series(values, dtype="str")
    return pd.Series(np.asarray(values, dtype=dtype))


class SchemaCheck(NodeExecutionHook):
    """After each node: are these the columns and dtypes that its annotation promises?"""

    def run_before_node_execution(self, **_: Any) -> None:
        """Nothing to check yet."""

    def run_after_node_execution(
        self, *, node_name: str, node_return_type: type, result: Any, success: bool, **_: Any
    ) -> None:
        """Raise `TypeError` naming the node and both shapes."""
        interrupted = result is None and isinstance(sys.exception(), KeyboardInterrupt | SystemExit)
        if not success or interrupted or typing.get_origin(node_return_type) is not Table:
            return  # Hamilton calls an interrupted node successful
        row = typing.get_args(node_return_type)[0]
        if not has_shape(row, result):
            given = dict(result.dtypes) if isinstance(result, pd.DataFrame) else type(result).__name__
            raise TypeError(f"{node_name} promises {columns(row)}, and gives {given}")
