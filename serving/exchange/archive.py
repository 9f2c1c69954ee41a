"""A workspace in one file: a zip archive of JSON Lines, the Markdown, and a manifest that says what must be in it.

    hymem.json                 format, versions, and of each other member the rows, bytes and SHA-256
    ledger/messages.jsonl      a row of the ledger a line; so for every table that travels
    MEMORY.md, USER.md         as they stand
    settings.json              which models, without keys

Rows stream in and out, so no more than one of them is held at a time. The manifest comes last, when all is known.
"""

import hashlib
import json
import stat
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import hymem
from hymem.files import read_bytes
from hymem.memory_files import FILES
from hymem.new_files import new_file
from hymem.store.database import SCHEMA_VERSION
from hymem.store.travel import TRAVELS, counts, rows_of
from serving.exchange.formats import MANIFEST

if TYPE_CHECKING:
    from serving.memory import HyMem

FORMAT: Final = "hymem-archive"
FORMAT_VERSION: Final = 1
SETTINGS: Final = "settings.json"
MEMBERS: Final = (*(f"ledger/{table}.jsonl" for table in TRAVELS), *FILES.values(), SETTINGS)
"""Everything that may be in an archive beside the manifest."""

MOST_SQUEEZED: Final = 200
ROOM: Final = 64 << 20
"""A member beyond this many bytes that shrinks by more than `MOST_SQUEEZED` looks like a trap, and is stored as it is."""

_LONG_AGO: Final = (1980, 1, 1, 0, 0, 0)
Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Member:
    """What the manifest says of a member: rows of a ledger's table, bytes, and their SHA-256 in hexadecimal digits."""

    rows: int
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Exported:
    """What an archive holds: rows by table, and its size in bytes."""

    rows: Mapping[str, int]
    bytes: int


def squeezed(size: int, compressed: int) -> bool:
    """Whether so much lies in so little that it looks like a trap for whoever unpacks it."""
    return size > ROOM and size > MOST_SQUEEZED * compressed


def export(
    memory: "HyMem",
    path: Path,
    settings: Mapping[str, str],
    *,
    force: bool = False,
    progress: Progress | None = None,
) -> Exported:
    """Write a workspace to an archive, as it is at one moment; raises as `new_file` does."""
    with new_file(path, force=force) as draft:
        for compression in (zipfile.ZIP_DEFLATED, zipfile.ZIP_STORED):
            rows = _write(memory, draft, settings, compression, progress)
            if not _looks_like_a_trap(draft):
                break
        return Exported(rows, draft.stat().st_size)


def _write(
    memory: "HyMem", draft: Path, settings: Mapping[str, str], compression: int, progress: Progress | None
) -> dict[str, int]:
    with zipfile.ZipFile(draft, "w", compression) as archive, memory.reading() as connection:
        held = counts(connection)
        counted = _Counted(sum(held.values()), progress)
        members: dict[str, Member] = {}
        for table in TRAVELS:
            lines = (_line(row) for row in counted.each(rows_of(connection, table)))
            members[f"ledger/{table}.jsonl"] = _add(archive, f"ledger/{table}.jsonl", lines)
        for file in FILES.values():
            content = read_bytes(memory.root / file)
            if content is not None:
                members[file] = _add(archive, file, [content], rows=0)
        members[SETTINGS] = _add(archive, SETTINGS, [_line(dict(settings))], rows=0)
        _add(archive, MANIFEST, [_manifest(members, memory.now())])
        return held


def _manifest(members: Mapping[str, Member], now: str) -> bytes:
    told = {
        "format": FORMAT,
        "format_version": FORMAT_VERSION,
        "hymem_version": hymem.__version__,
        "schema_version": SCHEMA_VERSION,
        "exported_at": now,
        "members": {name: asdict(member) for name, member in members.items()},
    }
    return json.dumps(told, indent=2).encode() + b"\n"


def _line(row: Mapping[str, Any]) -> bytes:
    return json.dumps(row, ensure_ascii=False, separators=(",", ":")).encode("utf-8") + b"\n"


def _add(archive: zipfile.ZipFile, name: str, pieces: Iterable[bytes], rows: int | None = None) -> Member:
    entry = zipfile.ZipInfo(name, _LONG_AGO)
    entry.external_attr = (stat.S_IFREG | 0o600) << 16
    entry.compress_type = archive.compression
    digest, size, number = hashlib.sha256(), 0, 0
    with archive.open(entry, "w", force_zip64=True) as member:
        for piece in pieces:
            number += 1
            member.write(piece)
            digest.update(piece)
            size += len(piece)
    return Member(number if rows is None else rows, size, digest.hexdigest())


def _looks_like_a_trap(path: Path) -> bool:
    with zipfile.ZipFile(path) as archive:
        return any(squeezed(entry.file_size, entry.compress_size) for entry in archive.infolist())


class _Counted:
    """Rows that go by, told to whoever looks at the progress."""

    def __init__(self, total: int, progress: Progress | None) -> None:
        self.total, self.progress, self.done = total, progress, 0

    def each(self, rows: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
        for row in rows:
            yield row
            self.done += 1
            if self.progress is not None and (self.done % 1000 == 0 or self.done == self.total):
                self.progress(self.done, self.total)
