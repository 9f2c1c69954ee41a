"""Files into the ledger: streamed, in batches, and never anything twice.

A message's id is a digest of what it says and where, so a file that is told again, or that has grown, adds only what is new.
Two equal messages in one file are two. A batch is a transaction: an interruption keeps the batches before it.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from hymem.errors import InputError
from hymem.records import Message
from serving.exchange.documents import Found
from serving.exchange.formats import found_in
from serving.exchange.turns import Turn, is_without_text, read_turn

if TYPE_CHECKING:
    from serving.memory import HyMem

BATCH: Final = 5000
BATCH_CHARACTERS: Final = 4_000_000
FAULTS_KEPT: Final = 100
"""Faults of one file that are told in full; the others are counted."""

Placed = tuple[str, Message]
"""A message, and where it stood."""


@dataclass(frozen=True)
class Fault:
    """A line that cannot be taken, and why."""

    where: str
    reason: str


@dataclass
class Ingestion:
    """What became of a file: messages read, those of them that were new, and what was left out."""

    name: str
    messages: int = 0
    added: int = 0
    without_text: int = 0
    other_parts: int = 0
    refused: int = 0
    faults: list[Fault] = field(default_factory=list)
    read: int = 0
    format: str = ""
    skipped: dict[str, int] = field(default_factory=dict)
    """What was left out on purpose, and how often."""

    @property
    def is_empty(self) -> bool:
        """Whether there was nothing at all in the file."""
        return not (self.messages or self.without_text or self.refused or self.skipped)

    def refuse(self, where: str, reason: str) -> None:
        """Count a line that cannot be taken."""
        self.refused += 1
        if len(self.faults) < FAULTS_KEPT:
            self.faults.append(Fault(where, reason))


def ingest(
    memory: "HyMem",
    file: BinaryIO,
    name: str,
    session_id: str | None = None,
    progress: Callable[[int], None] | None = None,
    format: str | None = None,
) -> Ingestion:
    """Log every message of a file; lines that cannot be taken are told in the result, and the others stored.

    The format is found out unless it is given. `name` decides by its ending whether lines are read without looking for a
    document. `progress` hears how many bytes are
    behind after each batch.
    """
    done = Ingestion(name)
    return ingest_found(memory, _found(file, done, format), done, session_id, progress)


def ingest_found(
    memory: "HyMem",
    found: Iterable[Found],
    done: Ingestion,
    session_id: str | None = None,
    progress: Callable[[int], None] | None = None,
) -> Ingestion:
    """Log what was found, wherever that was; what becomes of it is counted in `done`."""
    sessions = dict[str, Mapping[str, Any]]()
    for batch in _batches(_messages(found, session_id, done, sessions)):
        _log(memory, batch, done)
        if progress is not None:
            progress(done.read)
    memory.describe_sessions(sessions)
    return done


def check(file: BinaryIO, name: str, session_id: str | None = None, format: str | None = None) -> Ingestion:
    """What `ingest` would find, without storing anything."""
    done = Ingestion(name)
    for _ in _messages(_found(file, done, format), session_id, done, {}):
        done.messages += 1
    return done


def _batches(messages: Iterable[Placed]) -> Iterator[list[Placed]]:
    """The messages in stretches that are neither long nor heavy."""
    batch: list[Placed] = []
    characters = 0
    for where, message in messages:
        batch.append((where, message))
        characters += len(message.content)
        if len(batch) >= BATCH or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _messages(
    told: Iterable[Found], session_id: str | None, done: Ingestion, sessions: dict[str, Mapping[str, Any]]
) -> Iterator[Placed]:
    """The messages, one by one; what the source keeps of their sessions beside them comes to stand in `sessions`."""
    occurrences: Counter[int] = Counter()
    for found in told:
        done.read = found.read
        turn = _turn(found, session_id, done)
        if turn is not None:
            if found.session_metadata:
                sessions[turn.session_id] = found.session_metadata
            key = turn.key()
            yield found.where, turn.message(key, occurrences[key])
            occurrences[key] += 1


def _found(file: BinaryIO, done: Ingestion, format: str | None) -> Iterator[Found]:
    try:
        done.format, found = found_in(file, done.name, format)
        yield from found
    except OSError as error:
        raise InputError(
            f"reading {done.name} failed: {error.strerror or error}; what was read before is stored"
        ) from error


def _turn(found: Found, session_id: str | None, done: Ingestion) -> Turn | None:
    if found.fault:
        done.refuse(found.where, found.fault)
        return None
    if found.skipped:
        done.skipped[found.skipped] = done.skipped.get(found.skipped, 0) + 1
        return None
    if is_without_text(found.value):
        done.without_text += 1
        return None
    try:
        turn = read_turn(found.value, session_id if found.session_id is None else found.session_id)
    except InputError as fault:
        done.refuse(found.where, str(fault))
        return None
    done.other_parts += turn.content.other_parts
    if turn.content.other_parts and not turn.content.text:
        done.without_text += 1
        return None
    return turn


def _log(memory: "HyMem", batch: list[Placed], done: Ingestion) -> None:
    """Store a batch; where one of its messages is refused by the ledger, store the others one by one."""
    try:
        added = memory.log_messages([message for _, message in batch]).added
    except InputError as fault:
        if len(batch) == 1:
            done.refuse(batch[0][0], str(fault).removeprefix("message 1: "))
        else:
            for one in batch:
                _log(memory, [one], done)
        return
    done.messages += len(batch)
    done.added += added
