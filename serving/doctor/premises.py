"""What lies around the database: Markdown files, who may read what, remnants of killed processes, and room on the disk."""

import shutil
import stat
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from hymem.errors import StoreError
from hymem.files import abandoned
from hymem.memory_files import FILES, unreadable_files
from hymem.variables import DOTENV
from serving.doctor.findings import REPAIR, Finding
from serving.scratch import left_behind

LITTLE_SPACE: Final = 200_000_000
NO_SPACE: Final = 20_000_000
PRIVATE: Final = ("hymem.db", "hymem.db-wal", "hymem.db-shm", "hymem-server.db", DOTENV, *FILES.values())
"""Files that hold what was said, or keys."""


def markdown(root: Path) -> Iterator[Finding]:
    """The two files that cannot be read as Markdown of ours."""
    for reason in unreadable_files(root):
        yield Finding("Markdown", "error", reason, "put the file right, or move it away", StoreError.exit_code)


def open_to_others(root: Path) -> list[Path]:
    """Private files that others than their owner may read; none on Windows, where the folder's rights count."""
    if sys.platform == "win32":
        return []
    held = [root / name for name in PRIVATE if (root / name).is_file()]
    return [path for path in held if stat.S_IMODE(path.stat().st_mode) & 0o077]


def permissions(root: Path) -> Iterator[Finding]:
    """Whether only their owner may read the files."""
    if sys.platform == "win32" or not any((root / name).exists() for name in PRIVATE):
        return
    if found := open_to_others(root):
        names = ", ".join(path.name for path in found)
        remedy = f"{REPAIR}, or {' '.join(['chmod go=', *map(str, found)])}"
        yield Finding("permissions", "warning", f"others may read {names}", remedy)
    else:
        yield Finding("permissions", "ok", "only you may read the files")


def remnants(root: Path) -> Iterator[Finding]:
    """What killed processes left behind."""
    if found := [*abandoned(root), *left_behind()]:
        names = ", ".join(path.name for path in found)
        yield Finding("remnants", "note", f"killed processes left {names} behind", REPAIR)


def disk(root: Path) -> Finding:
    """How much room there is."""
    place = next(folder for folder in (root, *root.parents) if folder.exists())
    free = shutil.disk_usage(place).free
    told, remedy = f"{free / 1e9:.1f} GB free", "free some space, or move memory and set HYMEM_ROOT"
    if free < NO_SPACE:
        return Finding("disk", "error", told, remedy, StoreError.exit_code)
    return Finding("disk", "warning", told, remedy) if free < LITTLE_SPACE else Finding("disk", "ok", told)
