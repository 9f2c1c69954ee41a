"""What a grammar can honestly say of a whole session: its telling lines, and the steps that somebody numbered.

It tells no stories. The summary is the line that decides or changes something, else the first one that says anything; each
deciding line is an episode of its own; steps told in order are a procedure (`steps.py`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from hymem.models.rules.steps import procedures
from hymem.salience import salience_reason

_SENTENCE_END: Final = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
_TELLING: Final = ("replacement", "decision", "correction")
_LONGEST_LINE: Final = 200


def session_notes(turns: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The reply about numbered turns (`turn`, `role`, `text`): summaries, episodes, procedures."""
    lines = [(turn["turn"], line) for turn in turns if turn["role"] == "user" for line in _lines(turn["text"])]
    telling = [(number, line) for number, line in lines if salience_reason(line, "", _LONGEST_LINE) in _TELLING]
    summary = [line for _, line in (telling or [(n, line) for n, line in lines if salience_reason(line, "", 30)])[:1]]
    return {
        "summaries": summary,
        "episodes": [_episode(number, line) for number, line in telling],
        "procedures": [procedure for turn in turns for procedure in procedures(turn["text"])],
    }


def _lines(text: str) -> Iterator[str]:
    """The sentences of a text that are short enough to be quoted whole, questions left out."""
    for sentence in _SENTENCE_END.split(text):
        line = " ".join(sentence.split())
        if line and len(line) <= _LONGEST_LINE and not line.endswith(("?", "？")):
            yield line


def _episode(number: int, line: str) -> dict[str, Any]:
    title = line if len(line) <= 80 else line[:79].rsplit(" ", 1)[0] + "…"
    return {
        "title": title,
        "summary": line,
        "outcome": "",
        "entities": [],
        "first": number,
        "last": number,
        "quote": line,
    }
