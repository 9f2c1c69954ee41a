"""Where sentences begin and end, in a text whose places are kept.

A full stop ends a sentence only before a space, and not after an abbreviation: "Fly.io", "3.11" and "e.g." stay whole.
A line end closes a sentence too, unless the line was wrapped in mid-sentence.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_STOP: Final = re.compile(
    r"(?<![.!?…])[.!?…]++[\"'”’)\]]*+(?=\s|$)|\.{2,}+|\n+|[:;]-?[)(DPp](?=\s|$)|[。！？；]|\s:[)(/D](?=\s|$)"
)
_ABBREVIATED: Final = re.compile(
    r"(?i)(?:^|[\s(])(?:e\.g|i\.e|vs|etc|cf|mr|mrs|ms|dr|prof|st|approx|fig|resp|incl|inc|ltd|[a-z])\.$"
)
_LOWER: Final = re.compile(r"[ \t]{0,8}+[^\W\d_A-Z]")
_WRAPPED: Final = 50
_OPENING_LOOKBACK: Final = 12


@dataclass(frozen=True, slots=True)
class Sentence:
    """A stretch of the message, and whether a question mark closes it."""

    start: int
    end: int
    asks: bool


def _goes_on(text: str, start: int, stop: re.Match[str]) -> bool:
    """Whether the mark at `stop` lies within a sentence."""
    if stop.group().startswith("."):
        return (
            len(stop.group()) == 1
            and _ABBREVIATED.search(text, max(start, stop.end() - _OPENING_LOOKBACK), stop.end()) is not None
        )
    if stop.group() == "\n":
        line = text.rfind("\n", 0, stop.start()) + 1
        return stop.start() - line >= _WRAPPED and _LOWER.match(text, stop.end()) is not None
    return False


def sentences(text: str) -> Iterator[Sentence]:
    """The sentences of a text, in order, without the blank ones."""
    start = 0
    for stop in _STOP.finditer(text):
        if _goes_on(text, start, stop):
            continue
        if text[start : stop.start()].strip():
            yield Sentence(start, stop.end(), "?" in stop.group() or "？" in stop.group())
        start = stop.end()
    if text[start:].strip():
        yield Sentence(start, len(text), False)
