"""What a grammar can honestly say of a whole session: its telling lines, and the steps that somebody numbered.

It tells no stories. The summary is the line that decides or changes something, else the first one that says anything; each
deciding line is an episode of its own; a numbered list is a procedure, named by the line above it.
"""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from hymem.salience import salience_reason

_SENTENCE_END: Final = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
_STEP: Final = re.compile(r"\s{0,8}(?:step\s+)?(\d{1,2})[.):]\s+(\S.*)", re.IGNORECASE)
_HEADING: Final = re.compile(r"^[\s#*>-]+|[\s:*#]+$")
_TOOL: Final = re.compile(r"`([^`\s]{2,40})[^`]*`")
_FIRST_WORD: Final = re.compile(r"[\W_]*([A-Za-z]+)")
_ACTION_WORDS: Final = """
    add adjust allow answer apply apt archive ask assign attach back bake boil book branch brew bring build bump buy
    call cargo cd change check choose clean click clone close commit compare compile configure connect copy create
    curl cut delete deploy describe disable docker download draft drag draw drop edit empty enable enter execute
    export fetch fill find fix follow format generate get git give go gradle hit import init initialize insert
    install invite join keep kubectl label launch link list load log look mail make mark merge migrate mix monitor
    mount move mvn name navigate notify npm open order pack paste pause pick pin pip place plug pnpm poetry point
    post prepare press print psql publish pull push put pytest python quit read rebase reboot rebuild record
    redeploy refresh register reload remove rename repeat replace reply reset restart restore return revert review
    rinse rm rollback rotate run save scan schedule scroll search select send set share shut sign sort source ssh
    stage start stash stir stop store submit sudo switch sync tag take tap tell terraform test tick toggle transfer
    trigger try turn type uninstall unplug unzip update upgrade upload use uv validate verify visit wait warm wash
    watch wipe wrap write zip
"""
_ACTIONS: Final = frozenset(_ACTION_WORDS.split())
"""Words with which an instruction or a command begins; a numbered list of anything else is no procedure."""
_TELLING: Final = ("replacement", "decision", "correction")
_LONGEST_LINE: Final = 200
_MOST_STEPS: Final = 50


def session_notes(turns: Sequence[Mapping[str, Any]]) -> dict[str, list[Any]]:
    """The reply about numbered turns (`turn`, `role`, `text`): summaries, episodes, procedures."""
    lines = [(turn["turn"], line) for turn in turns if turn["role"] == "user" for line in _lines(turn["text"])]
    telling = [(number, line) for number, line in lines if salience_reason(line, "", _LONGEST_LINE) in _TELLING]
    summary = [line for _, line in (telling or [(n, line) for n, line in lines if salience_reason(line, "", 30)])[:1]]
    return {
        "summaries": summary,
        "episodes": [_episode(number, line) for number, line in telling],
        "procedures": [procedure for turn in turns for procedure in _procedures(turn["text"])],
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


def _procedures(text: str) -> Iterator[dict[str, Any]]:
    """Every numbered list of two steps or more, with the line above it as its name."""
    name, steps = "", list[str]()
    for line in [*text.splitlines(), ""]:
        found = _STEP.match(line)
        if found and int(found[1]) == len(steps) + 1:
            steps.append(found[2].strip())
        elif line.strip() or not text:
            yield from _procedure(name, steps)
            name, steps = _HEADING.sub("", line), []
    yield from _procedure(name, steps)


def _procedure(name: str, steps: Sequence[str]) -> Iterable[dict[str, Any]]:
    instructing = sum(1 for step in steps if (word := _FIRST_WORD.match(step)) and word[1].lower() in _ACTIONS)
    if len(steps) < 2 or 3 * instructing < 2 * len(steps) or not 0 < len(name) <= 100:
        return
    yield {
        "name": name,
        "description": "",
        "steps": [
            {"action": step.replace("**", "")[:500], "tools": _TOOL.findall(step)} for step in steps[:_MOST_STEPS]
        ],
        "triggers": [name.casefold()],
        "entities": [],
        "quote": steps[0],
    }
