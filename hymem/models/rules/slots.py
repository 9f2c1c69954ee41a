"""What follows the verb: literal words, words further on, and slots that names fill.

`fill` walks the elements of a frame over the clause and gives the phrases of each slot, or None where the wording does
not fit. Lists are taken whole ("Redis, Postgres and Kafka"); an "or" leaves open which one is meant.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from hymem.models.rules import words as small
from hymem.models.rules.clauses import begins_clause, skip_adverbs
from hymem.models.rules.names import ACCEPTS, is_proper, is_resource
from hymem.models.rules.phrases import Phrase, noun_phrase
from hymem.models.rules.spelling import is_name
from hymem.models.rules.tokens import Token
from hymem.models.rules.values import amount, with_value

_JOINTS: Final = small.words(", and & plus or nor")
_LEAST: Final = (("at", "least"), ("a", "minimum", "of"), ("at", "minimum"), ("minimum",), ("version",))
_PASSED: Final = 3


@dataclass(frozen=True, slots=True)
class Listed:
    """The phrases of a slot, those that "not" denies, and where the list ends."""

    phrases: tuple[Phrase, ...]
    denied: tuple[Phrase, ...]
    end: int


def _least(tokens: list[Token], place: int, end: int) -> tuple[int, bool]:
    """Past "at least" and its like, and whether they were there."""
    for phrase in _LEAST:
        if tuple(token.lower for token in tokens[place : min(end, place + len(phrase))]) == phrase:
            return place + len(phrase), True
    return place, False


def _one(tokens: list[Token], place: int, end: int) -> Phrase | None:
    """One phrase with its version or amount."""
    place = skip_adverbs(tokens, place, end)
    if place < end and tokens[place].lower == "both":
        place += 1
    place, least = _least(tokens, place, end)
    measure = amount(tokens, place, end)
    if measure is not None and measure[3] < end and tokens[measure[3]].lower == "of":
        phrase = noun_phrase(tokens, measure[3] + 1, end)
        if phrase is not None:
            return phrase.valued(measure[0], measure[1], measure[2])
    phrase = noun_phrase(tokens, place, end)
    if phrase is None:
        return None
    found = with_value(phrase, tokens, end, least)
    return _joined_by_of(found, tokens, end)


def _joined_by_of(phrase: Phrase, tokens: list[Token], end: int) -> Phrase | None:
    """A phrase that "of" goes on with is a name only where both parts are capitalised ("Bank of Ireland")."""
    if phrase.end >= end or tokens[phrase.end].lower not in ("of", "'s"):
        return phrase
    rest = noun_phrase(tokens, phrase.end + 1, end)
    if rest is None or not (is_name(phrase.tokens[-1]) and is_name(rest.tokens[0])) or phrase.value:
        return None
    return Phrase(phrase.determiner, (*phrase.tokens, *tokens[phrase.end : rest.end]), phrase.start, rest.end)


def _denied(tokens: list[Token], place: int, end: int) -> Phrase | None:
    """The phrase after ", not" or "but not", with or without its preposition."""
    if place < end and tokens[place].lower in (",", "but", "and"):
        place += 1
    if place >= end or tokens[place].lower != "not":
        return None
    place += 1
    if place < end and tokens[place].lower in small.PREPOSITIONS:
        place += 1
    return _one(tokens, place, end)


def _next(tokens: list[Token], place: int, end: int) -> tuple[int, bool]:
    """Where the next member of a list starts, 0 where there is none, and whether "or" leads to it."""
    start, either = place, False
    if [token.lower for token in tokens[place : min(end, place + 3)]] == ["as", "well", "as"]:
        start = place + 3
    while start < end and start - place < 3 and tokens[start].lower in _JOINTS | {"but", "also"}:
        either |= tokens[start].lower in ("or", "nor")
        start += 1
    if start == place or start >= end or tokens[start].lower == "not":
        return 0, either
    return (0, either) if begins_clause(tokens, start, end) else (start, either)


def listed(tokens: list[Token], place: int, end: int, accept: Callable[[Phrase], bool], denied: bool) -> Listed | None:
    """The list of phrases at `place`; None where the first is no name, or where "or" leaves the choice open."""
    first = _one(tokens, place, end)
    if first is not None and first.end < len(tokens) and tokens[first.end].lower == ":" and not is_proper(first):
        return listed(tokens, first.end + 1, len(tokens), accept, denied)
    if first is None or not (accept(first) or is_resource(first)):
        return None
    found = [first] if accept(first) else []
    place = first.end
    while True:
        start, either = _next(tokens, place, end)
        if start and tokens[start].lower in small.ARTICLES and not first.determiner and tokens[place].lower == ",":
            break
        phrase = _one(tokens, start, end) if start else None
        if phrase is None or not phrase.tokens:
            break
        if either and not denied:
            return None
        if accept(phrase):
            found.append(phrase)
        place = phrase.end
    more = _parallel(tokens, place, end)
    if more is not None and accept(more):
        found.append(more)
    opposite = _denied(tokens, place, end)
    if not found or _is_torn(tokens, place, found[-1]):
        return None
    return Listed(tuple(found), (opposite,) if opposite is not None and accept(opposite) else (), place)


def _parallel(tokens: list[Token], place: int, end: int) -> Phrase | None:
    """A second member whose purpose runs parallel to the first's: "Sentry for errors and Grafana for dashboards"."""
    if place >= end or tokens[place].lower not in ("for", "as", "in", "on"):
        return None
    purpose = noun_phrase(tokens, place + 1, end)
    if purpose is None or purpose.end >= end or tokens[purpose.end].lower not in ("and", ","):
        return None
    start = purpose.end + (2 if tokens[min(purpose.end + 1, end - 1)].lower == "and" else 1)
    second = _one(tokens, start, end)
    parallel = second is not None and second.end < end and tokens[second.end].lower in ("for", "as", "in", "on", "with")
    return second if parallel else None


