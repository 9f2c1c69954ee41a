"""The managed sections of MEMORY.md and USER.md: HyMem's part of a file that belongs to a human.

    <!-- HyMem:auto:insights:start -->
    …
    <!-- HyMem:auto:insights:end -->

A section is a start marker and an end marker of one name, each on a line of its own, with no other marker of HyMem
between them; the first such pair counts. Markers in any other order (one lost, nested, crossed) are a human's text:
they stay, and a new section is added at the end of the file. Outside its section no byte changes, whatever the
encoding; inside, the text is UTF-8 with the line ends of the file's first line.
"""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

from hymem.errors import InputError, StoreError
from hymem.files import read_bytes, rewrite

_NAME: Final = re.compile(r"[A-Za-z0-9]+(?:[_-][A-Za-z0-9]+)*")
_MARKER: Final = re.compile(
    rb"(?:^|\A\xef\xbb\xbf)[ \t]*(?P<marker><!-- HyMem:auto:(?P<name>[A-Za-z0-9_-]+):(?P<edge>start|end) -->)"
    rb"(?=[ \t]*\r?(?:\n|\Z))",
    re.MULTILINE,
)
_FORGED: Final = re.compile(r"<!--(?= HyMem:auto:)")
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_BOM: Final = b"\xef\xbb\xbf"


def read_markdown(path: Path) -> str:
    """The whole file as text, "" where there is none; bytes that are not UTF-8 become replacement characters."""
    return (read_bytes(path) or b"").decode("utf-8-sig", errors="replace")


def read_section(path: Path, name: str) -> str | None:
    """The body of a section, its lines ended by "\\n"; None where file or section is missing."""
    return section_of(read_bytes(path) or b"", name)


def write_section(path: Path, name: str, body: str | Callable[[], str]) -> bool:
    """Put `body` into the section, in place or at the end of the file; True where that changed the file.

    A `body` that is asked for is asked when it is this writer's turn, so that an older text never follows a newer one.
    An unchanged file is not touched. Raises `StoreError` where it cannot be written, and then it is as it was.
    """
    return rewrite(
        path, lambda data: with_section(_eight_bit(data, path), name, body if isinstance(body, str) else body())
    )


def remove_section(path: Path, name: str) -> bool:
    """Take a section out, with its markers; True where there was one."""
    return rewrite(path, lambda data: without_section(data, name))


def section_of(data: bytes, name: str) -> str | None:
    """The body of a section within a file's bytes."""
    found = _find(data, name)
    if found is None:
        return None
    lines = data[found[0] : found[1]].decode("utf-8", errors="replace").replace("\r\n", "\n")
    inner = lines[lines.index("\n") + 1 : lines.rindex("\n") + 1]
    return inner.removesuffix("\n")


def with_section(data: bytes, name: str, body: str) -> bytes:
    """A file's bytes with `body` as the section's content. Markers within `body` lose their "<"."""
    newline = _newline(data)
    section = _section(name, body).encode("utf-8", errors="replace").replace(b"\n", newline)
    found = _find(data, name)
    if found is not None:
        return data[: found[0]] + section + data[found[1] :]
    return data + _gap(data, newline) + section + newline


def without_section(data: bytes, name: str) -> bytes:
    """A file's bytes without the section, and without the line that its markers leave empty."""
    found = _find(data, name)
    if found is None:
        return data
    before, after = data[: found[0]], data[found[1] :]
    if before.removeprefix(_BOM) == b"" or before.endswith(b"\n"):
        after = re.sub(rb"\A[ \t]*\r?\n", b"", after)
    return before + after


def _section(name: str, body: str) -> str:
    lines = _FORGED.sub("&lt;!--", body.replace("\r\n", "\n").replace("\r", "\n"))
    return "\n".join((_marker(name, "start"), *([lines] if lines else []), _marker(name, "end")))


def _marker(name: str, edge: str) -> str:
    if not _NAME.fullmatch(name):
        raise InputError(f"{name!r} is no section's name: use letters, digits, and single - or _ between them")
    return f"<!-- HyMem:auto:{name}:{edge} -->"


def _find(data: bytes, name: str) -> tuple[int, int] | None:
    """Where the section starts and ends, markers included."""
    wanted = name.encode()
    start: int | None = None
    for found in _MARKER.finditer(data):
        if found["name"] == wanted and found["edge"] == b"end" and start is not None:
            return start, found.end("marker")
        start = found.start("marker") if found["name"] == wanted and found["edge"] == b"start" else None
    return None


def _newline(data: bytes) -> bytes:
    first_line = data.partition(b"\n")[0]
    return b"\r\n" if first_line.endswith(b"\r") else b"\n"


def _gap(data: bytes, newline: bytes) -> bytes:
    """What must follow `data` for a section to start after an empty line."""
    if data.removeprefix(_BOM) == b"" or data.endswith(newline * 2):
        return b""
    return newline if data.endswith(newline) else newline * 2


def _eight_bit(data: bytes, path: Path) -> bytes:
    if data.startswith(_UTF16):
        raise StoreError(f"{path} is UTF-16, in which HyMem cannot keep a section: save it as UTF-8")
    return data
