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
from typing import Annotated, Any, Final, TypeVar
from unicodedata import normalize

from pydantic import BeforeValidator, TypeAdapter, ValidationError

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

_LONGEST_NAME: Final = 100
_LONGEST_VALUE: Final = 200
_LONGEST_STATEMENT: Final = 500
_LONGEST_QUOTE: Final = 4000

_NO_TEXT: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\u202a-\u202e\u2066-\u2069]")
"""Control characters, halves of surrogate pairs, byte order marks, overrides of the writing direction."""
_NUMBER: Final = re.compile(r"[+-]?(\d{1,400}(\.\d{0,400})?|\.\d{1,400})([eE][+-]?\d{1,4})?", re.ASCII)
_POLARITIES: Final = {"1": 1, "+1": 1, "+": 1, "positive": 1, "-1": -1, "-": -1, "−1": -1, "negative": -1}
_STRAIGHT_QUOTES: Final = str.maketrans("‘’‚‛′“”„‟″«»", '\'\'\'\'\'"""""""')


def clean_text(value: object, limit: int) -> str | None:
    """The text without what is no text, its whitespace folded; None where it is no string, empty or over the limit."""
    if not isinstance(value, str):
        return None
    printable = value if value.isprintable() else _NO_TEXT.sub("", value)
    text = " ".join(printable.split())
    return text if text and len(text) <= limit else None


def supports(quote: str, text: str) -> bool:
    """Whether the quoted words are in the text: letter by letter, but for case, whitespace and the form of quotes."""
    words = _compared(quote)
    return bool(words) and words in _compared(text)


@lru_cache(maxsize=64)
def _compared(text: str) -> str:
    printable = text if text.isprintable() else _NO_TEXT.sub("", text)
    return " ".join(normalize("NFC", printable.translate(_STRAIGHT_QUOTES)).casefold().split())


def _text(limit: int) -> Callable[[object], str]:
    def clean(value: object) -> str:
        text = clean_text(value, limit)
        if text is None:
            raise ValueError(f"no text of 1 to {limit} characters")
        return text

    return clean


def _text_if_any(value: object) -> str | None:
    return clean_text(value, _LONGEST_VALUE)


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


Name = Annotated[str, BeforeValidator(_text(_LONGEST_NAME))]
Statement = Annotated[str, BeforeValidator(_text(_LONGEST_STATEMENT))]
Quote = Annotated[str, BeforeValidator(_text(_LONGEST_QUOTE))]
OptionalText = Annotated[str | None, BeforeValidator(_text_if_any)]


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

Item = TypeVar("Item", TripleItem, MarkerItem, EntityTypeItem)


def read_extraction(text: str) -> Extraction:
    """The items of a reply to an extraction prompt. Raises `ReplyError` where the reply as a whole cannot be read.

    The same item twice is one. A reply whose items were all refused is an answer nevertheless.
    """
    lists = read_object(text, EXTRACTION_LISTS)
    refused: list[str] = []
    triples = _taken("triples", lists, _TRIPLE, refused)
    looped = {key: item for key, item in triples.items() if item.subject.casefold() == item.object.casefold()}
    refused += [f"triples: {item.subject!r} {item.predicate} itself" for item in looped.values()]
    return Extraction(
        triples=tuple(item for key, item in triples.items() if key not in looped),
        markers=tuple(_taken("markers", lists, _MARKER, refused).values()),
        entity_types=tuple(_taken("entity_types", lists, _ENTITY_TYPE, refused).values()),
        refused=tuple(refused),
    )


def _taken(
    name: str, lists: dict[str, list[Any]], adapter: TypeAdapter[Item], refused: list[str]
) -> dict[tuple[str, ...], Item]:
    """The items that are in order, by what makes them the same; the reasons of the others go to `refused`."""
    taken: dict[tuple[str, ...], Item] = {}
    for number, raw in enumerate(lists[name], start=1):
        try:
            item = adapter.validate_python(raw)
        except ValidationError as error:
            refused.append(f"{name} {number}: {_reason(error)}")
        else:
            taken.setdefault(_sameness(item), item)
    return taken


def _sameness(item: TripleItem | MarkerItem | EntityTypeItem) -> tuple[str, ...]:
    match item:
        case TripleItem():
            names = (item.subject.casefold(), item.predicate, item.object.casefold())
            return (*names, str(item.polarity), item.quote.casefold())
        case MarkerItem():
            return (item.kind, item.statement.casefold(), item.quote.casefold())
        case EntityTypeItem():
            return (item.name.casefold(), item.type)


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    reason = first["msg"].removeprefix("Value error, ")
    return clean_text(f"{place}: {reason}" if place else reason, 300) or "it cannot be taken"
