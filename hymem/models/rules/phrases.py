"""Noun phrases: a determiner, modifiers and a head.

Closed-class words and verbs fence a phrase in, so that finding one takes a single walk over the tokens.
"""

from dataclasses import dataclass, replace
from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.prose import OPAQUE
from hymem.models.rules.spelling import as_number, is_adverb, is_name, is_strong, is_version
from hymem.models.rules.technologies import AMBIGUOUS, SPACED, TECHNOLOGIES
from hymem.models.rules.tokens import Token
from hymem.models.rules.verbs import NOUN_VERBS

_NOUN_ING: Final = small.words(
    """billing testing caching logging monitoring routing training reading writing painting cooking hiking gardening
    swimming running dancing gaming coding programming onboarding staging landing pricing shipping scheduling
    indexing hosting mocking linting rendering streaming scraping printing engineering marketing meeting
    budgeting embedding tracing typing building string thing king spring pairing journaling knitting camping
    fishing climbing cycling morning evening wedding ceiling sibling pudding lightning singing drawing baking
    surfing skiing sewing tracking accounting banking rating setting mapping binding reporting messaging
    clothing booking listing parsing matching clustering networking processing"""
)
_TRAILING: Final = small.words("daily weekly monthly nightly yearly available")
_OBJECTS: Final = small.words("the a an my our your his her their it them me us him this these those")
_MOVING: Final = small.words(
    "talk run write read pull push ship move switch listen deploy connect depend go forward stream flow"
)
_PARTICLES: Final = small.words("on to into from with off")
_VERB_ONLY: Final = small.words(
    """use uses need needs runs works depends goes help look looks want try trying set put get go make show"""
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


def _is_gerund(token: Token, following: Token | None) -> bool:
    """Whether a word in "-ing" is a verb: of a known one, or with something after it that it governs."""
    if token.lower not in _NOUN_ING:
        return bool(token.base) or (
            following is not None and following.is_word and following.lower not in ("and", "or")
        )
    return following is not None and (following.lower in _OBJECTS | {"about"} or following.text[:1].isupper())


def _is_capitalised(token: Token) -> bool:
    """Whether a capital in mid-sentence makes any word part of a name."""
    if not token.text[0].isupper() or token.initial or token.lower == "i":
        return False
    return token.lower not in small.CLOSED or token.lower in TECHNOLOGIES


def _modifies(following: Token | None) -> bool:
    """Whether a participle has a noun after it to modify ("pinned scipy")."""
    return following is not None and following.is_word and following.lower not in small.CLOSED


def _may_name(token: Token, begun: bool, determined: bool, following: Token | None) -> bool:
    """Whether a token may stand in a noun phrase at this place."""
    lower = token.lower
    if not token.is_word or token.text == OPAQUE:
        return False
    if _is_capitalised(token):
        return True
    if lower in small.CLOSED or is_adverb(token):
        return False
    if lower in TECHNOLOGIES:
        return True
    if lower.endswith("ing") and len(lower) > 4 and not (begun or determined):
        return not _is_gerund(token, following)
    if not token.base:
        return not (lower.endswith("ed") and len(lower) > 5 and begun)
    return _may_name_verb(token, begun, determined, following)


def _may_name_verb(token: Token, begun: bool, determined: bool, following: Token | None) -> bool:
    """Whether a form of a verb may stand in a noun phrase: "build", "logs", "pinned", "billing"."""
    if token.lower in _VERB_ONLY and (begun or not determined):
        return False
    if token.lower == "based" and begun:
        return _modifies(following)
    if "ing" in token.forms and "base" not in token.forms:
        return begun or determined or token.lower in _NOUN_ING
    if token.forms & {"past", "part"} and "base" not in token.forms:
        return not begun and _modifies(following)
    if token.base in NOUN_VERBS:
        return not _governs(token.base, following, begun)
    return determined and not begun


def _governs(base: str, following: Token | None, begun: bool) -> bool:
    """Whether what follows a word that may be noun or verb makes it a verb."""
    if following is None:
        return False
    return following.lower in _OBJECTS or (begun and base in _MOVING and following.lower in _PARTICLES)


def _determiner(tokens: list[Token], start: int, end: int) -> tuple[str, int]:
    """The determiner at `start`, a quantifier before any other but "my", and where it ends."""
    determiner, place = "", start
    while place < end and tokens[place].lower in small.DETERMINERS:
        token = tokens[place]
        if token.text[0].isupper() and not token.initial and token.lower not in small.OWN | small.ARTICLES:
            break
        counts = token.lower in small.QUANTIFIERS and determiner not in small.OWN
        determiner = token.lower if counts or not determiner else determiner
        place += 1
    return determiner, place


def noun_phrase(tokens: list[Token], start: int, end: int) -> Phrase | None:
    """The noun phrase that begins at `start`, if one does; it ends before `end`."""
    determiner, first = _determiner(tokens, start, end)
    place = first
    while place < end:
        following = tokens[place + 1] if place + 1 < end else None
        owns = tokens[place].lower == "'s" and place > first and following is not None
        if owns and not _may_name(tokens[place + 1], True, True, None):
            break
        if not owns and not _may_name(tokens[place], place > first, bool(determiner), following):
            break
        place += 1
    return Phrase(determiner, tuple(tokens[first:place]), start, place) if place > first else None


def is_spaced(tokens: tuple[Token, ...]) -> bool:
    """Whether these tokens are a listed name of several words."""
    return " ".join(token.lower for token in tokens) in SPACED


def _trimmed(tokens: tuple[Token, ...], kind: bool) -> tuple[Token, ...]:
    """The tokens without what only praises or dates; a bare kind keeps its adjective ("small talk")."""
    while len(tokens) > 1 and tokens[-1].lower in _TRAILING and not is_spaced(tokens):
        tokens = tokens[:-1]
    while not kind and len(tokens) > 1 and tokens[0].text in small.WEAK_ADJECTIVES and not is_spaced(tokens):
        tokens = tokens[1:]
    return tokens


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


def _untitled(phrase: Phrase) -> Phrase:
    """A person's name without what they are to the speaker: "my colleague Tomas" is Tomas."""
    for place, token in enumerate(phrase.tokens[:-1]):
        following = phrase.tokens[place + 1]
        if token.lower in nouns.TITLES:
            owned = phrase.determiner in small.OWN or token.lower not in nouns.SOFTWARE_TITLES
            named = following.text[0].isupper() and following.text[1:].islower()
            named = named and (following.lower not in TECHNOLOGIES or following.lower in AMBIGUOUS)
            return replace(phrase, tokens=phrase.tokens[place + 1 :]) if owned and named else phrase
        if token.lower not in nouns.TITLE_ADJECTIVES:
            return phrase
    return phrase


def tidy(phrase: Phrase) -> Phrase:
    """The phrase without title, praise, date or version: what is left is the name."""
    phrase = _untitled(versioned(phrase))
    kind = not phrase.determiner and not any(map(is_strong, phrase.tokens))
    return replace(phrase, tokens=_trimmed(phrase.tokens, kind))
