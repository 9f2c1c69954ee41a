"""From chunks to triples, markers and type claims, as a language model replies about them.

Three steps: prompts → replies → what was read. Asking is the one step of a dream that is not a pure function, and the
asker keeps each reply in the ledger the moment it arrives. A reply that cannot be read is a failure with its reason, never
"no facts"; and words that are not in the chunk support nothing.
"""

import hashlib
import json
from collections.abc import Iterable
from functools import lru_cache
from importlib.resources import files
from typing import Any, NamedTuple

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.asking import Asker, Kind, question
from dataflows.rows import (
    Attempt,
    ChosenReply,
    Chunk,
    FeedbackAct,
    Marker,
    Prompt,
    ReadReply,
    Reply,
    Triple,
    TypeClaim,
    Unreadable,
)
from dataflows.tables import Table, each, shaped, stacked, table
from hymem.canonical import canonical_or_none, folded_words, is_unspaced
from hymem.errors import ReplyError
from hymem.models.replies import Extraction, TripleItem, read_extraction, supports
from hymem.redaction.kinds import PLACEHOLDER
from hymem.salience import confirms
from hymem.store.replies import FAILURES_ALLOWED
from hymem.vocabulary import ENTITY_TYPES, FIRST_PERSON, MARKER_KINDS, PREDICATES

EXAMPLES_SHOWN = 10
SHORTEST_INFLECTED = 3
OLDEST_SHARE = 5
"""One in so many of a dream's questions goes to the oldest backlog, so that an import of years does not starve today."""


_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "subject": {"type": "string"},
                    "predicate": {"type": "string"},
                    "object": {"type": "string"},
                    "polarity": {"type": "integer", "enum": [1, -1]},
                    "quote": {"type": "string"},
                    "value_text": {"type": ["string", "null"]},
                    "value_numeric": {"type": ["number", "null"]},
                    "value_unit": {"type": ["string", "null"]},
                    "temporal_scope": {"type": ["string", "null"]},
                },
            },
        },
        "markers": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "kind": {"type": "string"},
                    "statement": {"type": "string"},
                    "quote": {"type": "string"},
                },
            },
        },
        "entity_types": {
            "type": "array",
            "items": {"type": "object", "properties": {"name": {"type": "string"}, "type": {"type": "string"}}},
        },
    },
}
EXTRACTION = Kind("extraction", _SCHEMA, read_extraction)


class Readings(NamedTuple):
    """What replies say, item by item, and which of them say nothing that can be read."""

    replies: Table[ReadReply]
    triples: Table[Triple]
    markers: Table[Marker]
    type_claims: Table[TypeClaim]
    unreadable: Table[Unreadable]


def extraction_instructions() -> str:
    """The system prompt of extraction, with the vocabulary filled in."""
    text = files("dataflows.prompts").joinpath("extraction.md").read_text(encoding="utf-8")
    for name, words in (("predicates", PREDICATES), ("marker_kinds", MARKER_KINDS), ("entity_types", ENTITY_TYPES)):
        text = text.replace(f"{{{name}}}", ", ".join(words))
    return text


def extraction_version(prompt_version: str, extraction_instructions: str) -> str:
    """The configured version with a digest of the prompt's text: another wording is another version."""
    return f"{prompt_version}+{hashlib.sha256(extraction_instructions.encode()).hexdigest()[:8]}"


def chosen_replies(
    carried_replies: Table[ReadReply],
    replies: Table[Reply],
    chunks: Table[Chunk],
    extraction_version: str,
    extraction_model: str,
) -> Table[ChosenReply]:
    """The ledger's best reply for each chunk: the present model's to the present prompt, else the newest there is."""
    every = stacked(ChosenReply, carried_replies.assign(reply=None), replies)
    every = every[every.chunk_id.isin(chunks.chunk_id)]
    present = (every.prompt_version == extraction_version) & (every.model == extraction_model)
    ordered = every.assign(present=present).sort_values(
        ["chunk_id", "present", "replied_at", "prompt_version", "model"], kind="stable"
    )
    return shaped(ChosenReply, ordered.drop_duplicates("chunk_id", keep="last"))


def ledger_readings(chosen_replies: Table[ChosenReply], chunks: Table[Chunk]) -> Readings:
    """What those of the chosen replies say that no earlier dream has read."""
    return _read(chosen_replies[chosen_replies.reply.notna()], chunks)


def waiting_chunks(
    chunks: Table[Chunk],
    chosen_replies: Table[ChosenReply],
    ledger_readings: Readings,
    extraction_version: str,
    extraction_model: str,
) -> Table[Chunk]:
    """The chunks that the present model has not readably answered under the present prompt."""
    present = (chosen_replies.prompt_version == extraction_version) & (chosen_replies.model == extraction_model)
    answered = chosen_replies.chunk_id[present & ~chosen_replies.chunk_id.isin(ledger_readings.unreadable.chunk_id)]
    return shaped(Chunk, chunks[~chunks.chunk_id.isin(answered)])