def _is_torn(tokens: list[Token], place: int, phrase: Phrase) -> bool:
    """Whether a common noun goes on beyond its phrase: "stories that …", "the work I put in", "trains are …"."""
    following = tokens[place].lower if place < len(tokens) else ""
    torn = small.BE | small.MODALS | small.DO | small.FIRST | {"that", "who", "'s", "you", "he", "she", "they"}
    return following in torn and not is_proper(phrase)


def _literal(tokens: list[Token], place: int, end: int, element: str) -> int | None:
    """Past one of the alternatives of a literal element, passing over adverbs; None where none follows."""
    for start in (place, skip_adverbs(tokens, place, end)):
        for option in element.split("|"):
            parts = option.split("_")
            if [token.lower for token in tokens[start : min(end, start + len(parts))]] == parts:
                return start + len(parts)
    return None


def _later(tokens: list[Token], place: int, end: int, element: str) -> int | None:
    """Past the first occurrence of a literal element at or after `place`."""
    for start in range(place, end):
        found = _literal(tokens, start, min(end, start + 3), element)
        if found is not None:
            return found
    return None


def _element(tokens: list[Token], place: int, end: int, element: str, passing: bool) -> int | None:
    if element == ".":
        place = skip_adverbs(tokens, place, end)
        closes = place >= end or not tokens[place].is_word or tokens[place].lower in small.PREPOSITIONS - {"to"}
        return place if closes else None
    if element == "$":
        place = skip_adverbs(tokens, place, end)
        return place if place >= end or not tokens[place].is_word else None
    if element.startswith("~"):
        return _later(tokens, place, end, element[1:])
    reach = _PASSED if passing else 0
    for start in range(place, min(end, place + reach + 1)):
        after = _literal(tokens, start, end, element)
        if after is not None:
            return after
        if tokens[start].lower in small.PRONOUNS | small.PREPOSITIONS:
            return None
    return None


def _slot(tokens: list[Token], place: int, end: int, letter: str, passing: bool, denied: bool) -> Listed | None:
    """What fills a slot at `place` or, where words may be passed over, soon after it."""
    for start in range(place, min(end, place + _PASSED + 1) if passing else place + 1):
        found = listed(tokens, start, end, ACCEPTS[letter], denied)
        if found is not None and (letter != "L" or found.end > end):
            return found
    return None


def fill(
    tokens: list[Token], place: int, end: int, elements: tuple[str, ...], denied: bool, meant: Phrase | None = None
) -> dict[str, Listed] | None:
    """The slots of a frame, filled from the clause after its verb; None where the wording does not fit.

    What an "it" directly after the verb stands for is `meant`, if that is known.
    """
    slots: dict[str, Listed] = {}
    passing = False
    for element in elements:
        if element == "O" and meant is not None and not slots and place < end and tokens[place].lower == "it":
            slots[element], place = Listed((meant,), (), place + 1), place + 1
        elif element in ACCEPTS:
            found = _slot(tokens, place, end, element, passing, denied)
            if found is None:
                return None
            slots[element], place = found, found.end
        elif element != "…":
            after = _element(tokens, place, end, element, passing)
            if after is None:
                return None
            place = after
        passing = element == "…"
    return slots
