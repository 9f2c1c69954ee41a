"""A file that is written whole before it bears its name: backups, archives, exports.

It is made beside its place, its owner's only, and takes the name in one step. So nobody sees half of it, an interruption
leaves nothing under that name, and what was there before stays until all of the new one is on the disk.
"""

import os
import tempfile
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from hymem.errors import InputError, StoreError
from hymem.files import DRAFT

_SIDES: Final = ("-wal", "-journal", "-shm")


@contextmanager
def new_file(path: Path, *, force: bool = False) -> Generator[Path, None, None]:
    """A path to write to, for the length of a block; at its end the file bears the name `path`.

    Raises `InputError` where there is something of that name already, unless a file is to be replaced by `force`, and
    `StoreError` where it cannot be written. Either way nothing is left behind.
    """
    _refuse_taken(path, force)
    try:
        descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=DRAFT, suffix=".tmp")
        os.close(descriptor)
        draft = Path(name)
        try:
            yield draft
            _sync(draft)
            _name(draft, path, force)
        finally:
            draft.unlink(missing_ok=True)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}: {error.strerror or error}; make sure that the folder exists, is writable, and has space left"
        ) from error


def _refuse_taken(path: Path, force: bool) -> None:
    if path.is_dir():
        raise InputError(f"{path} is a folder: name a file in it")
    if path.exists() and not force:
        raise _taken(path)
    for side in _SIDES:
        if path.with_name(path.name + side).exists():
            raise InputError(f"{path} is a database that is in use: choose another name")
        if path.name.endswith(side) and path.with_name(path.name.removesuffix(side)).exists():
            raise InputError(f"{path} belongs to a database: choose another name")


def _taken(path: Path) -> InputError:
    return InputError(f"{path} is there already: choose another name, or add --force to replace it")


def _name(draft: Path, path: Path, force: bool) -> None:
    """Give the draft its name; without `force` even somebody who was quicker is not overwritten."""
    if force:
        draft.replace(path)
        return
    try:
        os.link(draft, path)
    except FileExistsError:
        raise _taken(path) from None
    except OSError:  # a file system without links
        _refuse_taken(path, force)
        draft.replace(path)


def _sync(draft: Path) -> None:
    descriptor = os.open(draft, os.O_RDWR)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
