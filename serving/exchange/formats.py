"""The formats that conversations come in: which one a file has is seen from how it begins.

Each format turns a file into values of one shape, messages as HyMem's own JSON has them, one after another as the file streams
by. What it leaves out on purpose (the output of tools, other branches of an edited conversation) it says, so that it is counted.
"""

import io
import re
import shutil
import tempfile
import zipfile
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final, cast

from hymem.errors import InputError
from serving.exchange import chatgpt, claude, claude_code, hermes, specstory
from serving.exchange.documents import Found
from serving.exchange.documents import found_in as plain_found_in

HEAD: Final = 1 << 16
"""Bytes by which a format is known."""

SQLITE: Final = b"SQLite format 3\x00"
MANIFEST: Final = "hymem.json"
"""What an archive of `hymem export` has in it, and no export of others."""

ARCHIVE: Final = b"PK\x03\x04"
_CONVERSATIONS: Final = re.compile(r"(?:^|/)conversations(?:-\d+)?\.json$")

Format = Callable[[BinaryIO, str], Iterator[Found]]

FORMATS: Final[dict[str, Format]] = {
    "messages": plain_found_in,
    "chatgpt": chatgpt.found_in,
    "claude": claude.found_in,
    "claude-code": claude_code.found_in,
    "specstory": specstory.found_in,
    "hermes": hermes.found_in,
}
"""Every format by the name that `--format` knows it by."""

READ_ONWARDS: Final = frozenset({"messages", "claude-code", "specstory"})
"""Formats that are read as they stream by; the others go back and forth in their file."""


def found_in(file: BinaryIO, name: str, format: str | None = None) -> tuple[str, Iterator[Found]]:
    """The file's format, and every value in it; raises `InputError` for a format that is none."""
    if format is not None and format not in FORMATS:
        raise InputError(f"{format!r} is no format; the formats are {', '.join(FORMATS)}")
    head = file.read(HEAD)
    if file.seekable():
        file.seek(0)
        return _found_in(file, name, head, format)
    joined = _piped(head, file, format)
    format, found = _found_in(joined, name, head, format)
    return format, _closing(joined, found)


def _found_in(file: BinaryIO, name: str, head: bytes, format: str | None) -> tuple[str, Iterator[Found]]:
    if head.startswith(ARCHIVE):
        return _in_archive(file, name, format)
    known = format or format_of(head, name)
    return known, FORMATS[known](file, name)


def _closing(file: BinaryIO, found: Iterator[Found]) -> Iterator[Found]:
    with file:
        yield from found


def format_of(head: bytes, name: str) -> str:
    """The format of a file that begins like this."""
    if head.startswith(SQLITE):
        return "hermes"
    if specstory.begins(head, name):
        return "specstory"
    if claude_code.begins(head):
        return "claude-code"
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    if start in (b"[", b"{"):
        if re.search(rb'"mapping"\s*:\s*\{', head):
            return "chatgpt"
        if re.search(rb'"chat_messages"\s*:\s*\[', head):
            return "claude"
    return "messages"


def _in_archive(file: BinaryIO, name: str, format: str | None) -> tuple[str, Iterator[Found]]:
    try:
        archive = zipfile.ZipFile(file)
    except zipfile.BadZipFile as error:
        raise InputError(f"{name} is a damaged zip archive ({error}): download it again; nothing was stored") from None
    members = sorted(member for member in archive.namelist() if _CONVERSATIONS.search(member))
    if MANIFEST in archive.namelist():
        raise InputError(f"{name} is a whole memory that `hymem export` wrote: `hymem import {name}` takes it")
    if not members:
        raise InputError(f"{name} is a zip archive without conversations.json: no export of ChatGPT's or Claude's")
    if format is None:
        with archive.open(members[0]) as first:
            format = format_of(first.read(HEAD), members[0])
    return format, _members(archive, members, FORMATS[format], file)


def _members(archive: zipfile.ZipFile, members: list[str], format: Format, file: BinaryIO) -> Iterator[Found]:
    for member in members:
        with archive.open(member) as opened:
            try:
                for found in format(cast(BinaryIO, opened), member):
                    where = f"{member}: {found.where}" if len(members) > 1 else found.where
                    yield Found(where, found.value, file.tell(), found.fault, found.session_id, found.skipped)
            except (zipfile.BadZipFile, EOFError) as error:
                yield Found(
                    member, None, file.tell(), f"the archive is damaged here, nothing after it was read: {error}"
                )


def _piped(head: bytes, rest: BinaryIO, format: str | None) -> BinaryIO:
    """A pipe with what was read from it already; a copy, where its format is not read from beginning to end."""
    rejoined = cast(BinaryIO, io.BufferedReader(_Rejoined(head, rest)))
    if not head.startswith((ARCHIVE, SQLITE)) and (format or format_of(head, "")) in READ_ONWARDS:
        return rejoined
    copy = tempfile.TemporaryFile()  # noqa: SIM115 - closed when all of it is read
    shutil.copyfileobj(rejoined, copy)
    copy.seek(0)
    return cast(BinaryIO, copy)


class _Rejoined(io.RawIOBase):
    """A pipe and the beginning that was read from it, as one."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._ahead, self._rest = head, rest

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any, /) -> int:
        piece = self._ahead[: len(buffer)] or self._rest.read(len(buffer))
        self._ahead = self._ahead[len(buffer) :]
        buffer[: len(piece)] = piece
        return len(piece)
