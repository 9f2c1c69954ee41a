"""What replies of every kind are made of: clean texts, and items of which each is judged alone."""

import re
from collections.abc import Callable, Hashable, Sequence
from typing import Annotated, Any, Final, TypeVar

from pydantic import BeforeValidator, TypeAdapter, ValidationError

_LONGEST_NAME: Final = 100
_LONGEST_VALUE: Final = 200
_LONGEST_STATEMENT: Final = 500
_LONGEST_QUOTE: Final = 4000

NO_TEXT: Final = re.compile("[\x00-\x08\x0e-\x1b\x7f-\x84\x86-\x9f\ud800-\udfff\ufeff\u202a-\u202e\u2066-\u2069]")
"""Control characters, halves of surrogate pairs, byte order marks, overrides of the writing direction."""

Item = TypeVar("Item")


def clean_text(value: object, limit: int) -> str | None:
    """The text without what is no text, its whitespace folded; None where it is no string, empty or over the limit."""
    if not isinstance(value, str):
        return None
    printable = value if value.isprintable() else NO_TEXT.sub("", value)
    text = " ".join(printable.split())
    return text if text and len(text) <= limit else None


def _text(limit: int) -> Callable[[object], str]:
    def clean(value: object) -> str:
        text = clean_text(value, limit)
        if text is None:
            raise ValueError(f"no text of 1 to {limit} characters")
        return text

    return clean


def _text_if_any(value: object) -> str | None:
    return clean_text(value, _LONGEST_VALUE)


Name = Annotated[str, BeforeValidator(_text(_LONGEST_NAME))]
Statement = Annotated[str, BeforeValidator(_text(_LONGEST_STATEMENT))]
Quote = Annotated[str, BeforeValidator(_text(_LONGEST_QUOTE))]
OptionalText = Annotated[str | None, BeforeValidator(_text_if_any)]


def taken(
    name: str,
    raw_items: Sequence[Any],
    adapter: TypeAdapter[Item],
    sameness: Callable[[Item], Hashable],
    refused: list[str],
) -> dict[Hashable, Item]:
    """The items that are in order, by what makes them the same; the reasons of the others go to `refused`."""
    found: dict[Hashable, Item] = {}
    for number, raw in enumerate(raw_items, start=1):
        try:
            item = adapter.validate_python(raw)
        except ValidationError as error:
            refused.append(f"{name} {number}: {_reason(error)}")
        else:
            found.setdefault(sameness(item), item)
    return found


def _reason(error: ValidationError) -> str:
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])
    reason = first["msg"].removeprefix("Value error, ")
    return clean_text(f"{place}: {reason}" if place else reason, 300) or "it cannot be taken"
