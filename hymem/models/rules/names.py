"""Noun phrases, and which of them are names worth keeping.

A phrase is a determiner, modifiers and a head. Closed-class words and verbs fence it in, so that finding one takes a
single walk over the tokens. Whether it may become an entity is asked afterwards: `is_proper` for what its spelling
shows to be a name, `is_thing` for a common noun that says something.
"""

import re
from dataclasses import dataclass, replace
from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.english import is_english
from hymem.models.rules.prose import OPAQUE
from hymem.models.rules.technologies import AMBIGUOUS, SPACED, TECHNOLOGIES
from hymem.models.rules.tokens import Token
from hymem.models.rules.verbs import NOUN_VERBS

LONGEST: Final = 5
"""Words in the longest name; more is a sentence that lost its verb."""

_NUMBER: Final = re.compile(
    r"^[$€£#~]?\d[\d.,:/%-]*(?:st|nd|rd|th|k|m|x|am|pm|%|\+|ms|gb|mb|kb|s|cm|h|px)?$", re.IGNORECASE
)
_VERSION: Final = re.compile(r"^v?\d+(?:\.\d+)*(?:\.x|\.\*)?\+?(?:[a-z]+\d*)?$", re.IGNORECASE)
_NOUN_ING: Final = small.words(
    """billing testing caching logging monitoring routing training reading writing painting cooking hiking gardening
    swimming running dancing gaming coding programming onboarding staging landing pricing shipping scheduling indexing
    hosting mocking linting rendering streaming scraping printing engineering marketing meeting budgeting embedding
    tracing typing building string thing king spring pairing journaling knitting camping fishing climbing cycling
    morning evening wedding ceiling sibling pudding lightning singing drawing baking surfing skiing sewing yoga tracking accounting banking rating setting mapping
    binding reporting messaging clothing booking listing parsing matching clustering networking processing"""
)
_FITTING: Final = small.words(
    "right wrong proper correct necessary appropriate following latest above only particular exact first second third higher lower previous"
)
_ADJECTIVES: Final = small.words(
    """sure great good nice classical modern academic professional personal wrong right true ready happy able familiar
    correct comfortable important necessary possible clear common easy simple due last next real free new old similar specific
    online offline available allergic aware afraid yummy tasty cute"""
)
_JOINED_HEADS: Final = nouns.ROLES | nouns.PROJECT_HEADS - {"book", "novel", "system"}
_TRAILING: Final = small.words("daily weekly monthly nightly yearly available")
_OBJECTS: Final = small.words("the a an my our your his her their it them me us him this these those")
_MOVING: Final = small.words(
    "talk run write read pull push ship move switch listen deploy connect depend go forward stream flow"
)
_PARTICLES: Final = small.words("on to into from with off")
_VERB_ONLY: Final = small.words(
    "use uses need needs runs works depends goes help look looks want try trying set put get go make show"
)


@dataclass(frozen=True, slots=True)
class Phrase:
    """A noun phrase: its determiner, the tokens that name, and a version or amount that belongs to it."""

    determiner: str
    tokens: tuple[Token, ...]
    start: int
    end: int
    value: str = ""
    number: float | None = None
    unit: str = ""

    @property
    def text(self) -> str:
        """The surface form."""
        return " ".join(token.text for token in self.tokens).replace(" 's", "'s").replace(" ’s", "’s")

    @property
    def head(self) -> str:
        """The last word, lower-cased."""
        return self.tokens[-1].lower if self.tokens else ""

    def valued(self, value: str, number: float | None, unit: str = "") -> "Phrase":
        """The same phrase with a version or amount."""
        return replace(self, value=value, number=number, unit=unit)


def is_number(token: Token) -> bool:
    """Whether a token is a figure, a price, a time or an ordinal."""
    return _NUMBER.match(token.text) is not None


def is_version(token: Token) -> bool:
    """Whether a token may be a version: 3, v2, 3.11, 20.x."""
    return _VERSION.match(token.text) is not None


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