def quarantined_chunks(waiting_chunks: Table[Chunk], attempts: Table[Attempt]) -> Table[Chunk]:
    """The waiting chunks that failed so often that they rest until prompt or model change."""
    failed = attempts[attempts.failures >= FAILURES_ALLOWED].chunk_id
    return shaped(Chunk, waiting_chunks[waiting_chunks.chunk_id.isin(failed)])


def due_chunks(waiting_chunks: Table[Chunk], quarantined_chunks: Table[Chunk], dream_budget: int) -> Table[Chunk]:
    """The chunks to ask about now, within the budget: the newest first, a fifth from the oldest."""
    waiting = waiting_chunks[~waiting_chunks.chunk_id.isin(quarantined_chunks.chunk_id)]
    newest_first = waiting.sort_values(["said_at", "message_seq", "chunk_id"], ascending=False)
    if dream_budget == 0 or len(newest_first) <= dream_budget:
        return shaped(Chunk, newest_first)
    oldest = newest_first.tail(dream_budget // OLDEST_SHARE)
    return shaped(Chunk, pd.concat([newest_first.head(dream_budget - len(oldest)), oldest]))


def negative_examples(feedback: Table[FeedbackAct]) -> list[dict[str, str]]:
    """The edges that people retracted last: what extraction should not claim again."""
    last_word = feedback.drop_duplicates(["subject", "predicate", "object"], keep="last")
    retracted = last_word[last_word.act == "retract"].tail(EXAMPLES_SHOWN)
    edges = retracted[["subject", "predicate", "object"]].itertuples(index=False)
    return [
        {"subject": str(subject), "predicate": str(predicate), "object": str(object_)}
        for subject, predicate, object_ in edges
    ]


def extraction_prompts(
    due_chunks: Table[Chunk], negative_examples: list[dict[str, str]], extraction_version: str
) -> Table[Prompt]:
    """The questions of this dream, one per chunk."""
    beside = {"known_to_be_wrong": negative_examples}
    context = due_chunks.context_seq.fillna(due_chunks.message_seq).astype("int64")
    asked = due_chunks.assign(
        prompt_version=extraction_version,
        first_seq=context.where(context < due_chunks.message_seq, due_chunks.message_seq),
        last_seq=context.where(context > due_chunks.message_seq, due_chunks.message_seq),
        between="[]",
        question=pd.Series([_question(chunk, beside) for chunk in each(due_chunks)], dtype="str"),
        beside=json.dumps(beside, ensure_ascii=False),
    )
    return shaped(Prompt, asked)


def extraction_replies(extraction_prompts: Table[Prompt], extraction_instructions: str, asker: Asker) -> Table[Reply]:
    """What the model answers: the impure step. Override this node with a frame to dream without a model."""
    return asker.ask(EXTRACTION, extraction_instructions, extraction_prompts)


def new_readings(extraction_replies: Table[Reply], chunks: Table[Chunk]) -> Readings:
    """What the new replies say."""
    return _read(extraction_replies, chunks)


def readings(ledger_readings: Readings, new_readings: Readings) -> Readings:
    """What all freshly read replies say; a new one takes the place of the ledger's."""
    answered = new_readings.replies.chunk_id
    parts = zip(ledger_readings, new_readings, _READING_ROWS, strict=True)
    return Readings._make(stacked(row, old[~old.chunk_id.isin(answered)], new) for old, new, row in parts)


def carried_now(chosen_replies: Table[ChosenReply], readings: Readings) -> pd.Series:
    """The chunks whose reply an earlier dream has read, and for which there is no better one now."""
    carried = chosen_replies.chunk_id[chosen_replies.reply.isna()]
    return carried[~carried.isin(readings.replies.chunk_id)]


@tag(table="chunk_replies")
def chunk_replies(carried_replies: Table[ReadReply], readings: Readings, carried_now: pd.Series) -> Table[ReadReply]:
    """Which reply each chunk is read from."""
    return _with_carried(ReadReply, carried_replies, carried_now, readings.replies)


@tag(table="extracted_triples")
def extracted_triples(carried_triples: Table[Triple], readings: Readings, carried_now: pd.Series) -> Table[Triple]:
    """Every triple of the replies in effect."""
    return _with_carried(Triple, carried_triples, carried_now, readings.triples)


@tag(table="behavioral_markers")
def behavioral_markers(carried_markers: Table[Marker], readings: Readings, carried_now: pd.Series) -> Table[Marker]:
    """Every marker of the replies in effect."""
    return _with_carried(Marker, carried_markers, carried_now, readings.markers)


@tag(table="type_claims")
def type_claims(carried_type_claims: Table[TypeClaim], readings: Readings, carried_now: pd.Series) -> Table[TypeClaim]:
    """Every type claim of the replies in effect."""
    return _with_carried(TypeClaim, carried_type_claims, carried_now, readings.type_claims)


def chunks_left(waiting_chunks: Table[Chunk], quarantined_chunks: Table[Chunk], new_readings: Readings) -> int:
    """How many chunks are still to be asked about."""
    return len(waiting_chunks) - len(quarantined_chunks) - len(new_readings.replies)


def chunks_resting(quarantined_chunks: Table[Chunk]) -> int:
    """How many chunks rest."""
    return len(quarantined_chunks)


_READING_ROWS = (ReadReply, Triple, Marker, TypeClaim, Unreadable)


def _question(chunk: Any, beside: dict[str, Any]) -> str:
    said_at = chunk.said_at.isoformat()
    return question(beside, speaker=chunk.peer_id, said_at=said_at, context=chunk.context, text=chunk.text)


def _with_carried(row: type, carried: pd.DataFrame, carried_now: pd.Series, fresh: pd.DataFrame) -> Table:
    together = stacked(row, carried[carried.chunk_id.isin(carried_now)], fresh)
    order = [name for name in ("chunk_id", "position", "name") if name in together]
    return shaped(row, together.sort_values(order, kind="stable"))


def _read(replies: pd.DataFrame, chunks: pd.DataFrame) -> Readings:
    """Read replies item by item; replies about chunks that are gone are passed over."""
    found: tuple[list[tuple], ...] = ([], [], [], [], [])
    about = replies.merge(chunks[["chunk_id", "peer_id", "context", "text"]], on="chunk_id")
    for reply in each(about):
        try:
            extraction = read_extraction(reply.reply)
        except ReplyError as error:
            found[4].append((reply.chunk_id, str(error)))
            continue
        for rows, read in zip(found, _items(reply, extraction), strict=False):
            rows.extend(read)
    return Readings._make(table(row, rows) for row, rows in zip(_READING_ROWS, found, strict=True))


def _items(reply: Any, extraction: Extraction) -> tuple[Iterable[tuple], ...]:
    """The rows of one reply: its header, triples, markers and type claims; what quotes no word of the chunk is refused."""
    chunk = reply.chunk_id
    triples = [item for item in extraction.triples if _is_quoted(item.quote, reply) and _is_about(item, reply)]
    markers = [item for item in extraction.markers if _is_quoted(item.quote, reply)]
    unquoted = len(extraction.triples) + len(extraction.markers) - len(triples) - len(markers)
    refused = [
        *extraction.refused,
        *(
            [f"{unquoted} without words of the chunk, about things it does not name, or about a secret"]
            if unquoted
            else []
        ),
    ]
    return (
        [(chunk, reply.prompt_version, reply.model, reply.replied_at, json.dumps(refused, ensure_ascii=False))],
        [
            (
                *(chunk, position, t.subject, t.predicate, t.object, t.polarity, t.quote),
                *(t.value_text, t.value_numeric, t.value_unit, t.temporal_scope),
            )
            for position, t in enumerate(triples)
        ],
        [(chunk, position, reply.peer_id, m.kind, m.statement, m.quote) for position, m in enumerate(markers)],
        {item.name: (chunk, item.name, item.type) for item in extraction.entity_types}.values(),
    )


def _is_about(triple: TripleItem, chunk: Any) -> bool:
    """Whether the chunk names one end of the triple at least, or the speaker is one; a secret's placeholder is no end."""
    if PLACEHOLDER.search(f"{triple.subject} {triple.object}"):
        return False
    said, peer = _names_in(chunk.context, chunk.text), chunk.peer_id.casefold()
    return any(
        end.casefold() in FIRST_PERSON
        or end.casefold() == peer
        or ((name := canonical_or_none(end)) is not None and _is_named(name, said))
        for end in (triple.subject, triple.object)
    )


@lru_cache(maxsize=1)
def _names_in(context: str, text: str) -> str:
    """A chunk's words as names are made of them; all triples of a chunk ask for the same."""
    return "_".join(["", *folded_words(f"{context}\n{text}"), ""])


def _is_named(name: str, said: str) -> bool:
    """Whether a name stands among the words, its last one perhaps inflected; scripts without spaces have no word's start."""
    if is_unspaced(name) or not said.isascii():
        return name in said
    return (f"_{name}" if len(name) >= SHORTEST_INFLECTED else f"_{name}_") in said


def _is_quoted(quote: str, chunk: Any) -> bool:
    """Whether the speaker said these words, or confirmed them."""
    return supports(quote, chunk.text) or (
        chunk.context != "" and confirms(chunk.text) and supports(quote, chunk.context)
    )
