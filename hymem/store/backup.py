"""A copy of a workspace's file, made through SQLite's backup interface while everything goes on.

The copy is of one moment: a read transaction is held while pages are copied, so that writers neither wait nor make it begin
again. It bears its name only after SQLite has found it sound.
"""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any, Final, cast

import apsw

from hymem.errors import InputError, StoreError
from hymem.new_files import new_file
from hymem.store.connection import Connection
from hymem.store.database import Database, told

_PAGES: Final = 256
"""Pages that are copied at a time: a megabyte."""

Progress = Callable[[int, int], None]


def back_up(
    database: Database, path: Path, *, force: bool = False, progress: Progress | None = None, checked: bool = True
) -> int:
    """Write a copy of the database to `path`, its owner's only; its size in bytes.

    Raises `InputError` where there is such a file, unless it is to be replaced by `force`, and `StoreError` where it cannot be
    written or the database is damaged; nothing is left behind then. A copy that is not `checked` may be of a damaged one.
    """
    if path.exists() and path.samefile(database.path):
        raise InputError(f"{path} is the database itself: choose another name for its backup")
    with new_file(path, force=force) as draft:
        with database.reading() as source, told(draft), closing(apsw.Connection(str(draft))) as copy:
            source.execute("select 1 from ledger_state").fetchall()  # from here on it is one moment
            _copy(source, copy, progress)
            if checked:
                _refuse_damaged(database.path, cast(Connection, copy))
        return draft.stat().st_size


def _copy(source: Connection, copy: apsw.Connection, progress: Progress | None) -> None:
    with copy.backup("main", cast(Any, source), "main") as backup:
        while not backup.done:
            backup.step(_PAGES)
            if progress is not None:
                progress(backup.page_count - backup.remaining, backup.page_count)


def _refuse_damaged(original: Path, copy: Connection) -> None:
    found = [text for (text,) in copy.execute("pragma quick_check(1)")]
    if found != ["ok"]:
        raise StoreError(f"{original} is damaged ({found[0]}), and so would be its backup: `hymem doctor` tells more")
