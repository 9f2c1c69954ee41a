"""A conversation as the agent holds it, laid beside what the ledger has of it: what is new, and what was taken back.

The agent hands over whole transcripts again and again: after a turn, before a compression, at the end. So what is stored is
found by content. A row is new where the transcript has it and the ledger's sequence does not, in order; the same words said
twice are two rows. Its message id is a digest of session, speaker, words and how often they were said before, so that two
processes that store the same row store it once.
"""

import hashlib
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import Match, SequenceMatcher
from typing import Any, Final, cast

from hymem.store.messages import storable

LONGEST: Final = 500_000
"""Characters of one row that are kept."""

SUMMARIES: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
_MARKS: Final = ("_compressed_summary", "is_compressed_summary")
_INJECTED: Final = re.compile(r"<\s*(memory-context|hymem-memory)\s*>.*?</\s*\1\s*>", re.DOTALL | re.IGNORECASE)


@dataclass(frozen=True)
class Said:
    """What a user or the agent said."""

    role: str
    text: str

    @property
    def digest(self) -> str:
        """Of speaker and words."""
        return hashlib.sha256(f"{self.role}\x00{self.text}".encode()).hexdigest()


@dataclass(frozen=True)
class Stored:
    """A row that the ledger has."""

    digest: str
    message_id: str


@dataclass(frozen=True)
class Merged:
    """What a transcript adds, row by row with its id, and the ids of rows at the end that it does not have any more."""

    new: tuple[tuple[Said, str], ...]
    withdrawn: tuple[str, ...]


def spoken(messages: Iterable[Any]) -> list[Said]:
    """The words of users and agent, whatever shape the rows have; no summaries, tool results or injected recall."""
    rows = (cast("Mapping[str, Any]", row) for row in messages if isinstance(row, Mapping))
    told = [said(str(row.get("role")), row.get("content")) for row in rows if not _is_summary(row)]
    return [each for each in told if each is not None]


def said(role: str, content: object) -> Said | None:
    """A row with words in it, or None."""
    text = storable(_INJECTED.sub("", text_of(content))).strip()[:LONGEST]
    return Said(role, text) if text and role in ("user", "assistant") and not text.startswith(SUMMARIES) else None


def text_of(content: object) -> str:
    """The words of a content that is text, or a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, Sequence):
        return ""
    parts = (cast("Mapping[str, Any]", part) for part in cast("Sequence[Any]", content) if isinstance(part, Mapping))
    return "\n".join(text for part in parts if isinstance(text := part.get("text"), str))


def merged(session_id: str, stored: Sequence[Stored], transcript: Sequence[Said]) -> Merged:
    """What the transcript has that is not stored, and what is stored after the last row that both have."""
    digests = [row.digest for row in transcript]
    known = [row.digest for row in stored]
    common = _common_start(known, digests)
    blocks = [(common + block.a, common + block.b, block.size) for block in _alike(known[common:], digests[common:])]
    matched = set(range(common)) | {begin + i for _, begin, size in blocks for i in range(size)}
    last = max([common, *(begin + size for begin, _, size in blocks)])
    times = Counter(known)
    new: list[tuple[Said, str]] = []
    for index, row in enumerate(transcript):
        if index not in matched:
            times[row.digest] += 1
            new.append((row, message_id(session_id, row, times[row.digest])))
    return Merged(tuple(new), tuple(row.message_id for row in stored[last:]))


def following(session_id: str, stored: Sequence[Stored], turn: Sequence[Said]) -> Merged:
    """A turn that came without the transcript: new, but for a beginning that is the very end of what is stored."""
    known = [row.digest for row in stored]
    already = next(
        (
            size
            for size in range(len(turn) - 1, 0, -1)
            if [row.digest for row in turn[:size]] == known[len(known) - size :]
        ),
        0,
    )
    times = Counter(known)
    new: list[tuple[Said, str]] = []
    for row in turn[already:]:
        times[row.digest] += 1
        new.append((row, message_id(session_id, row, times[row.digest])))
    return Merged(tuple(new), ())


def message_id(session_id: str, row: Said, times: int) -> str:
    """The name of a row: the same in every process that stores it."""
    return "hermes-" + hashlib.sha256(f"{session_id}\x00{row.digest}\x00{times}".encode()).hexdigest()[:32]


def _is_summary(row: Mapping[str, Any]) -> bool:
    return any(row.get(mark) for mark in _MARKS)


def _alike(known: Sequence[str], digests: Sequence[str]) -> list[Match]:
    """The stretches that both have. After a compression the transcript begins with the very end of what is stored."""
    blocks = SequenceMatcher(None, known, digests, autojunk=False).get_matching_blocks()
    for size in range(min(len(known), len(digests)), max(0, sum(block.size for block in blocks) - 1), -1):
        if known[len(known) - size :] == digests[:size]:
            return [Match(len(known) - size, 0, size)]
    return [block for block in blocks if block.size]


def _common_start(left: Sequence[str], right: Sequence[str]) -> int:
    size = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        size += 1
    return size
