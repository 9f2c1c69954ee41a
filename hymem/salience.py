"""Which turns are worth a model's attention: those with a trigger, and those long enough to say something.

Triggers know English and Dutch, and how one wants, refuses and replaces in Chinese. Whatever else is said is judged by
length, measured fairly: a character of a script that writes words with one or two signs counts double.
"""

import re
from typing import Final

CHUNK_LIMIT: Final = 4000
"""Characters of a chunk's text; longer turns are split."""

CONTEXT_LIMIT: Final = 1000
"""Characters kept of the assistant's turn before, from its end, where questions stand."""

_TRIGGERS: Final = {
    "correction": r"""\bno,? (?:i|we|not|that)\b|\bactually\b|\bi meant\b|\bthat'?s (?:wrong|not)\b|\bcorrection\b
        |\bwrong\b|\bnee,?\s|\bklopt niet\b|\bik bedoelde?\b""",
    "preference": r"""\bprefer|\brather\b|\bfavou?rite\b|\bi (?:really )?(?:like|love|enjoy)\b|\bliever\b|\bvoorkeur\b
        |\balways\b|\baltijd\b|\bplease (?:use|keep|write|answer|reply)\b
        |喜欢|喜歡|总是|總是|请用|請用""",
    "rejection": r"""\bnever\b|\bstop\b|\bavoid\b|\bdon'?t (?:use|like|want|need)\b|\bhate\b|\bdislike\b|\bcan'?t stand\b
        |\bno longer\b|\banymore\b|\bnooit\b|\bgeen .{1,40} meer\b|\bhekel\b|\bvermijd
        |不用|不要|不再|别用|別用|讨厌|討厭|从不|從不""",
    "replacement": r"""\b(?:moved|moving|switched|switching|migrated|migrating|replac\w+|dropped|ditched)\b|\binstead of\b
        |\bovergestapt\b|\bvervang\w*|\bin plaats van\b|改用|换成|換成""",
    "decision": r"\b(?:decided|chose|chosen|settled on|going with|went with)\b|\bbesloten\b|\bgekozen\b|\blet'?s (?:not )?use\b",
    "relation": r"""\b(?:uses?|using|used|depends? on|runs? on|deploy\w*|requires?|needs?|connects? to|talks? to|built (?:with|on)
        |written in|part of|implements?|contains?|configured|tested (?:with|by)|generates?|works? (?:on|at|with))\b
        |\b(?:gebruik\w*|draait op|hangt af van|vereist|werkt? (?:aan|bij|met))\b""",
    "identity": r"""\bmy name is\b|\bi'?m (?:a|an|the|building|working)\b|\bi am (?:a|an|the)\b|\bcall me\b
        |\bik (?:ben|heet)\b|\bmijn naam\b""",
}
_PATTERNS: Final = {
    reason: re.compile("".join(line.strip() for line in pattern.splitlines()), re.IGNORECASE)
    for reason, pattern in _TRIGGERS.items()
}
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
    for reason, pattern in _PATTERNS.items():
        if pattern.search(text, 0, _LOOKED_AT):
            return reason
    if context and _OUTSPOKEN.match(text):
        return "confirmation"
    return "length" if weighed_length(text) >= min_chars else ""


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
