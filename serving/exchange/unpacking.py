"""Reading an archive as if an enemy had made it: nothing in it is believed before it is checked, and nothing is extracted.

Names in the archive are compared with those that may be there, and never become paths. A member is read as far as the manifest
says that it goes, so that a bomb bursts no disk. What is not as it should be is refused in a sentence, before anything changes.
"""

import hashlib
import json
import shutil
import zipfile
import zlib
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final, cast

from hymem.errors import InputError
from hymem.store.database import SCHEMA_VERSION, looks_like_ours
from serving.exchange.archive import FORMAT, FORMAT_VERSION, MEMBERS, Member, squeezed
from serving.exchange.formats import MANIFEST

_LONGEST_MANIFEST: Final = 1 << 20
_LONGEST_FILE: Final = 64 << 20
_DAMAGE: Final = (
    *(zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, KeyError, TypeError),
    *(AttributeError, OverflowError, RecursionError),
)


@dataclass(frozen=True)
class Archive:
    """An archive that is open, and what its manifest says of it."""

    name: str
    zip: zipfile.ZipFile
    members: dict[str, Member]

    def rows(self, table: str) -> Iterator[dict[str, Any]]:
        """A table's rows; raises `InputError` where they are not as the manifest says."""
        name = f"ledger/{table}.jsonl"
        with self._checked(name) as (member, lines):
            number = 0
            for line in lines:
                number += 1
                row: object = json.loads(line)
                if not isinstance(row, dict):
                    raise ValueError("a row is no object")
                yield cast(dict[str, Any], row)
            if number != member.rows:
                raise ValueError(f"{number} rows in the place of {member.rows}")

    def content(self, name: str) -> bytes | None:
        """A file's bytes; None where the archive has none of that name."""
        if name not in self.members:
            return None
        with self._checked(name) as (_, lines):
            return b"".join(lines)

    @contextmanager
    def _checked(self, name: str) -> Generator[tuple[Member, Iterator[bytes]], None, None]:
        member = self.members[name]
        with _damage_told(self.name, name), self.zip.open(name) as file:
            yield member, _lines(file, member)


@contextmanager
def opened_archive(path: Path, room: Path) -> Generator[Archive, None, None]:
    """An archive, its manifest checked; `room` is where it is to be unpacked.

    Raises `InputError` for what is no archive of HyMem's, a newer one, a damaged one, and one that the disk has no room for.
    """
    try:
        file = path.open("rb")
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror}; nothing was changed") from None
    with file:
        head = file.read(100)
        if not head.startswith(b"PK"):
            raise InputError(_no_archive(path, head))
        with _damage_told(str(path), "its list of members"):
            archive = _opened(path, zipfile.ZipFile(file), room)
        yield archive


def _opened(path: Path, archive: zipfile.ZipFile, room: Path) -> Archive:
    entries = archive.infolist()
    names = [entry.filename for entry in entries]
    if MANIFEST not in names:
        raise InputError(_no_archive(path, b""))
    if len(set(names)) < len(names):
        raise ValueError("a member is there twice")
    if archive.getinfo(MANIFEST).file_size > _LONGEST_MANIFEST:
        raise ValueError("its manifest is too long")
    members = _members(path, json.loads(archive.read(MANIFEST)))
    foreign = sorted({*names} - {MANIFEST, *MEMBERS} | {*members} - {*MEMBERS})
    if foreign:
        raise ValueError(f"no archive of HyMem's holds {foreign[0]!r:.80}")
    if {*names} != {MANIFEST, *members}:
        raise ValueError("its manifest tells of other members")
    for entry in entries:
        _refuse_trap(entry, members)
    needed = 3 * sum(member.bytes for member in members.values())
    if needed > shutil.disk_usage(room).free:
        raise InputError(f"{path} needs {needed:,} bytes of room, more than {room} has; nothing was changed")
    return Archive(str(path), archive, members)


def _members(path: Path, manifest: Any) -> dict[str, Member]:
    if manifest["format"] != FORMAT:
        raise ValueError("its manifest is not HyMem's")
    if manifest["format_version"] > FORMAT_VERSION or manifest["schema_version"] > SCHEMA_VERSION:
        raise InputError(
            f"{path} was made by HyMem {manifest['hymem_version']!s:.20}, which is newer: upgrade HyMem; nothing was changed"
        )
    if (manifest["format_version"], manifest["schema_version"]) != (FORMAT_VERSION, SCHEMA_VERSION):
        raise ValueError("its version is none that there was")
    members = {name: Member(**told) for name, told in manifest["members"].items()}
    for name, member in members.items():
        if min(member.rows, member.bytes) < 0 or len(member.sha256) != 64:
            raise ValueError(f"its manifest tells nonsense of {name!r:.80}")
    missing = {name for name in MEMBERS if name.startswith("ledger/")} - {*members}
    if missing:
        raise ValueError(f"{min(missing)} is missing")
    return members


def _refuse_trap(entry: zipfile.ZipInfo, members: dict[str, Member]) -> None:
    if entry.filename == MANIFEST:
        return
    if entry.file_size != members[entry.filename].bytes:
        raise ValueError(f"{entry.filename} has another size than the manifest says")
    if squeezed(entry.file_size, entry.compress_size):
        raise ValueError(f"{entry.filename} is squeezed so much that it looks like a trap")
    if not entry.filename.startswith("ledger/") and entry.file_size > _LONGEST_FILE:
        raise ValueError(f"{entry.filename} is too large")


def _lines(file: IO[bytes], member: Member) -> Iterator[bytes]:
    """The member's lines; it must end where the manifest says, and be what the manifest says."""
    digest, left = hashlib.sha256(), member.bytes
    while line := file.readline(left + 1):
        left -= len(line)
        if left < 0:
            raise ValueError("it is longer than the manifest says")
        digest.update(line)
        yield line
    if left or digest.hexdigest() != member.sha256:
        raise ValueError("its checksum is another than the manifest's")


@contextmanager
def _damage_told(archive: str, where: str) -> Generator[None, None, None]:
    try:
        yield
    except InputError:
        raise
    except OSError as error:
        raise InputError(f"reading {archive} failed: {error.strerror or error}; nothing was changed") from error
    except _DAMAGE as error:
        raise InputError(
            f"{archive} is damaged, or no archive of HyMem's ({where}: {error}): take another copy; nothing was changed"
        ) from error


def _no_archive(path: Path, head: bytes) -> str:
    if looks_like_ours(head):
        return f"{path} is a database of HyMem's, not an archive: docs/portability.md tells how to restore a backup"
    return (
        f"{path} is no archive that `hymem export` made; `hymem ingest {path}` reads chats: exports of ChatGPT and Claude, "
        "and messages as JSON"
    )
