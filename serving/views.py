"""The last few views of a memory, kept open for a server that is asked for the same ones again and again.

A view is a function of the ledger's part, the configuration, the code and the moment; under that key it is kept. As soon as
somebody acted on the ledger or erased something in it, by whatever process, every view from before is removed from the disk: the
next question sees it, and a watch sees it within seconds where nobody asks.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Generator, Iterable
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final
from weakref import WeakValueDictionary

from hymem.config import HyMemConfig
from hymem.errors import StoreError
from hymem.store.part import Viewpoint
from hymem.times import Moment
from serving.memory import HyMem
from serving.memory_view import MemoryView, open_view

KEPT: Final = 8
"""Views that stay open while nobody reads them."""

WATCH_SECONDS: Final = 5.0
"""How long a view may outlive an erasure where nobody asks."""

BUILT_AT_ONCE: Final = 2
"""Views under construction; each may take as much memory as a dream."""


@dataclass
class _Kept:
    """A view, as of which state of the ledger and after which dream it was built, until when it holds, and how many read it."""

    view: MemoryView
    stamp: tuple[Any, ...]
    dreamt: tuple[Any, ...]
    changes_at: str | None
    readers: int = 1
    retired: bool = False

    def holds(self, stamp: tuple[Any, ...], now: str) -> bool:
        return self.stamp == stamp and (self.changes_at is None or now < self.changes_at)

    def is_as_new_as(self, dreamt: tuple[Any, ...], generation: int) -> bool:
        return self.dreamt == dreamt and self.stamp[0] == generation

    def close_if_idle(self) -> None:
        if self.retired and self.readers == 0:
            self.view.close()


class Views:
    """The last views of a memory; threads may share it."""

    def __init__(self, memory: HyMem, keep: int = KEPT, watch_seconds: float = WATCH_SECONDS) -> None:
        """Views of `memory`, of which at most `keep` stay open while nobody reads them."""
        self._memory, self._keep, self._watch_seconds = memory, keep, watch_seconds
        self._lock = threading.Lock()
        self._kept: OrderedDict[Viewpoint, _Kept] = OrderedDict()
        self._turns: WeakValueDictionary[Viewpoint, threading.Lock] = WeakValueDictionary()
        self._builders = threading.BoundedSemaphore(BUILT_AT_ONCE)
        self._closed = threading.Event()
        self._watch: threading.Thread | None = None

    @contextmanager
    def get(
        self,
        *,
        as_of: Moment | None = None,
        sessions: Iterable[str] | None = None,
        without: Iterable[str] = (),
        heard_by: str | None = None,
        config: HyMemConfig | None = None,
        in_child: bool = False,
        fresh: bool = True,
    ) -> Generator[HyMem, None, None]:
        """A view (see `HyMem.view`) for the length of a block, built only where none is kept that still holds.

        `in_child` builds it in another process, so that this one need not load what dreams need. Without `fresh`, one will do
        that is as new as the last dream: what was said since is not in memory either.
        """
        self._begin_watch()
        self.expire()
        viewpoint = self._memory.viewpoint(
            as_of=as_of, sessions=sessions, without=without, heard_by=heard_by, config=config
        )
        kept = self._taken(viewpoint, in_child, fresh)
        try:
            yield kept.view
        finally:
            with self._lock:
                kept.readers -= 1
                kept.close_if_idle()

    def expire(self) -> None:
        """Remove every view from before the last act or erasure; one that is being read goes with its last reader."""
        generation = self._memory.generation()
        with self._lock:
            for key in [key for key, kept in self._kept.items() if kept.stamp[0] != generation]:
                self._retire(key)

    def close(self) -> None:
        """Remove all views, and keep none from now on."""
        self._closed.set()
        with self._lock:
            for key in list(self._kept):
                self._retire(key)
            watch = self._watch
        if watch is not None:  # which must not look at a memory that is closed next
            watch.join()

    def _taken(self, viewpoint: Viewpoint, in_child: bool, fresh: bool) -> _Kept:
        """The view that is kept, or a new one, with one reader more; of those who ask for the same one, the first builds it."""
        key = replace(viewpoint, now="")
        with self._lock:
            turn = self._turns.setdefault(key, threading.Lock())
        with turn:
            dreamt, stamp = self._memory.last_dream(), self._memory.part_stamp(viewpoint.part)
            kept = self._found(key, lambda it: it.holds(stamp, viewpoint.now))
            if kept is None and not fresh:
                kept = self._found(key, lambda it: it.is_as_new_as(dreamt, stamp[0]))
            if kept is not None:
                return kept
            with self._builders:
                view = open_view(self._memory, viewpoint, in_child)
            kept = _Kept(view, stamp, dreamt, view.changes_at)
            self._keep_open(key, kept)
            return kept

    def _found(self, key: Viewpoint, will_do: Callable[[_Kept], bool]) -> _Kept | None:
        with self._lock:
            kept = self._kept.get(key)
            if kept is None or not will_do(kept):
                return None
            self._kept.move_to_end(key)
            kept.readers += 1
            return kept

    def _keep_open(self, key: Viewpoint, kept: _Kept) -> None:
        with self._lock:
            self._retire(key)
            if self._closed.is_set():
                kept.retired = True
                return
            self._kept[key] = kept
            idle = [other for other, its in self._kept.items() if its.readers == 0]
            for other in idle[: max(0, len(self._kept) - self._keep)]:
                self._retire(other)

    def _retire(self, key: Viewpoint) -> None:
        kept = self._kept.pop(key, None)
        if kept is not None:
            kept.retired = True
            kept.close_if_idle()

    def _begin_watch(self) -> None:
        with self._lock:
            if self._watch is None and not self._closed.is_set():
                self._watch = threading.Thread(target=self._look, name="hymem-views", daemon=True)
                self._watch.start()

    def _look(self) -> None:
        while not self._closed.wait(self._watch_seconds):
            try:
                self.expire()
            except StoreError:  # held by another process, or its folder is gone: look again
                continue