def is_name(token: Token) -> bool:
    """Whether one token is somebody's name for something, if only because it is no English word."""
    if is_strong(token):
        return True
    lower = token.lower
    return (
        token.is_word
        and lower.isalpha()
        and 2 < len(lower) < 24
        and lower not in TECHNOLOGIES
        and not (token.text[0].isupper() and not token.initial)
        and not is_english(lower)
    )


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


def _is_gerund(token: Token, following: Token | None) -> bool:
    """Whether a word in "-ing" has an object after it, and so is no noun: "running my studio", "reading Dune"."""
    if token.lower not in _NOUN_ING:
        return True
    return following is not None and (following.lower in _OBJECTS | {"about"} or following.text[:1].isupper())


def _may_name(token: Token, begun: bool, determined: bool, following: Token | None) -> bool:
    """Whether a token may stand in a noun phrase at this place."""
    lower = token.lower
    if not token.is_word or token.text == OPAQUE:
        return False
    if (
        token.text[0].isupper()
        and not token.initial
        and (lower not in small.CLOSED or lower in TECHNOLOGIES)
        and lower != "i"
    ):
        return True
    if lower in small.CLOSED:
        return False
    if (
        lower.endswith("ly")
        and len(lower) > 4
        and is_english(lower)
        and lower not in ("family", "daily", "weekly", "nightly", "monthly", "supply", "early")
    ):
        return False
    if lower in TECHNOLOGIES:
        return True
    if lower.endswith("ing") and len(lower) > 4 and not (begun or determined):
        return not _is_gerund(token, following)
    if not token.base:
        return not (lower.endswith("ed") and len(lower) > 5 and begun)
    if lower in _VERB_ONLY and not (determined and not begun):
        return False
    if lower == "based" and begun:
        return following is not None and following.is_word and following.lower not in small.CLOSED
    inside = begun or determined
    if "ing" in token.forms and "base" not in token.forms:
        return inside or lower in _NOUN_ING
    if token.forms & {"past", "part"} and "base" not in token.forms:
        return not begun and following is not None and following.is_word and following.lower not in small.CLOSED
    if token.base in NOUN_VERBS:
        return not _governs(token.base, following, begun)
    return determined and not begun


def _governs(base: str, following: Token | None, begun: bool) -> bool:
    """Whether what follows a word that may be noun or verb makes it a verb."""
    if following is None:
        return False
    return following.lower in _OBJECTS or (begun and base in _MOVING and following.lower in _PARTICLES)


def noun_phrase(tokens: list[Token], start: int, end: int) -> Phrase | None:
    """The noun phrase that begins at `start`, if one does; it ends before `end`."""
    place = start
    determiner = ""
    while place < end and tokens[place].lower in small.DETERMINERS and tokens[place].is_word:
        if (
            tokens[place].text[0].isupper()
            and not tokens[place].initial
            and tokens[place].lower not in small.OWN | small.ARTICLES
        ):
            break
        determiner = determiner or tokens[place].lower
        if tokens[place].lower in small.QUANTIFIERS and determiner not in small.QUANTIFIERS:
            determiner = tokens[place].lower if determiner not in small.OWN else determiner
        place += 1
    first = place
    while place < end:
        following = tokens[place + 1] if place + 1 < end else None
        if (
            tokens[place].lower == "'s"
            and place > first
            and following is not None
            and _may_name(following, True, True, None)
        ):
            place += 1
            continue
        if not _may_name(tokens[place], place > first, bool(determiner), following):
            break
        place += 1
    if place == first:
        return None
    return Phrase(determiner, tuple(tokens[first:place]), start, place)


def _trimmed(tokens: tuple[Token, ...], kind: bool) -> tuple[Token, ...]:
    """The tokens without what only praises or dates; a bare kind keeps its adjective ("small talk")."""
    while len(tokens) > 1 and tokens[-1].lower in _TRAILING and not is_spaced(tokens):
        tokens = tokens[:-1]
    while not kind and len(tokens) > 1 and tokens[0].lower in small.WEAK_ADJECTIVES and not is_spaced(tokens):
        tokens = tokens[1:]
    return tokens


