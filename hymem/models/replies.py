"""Reading a model's reply to an extraction prompt: item by item, each judged alone.

A reply is JSON that a language model wrote, so nothing about it is certain. Names are cleaned, predicates and
polarities are taken in their usual disguises, and numbers that are none are dropped from a triple that stands without
them. An item that cannot be taken is refused with a reason and does its neighbours no harm. Whether the quoted words
were really said is for `supports` to tell, since only the caller has the text.
"""

import math
import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice
from typing import Annotated, Final
from unicodedata import normalize

from pydantic import BeforeValidator, TypeAdapter

from hymem.models.items import NO_TEXT, Name, OptionalText, Quote, Statement, clean_text, taken
from hymem.models.json_in_text import cut_reasoning, read_object
from hymem.vocabulary import ENTITY_TYPES, MARKER_KINDS, PREDICATES

__all__ = [
    "EntityTypeItem",
    "Extraction",
    "MarkerItem",
    "TripleItem",
    "clean_text",
    "cut_reasoning",
    "read_extraction",
    "read_object",
    "supports",
]

EXTRACTION_LISTS: Final = ("triples", "markers", "entity_types")

_NUMBER: Final = re.compile(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,4})?", re.ASCII)
FEWEST_LETTERS: Final = 2
FEWEST_SIGNS: Final = 1
"""Letters and digits of a quote at least; one where the script says more with each."""
_LATIN: Final = re.compile(r"[0-9a-z\u00c0-\u024f]")
_POLARITIES: Final = {"1": 1, "+1": 1, "+": 1, "positive": 1, "-1": -1, "-": -1, "−1": -1, "negative": -1}
_STRAIGHT_QUOTES: Final = str.maketrans("‘’‚‛′“”„‟″«»", '\'\'\'\'\'"""""""')


def supports(quote: str, text: str) -> bool:
    """Whether the quoted words are in the text, letter by letter but for case, whitespace and the form of quotes.

    They must be whole words, and enough to mean something: a letter or a full stop is in every text, and shows nothing.
    """
    words = _compared(quote).strip()
    fewest = FEWEST_LETTERS if words.isascii() else FEWEST_SIGNS
    if sum(1 for _ in islice(filter(str.isalnum, words), fewest)) < fewest:
        return False
    told = _compared(text)
    place = told.find(words)
    while place >= 0:
        if _is_whole(told, place, place + len(words)):
            return True
        place = told.find(words, place + 1)
    return False


def _is_whole(text: str, start: int, end: int) -> bool:
    """Whether no Latin word is cut at either end; scripts without spaces have no such ends."""
    return not any(
        0 < cut < len(text) and _LATIN.match(text[cut - 1]) and _LATIN.match(text[cut]) for cut in (start, end)
    )


@lru_cache(maxsize=64)
def _compared(text: str) -> str:
    printable = text if text.isprintable() else NO_TEXT.sub("", text)
    straight = printable if printable.isascii() else normalize("NFC", printable.translate(_STRAIGHT_QUOTES))
    return " ".join(straight.casefold().split())


def _word_of(vocabulary: Iterable[str]) -> Callable[[object], str]:
    known = frozenset(vocabulary)

    def recognized(value: object) -> str:
        if isinstance(value, str):
            word = value if value in known else "_".join(re.split(r"[\s_-]+", value.strip().casefold()))
            if word in known:
                return word
        raise ValueError(f"{str(value)[:40]!r} is not in the vocabulary")

    return recognized


def _polarity(value: object) -> int:
    if value is None:
        return 1
    if isinstance(value, str) and (known := _POLARITIES.get(value.strip().casefold())):
        return known
    if isinstance(value, int | float) and not isinstance(value, bool) and value in (1, -1):
        return int(value)
    raise ValueError(f"{str(value)[:40]!r} is neither 1 nor -1")


def _number_if_any(value: object) -> float | None:
    if isinstance(value, str) and _NUMBER.fullmatch(value.strip()):
        value = float(value)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


@dataclass(frozen=True)
class TripleItem:
    """One relation as the model put it, its names still surface forms."""

    subject: Name
    predicate: Annotated[str, BeforeValidator(_word_of(PREDICATES))]
    object: Name
    quote: Quote
    polarity: Annotated[int, BeforeValidator(_polarity)] = 1
    value_text: OptionalText = None
    value_numeric: Annotated[float | None, BeforeValidator(_number_if_any)] = None
    value_unit: OptionalText = None
    temporal_scope: OptionalText = None


@dataclass(frozen=True)
class MarkerItem:
    """One explicit behavioral signal."""

    kind: Annotated[str, BeforeValidator(_word_of(MARKER_KINDS))]
    statement: Statement
    quote: Quote


@dataclass(frozen=True)
class EntityTypeItem:
    """What the model takes a named thing to be."""

    name: Name
    type: Annotated[str, BeforeValidator(_word_of(ENTITY_TYPES))]


@dataclass(frozen=True)
class Extraction:
    """What one chunk gave; `refused` says of each dropped item where it was and why."""

    triples: tuple[TripleItem, ...] = ()
    markers: tuple[MarkerItem, ...] = ()
    entity_types: tuple[EntityTypeItem, ...] = ()
    refused: tuple[str, ...] = ()


_TRIPLE: Final = TypeAdapter(TripleItem)
_MARKER: Final = TypeAdapter(MarkerItem)
_ENTITY_TYPE: Final = TypeAdapter(EntityTypeItem)


def read_extraction(text: str) -> Extraction:
    """The items of a reply to an extraction prompt. Raises `ReplyError` where the reply as a whole cannot be read.

    The same item twice is one. A reply whose items were all refused is an answer nevertheless.
    """
    lists = read_object(text, EXTRACTION_LISTS)
    refused: list[str] = []
    triples = taken("triples", lists["triples"], _TRIPLE, _sameness, refused)
    looped = {key: item for key, item in triples.items() if item.subject.casefold() == item.object.casefold()}
    refused += [f"triples: {item.subject!r} {item.predicate} itself" for item in looped.values()]
    return Extraction(
        triples=tuple(item for key, item in triples.items() if key not in looped),
        markers=tuple(taken("markers", lists["markers"], _MARKER, _sameness, refused).values()),
        entity_types=tuple(taken("entity_types", lists["entity_types"], _ENTITY_TYPE, _sameness, refused).values()),
        refused=tuple(refused),
    )


def _sameness(item: TripleItem | MarkerItem | EntityTypeItem) -> tuple[str, ...]:
    match item:
        case TripleItem():
            names = (item.subject.casefold(), item.predicate, item.object.casefold())
            return (*names, str(item.polarity), item.quote.casefold())
        case MarkerItem():
            return (item.kind, item.statement.casefold(), item.quote.casefold())
        case EntityTypeItem():
            return (item.name.casefold(), item.type)
