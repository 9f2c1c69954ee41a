"""What SQL cannot say by itself: whether metadata contain something, what they hold as text, and text without its case.

The rules are those of PostgreSQL's `jsonb`: containment looks at types (1 is not "1", but it is 1.0), an object contains
another if it has its members, a list contains another if it has its items.
"""

import json
from typing import Any, cast

from hymem.store.connection import OwnConnection


def add_functions(connection: OwnConnection) -> None:
    """Give a connection the functions of this page."""
    connection.create_scalar_function("json_contains", _json_contains, 2, deterministic=True)
    connection.create_scalar_function("json_member_text", _member_text, 2, deterministic=True)
    connection.create_scalar_function("as_number", _as_number, 1, deterministic=True)
    connection.create_scalar_function("casefolded", _casefolded, 1, deterministic=True)


def contains(whole: Any, part: Any) -> bool:
    """Whether one JSON value contains another."""
    if isinstance(part, dict):
        members = cast(dict[str, Any], part)
        return isinstance(whole, dict) and all(
            key in whole and contains(whole[key], value) for key, value in members.items()
        )
    if isinstance(part, list):
        items = cast(list[Any], part)
        return isinstance(whole, list) and all(
            any(contains(one, item) for one in cast(list[Any], whole)) for item in items
        )
    if isinstance(whole, bool) or isinstance(part, bool):
        return whole is part
    return type(whole) in _KINDS[type(part)] and whole == part


_KINDS: dict[type, tuple[type, ...]] = {
    int: (int, float),
    float: (int, float),
    str: (str,),
    type(None): (type(None),),
}


def as_text(value: Any) -> str | None:
    """A JSON value as text: a string as it is, everything else as JSON, null as nothing."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)


def as_number(text: Any) -> float | None:
    """The number that a text says, None where it says none."""
    try:
        return float(text) if isinstance(text, str) else None
    except ValueError:
        return None


def _json_contains(whole: str, part: str) -> bool:
    return contains(json.loads(whole), json.loads(part))


def _member_text(whole: str, key: str) -> str | None:
    return as_text(json.loads(whole).get(key))


def _as_number(text: str | None) -> float | None:
    number = as_number(text)
    return None if number != number else number  # SQLite holds no NaN


def _casefolded(text: str | None) -> str | None:
    return None if text is None else text.casefold()
