"""The steps that somebody tells in order: a numbered list, also on one line, or "first …, then …, finally …".

Only instructions make a procedure: most of the steps begin with a verb in its plain form. Told steps want a name that says
what they are for ("to release the library", "how I deploy"), or a heading with a colon.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any, Final

from hymem.models.rules.verbs import VERBS

_SENTENCE_END: Final = re.compile(r"(?<=[.!?…。！？])\s+|\n+")
_STEP: Final = re.compile(r"\s{0,8}(?:step\s+)?(\d{1,2})[.):]\s+(\S.*)", re.IGNORECASE)
_INLINE: Final = re.compile(r"(?:^|(?<=\s))(?:step\s+)?(\d{1,2})[.)]\s+(?=\S)", re.IGNORECASE)
_HEADING: Final = re.compile(r"^[\s#*>-]+|[\s:*#.]+$")
_TOOL: Final = re.compile(r"`([^`\s]{2,40})[^`]*`")
_FIRST_WORD: Final = re.compile(r"[\W_]*([A-Za-z]+)")
_ACTION_WORDS: Final = """
    add adjust allow answer apply apt archive ask assign attach back bake boil book branch brew bring build
    bump buy call cargo cd change check chmod choose clean click clone close commit compare compile configure
    connect copy create curl cut delete deploy describe disable docker download draft drag draw drop edit
    empty enable enter execute export fetch fill find fix follow format freeze generate get git give go gradle
    grind hit import init initialize insert install invite join keep kubectl label launch link lint list load
    lock log look mail make mark merge migrate mix monitor mount move mvn name navigate notify npm open order
    pack paste pause pick pin pip place plug pnpm poetry point post prepare press print psql publish pull push
    put pytest python quit read rebase reboot rebuild record redeploy refresh register reload remove rename
    repeat replace reply reset restart restore return revert review rinse rm roll rollback rotate rsync run
    save scan schedule scp scroll search select send set share ship shut sign simmer sort source squash ssh
    stage stamp start stash stir stop store submit sudo switch sync tag take tap tar tell terraform test tick
    toggle transfer trigger try turn type uninstall unlock unplug unzip update upgrade upload use uv validate
    verify visit wait warm wash watch wipe wrap write zip
"""
_ACTIONS: Final = frozenset(_ACTION_WORDS.split())
"""Words with which an instruction or a command begins; a list of anything else is no procedure."""
_MOST_STEPS: Final = 50
_LONGEST_NAME: Final = 100
_DOER: Final = r"(?:(?:I|we|you)\s+(?:(?:always|usually|just|have\s+to|need\s+to)\s+)?)?"
_FIRST: Final = re.compile(rf"(?i)(?:^|(?<=[\s,:;]))(?:{_DOER})first(?:ly)?(?:\s+of\s+all)?,?\s+{_DOER}")
_NEXT: Final = re.compile(
    r"(?i)(?:[.,;:]\s+(?:and\s+)?|\s+and\s+)(?:(?:and\s+)?(?:then|next|after\s+(?:that|this)|afterwards?|second(?:ly)?|"
    rf"third(?:ly)?|finally|lastly|at\s+last)),?\s+{_DOER}(?:(?:then|finally)\s+)?"
)
_CLOSE: Final = re.compile(r"[.!?](?:\s|$)")
_AIM: Final = re.compile(
    r"(?i)(?:\b(?:how|when|whenever|before)\s+(?:I|we|you|to)|(?:^|\b(?:order|steps|way|recipe|routine)\s+)to)\s+"
    r"([a-z]+)\b[^.!?:,;]*"
)
_ROUTINE: Final = re.compile(r"(?i)\b(?:process|procedure|routine|workflow|checklist|steps|ritual|recipe|runbook)\b")


def procedures(text: str) -> Iterator[dict[str, Any]]:
    """The procedures of a turn: its lists of two steps or more, and steps told in order."""
    yield from _numbered(text)
    yield from _told(text)


def _apart(lines: Sequence[str]) -> Iterator[str]:
    """The lines, those that hold a heading and steps taken apart, one step a line."""
    for line, following in pairwise([*lines, ""]):
        below = _STEP.match(following)
        goes_on = below is not None and int(below[1]) == 2
        starts = _step_starts(line)[: 1 if goes_on else None]
        if len(starts) < 2 and not goes_on:
            yield line
            continue
        cuts = [0, *starts, len(line)]
        heading, *steps = (line[start:end] for start, end in pairwise(cuts))
        if heading.strip() or not steps:
            yield _SENTENCE_END.split(heading.strip())[-1]
        yield from steps


def _step_starts(line: str) -> list[int]:
    """Where in a line the numbers 1, 2, 3 … stand as those of steps do."""
    starts = list[int]()
    for found in _INLINE.finditer(line):
        if int(found[1]) == len(starts) + 1:
            starts.append(found.start())
    return starts


def _numbered(text: str) -> Iterator[dict[str, Any]]:
    """Every numbered list, with the line above it or its heading as its name."""
    name, steps = "", list[str]()
    for line in [*_apart(text.splitlines()), ""]:
        found = _STEP.match(line)
        if found and int(found[1]) == len(steps) + 1:
            steps.append(found[2].strip())
        elif line.strip() or not text:
            yield from _procedure(name, steps)
            name, steps = _HEADING.sub("", line), []
    yield from _procedure(name, steps)


def _told(text: str) -> Iterator[dict[str, Any]]:
    """Steps that "first", "then" and "finally" put in order, within one paragraph."""
    for paragraph in text.split("\n\n"):
        first = _FIRST.search(paragraph)
        if first is None:
            continue
        starts, ends = [first.end()], list[int]()
        for found in _NEXT.finditer(paragraph, first.end()):
            starts.append(found.end())
            ends.append(found.start())
        parts = [paragraph[start:end] for start, end in zip(starts, [*ends, len(paragraph)], strict=True)]
        steps = [_CLOSE.split(part, maxsplit=1)[0].strip(" \n.,;") for part in parts]
        yield from _procedure(_aim(paragraph[: first.start()]), steps)


def _aim(before: str) -> str:
    """What the words before the first step say that the steps are for, or nothing."""
    sentence = _SENTENCE_END.split(before.strip())[-1].strip()
    found = next((each for each in _AIM.finditer(sentence) if _is_plain_verb(each[1])), None)
    if found is not None:
        return found[0].strip()
    named = _ROUTINE.search(sentence) or sentence.endswith(":")
    return _HEADING.sub("", sentence) if named and not sentence.endswith("?") else ""


def _is_plain_verb(word: str) -> bool:
    return word.lower() in _ACTIONS or "base" in VERBS.get(word.lower(), ("", ()))[1]


def _instructs(step: str) -> bool:
    word = _FIRST_WORD.match(step)
    return word is not None and word[1].lower() in _ACTIONS


def _procedure(name: str, steps: Sequence[str]) -> Iterable[dict[str, Any]]:
    """The procedure of these steps, if it has a name and two steps in three are instructions."""
    if len(steps) < 2 or 3 * sum(map(_instructs, steps)) < 2 * len(steps) or not 0 < len(name) <= _LONGEST_NAME:
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
