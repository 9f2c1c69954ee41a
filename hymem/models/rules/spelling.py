"""What the spelling of a single word shows: a figure, a version, a name.

Inner capitals, digits among letters and joined parts make a name anywhere; a capital makes one in mid-sentence; a word
that no list of English knows is taken for one where it stands alone.
"""

import re
from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.english import is_english
from hymem.models.rules.prose import OPAQUE
from hymem.models.rules.technologies import AMBIGUOUS, TECHNOLOGIES
from hymem.models.rules.tokens import Token

_LY_NOUNS: Final = small.words("family weekly nightly monthly supply reply assembly anomaly")
_NUMBER: Final = re.compile(
    r"^[$€£#~]?\d[\d.,:/%-]*(?:st|nd|rd|th|k|m|x|am|pm|%|\+|ms|gb|mb|kb|s|cm|h|px)?$", re.IGNORECASE
)
_VERSION: Final = re.compile(r"^v?\d+(?:\.\d+)*(?:\.x|\.\*)?\+?(?:[a-z]+\d*)?$", re.IGNORECASE)
_JOINED_HEADS: Final = nouns.ROLES | nouns.PROJECT_HEADS - {"book", "novel", "system"}


def is_adverb(token: Token) -> bool:
    """Whether a word is an adverb, by list or by its ending, and nobody's name."""
    lower = token.lower
    if lower in small.ADVERBS:
        return True
    named = lower in TECHNOLOGIES or (token.text[0].isupper() and not token.initial)
    return lower.endswith("ly") and len(lower) > 5 and lower.isalpha() and lower not in _LY_NOUNS and not named


def is_number(token: Token) -> bool:
    """Whether a token is a figure, a price, a time or an ordinal."""
    return _NUMBER.match(token.text) is not None


def is_version(token: Token) -> bool:
    """Whether a token may be a version: 3, v2, 3.11, 20.x."""
    return _VERSION.match(token.text) is not None


def as_number(version: str) -> float | None:
    """A version or figure as a number where it is one: "15" and "3.11" are, "2.3.1" is not."""
    plain = version.lstrip("vV$€£~").rstrip("+").replace(",", "")
    if not re.fullmatch(r"\d{1,15}(?:\.\d{1,9})?", plain):
        return None
    return float(plain) if "." in plain else int(plain)


def _shape_names(token: Token) -> bool:
    """Whether the spelling alone shows a name: inner capitals, digits among letters, joined parts."""
    text = token.text
    if not any(character.isalpha() for character in text) or is_number(token):
        return False
    if any(character.isupper() for character in text[1:]) and not (text.isupper() and token.lower in small.CLOSED):
        return not (text.isupper() and len(text) > 5 and is_english(token.lower))
    if any(character.isdigit() for character in text):
        return True
    if "-" in text or "/" in text:
        parts = re.split(r"[-/]", token.lower)
        return parts[-1] in _JOINED_HEADS or not all(len(part) < 3 or is_english(part) for part in parts)
    return "." in text.strip(".") or "_" in text or "@" in text


def is_strong(token: Token) -> bool:
    """Whether a token is a name by its spelling, or by the list of technologies."""
    if not token.is_word or token.text == OPAQUE:
        return False
    lower = token.lower
    capital = token.text[0].isupper()
    if lower in TECHNOLOGIES and (lower not in AMBIGUOUS or (capital and not token.initial)):
        return True
    if _shape_names(token):
        return True
    if capital and not token.initial:
        return lower not in small.CLOSED and lower not in small.TIME_WORDS
    return False


def is_name(token: Token) -> bool:
    """Whether one token is somebody's name for something, if only because it is no English word."""
    if is_strong(token):
        return True
    lower = token.lower
    return (
        token.is_word
        and lower.isalpha()
        and (2 < len(lower) < 24 or token.text.istitle())
        and lower not in TECHNOLOGIES
        and not (token.text[0].isupper() and not token.initial)
        and not is_english(lower)
    )
