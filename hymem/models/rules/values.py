"""Versions, amounts and times: what a statement says beyond its two names.

"postgres >= 15", "Node 20 or newer", "at least Java 17" bound a version; "4 GB of RAM" is an amount with a unit; "since
2023" and "last year" say when a statement holds.
"""

import re
from typing import Final

from hymem.models.rules import nouns
from hymem.models.rules import words as small
from hymem.models.rules.phrases import Phrase, tidy
from hymem.models.rules.spelling import as_number, is_number, is_version
from hymem.models.rules.tokens import Token

_OPERATORS: Final = {"≥": ">=", "≤": "<=", "=": "=="}
_UPWARD: Final = small.words("newer later higher above up greater upwards more upward")
_DOWNWARD: Final = small.words("older earlier lower below less")
_MONTH: Final = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sep(?:t(?:ember)?)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)"
)
_DAY: Final = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_PERIOD: Final = r"(?:spring|summer|autumn|fall|winter|week|month|year|night|sprint|quarter|weekend)"
_COUNT: Final = r"(?:a|one|two|three|four|five|six|ten|a few|a couple of|several|many|\d{1,3})"
_DATE: Final = (
    rf"(?:(?:early|late|mid|last|this)[ -])?(?:{_MONTH}(?: \d{{1,2}}(?:st|nd|rd|th)?)?(?:,? \d{{4}})?|"
    rf"\d{{4}}(?:-\d\d(?:-\d\d)?)?|{_DAY}|v\d[\w.]*|version \d[\w.]*|{_PERIOD}(?: \d{{4}})?|q[1-4](?: \d{{4}})?)"
)
_SCOPE: Final = re.compile(
    rf"(?i)\b(?:(?:since|until|till|as of|from|starting(?: in| on)?|before|after|by|in|on) {_DATE}(?: on(?:wards?)?)?"
    rf"|(?:last|this) (?:{_MONTH}|{_DAY}|{_PERIOD})|{_COUNT} (?:day|week|month|year|sprint)s? ago"
    rf"|for (?:the (?:past|last) )?(?:{_COUNT} )?(?:day|week|month|year|decade)s?(?: now)?"
    r"|yesterday|nowadays|these days|for now|until further notice)\b"
)


def temporal_scope(text: str) -> str | None:
    """The words that say when a clause holds, or None."""
    found = _SCOPE.search(text)
    return found.group() if found else None


def _bounded(phrase: Phrase, operator: str, figure: Token, end: int) -> Phrase:
    number = as_number(figure.text)
    text = f"{operator} {figure.text.rstrip('+').lstrip('v')}".strip()
    return Phrase(phrase.determiner, phrase.tokens, phrase.start, end, text, number, phrase.unit)


def _tail(tokens: list[Token], place: int, end: int) -> tuple[str, int]:
    """The bound that follows a version: "or newer" is >=, "or older" <=; and where it ends."""
    lowers = [token.lower for token in tokens[place : min(end, place + 3)]]
    if lowers[:1] and lowers[0] in ("or", "and") and len(lowers) > 1:
        if lowers[1] in _UPWARD:
            return ">=", place + 2
        if lowers[1] in _DOWNWARD:
            return "<=", place + 2
    if lowers[:1] == ["+"]:
        return ">=", place + 1
    if lowers[:1] and (lowers[0] in _UPWARD - {"more", "up"}):
        return ">=", place + 1
    return "", place


def with_value(phrase: Phrase, tokens: list[Token], end: int, least: bool = False) -> Phrase:
    """The phrase with the version that its own last word or the words after it give; its end moves past them."""
    place = phrase.end
    if place + 1 < end and tokens[place].kind == "op" and is_version(tokens[place + 1]):
        operator = _OPERATORS.get(tokens[place].text, tokens[place].text)
        return _bounded(tidy(phrase), operator, tokens[place + 1], place + 2)
    if place + 1 < end and tokens[place].lower in ("version", "v") and is_version(tokens[place + 1]):
        phrase = Phrase(phrase.determiner, phrase.tokens, phrase.start, place + 2, tokens[place + 1].text)
        phrase = phrase.valued(tokens[place + 1].text, as_number(tokens[place + 1].text))
        place += 2
    tidied = tidy(phrase)
    operator, after = _tail(tokens, place, end)
    if tidied.value:
        figure = tidied.value
        if figure.endswith("+") or least:
            operator = operator or ">="
        text = f"{operator} {figure.rstrip('+').lstrip('v')}".strip()
        return Phrase(tidied.determiner, tidied.tokens, tidied.start, after, text, as_number(figure))
    return Phrase(tidied.determiner, tidied.tokens, tidied.start, max(after, place) if operator else place)


def amount(tokens: list[Token], place: int, end: int) -> tuple[str, float | None, str, int] | None:
    """A figure with its unit at `place`, passing over "of": text, number, unit, and where it ends."""
    if place >= end or not is_number(tokens[place]):
        return None
    figure = tokens[place].text
    joined = re.fullmatch(r"([$€£]?\d[\d.,]*)([a-zA-Z%]*)", figure)
    if joined is None:
        return None
    unit, after = joined.group(2), place + 1
    if not unit and after < end and tokens[after].lower in nouns.UNITS:
        unit, after = tokens[after].text, after + 1
    if not unit and figure[0] in "$€£":
        unit = figure[0]
    text = " ".join(token.text for token in tokens[place:after])
    return text, as_number(joined.group(1)), unit, after
