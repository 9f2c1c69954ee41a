"""One name for one thing: from the surface forms people write to the key that the graph is built on.

"PostgreSQL", "postgresql" and "PostgreSQL (Postgres)" are one thing and must be one node; "C", "C++" and "C#" are
three and must stay three. `canonical_name` decides what spelling alone can decide. What it cannot, that Postgres is
PostgreSQL, an alias says (`hymem.aliases`).

The key is lower-case letters and digits of any script, joined by `_`. It is stable: the canonical name of a canonical
name is itself, so that a key may safely be passed where a surface form is expected.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Final

from hymem.errors import InputError

MAX_NAME_LENGTH: Final = 100
"""The longest key, in characters; a longer one is a sentence."""

_MAX_SURFACE_LENGTH: Final = 1_000
_PLAIN: Final = re.compile(r"[A-Za-z0-9]+")
_SEPARATORS: Final = re.compile(r"[^a-z0-9\x80-\U0010ffff]+")
_LETTER_OR_DIGIT: Final = re.compile(r"[^\W_]")
_WORD: Final = re.compile(r"[^\W_]+")
_DETERMINERS: Final = re.compile(r"[\W_]*?(?:(?:the|an?|our|my|your|their|his|her|its)\s+)+")

_DOTNET: Final = re.compile(r"(?<![^\W_])\.net(?![^\W_])")
_SHARP: Final = re.compile(r"(?<=[^\W_])#(?![^\W_])|(?<=(?<![^\W_])[^\W_])#")
_PLUSES: Final = re.compile(r"(?<=[^\W_])\+(?:\++|(?![^\W_]))")


def canonical_name(surface: str) -> str:
    """The key of a surface form: "The Order-Service (v2)" → `order_service`.

    - Case, width and ligatures are folded. CamelCase stays whole: "MedFlow" is `medflow`.
    - "C++" → `c_plus_plus`, "C#" → `c_sharp`, ".NET" → `dotnet`, "Next.js" → `next_js`.
    - Accents are folded in Latin and Greek, and Cyrillic stress marks, but й, ё and their like are letters. ß ø ł æ œ
      đ ð þ ı become Latin letters. Arabic and Hebrew vowel points go; Japanese and Indic signs stay.
    - Leading articles and possessives go where a blank and another word follow: "the API" → `api`, while "A" and
      "A/B testing" stay whole. So do trailing parentheticals, unless there is nothing else.
    - Everything else separates.

    Raises `InputError` where no letter or digit is left, or more than `MAX_NAME_LENGTH` characters are.
    """
    key = _key(surface) if len(surface) <= _MAX_SURFACE_LENGTH else surface
    if not key:
        raise InputError(f"{surface[:40]!r} names nothing: a name needs a letter or a digit")
    if len(key) > MAX_NAME_LENGTH:
        raise InputError(f"a name may have {MAX_NAME_LENGTH} characters, this has {len(key)}: {surface[:40]!r}…")
    return key


def canonical_or_none(surface: str) -> str | None:
    """The key of a surface form, or None where `canonical_name` would refuse it: for bulk work."""
    key = _key(surface) if len(surface) <= _MAX_SURFACE_LENGTH else ""
    return key if 0 < len(key) <= MAX_NAME_LENGTH else None


@lru_cache(maxsize=1 << 14)
def name_parts(surface: str) -> tuple[str, ...]:
    """The words by which a name may be found, in their order: "MedFlow Server" → medflow, med, flow, server.

    CamelCase is split where a word of two characters or more begins, so neither "ORMs" nor "iOS" falls apart, and a
    piece of one letter is no part. A name without a key has no parts.
    """
    key = canonical_or_none(surface)
    if key is None:
        return ()
    humps = dict(_camel_words(surface))
    return tuple(dict.fromkeys(part for whole in key.split("_") for part in (whole, *humps.get(whole, ()))))


def folded_words(text: str) -> list[str]:
    """The words of a text as names are made of them: "Our C++ code" → our, c, plus, plus, code."""
    folded = text.lower() if text.isascii() else _folded(text)
    return _joined(folded).split("_")


def is_unspaced(name: str) -> bool:
    """Whether a name is written in a script that puts no space between words (Han, kana, Thai, Lao, Khmer, Burmese)."""
    if name.isascii():
        return False
    from hymem.folding import UNSPACED

    return UNSPACED.search(name) is not None


@lru_cache(maxsize=1 << 14)
def _key(surface: str) -> str:
    if _PLAIN.fullmatch(surface):
        return surface.lower()
    text = surface.lower() if surface.isascii() else _folded(surface)
    return _joined(_without_determiners(_without_parenthetical(text)))


def _joined(text: str) -> str:
    """`text` with its telling signs in words, and `_` for whatever else is no letter or digit."""
    if "#" in text:
        text = _SHARP.sub(" sharp ", text)
    if "+" in text:
        text = _PLUSES.sub(lambda pluses: " plus " * len(pluses[0]), text)
    if ".net" in text:
        text = _DOTNET.sub(" dotnet ", text)
    return _SEPARATORS.sub("_", text).strip("_")


def _without_determiners(text: str) -> str:
    found = _DETERMINERS.match(text)
    return text[found.end() :] if found and _LETTER_OR_DIGIT.search(text, found.end()) else text


def _without_parenthetical(text: str) -> str:
    """`text` without the balanced "(…)" that end it, as long as something stands before them."""
    while (opening := _last_parenthesis(text)) > 0 and _LETTER_OR_DIGIT.search(text, 0, opening):
        text = text[:opening]
    return text


def _last_parenthesis(text: str) -> int:
    """Where the parenthetical opens that ends `text`; -1 if none does."""
    closing = text.rfind(")")
    if closing < 0 or _LETTER_OR_DIGIT.search(text, closing):
        return -1
    depth = 0
    for position in range(closing, -1, -1):
        depth += {")": 1, "(": -1}.get(text[position], 0)
        if depth == 0:
            return position
    return -1


def _folded(text: str) -> str:
    from hymem.folding import folded

    return folded(text)


def _camel_words(surface: str) -> Iterator[tuple[str, list[str]]]:
    """Each word in `surface` that CamelCase divides: its key, and the keys of its pieces."""
    for word in _WORD.findall(unicodedata.normalize("NFC", surface)):
        cuts = [0, *(at for at in range(2, len(word) - 1) if _is_hump(word, at)), len(word)]
        if len(cuts) > 2:
            yield _key(word), [_key(word[start:end]) for start, end in pairwise(cuts) if end - start > 1]


def _is_hump(word: str, at: int) -> bool:
    """Whether the capital at `at` begins a word: it follows a small letter or digit, or two small letters follow it."""
    if not word[at].isupper():
        return False
    following = word[at + 1 : at + 3]
    return not word[at - 1].isupper() or (len(following) == 2 and following.islower())
