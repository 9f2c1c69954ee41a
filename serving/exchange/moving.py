"""A workspace out of an archive and into this one: read and checked as a whole first, then taken over in one transaction."""

import json
import shutil
from collections.abc import Iterator, Mapping
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hymem.errors import InputError
from hymem.files import read_bytes, rewrite
from hymem.memory_files import BACKUPS, FILES
from hymem.settings import DATABASE
from hymem.store.backup import back_up
from hymem.store.database import Database
from hymem.store.ledger import LedgerState, ledger_state
from hymem.store.merging import merge
from hymem.store.travel import TRAVELS, arrive
from serving.exchange.archive import SETTINGS, Progress
from serving.exchange.unpacking import Archive, opened_archive
from serving.scratch import Scratch

if TYPE_CHECKING:
    from serving.memory import HyMem


@dataclass(frozen=True)
class Imported:
    """What came of an import: rows added by table, files written and left alone, what was left out, where the backup is."""

    added: Mapping[str, int]
    written: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    buried: int = 0
    backup: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])


def import_archive(
    memory: "HyMem", database: Database, path: Path, *, replace: bool = False, progress: Progress | None = None
) -> Imported:
    """Take over what an archive holds, all of it or nothing; with `replace`, in the place of what is here, after a backup.

    The next dream computes memory from it. Raises `InputError` for an archive that cannot be taken, and as `merge` does.
    """
    scratch = Scratch()
    try:
        with opened_archive(path, scratch.path) as archive:
            arrived = _unpacked(memory, archive, scratch.path, progress)
            files = {name: archive.content(name) for name in FILES.values()}
            settings = _settings(archive)
        backup, stood = _backed_up(memory, database) if replace else (None, None)
        merged = merge(database, arrived, replacing=stood)
        written, left = _write(memory.root, files, replace)
        return Imported(merged.added, written, left, merged.buried, backup and str(backup), settings)
    finally:
        scratch.release()


def _unpacked(memory: "HyMem", archive: Archive, folder: Path, progress: Progress | None) -> Path:
    """A database with the rows of an archive in it."""
    path = folder / DATABASE
    total = sum(member.rows for member in archive.members.values())
    with closing(Database.open(path)) as database, database.writing() as connection:
        done = 0
        for table in TRAVELS:
            done += arrive(connection, table, _told(archive.rows(table), done, total, progress), memory.stored_form)
    return path


def _told(rows: Iterator[dict[str, Any]], done: int, total: int, progress: Progress | None) -> Iterator[dict[str, Any]]:
    for number, row in enumerate(rows, start=done + 1):
        yield row
        if progress is not None and (number % 1000 == 0 or number == total):
            progress(number, total)


def _settings(archive: Archive) -> dict[str, Any]:
    try:
        told: Any = json.loads(archive.content(SETTINGS) or b"{}")
        return dict(told)
    except (ValueError, TypeError, RecursionError) as error:
        raise InputError(f"{archive.name} is damaged ({SETTINGS}: {error}); nothing was changed") from error


def _backed_up(memory: "HyMem", database: Database) -> tuple[Path, LedgerState]:
    """Where what is here was copied to, the Markdown with it, and where the ledger stood then."""
    with database.reading() as connection:
        stood = ledger_state(connection)
    moment = "".join(character for character in memory.now() if character.isalnum())
    folder = memory.root / BACKUPS / f"before-import-{moment}"
    number = 1
    while folder.exists():
        number += 1
        folder = folder.with_name(f"before-import-{moment}-{number}")
    folder.mkdir(mode=0o700, parents=True)
    back_up(database, folder / DATABASE)
    for name in FILES.values():
        if (memory.root / name).exists():
            shutil.copy2(memory.root / name, folder / name)
    return folder, stood


def _write(root: Path, files: Mapping[str, bytes | None], replace: bool) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names of the files that were written, and of those that are left as they are, since somebody wrote them here."""
    written: list[str] = []
    left: list[str] = []
    for name, content in files.items():
        here = read_bytes(root / name)
        if content is None or here == content:
            continue
        if here and not replace:
            left.append(name)
            continue
        rewrite(root / name, lambda _, content=content: content)
        written.append(name)
    return tuple(written), tuple(left)
