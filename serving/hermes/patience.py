"""How long the agent waits for memory: work with a deadline, and work in the background, one thing after the other.

Whatever waits for a lock, a disk or an embedding model waits in a thread of its own. Its results that come too late are dropped.
"""

import contextvars
import logging
import queue
import threading
from collections.abc import Callable
from typing import Final, TypeVar

from hymem.errors import BusyError, HyMemError, StoreError

Result = TypeVar("Result")
TRIES: Final = 3
logger = logging.getLogger(__name__)


def within(seconds: float, work: Callable[[], Result]) -> Result:
    """What the work comes to, or `BusyError` where that takes longer; the work itself goes on, and nobody hears of it."""
    done: queue.SimpleQueue[tuple[Result | None, BaseException | None]] = queue.SimpleQueue()
    context = contextvars.copy_context()

    def run() -> None:
        try:
            done.put((context.run(work), None))
        except BaseException as error:  # handed over, and raised where it is waited for  # noqa: BLE001
            done.put((None, error))

    threading.Thread(target=run, name="hymem", daemon=True).start()
    try:
        result, error = done.get(timeout=seconds)
    except queue.Empty:
        raise BusyError(f"memory did not answer within {seconds:g} seconds; another process may hold it") from None
    if error is not None:
        raise error
    return result  # pyright: ignore[reportReturnType]


class Background:
    """Work that is done later, in order. What the store refuses is tried again, and told to `on_trouble` where that fails."""

    def __init__(self, on_trouble: Callable[[str], None]) -> None:
        self._on_trouble = on_trouble
        self._tasks: queue.Queue[tuple[str, Callable[[], object]] | None] = queue.Queue()
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def do(self, what: str, work: Callable[[], object]) -> None:
        """Do this after what was asked for before; `what` names it for the user."""
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._work, name="hymem-background", daemon=True)
                self._thread.start()
        self._tasks.put((what, work))

    def finish(self, seconds: float) -> bool:
        """Wait until all is done, that long at most; whether it is."""
        with self._starting:
            thread, self._thread = self._thread, None
        if thread is None:
            return True
        self._tasks.put(None)
        thread.join(seconds)
        return not thread.is_alive()

    def _work(self) -> None:
        while (task := self._tasks.get()) is not None:
            self._try(*task)

    def _try(self, what: str, work: Callable[[], object]) -> None:
        for attempt in range(1, TRIES + 1):
            try:
                work()
                return
            except StoreError as error:
                if attempt == TRIES:
                    self._on_trouble(f"{what} was not kept: {error}")
            except HyMemError as error:
                self._on_trouble(f"{what} was not kept: {error}")
                return
