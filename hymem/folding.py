"""Letters of any script without the differences that make no other name: marks, width, ligatures, what no reader sees.

It is loaded with the first name that is not ASCII, as its patterns take long to compile.
"""

import re
import unicodedata
from typing import Final

# What no reader sees, and the signs ™ and ℠, which NFKD would spell out as letters.
_PASSED_OVER: Final = re.compile(
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u2120\u2122\u3164\ufe00-\ufe0f\ufeff\uffa0\U000e0000-\U000e0fff]"
)
_SPELLED_OUT: Final = str.maketrans(
    {"ø": "o", "ł": "l", "æ": "ae", "œ": "oe", "đ": "d", "ð": "d", "þ": "th", "ı": "i", "♯": "#"}
)
_ACCENTS: Final = "\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\ufe20-\ufe2f"
_ACCENTED: Final = re.compile(f"(?P<cyrillic>[\u0400-\u0482\u048a-\u052f])?(?P<accents>[{_ACCENTS}]+)")
_STRESS: Final = re.compile("[\u0300\u0301]")
_VOWEL_POINTS: Final = re.compile(
    "[\u0640\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u0652\u0656-\u065f\u0670"
    "\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u08d3-\u08ff]"
)
UNSPACED: Final = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"
)
_APOSTROPHES: Final = re.compile("[\u02b0-\u02ff]")


def folded(text: str) -> str:
    """`text` without the differences that make no other name; signs that are neither letter nor digit become "-"."""
    text = unicodedata.normalize("NFKD", _PASSED_OVER.sub("", text))
    text = _ACCENTED.sub(_without_accents, _VOWEL_POINTS.sub("", text))
    text = text.casefold().translate(_SPELLED_OUT)
    return unicodedata.normalize("NFC", _only_letters(_APOSTROPHES.sub("-", text)))


def _without_accents(accented: re.Match[str]) -> str:
    """Cyrillic letters keep the marks that make another letter of them (и, й); stress marks do so for г and к only."""
    letter, accents = accented["cyrillic"], accented["accents"]
    if letter is None:
        return ""
    return letter + (accents if letter.casefold() in "гк" else _STRESS.sub("", accents))


def _only_letters(text: str) -> str:
    kept: list[str] = []
    for character in text:
        if character.isascii() or character.isalnum() or (_is_mark(character) and kept and _bears_marks(kept[-1])):
            kept.append(character)
        else:
            kept.append(" " if character.isspace() else "-")
    return "".join(kept)


def _is_mark(character: str) -> bool:
    return unicodedata.category(character).startswith("M")


def _bears_marks(character: str) -> bool:
    return character.isalnum() or _is_mark(character)
