"""What the page keeps between requests: its token, a few views of the past, and the dataflow, which is the same all day."""

import threading
from collections import OrderedDict
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass, field
from secrets import token_urlsafe
from typing import Annotated, Any, Final

from fastapi import Depends, Request

from hymem.settings import DATABASE
from serving.memory import HyMem
from serving.views import Views
from serving.workspaces import Workspaces

VIEWS_KEPT: Final = 3
"""Views of one workspace that stay open; a timeline asks for one after the other."""

WORKSPACES_KEPT: Final = 4


@dataclass
class _Past:
    """A workspace's views, the memory that they are of, and the file that it had open; `readers` look at one now."""

    views: Views
    memory: HyMem
    file: tuple[int, int]
    readers: int = 0

    def close(self) -> None:
        self.views.close()
        self.memory.close()


@dataclass
class PageState:
    """What the page of one server keeps; threads share it, and the server closes it."""

    workspaces: Workspaces
    token: str = field(default_factory=lambda: token_urlsafe(24))
    pipeline: list[dict[str, Any]] | None = None
    _past: OrderedDict[str, _Past] = field(default_factory=OrderedDict[str, _Past])
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @contextmanager
    def seen(self, workspace_id: str, as_of: str | None) -> Generator[HyMem]:
        """A workspace's memory, as of a moment where one is given; raises `UnknownError` where there is no such workspace."""
        with self.workspaces.use(workspace_id) as memory:
            if as_of is None:
                yield memory
                return
            past = self._taken(workspace_id, memory)
            try:
                with past.views.get(as_of=as_of, in_child=True) as then:
                    yield then
            finally:
                with self._lock:
                    past.readers -= 1
                    self._close_idle()

    def close(self) -> None:
        """Remove all views."""
        with self._lock:
            for past in self._past.values():
                past.close()
            self._past.clear()

    def _taken(self, workspace_id: str, memory: HyMem) -> _Past:
        """The workspace's views; new ones where there are none, or where it was deleted and made anew since."""
        told = (memory.root / DATABASE).stat()
        file = (told.st_dev, told.st_ino)
        with self._lock:
            past = self._past.get(workspace_id)
            if past is not None and past.file != file and past.readers == 0:
                self._past.pop(workspace_id).close()
                past = None
            if past is None:
                own = memory.fork()
                past = self._past[workspace_id] = _Past(Views(own, keep=VIEWS_KEPT), own, file)
            past.readers += 1
            self._past.move_to_end(workspace_id)
            return past

    def _close_idle(self) -> None:
        idle = [name for name, past in self._past.items() if past.readers == 0]
        for name in idle[: max(0, len(self._past) - WORKSPACES_KEPT)]:
            self._past.pop(name).close()


async def _state(request: Request) -> PageState:
    return request.app.state.page


Page = Annotated[PageState, Depends(_state)]
