"""Folders that live as long as somebody looks at them: for views of memory, which must not outlive what they were made from.

A folder is its owner's only, and lies where the system keeps temporary files. It goes when its last holder lets go, at the
latest when the process ends. A process that was killed leaves it behind; whoever makes the next one notices that nobody holds the
old one's lock any more, and removes it.
"""

import os
import shutil
import tempfile
import threading
import time
import weakref
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from hymem.errors import StoreError

try:
    import fcntl
except ImportError:  # Windows has no such lock; there the folders of killed processes wait for the system to clean up
    fcntl = None

PREFIX: Final = "hymem-view-"
LOCK: Final = ".held"
"""The file that a living holder has locked; the folder's own lock is for the turns of those who write Markdown."""

YOUNG: Final = 60.0
"""Seconds for which a folder may be without a lock, since making one takes two steps."""


class Scratch:
    """A temporary folder, held once by whoever made it."""

    def __init__(self) -> None:
        """Make the folder, and remove those of processes that were killed; raises `StoreError` where there is no room."""
        sweep()
        try:
            self.path = Path(tempfile.mkdtemp(prefix=PREFIX))
            self._lock = _locked(self.path)
        except OSError as error:
            raise StoreError(
                f"no room for a view: {error}; make some, or set TMPDIR to a folder that has it"
            ) from error
        self._holders = 1
        self._counting = threading.Lock()
        self._end = weakref.finalize(self, _remove, self.path, self._lock, os.getpid())

    def hold(self) -> "Scratch":
        """Hold it once more."""
        with self._counting:
            self._holders += 1
        return self

    def release(self) -> None:
        """Let go; the last one to do so removes the folder."""
        with self._counting:
            self._holders -= 1
            last = self._holders == 0
        if last:
            self._end()


def sweep() -> None:
    """Remove the folders that no living process holds."""
    for path in _old_ones():
        with suppress(OSError):  # gone by now
            lock = _locked(path)
            if lock is not None:
                shutil.rmtree(path, ignore_errors=True)
                os.close(lock)


def left_behind() -> list[Path]:
    """The folders that no living process holds; nothing is changed by looking."""
    return [path for path in _old_ones() if not (path / LOCK).exists() or _is_free(path)]


def _is_free(path: Path) -> bool:
    lock = None
    with suppress(OSError):  # another user's, or gone by now
        lock = _locked(path)
    if lock is not None:
        os.close(lock)
    return lock is not None


def _old_ones() -> Iterator[Path]:
    """The folders that are old enough to have a lock if they are held; none where there are no locks."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*") if fcntl is not None else ():
        with suppress(OSError):  # another user's, or gone by now
            if not path.is_symlink() and time.time() - path.stat().st_mtime >= YOUNG and os.access(path, os.W_OK):
                yield path


def _locked(path: Path) -> int | None:
    """A descriptor that holds the folder's lock; None where another has it, or where there are no locks."""
    if fcntl is None:
        return None
    descriptor = os.open(path / LOCK, os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW, 0o600)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(descriptor)
        return None
    return descriptor


def _remove(path: Path, lock: int | None, owner: int) -> None:
    if os.getpid() != owner:  # a child that was forked off inherits the object, and not the folder
        return
    shutil.rmtree(path, ignore_errors=True)
    if lock is not None:
        os.close(lock)
