"""The values in a file, one after another: JSON Lines as they stream by, or one JSON document.

A list that is too large to be held is read message by message; where it ends to be JSON, nothing after that place is read.

A file is JSON Lines, unless its first line shows that a document begins there: an array, or an object that goes on in
the next line. Lines are judged alone, so that a bad one costs nothing but itself. An object with `messages` stands for
the messages in it, each said in the object's `session_id`.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from io import BytesIO
from itertools import chain
from pathlib import PurePath
from types import MappingProxyType
from typing import Any, BinaryIO, Final, NamedTuple

LINES: Final = frozenset({".jsonl", ".ndjson"})
HELD: Final = 32 * 1024 * 1024
"""Bytes of a document that is read at once."""

_BOM: Final = b"\xef\xbb\xbf"


_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


class Found(NamedTuple):
    """A value and where it stood in its file. `read` is how many bytes were behind it.

    Where there is none, `fault` says why it cannot be taken, or `skipped` what it is that is left out on purpose.
    """

    where: str
    value: object
    read: int
    fault: str = ""
    session_id: object = None
    skipped: str = ""
    session_metadata: Mapping[str, Any] = _NOTHING
    """What its source keeps of the session beside its messages."""


def found_in(file: BinaryIO, name: str) -> Iterator[Found]:
    """Every value in a file that is open for reading bytes; nothing for an empty one."""
    first, number = file.readline().removeprefix(_BOM), 1
    while first and not first.strip():
        first, number = file.readline(), number + 1
    if PurePath(name).suffix.lower() not in LINES and _begins_a_document(first):
        begun = first + file.read(HELD)
        if len(begun) >= HELD and begun.lstrip().startswith(b"["):
            yield from _listed(_Ahead(begun, file))
        else:
            yield from _document(begun + file.read())
    else:
        yield from _lines(chain([first], file), number)


def _begins_a_document(first: bytes) -> bool:
    line = first.strip()
    return line.startswith(b"[") or line.endswith((b"{", b"[", b","))


def _lines(lines: Iterable[bytes], first: int) -> Iterator[Found]:
    read = 0
    for number, line in enumerate(lines, start=first):
        read += len(line)
        if line.strip():
            found = _found(line.rstrip(b"\r\n"), str(number), read)
            if _is_told_whole(found.value):
                yield from _opened(found)
            else:
                yield found


def _document(data: bytes) -> Iterator[Found]:
    found = _found(data, "", len(data))
    if isinstance(found.value, list):
        for number, value in enumerate(found.value, start=1):
            yield from _opened(Found(f"message {number}", value, len(data)))
    else:
        yield from _opened(found)


class _Ahead:
    """A file of which the beginning was read already, as far as a parser needs it."""

    def __init__(self, begun: bytes, rest: BinaryIO) -> None:
        self._begun, self._rest = BytesIO(begun), rest
        self.behind = 0

    def read(self, size: int = -1) -> bytes:
        """The next bytes."""
        piece = self._begun.read(size) or self._rest.read(size)
        self.behind += len(piece)
        return piece


def _listed(file: _Ahead) -> Iterator[Found]:
    import ijson

    number = 0
    try:
        for number, value in enumerate(ijson.items(file, "item", use_float=True), start=1):
            yield from _opened(Found(f"message {number}", value, file.behind))
    except (ijson.JSONError, UnicodeDecodeError) as error:
        reason = str(error).split("\n", 1)[0].strip()
        yield Found(
            f"after message {number}", None, file.behind, f"not JSON, and nothing from there on was read: {reason}"
        )


def _opened(found: Found) -> Iterator[Found]:
    """The messages in an object that holds some; anything else as it is."""
    value: Any = found.value
    if not _is_told_whole(value):
        yield found
    elif not isinstance(value["messages"], list):
        yield Found(found.where, None, found.read, "messages must be a list")
    else:
        for number, message in enumerate(value["messages"], start=1):
            where = f"{found.where}, message {number}".removeprefix(", ")
            yield Found(where, message, found.read, session_id=value.get("session_id"))


def _is_told_whole(value: object) -> bool:
    """Whether it is an object that holds messages."""
    return isinstance(value, dict) and "messages" in value


def _found(data: bytes, where: str, read: int) -> Found:
    try:
        return Found(where, _DECODER.decode(data.decode("utf-8")), read)
    except UnicodeDecodeError as error:
        return Found(where, None, read, f"not UTF-8: byte {error.start + 1} is 0x{data[error.start]:02x}")
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if error.lineno > 1 else f"column {error.colno}"
        return Found(where, None, read, f"not JSON: {error.msg.lower()} at {place}")
    except (ValueError, RecursionError) as error:
        return Found(where, None, read, f"not JSON that can be read: {error}")


def _refused(constant: str) -> Any:
    raise ValueError(f"{constant} is no JSON number")


_DECODER: Final = json.JSONDecoder(parse_constant=_refused)
