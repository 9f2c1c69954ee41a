"""A view of memory, open for reading: `HyMem` over a file of its own that holds a part of the ledger and what follows from it."""

from typing import Any, Final

from hymem.errors import ReadOnlyError
from hymem.records import DreamRun
from hymem.store.part import Viewpoint
from hymem.store.receipts import Receipt
from hymem.store.runs import dream_state
from serving.memory import HyMem
from serving.scratch import Scratch
from serving.viewing import build, build_in_child

READ_ONLY: Final = "a view of memory can only be read: turn to the memory itself"


class MemoryView(HyMem):
    """A view of memory, with every verb that reads; those that write raise `ReadOnlyError`. Closing it removes it."""

    def __init__(self, memory: HyMem, scratch: Scratch, viewpoint: Viewpoint) -> None:
        """Open what was built in a scratch folder."""
        then = viewpoint.part.as_of
        clock = memory.now if then is None else lambda: then
        super().__init__(scratch.path, embedder=memory.embedder, config=viewpoint.config, clock=clock)
        self._memory, self._scratch, self._viewpoint, self._open = memory, scratch, viewpoint, True
        self._database.seal(READ_ONLY)

    def close(self) -> None:
        """Close it, and remove its folder where no fork of it is open."""
        super().close()
        if self._open:
            self._open = False
            self._scratch.release()

    def fork(self) -> "MemoryView":
        """Another one on the same folder, with connections of its own."""
        return MemoryView(self._memory, self._scratch.hold(), self._viewpoint)

    def dream(self, **_: Any) -> DreamRun:
        """Refused: a dream made it, and another one would change it."""
        raise ReadOnlyError(READ_ONLY)

    def reembed(self, **_: Any) -> DreamRun:
        """Refused: it holds vectors that were there."""
        raise ReadOnlyError(READ_ONLY)

    def undo(self, *_: Any, **__: Any) -> Receipt:
        """Refused: no dream is kept here."""
        raise ReadOnlyError(READ_ONLY)

    def ask_again(self, *_: Any, **__: Any) -> None:
        """Refused: nobody is asked here."""
        raise ReadOnlyError(READ_ONLY)

    def viewpoint(self, **_: Any) -> Viewpoint:
        """Refused: what it does not hold cannot be seen from it."""
        raise ReadOnlyError(READ_ONLY)

    @property
    def changes_at(self) -> str | None:
        """The moment at which time alone makes it another; None where it stands still."""
        if self._viewpoint.part.as_of is not None:
            return None
        with self._database.reading() as connection:
            state = dream_state(connection)
        return state and state.changes_at


def open_view(memory: HyMem, viewpoint: Viewpoint, in_child: bool = False) -> MemoryView:
    """Build a view and open it; `in_child`, where this process should not load what dreams need."""
    scratch = Scratch()
    try:
        (build_in_child if in_child else build)(memory, scratch.path, viewpoint)
        return MemoryView(memory, scratch, viewpoint)
    except BaseException:  # Ctrl-C included: nothing is left on the disk
        scratch.release()
        raise
