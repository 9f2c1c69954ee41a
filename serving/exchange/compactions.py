"""What a compaction of hermes-agent left in a transcript: a summary, and copies of the messages that the agent kept beside it.

A compaction writes the first messages, a summary and the last messages anew, in the same session or in one that goes on from it.
The originals stay. So of the rows before a summary those are copies that say what the conversation began with, and of those
after it, those that say what it had last come to.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final

SUMMARIES: Final = ("[CONTEXT COMPACTION", "[CONTEXT SUMMARY]")
"""How a summary begins."""

_BEFORE: Final = "[PRIOR CONTEXT — for reference only; not a new message]"
_AFTER: Final = "[END OF PRIOR CONTEXT — COMPACTION SUMMARY BELOW]"
"""What stands around a message into which a summary was merged."""

Key = Hashable
"""A row by what it says, and who says it."""


def is_summary(text: str) -> bool:
    """Whether the agent wrote this to itself when it compacted a conversation."""
    return text.lstrip().startswith(SUMMARIES)


def unmerged(text: str) -> str | None:
    """The message into which a summary was merged; None where this is no such message."""
    told = text.lstrip()
    return (
        told.removeprefix(_BEFORE).split(_AFTER, 1)[0].strip() if told.startswith(_BEFORE) and _AFTER in told else None
    )


@dataclass
class Conversation:
    """What was said so far, compaction after compaction, and which rows of a session are new in it."""

    said: list[Key] = field(default_factory=list[Key])

    def goes_on(self) -> "Conversation":
        """The same conversation, for a session that goes on from here."""
        return Conversation(list(self.said))

    def branched(self, rows: Sequence[Key]) -> list[bool]:
        """Which rows of a branch are copies: those that it has in common with where it branched off."""
        common = 0
        for key, known in zip(rows, self.said, strict=False):
            if key != known:
                break
            common += 1
        return [number < common for number in range(len(rows))]

    def copies(self, stretches: Iterable[Sequence[Key]]) -> list[list[bool]]:
        """For the rows of each stretch (the first before any summary, each further one after one), whether they are copies."""
        every = [list(stretch) for stretch in stretches]
        found = list[list[bool]]()
        for number, keys in enumerate(every):
            kept = overlap(self.said, keys) if number else 0
            again = 0
            if number < len(every) - 1:
                again = min(len(keys) - kept, border([*self.said, *keys[kept:]]))
            found.append([place < kept or place >= len(keys) - again for place in range(len(keys))])
            self.said += keys[kept : len(keys) - again]
        return found


def overlap(earlier: Sequence[Key], later: Sequence[Key]) -> int:
    """How many of the first of `later` are the last of `earlier`, in order: as many as may be."""
    return _borders([*later, object(), *earlier])[-1] if earlier and later else 0


def border(keys: Sequence[Key]) -> int:
    """How many of the last say again what the first said, without touching them: as many as may be."""
    borders = _borders(keys)
    size = borders[-1] if borders else 0
    while size > len(keys) // 2:
        size = borders[size - 1]
    return size


def _borders(keys: Sequence[Key]) -> list[int]:
    """For each beginning of a sequence, how long the longest beginning is that it also ends with (Knuth, Morris, Pratt)."""
    found = [0] * len(keys)
    size = 0
    for place in range(1, len(keys)):
        while size and keys[place] != keys[size]:
            size = found[size - 1]
        size += keys[place] == keys[size]
        found[place] = size
    return found
