"""Which turns are worth a model's attention: those with a trigger, and those long enough to say something.

Triggers know English and Dutch, and how one wants, refuses and replaces in Chinese. Whatever else is said is judged by
length, measured fairly: a character of a script that writes words with one or two signs counts double.
"""

import re
from functools import cache
from typing import Final

CHUNK_LIMIT: Final = 4000
"""Characters of a chunk's text; longer turns are split."""

CONTEXT_LIMIT: Final = 1000
"""Characters kept of the assistant's turn before, from its end, where questions stand."""

_TRIGGERS: Final = {
    "correction": r"""no,? (?:i|we|not|that)\b|actually\b|i meant\b|that'?s (?:wrong|not)\b|correction\b|wrong\b
        |nee,?\s|klopt niet\b|ik bedoelde?\b""",
    "preference": r"""prefer|rather\b|favou?rite\b|i (?:really )?(?:like|love|enjoy)\b|always\b
        |please (?:use|keep|write|answer|reply)\b|liever\b|voorkeur\b|altijd\b""",
    "rejection": r"""never\b|stop\b|avoid\b|don'?t (?:use|like|want|need)\b|hate\b|dislike\b|can'?t stand\b|no longer\b
        |anymore\b|nooit\b|geen .{1,40} meer\b|hekel\b|vermijd""",
    "replacement": r"""(?:moved|moving|switched|switching|migrated|migrating|replac\w+|dropped|ditched)\b|instead of\b
        |overgestapt\b|vervang\w*|in plaats van\b""",
    "decision": r"""(?:decided|chose|chosen|settled on|going with|went with)\b|let'?s (?:not )?use\b|besloten\b|gekozen\b""",
    "relation": r"""(?:uses?|using|used|depends? on|runs? on|deploy\w*|requires?|needs?|connects? to|talks? to|built (?:with|on)
        |written in|part of|implements?|contains?|configured|tested (?:with|by)|generates?|works? (?:on|at|with))\b
        |(?:gebruik\w*|draait op|hangt af van|vereist|werkt? (?:aan|bij|met))\b""",
    "identity": r"""my name is\b|i'?m (?:a|an|the|building|working)\b|i am (?:a|an|the)\b|call me\b
        |ik (?:ben|heet)\b|mijn naam\b""",
}
"""Where a word begins, in lower case."""

_SIGNS: Final = {
    "preference": "喜欢|喜歡|总是|總是|请用|請用",
    "rejection": "不用|不要|不再|别用|別用|讨厌|討厭|从不|從不",
    "replacement": "改用|换成|換成",
}
"""The same in a script without spaces."""

_CONFIRMATION: Final = re.compile(
    r"\s*(?:yes|yep|yeah|exactly|correct|right|precisely|indeed|that'?s (?:right|correct|it|true)|ja|klopt|precies|inderdaad)\b",
    re.IGNORECASE,
)
_OUTSPOKEN: Final = re.compile(
    r"\s*(?:exactly|correct|precisely|indeed|that'?s (?:right|correct|true)|klopt|precies|inderdaad)\b", re.IGNORECASE
)
_DENSE: Final = re.compile(r"[\u1100-\u11ff\u2e80-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\U00020000-\U0003ffff]")
_HAS_WORD: Final = re.compile(r"\w")
_INJECTED: Final = re.compile(
    r"<!-- HyMem:(?P<a>[\w:-]+):start -->.*?(?:<!-- HyMem:(?P=a):end -->|\Z)|<hymem-memory\b.*?(?:</hymem-memory>|\Z)",
    re.DOTALL | re.IGNORECASE,
)
_LOOKED_AT: Final = 20_000


def salience_reason(text: str, context: str, min_chars: int) -> str:
    """Why a user's turn is salient (a trigger's name, `length`), or "" where it is not."""
    if not _HAS_WORD.search(text):
        return ""
    if trigger := _trigger(text[:_LOOKED_AT].lower()):
        return trigger
    if context and _OUTSPOKEN.match(text):
        return "confirmation"
    return "length" if weighed_length(text) >= min_chars else ""


def _trigger(text: str) -> str:
    """The first trigger in a text in lower case, "" where there is none."""
    spaced = text.isascii()
    for reason, (words, signs) in _triggers().items():
        if words.search(text) or not (spaced or signs.search(text) is None):
            return reason
    return ""


@cache
def _triggers() -> dict[str, tuple[re.Pattern[str], re.Pattern[str]]]:
    """What tells each trigger, words and signs; compiled for who asks, which recall does not."""
    return {
        # One word's beginning before all alternatives, and no IGNORECASE: that is five times as fast.
        reason: (
            re.compile(rf"\b(?:{''.join(line.strip() for line in pattern.splitlines())})"),
            re.compile(_SIGNS.get(reason, "(?!)")),
        )
        for reason, pattern in _TRIGGERS.items()
    }


def confirms(text: str) -> bool:
    """Whether a turn begins by agreeing to what was said before it."""
    return bool(_CONFIRMATION.match(text))


def weighed_length(text: str) -> int:
    """Characters without surrounding space; those of CJK scripts count double."""
    stripped = text.strip()
    return len(stripped) if stripped.isascii() else len(stripped) + sum(1 for _ in _DENSE.finditer(stripped))


def own_words(text: str) -> str:
    """A turn without what HyMem itself put into it: recalled blocks and managed sections are never learnt from."""
    return _INJECTED.sub(" ", text) if "hymem" in text or "HyMem" in text else text


def pieces(text: str, limit: int = CHUNK_LIMIT) -> list[tuple[int, str]]:
    """The text in pieces of at most `limit` characters, each with its start: cut at a paragraph, a line, a space, or hard."""
    found: list[tuple[int, str]] = []
    start = 0
    while len(text) - start > limit:
        end = _cut(text, start, start + limit)
        found.append((start, text[start:end]))
        start = end
    return [*found, (start, text[start:])]


def _cut(text: str, start: int, end: int) -> int:
    """The last good place to cut in the second half of a piece."""
    middle = (start + end) // 2
    for mark in ("\n\n", "\n", " "):
        place = text.rfind(mark, middle, end)
        if place > start:
            return place + len(mark)
    return end
