"""The least of two other tongues: what a Dutch or Chinese speaker uses, no longer uses, moved to, or prefers.

A small table of its own beside the English grammar. Names are taken only where their spelling or the list of
technologies shows them to be names, so that a plain word of the other tongue is never one.
"""

import re
from collections.abc import Iterator
from typing import Final

from hymem.models.rules.findings import Marker, Triple
from hymem.models.rules.technologies import SPACED, TECHNOLOGIES

_NAME: Final = r"([A-Za-z][\w.+#-]{0,30}(?: (?-i:[A-Z])[\w.+#-]{0,30})?)"
_LATIN: Final = r"([A-Za-z][A-Za-z0-9.+#-]{0,30}(?: (?-i:[A-Z])[A-Za-z0-9.+#-]{0,30})?)"
_DUTCH: Final = (
    (rf"\b(?:we|wij|ik) (?:gebruik|draai)(?:en)? (?:nu |vooral |altijd )?(?!geen\b|liever\b|nooit\b){_NAME}", "use"),
    (rf"\b(?:we|wij|ik) gebruik(?:en)? geen {_NAME}", "drop"),
    (rf"\b(?:we|wij|ik) gebruik(?:en)? {_NAME} niet(?: meer)?\b", "drop"),
    (rf"\b(?:geen|nooit meer) {_NAME} meer\b", "drop"),
    (rf"\b(?:we|wij|ik)(?: zijn| ben|'?re)? (?:\w+ )?overgestapt van {_NAME} naar {_NAME}", "move"),
    (rf"\bstapten? over van {_NAME} naar {_NAME}", "move"),
    (rf"\bvervangen {_NAME} door {_NAME}", "move"),
    (rf"\b(?:gebruik(?:en)?|heb|hebben) liever {_NAME} dan {_NAME}", "prefer"),
    (rf"\b(?:ik|we|wij) gebruik(?:en)? liever {_NAME}", "prefer"),
    (rf"\b[Gg]ebruik nooit {_NAME}", "avoid"),
    (rf"\b[Ii]k haat {_NAME}", "reject"),
)  # fmt: skip
_CHINESE: Final = (
    (rf"我们?(?:已经|现在|目前|都|一直)?在?(?:使用|用)(?:的是)? ?{_LATIN}", "use"),
    (rf"(?:不再|不)(?:使用|用) ?{_LATIN}", "drop"),
    (rf"(?:改用|换成|换到|迁移到) ?{_LATIN}", "use"),
    (rf"从 ?{_LATIN} ?(?:换到|迁移到|切换到|转到|换成) ?{_LATIN}", "move"),
    (rf"用 ?{_LATIN} ?(?:替换|代替|取代)了? ?{_LATIN}", "replace"),
    (rf"我(?:更)?喜欢(?:用)? ?{_LATIN}", "prefer"),
    (rf"我讨厌 ?{_LATIN}", "reject"),
)  # fmt: skip
_TABLE: Final = tuple((re.compile(pattern, re.IGNORECASE), act) for pattern, act in (*_DUTCH, *_CHINESE))
_DUTCH_WORDS: Final = re.compile(
    r"(?i)\b(?:gebruik\w*|overgestapt|stapten?|liever|geen|vervangen|haat|wij|nooit|antwoord|reageer|schrijf)\b"
)
_HAN: Final = re.compile(r"[\u4e00-\u9fff]")
_ASKING: Final = re.compile(
    r"[?？吗]|(?i:\b(?:misschien|als|zou|zouden|kunnen we|moeten we|willen)\b)|如果|要不要|应该|可能|想"
)
_STYLE: Final = re.compile(
    r"(?i)\b(?:antwoord|reageer|schrijf|praat)\b.{0,30}\b(?:in het \w+|kort|beknopt|bondig)\b|请用.{1,6}(?:回答|回复)"
)
_ATTITUDES: Final = {"prefer": "preference", "avoid": "rejection", "reject": "rejection"}
_PREDICATES: Final = {"prefer": "prefers", "avoid": "avoids", "reject": "rejects"}
_LONGEST: Final = 400


def _is_name(text: str) -> bool:
    """Whether the list knows the name, or its spelling shows one: a capital, a digit, a joint."""
    lower = text.lower()
    return lower in TECHNOLOGIES or lower in SPACED or any(not mark.islower() for mark in text)


def _stated(act: str, names: tuple[str, ...], speaker: str) -> Iterator[tuple[str, str, str, int]]:
    first, second = names[0], names[-1]
    if act in ("move", "replace"):
        old, new = (first, second) if act == "move" else (second, first)
        yield from ((new, "replaces", old, 1), (speaker, "uses", new, 1), (speaker, "uses", old, -1))
    elif act in _PREDICATES:
        yield (speaker, _PREDICATES[act], first, 1)
    else:
        yield (speaker, "uses", first, 1 if act == "use" else -1)


def is_foreign(text: str) -> bool:
    """Whether a sentence is one for this table."""
    return _HAN.search(text) is not None or _DUTCH_WORDS.search(text) is not None


def foreign_triples(text: str, speaker: str) -> list[Triple]:
    """What a Dutch or Chinese sentence states."""
    quote = text.strip()
    if len(quote) > _LONGEST or _ASKING.search(quote):
        return []
    found: list[Triple] = []
    for pattern, act in _TABLE:
        for match in pattern.finditer(quote):
            names = tuple(name.rstrip(".,-") for name in match.groups())
            if all(map(_is_name, names)):
                found += [Triple(*statement, quote) for statement in _stated(act, names, speaker)]
    return found


def foreign_marker(text: str) -> Marker | None:
    """The preference, rejection or style that a Dutch or Chinese sentence signals."""
    quote = text.strip()
    if len(quote) > _LONGEST:
        return None
    if _STYLE.search(quote):
        return Marker("style", quote.rstrip(" .!。"), quote)
    if _ASKING.search(quote):
        return None
    kinds = (_ATTITUDES[act] for pattern, act in _TABLE if act in _ATTITUDES and pattern.search(quote))
    kind = next(kinds, None)
    return Marker(kind, quote.rstrip(" .!。"), quote) if kind else None
