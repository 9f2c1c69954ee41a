"""The databases that benchmarks start from: made once a run, or kept in a folder, and copied for each measurement."""

import shutil
from collections.abc import Callable
from pathlib import Path

from benchmarks.measuring import python


class Worlds:
    """Databases by size. `scale` shrinks all of them alike, for a quick look."""

    def __init__(self, folder: Path, scale: float = 1.0) -> None:
        self.folder = folder
        self.scale = scale
        self._copies = 0

    def turns(self, count: int) -> int:
        """So many turns, at this scale; ten at least."""
        return max(10, round(count * self.scale))

    def logged(self, turns: int) -> Path:
        """A fresh copy of a database of so many turns, nothing dreamt."""
        return self._copy(f"logged-{turns}", lambda root: build(root, 0, turns, turns))

    def answered(self, turns: int) -> Path:
        """A fresh copy of a ledger of so many turns with all replies, and nothing made of it."""
        return self._copy(f"answered-{turns}", lambda root: build(root, 0, turns, turns, "--replies"))

    def dreamt(self, turns: int, of: int | None = None) -> Path:
        """A fresh copy of a database of the first turns of a year of `of`, dreamt over."""
        return self._copy(f"dreamt-{turns}-{of or turns}", lambda root: build(root, 0, turns, of or turns, "--dreamt"))

    def _copy(self, name: str, make: Callable[[Path], None]) -> Path:
        made = self.folder / name
        if not made.exists():
            make(self.folder / "unfinished")
            (self.folder / "unfinished").rename(made)
        self._copies += 1
        return Path(shutil.copytree(made, self.folder / "copies" / f"{name}-{self._copies}"))

    def clear(self) -> None:
        """Remove the copies."""
        shutil.rmtree(self.folder / "copies", ignore_errors=True)


def build(root: Path, first: int, behind: int, of: int, *options: str) -> None:
    """Log some turns of the year into a database, in another process, and dream over them if told so."""
    shutil.rmtree(root, ignore_errors=True) if first == 0 else None
    python("-m", "benchmarks.ledger", str(root), str(first), str(behind), str(of), *options)
