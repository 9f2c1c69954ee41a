"""Lists in pages: by number, or from a cursor that says between which two rows a page begins.

A page by number counts everything; a cursor costs the same wherever it stands, and misses nothing when rows come meanwhile.
"""

import base64
import binascii
import json
from dataclasses import dataclass
from typing import Any, Final

from hymem.errors import InputError
from hymem.store.connection import Connection, Row
from hymem.store.where import Where

_FORWARD: Final = (">", ">=")
_BACKWARD: Final = ("<", "<=")


@dataclass(frozen=True)
class Listing:
    """What is listed: columns, tables, and the columns of its order, which are unique together."""

    columns: str
    tables: str
    key: tuple[str, ...]
    descending: bool = False


@dataclass(frozen=True)
class Slice:
    """Which page is asked for: the one of a number, or, where there is a cursor, the one that begins there ("" for the first)."""

    number: int = 1
    size: int = 50
    reverse: bool = False
    cursor: str | None = None


@dataclass(frozen=True)
class Page:
    """Rows, with how many there are in all, or with the cursors around them."""

    rows: list[Row]
    total: int | None
    here: str | None = None
    here_backwards: str | None = None
    before: str | None = None
    after: str | None = None


def page(connection: Connection, listing: Listing, where: Where, asked: Slice) -> Page:
    """The rows of a page; raises `InputError` for a cursor that is none of ours."""
    if asked.cursor is None:
        return _numbered(connection, listing, where, asked)
    return _from_cursor(connection, listing, where, asked)


def _numbered(connection: Connection, listing: Listing, where: Where, asked: Slice) -> Page:
    total = connection.execute(
        f"select count(*) from {listing.tables} where {where.condition}", where.parameters
    ).fetchall()[0][0]
    rows = connection.execute(
        f"""
        select {listing.columns}
        from {listing.tables}
        where {where.condition}
        order by {_order(listing, listing.descending != asked.reverse)}
        limit :page_size offset :page_offset
        """,
        {**where.parameters, "page_size": asked.size, "page_offset": (asked.number - 1) * asked.size},
    ).fetchall()
    return Page(rows, total)


def _from_cursor(connection: Connection, listing: Listing, where: Where, asked: Slice) -> Page:
    way, key = _read_cursor(asked.cursor or "", len(listing.key))
    backward, descending = way in _BACKWARD, listing.descending != asked.reverse
    rows = connection.execute(
        f"""
        select {listing.columns}, {", ".join(listing.key)}
        from {listing.tables}
        where ({where.condition}) and ({_side(listing, way, key, descending)})
        order by {_order(listing, descending != backward)}
        limit :page_size + 1
        """,
        {**where.parameters, **{f"key_{n}": part for n, part in enumerate(key)}, "page_size": asked.size},
    ).fetchall()
    more, rows = len(rows) > asked.size, rows[: asked.size]
    if backward:
        rows.reverse()
    return _between(rows, len(listing.key), more or backward, more if backward else bool(key), asked.cursor or "")


def _between(rows: list[Row], width: int, after: bool, before: bool, cursor: str) -> Page:
    """The page of these rows, whose last columns are their keys."""
    if not rows:
        return Page([], None, cursor or None)
    first, last = rows[0][-width:], rows[-1][-width:]
    return Page(
        [row[:-width] for row in rows],
        None,
        here=_cursor(">=", first),
        here_backwards=_cursor("<=", last),
        before=_cursor("<", first) if before else None,
        after=_cursor(">", last) if after else None,
    )


def _order(listing: Listing, descending: bool) -> str:
    return ", ".join(f"{column} {'desc' if descending else 'asc'}" for column in listing.key)


def _side(listing: Listing, way: str, key: list[Any], descending: bool) -> str:
    """Which rows lie on the asked side of a key."""
    if not key:
        return "true"
    names = ", ".join(f":key_{n}" for n in range(len(key)))
    turned = way.translate(str.maketrans("<>", "><")) if descending else way
    return f"({', '.join(listing.key)}) {turned} ({names})"


def _cursor(way: str, key: Row) -> str:
    return base64.urlsafe_b64encode(json.dumps([way, *key]).encode()).decode().rstrip("=")


def _read_cursor(cursor: str, width: int) -> tuple[str, list[Any]]:
    if not cursor:
        return ">", []
    try:
        way, *key = json.loads(base64.urlsafe_b64decode(cursor.encode() + b"=" * (-len(cursor) % 4)))
    except (binascii.Error, ValueError, TypeError, RecursionError) as error:
        raise _no_cursor(cursor) from error
    if way not in (*_FORWARD, *_BACKWARD) or len(key) != width or not all(isinstance(part, str | int) for part in key):
        raise _no_cursor(cursor)
    return way, key


def _no_cursor(cursor: str) -> InputError:
    return InputError(
        f"{cursor[:40]!r} is no cursor: take next_page or previous_page of the page before, or leave it empty"
    )