def is_spaced(tokens: tuple[Token, ...]) -> bool:
    """Whether these tokens are a listed name of several words."""
    return " ".join(token.lower for token in tokens) in SPACED


def versioned(phrase: Phrase) -> Phrase:
    """The phrase with a trailing version moved out of the name: "Flask 2.3.1" is Flask, at 2.3.1."""
    if len(phrase.tokens) < 2 or not is_version(phrase.tokens[-1]) or is_spaced(phrase.tokens):
        return phrase
    if not any(is_name(token) or token.lower in TECHNOLOGIES for token in phrase.tokens[:-1]):
        return phrase
    last = phrase.tokens[-1].text
    kept = phrase.tokens[:-1]
    if len(kept) > 1 and kept[-1].lower in ("version", "v", "release"):
        kept = kept[:-1]
    return replace(phrase, tokens=kept, value=last, number=as_number(last))


def as_number(version: str) -> float | None:
    """A version or figure as a number where it is one: "15" and "3.11" are, "2.3.1" is not."""
    plain = version.lstrip("vV$€£~").rstrip("+").replace(",", "")
    if not re.fullmatch(r"\d{1,15}(?:\.\d{1,9})?", plain):
        return None
    return float(plain) if "." in plain else int(plain)


def tidy(phrase: Phrase) -> Phrase:
    """The phrase without praise, date or version: what is left is the name."""
    phrase = versioned(phrase)
    kind = not phrase.determiner and not any(map(is_strong, phrase.tokens))
    return replace(phrase, tokens=_trimmed(phrase.tokens, kind))


def is_proper(phrase: Phrase) -> bool:
    """Whether the phrase holds a proper name, and is no longer than a name is."""
    return (
        0 < len(phrase.tokens) <= LONGEST
        and phrase.determiner not in small.OTHERS | small.DEMONSTRATIVES
        and (any(map(is_strong, phrase.tokens)) or _is_listed(phrase) or _is_weak(phrase))
        and not _is_chatter(phrase)
    )


def _is_weak(phrase: Phrase) -> bool:
    """A single word that no list knows, without a determiner, is taken for a name ("xine")."""
    return len(phrase.tokens) == 1 and not phrase.determiner and is_name(phrase.tokens[0])


def _is_listed(phrase: Phrase) -> bool:
    """An ambiguous technology counts with a version, or standing alone and lower-cased as names often are."""
    if is_spaced(phrase.tokens):
        return True
    return (
        len(phrase.tokens) == 1 and phrase.head in TECHNOLOGIES and (phrase.head not in AMBIGUOUS or bool(phrase.value))
    )


def _is_chatter(phrase: Phrase) -> bool:
    """Numbers, times, quantities and vague heads: no entity."""
    first, head = phrase.tokens[0], phrase.head
    singular = head.removesuffix("s")
    return (
        all(is_number(token) for token in phrase.tokens)
        or is_number(first)
        or is_number(phrase.tokens[-1])
        or first.text[0] in "$€£"
        or head in _ADJECTIVES
        or first.lower in _FITTING
        or head in nouns.EMPTY
        or singular in nouns.EMPTY
        or phrase.determiner in small.QUANTIFIERS
        or any(token.text == OPAQUE for token in phrase.tokens)
        or (len(head) < 2 and head not in ("c", "r", "x"))
    )


def is_thing(phrase: Phrase) -> bool:
    """Whether a common noun phrase says enough to be an entity."""
    if not 0 < len(phrase.tokens) <= LONGEST or _is_chatter(phrase):
        return False
    if phrase.determiner in small.OTHERS | small.DEMONSTRATIVES:
        return False
    if len(phrase.tokens) == 1 and not is_name(phrase.tokens[0]):
        return phrase.head not in nouns.VAGUE and phrase.head.removesuffix("s") not in nouns.VAGUE
    return True
