"""Where anything in memory comes from: a line of a file, an edge, a profile entry, an episode, down to the messages.

One shape serves all: an origin is a thing with the arithmetic that made it and the things it was made from. The end of every
branch is a message.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from hymem.digests import read, shown
from hymem.errors import InputError, UnknownError
from hymem.markdown import read_markdown
from hymem.memory_files import FILES
from hymem.records import Chunk, LoggedMessage, ProfileEntry, Verdict
from hymem.statements import as_statement
from hymem.store.aftermath import messages_within, narrative, readings_of_entry
from hymem.store.connection import Connection
from hymem.store.graph import chunks_by_id, edges_by_id, insights, profile
from hymem.store.messages import messages_by_seq
from serving.recall.conflicts import conflicts
from serving.recall.facts import sentence
from serving.recall.why import Fading, Why, Witness, explained

_LINE_NUMBER: Final = re.compile(r"(?P<file>MEMORY\.md|USER\.md):(?P<number>[1-9][0-9]{0,6})")
_LIKE_ID: Final = re.compile(r"(?P<what>[0-9a-f]{16})(?P<view>[0-9a-f]{5})?")
"""An id, and five digits more in that of a conclusion, which say whose view of whom it is."""
_NOTHING: Final = "nothing bears the id {}: `hymem show TABLE --json` tells ids"


@dataclass(frozen=True)
class Origin:
    """A thing, and what it was made from. `sign` says whether it speaks for or against what is above it.

    `name` is how a receipt names it, and, of an edge, how `hymem retract` does.
    """

    kind: str
    title: str
    arithmetic: str = ""
    sign: str = ""
    id: str = ""
    at: str | None = None
    name: str = ""
    steps: tuple["Origin", ...] = ()

    def walk(self) -> Iterator["Origin"]:
        """It and everything beneath it."""
        yield self
        for step in self.steps:
            yield from step.walk()

    def supporting_messages(self) -> tuple[str, ...]:
        """The ids of the messages that it rests on, without those that speak against it."""
        if self.sign == "-":
            return ()
        below = [message for step in self.steps for message in step.supporting_messages()]
        return tuple(dict.fromkeys([*([self.id] if self.kind == "message" else []), *below]))


def origin_of(connection: Connection, root: Path, what: str) -> Origin | None:
    """The origin of a line of MEMORY.md or USER.md, by place or by text, or of what bears an id; None where it is neither."""
    if place := _LINE_NUMBER.fullmatch(what):
        found = _line(connection, place["file"], _line_at(root / place["file"], int(place["number"])))
        if found is None:
            raise UnknownError(f"{what} is no line that HyMem wrote of something it learnt")
        return found
    if like := _LIKE_ID.fullmatch(what):
        return _bearing(connection, read(like["what"]), what)
    return _line(connection, "", what)


def origin_of_edge(why: Why) -> Origin:
    """The origin of an edge, from its explanation."""
    edge = why.edge
    return Origin(
        "derived edge" if edge.derived else "edge",
        f"{sentence(edge)} ({edge.status})",
        f"confidence {why.arithmetic}",
        id=shown(edge.edge_id),
        name=f"{edge.subject} {edge.predicate} {edge.object}",
        steps=(
            *map(origin_of_edge, why.steps),
            *map(_testimony, why.witnesses),
            *map(_fading, why.fadings),
            *map(_verdict, why.verdicts),
        ),
    )


def _testimony(witness: Witness) -> Origin:
    told = witness.evidence
    manner = ", since something else replaced it" if told.source == "superseded" else ""
    reply = Origin("reply", f"{told.model}, prompt {told.prompt_version}", at=told.replied_at)
    steps = (reply, _chunk(witness.chunk, witness.messages))
    return Origin("evidence", f'"{told.quote}"{manner}', sign=_sign(told.polarity), at=told.said_at, steps=steps)


def _fading(fading: Fading) -> Origin:
    window = fading.rediscussion
    title = f"decay window {window.window}: the topic returned, the fact did not"
    return Origin("decay window", title, sign="-", at=window.said_at, steps=(_chunk(fading.chunk, ()),))


def _verdict(verdict: Verdict) -> Origin:
    sign = "-" if verdict.act == "retract" else "+"
    return Origin("verdict", verdict_in_words(verdict), sign=sign, at=verdict.created_at)


def verdict_in_words(verdict: Verdict) -> str:
    """A person's word on an edge as a sentence."""
    told = "a person retracted it" if verdict.act == "retract" else "a person restored it"
    return f"{told}: {verdict.reason}" if verdict.reason else told


def _sign(polarity: int) -> str:
    return "+" if polarity > 0 else "-"


