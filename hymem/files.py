"""Changing a file that others edit too: whole or not at all, and never over someone else's change.

The new content is written beside the file and takes its place in one step, so that a reader sees the old file or the
new one, and a full disk leaves the old. Writers of HyMem take turns by a lock on the folder. A human's editor knows of
no lock; so the file is looked at once more just before it is replaced, and where it changed, the work starts over.
"""

import os
import stat
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from hymem.errors import BusyError, StoreError

try:
    import fcntl
except ImportError:  # Windows has no such lock; there the second look alone protects
    fcntl = None

_ATTEMPTS: Final = 20
_OWNER_ONLY: Final = 0o600
_PREFIX: Final = ".hymem-"
DRAFT: Final = ".new-hymem-"
"""How the drafts of other files begin (`new_files`): not as those of Markdown files, which a dream sweeps away."""

_SUFFIX: Final = ".tmp"
_ABANDONED_SECONDS: Final = 3600


def read_bytes(path: Path) -> bytes | None:
    """The file's bytes; None where there is no file. Raises `StoreError` where it cannot be read."""
    try:
        return _read(path)[0]
    except OSError as error:
        raise StoreError(f"cannot read {path}: {_reason(error)}; make it a readable file") from error


def rewrite(path: Path, change: Callable[[bytes], bytes]) -> bool:
    """Replace the file's bytes by what `change` makes of them; True where that is something else.

    A link is followed and stays a link, the mode is kept, a new file (`change` gets b"") is its owner's only. Where
    nothing changes, nothing is touched. Raises `StoreError` where the file cannot be written, `BusyError` where another
    program does not stop changing it; either way it is as it was.
    """
    try:
        target = _target(path)
        with _turn(target.parent):
            return _replace(target, change)
    except OSError as error:
        raise StoreError(
            f"cannot write {path}, which is as it was: {_reason(error)}; "
            f"make sure that the folder {path.parent} exists, is writable, and has space left"
        ) from error


def sweep(path: Path) -> None:
    """Remove what killed writers left beside the file; where writers cannot be kept out, only what is an hour old."""
    try:
        folder = _target(path).parent
        with _turn(folder):
            for left in folder.glob(f"{_PREFIX}*{_SUFFIX}"):
                if fcntl is not None or time.time() - left.stat().st_mtime > _ABANDONED_SECONDS:
                    left.unlink(missing_ok=True)
    except FileNotFoundError:
        return
    except OSError as error:
        raise StoreError(f"cannot clear what is left beside {path}: {_reason(error)}; remove it by hand") from error


def abandoned(folder: Path) -> list[Path]:
    """Half-written files in a folder on which nobody can still be at work: they are an hour old."""
    drafts = [path for prefix in (_PREFIX, DRAFT) for path in folder.glob(f"{prefix}*{_SUFFIX}")]
    return sorted(path for path in drafts if time.time() - path.stat().st_mtime > _ABANDONED_SECONDS)


def _target(path: Path) -> Path:
    """The file behind every link of `path`."""
    try:
        return path.resolve()
    except RuntimeError as loop:  # Python before 3.13 says so of links that go in circles
        raise OSError(str(loop)) from loop


def _replace(target: Path, change: Callable[[bytes], bytes]) -> bool:
    for _ in range(_ATTEMPTS):
        old, before = _read(target)
        new = change(old or b"")
        if new == (old or b""):
            return False
        if _put(target, new, before):
            return True
    raise BusyError(f"{target} is being changed by another program all the time: close it there, then try again")


def _put(target: Path, content: bytes, before: os.stat_result | None) -> bool:
    """Whether `content` could take the place of the file as it was `before`; False where it has changed since."""
    import tempfile  # not for those who only read

    descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=_PREFIX, suffix=_SUFFIX)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        _bear_likeness(Path(name), before)
        if _identity(_stat(target)) != _identity(before):
            return False
        Path(name).replace(target)
    finally:
        Path(name).unlink(missing_ok=True)
    _sync_folder(target.parent)
    return True


def _read(path: Path) -> tuple[bytes | None, os.stat_result | None]:
    before = _stat(path)
    if before is None:
        return None, None
    if not stat.S_ISREG(before.st_mode):
        raise OSError("it is not a file")
    with path.open("rb") as file:
        return file.read(), before


def _stat(path: Path) -> os.stat_result | None:
    try:
        return path.stat()
    except FileNotFoundError:
        return None


def _identity(found: os.stat_result | None) -> tuple[int, ...] | None:
    return found and (found.st_ino, found.st_size, found.st_mtime_ns)


def _bear_likeness(path: Path, original: os.stat_result | None) -> None:
    """Give `path` the owner and mode of the file that it is to replace."""
    if original is not None and hasattr(os, "chown"):
        with suppress(PermissionError):  # only root can give a file away
            os.chown(path, original.st_uid, original.st_gid)
    path.chmod(_OWNER_ONLY if original is None else stat.S_IMODE(original.st_mode))


@contextmanager
def _turn(folder: Path) -> Generator[None, None, None]:
    """Hold the folder's lock, so that HyMem's writers of all processes and threads come one after another."""
    if fcntl is None:
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sync_folder(folder: Path) -> None:
    """Make the replacement itself survive a power cut, where the system can."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


def _reason(error: OSError) -> str:
    return error.strerror or str(error)
