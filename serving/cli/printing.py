"""What is printed: text that cannot act on a terminal, tables that are plain in a pipe, JSON that any program can read.

Much of it was written by strangers in a chat. Escape sequences would let them move the cursor, set the window's title or
hide what stands there, so control characters go; in JSON they are written as escapes.
"""

import json
import re
import sys
from collections.abc import Iterable, Sequence
from dataclasses import fields, is_dataclass
from typing import Any, Final

import click

from hymem.digests import shown

_SEQUENCE: Final = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|[\x1b\x90\x98\x9d-\x9f][\]PX^_]?[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_HIDDEN_IN_JSON: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")
_IDS: Final = frozenset({"edge_id", "chunk_id", "entry_id", "episode_id", "procedure_id", "path", "edges"})
"""Fields that hold 63-bit digests: told as sixteen hexadecimal digits, since many programs round large numbers."""


def harmless(text: str) -> str:
    """The text without escape sequences, control characters and marks that turn the reading direction."""
    return _CONTROL.sub("", _SEQUENCE.sub("", text))


def one_line(text: str, limit: int = 100) -> str:
    """The text on one line of at most `limit` characters, harmless."""
    line = " ".join(harmless(text[: 4 * limit]).split())
    return line if len(line) <= limit else line[: limit - 1].rstrip() + "…"


def say(text: str = "") -> None:
    """Print a line, harmless."""
    click.echo(harmless(text))


def note(text: str) -> None:
    """Print a remark beside the output."""
    click.echo(harmless(text), err=True)


def say_json(value: Any) -> None:
    """Print a value as JSON."""
    text = json.dumps(plain(value), ensure_ascii=False, indent=2)
    click.echo(_HIDDEN_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text))


def plain(value: Any) -> Any:
    """A record as JSON values, ids as people see them."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: _field(field.name, getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, dict):
        return {name: plain(item) for name, item in value.items()}
    return value


def _field(name: str, value: Any) -> Any:
    if name not in _IDS:
        return plain(value)
    if isinstance(value, tuple):
        return [shown(one) if isinstance(one, int) else plain(one) for one in value]
    return shown(value)


def day(moment: str | None) -> str:
    """The date of a moment."""
    return moment[:10] if moment else ""


def minute(moment: str | None) -> str:
    """A moment to the minute."""
    return moment[:16].replace("T", " ") if moment else ""


def say_table(columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    """Print a table: with lines and wrapped on a terminal, in plain columns elsewhere."""
    cells = [[one_line(str(cell), 1000) for cell in row] for row in rows]
    if sys.stdout.isatty():
        _print_ruled(columns, cells)
    else:
        _print_plain(columns, cells)


def _print_plain(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    widths = [max(map(len, column)) for column in zip(columns, *rows, strict=True)]
    for row in (columns, *rows):
        line = "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True))
        click.echo(line.rstrip())


def _print_ruled(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    ruled = Table(*columns, box=SIMPLE_HEAD, pad_edge=False)
    for row in rows:
        ruled.add_row(*(Text(cell) for cell in row))
    Console().print(ruled)


def counted(number: int, noun: str) -> str:
    """A number with its noun: "1 message", "2 messages"."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