def _chunk(chunk: Chunk, messages: tuple[LoggedMessage, ...]) -> Origin:
    title = f"in {chunk.session_id}, salient by {chunk.salience_reason}"
    return Origin(
        "chunk", title, id=shown(chunk.chunk_id), at=chunk.said_at, steps=tuple(map(origin_of_message, messages))
    )


def origin_of_message(said: LoggedMessage) -> Origin:
    """A message, at which every branch ends."""
    return Origin("message", f"{said.peer_id}: {said.content}", id=said.message_id, at=said.created_at)


def _line_at(path: Path, number: int) -> str:
    lines = read_markdown(path).splitlines()
    if number > len(lines):
        raise InputError(f"{path.name} has {len(lines)} lines, so there is no line {number}")
    return lines[number - 1]


def _line(connection: Connection, file: str, text: str) -> Origin | None:
    """The origin of a line's text, in one of the files or in either; None where no file has it from HyMem."""
    told = text.strip().removeprefix("- ").strip()
    if file in ("", FILES["insights"]):
        for insight in insights(connection):
            if told == insight.statement:
                edges = edges_by_id(connection, insight.edges)
                steps = tuple(
                    origin_of_edge(explained(connection, edges[one])) for one in insight.edges if one in edges
                )
                made = f"{insight.kind}, from {len(steps)} edge{'s' * (len(steps) != 1)}"
                return Origin("line", f"{FILES['insights']}: {told}", made, name=f"- {told}", steps=steps)
    if file in ("", FILES["profile"]):
        steps = tuple(_entry(connection, entry) for entry in profile(connection) if told == _as_line(entry))
        if steps:
            return Origin("line", f"{FILES['profile']}: {told}", name=f"- {told}", steps=steps)
    return None


def _as_line(entry: ProfileEntry) -> str:
    return f"**{entry.kind}**: {as_statement(entry.statement)}"


def _entry(connection: Connection, entry: ProfileEntry) -> Origin:
    pos, neg = entry.pos_evidence, entry.neg_evidence
    readings = readings_of_entry(connection, entry.entry_id)
    chunks = chunks_by_id(connection, {reading.chunk_id for reading in readings})
    return Origin(
        "profile entry",
        f"{entry.peer_id} {entry.kind}: {entry.statement}",
        f"confidence ({pos} + 1) / ({pos} + {neg} + 2) = {entry.confidence:.3f}: {pos} for, {neg} against",
        id=shown(entry.entry_id),
        at=entry.last_seen,
        name=f"{entry.peer_id} {entry.kind} {entry.statement}",
        steps=tuple(_marker(connection, chunks[one.chunk_id], one.polarity, one.quote) for one in readings),
    )


def _marker(connection: Connection, chunk: Chunk, polarity: int, quote: str) -> Origin:
    steps = (_whole_chunk(connection, chunk),)
    return Origin("evidence", f'"{quote}"', sign=_sign(polarity), at=chunk.said_at, steps=steps)


def _whole_chunk(connection: Connection, chunk: Chunk) -> Origin:
    seqs = [seq for seq in (chunk.context_seq, chunk.message_seq) if seq is not None]
    said = messages_by_seq(connection, seqs)
    return _chunk(chunk, tuple(said[seq] for seq in seqs if seq in said))


def _bearing(connection: Connection, identifier: int | None, what: str) -> Origin:
    """What bears an id: an edge, a profile entry, an episode, a procedure, a chunk or a conflict."""
    if identifier is None:
        raise UnknownError(_NOTHING.format(what))
    if edge := edges_by_id(connection, [identifier]).get(identifier):
        return origin_of_edge(explained(connection, edge))
    if entry := next((one for one in profile(connection) if one.entry_id == identifier), None):
        return _entry(connection, entry)
    if story := narrative(connection, identifier):
        seqs = messages_within(connection, story)
        said = messages_by_seq(connection, seqs)
        title, made = f"{story.title}: {story.text}", f"read from {len(seqs)} messages of {story.session_id}"
        return Origin(
            story.kind,
            title,
            made,
            id=shown(identifier),
            name=story.title,
            steps=tuple(origin_of_message(said[seq]) for seq in seqs),
        )
    if chunk := chunks_by_id(connection, [identifier]).get(identifier):
        return _whole_chunk(connection, chunk)
    if clash := next((one for one in conflicts(connection) if one.conflict_id == identifier), None):
        steps = tuple(origin_of_edge(explained(connection, edge)) for edge in (clash.first, clash.second))
        return Origin("conflict", str(clash), clash.reason, id=shown(identifier), name=str(clash), steps=steps)
    raise UnknownError(_NOTHING.format(what))
