"""The page by itself: `hymem serve ui`, for a memory that no server serves."""

import socket

import uvicorn
from fastapi import FastAPI
from starlette.responses import Response
from starlette.types import ASGIApp

from hymem.errors import InputError
from hymem.settings import ServerSettings
from hymem.store.session_peers import attention
from serving.honcho.app import TolerantPaths
from serving.honcho.doorkeeper import Doorkeeper
from serving.honcho.errors import add_handlers
from serving.honcho.running import configuration
from serving.page.adding import add_page
from serving.page.files import to_page
from serving.scheduler import DreamStatus, Scheduler
from serving.workspaces import Workspaces


class PageServer:
    """The page over the workspaces in a folder, behind the doorkeeper; `app` is what an ASGI server serves.

    It dreams when somebody says so, and not by itself. The caller closes it, and the workspaces after it.
    """

    def __init__(self, workspaces: Workspaces, settings: ServerSettings, scheduler: Scheduler | None = None) -> None:
        self.workspaces = workspaces
        self.scheduler = scheduler or Scheduler(cooldown_seconds=settings.dream_cooldown_seconds)
        api = FastAPI(title="HyMem", openapi_url=None, redirect_slashes=False)
        api.state.server = self
        self.page = add_page(api, workspaces)
        api.add_api_route("/", _root)
        add_handlers(api)
        guarded = Doorkeeper(api, secret=settings.auth_secret, is_member=self._is_member, clock=workspaces.clock)
        self.app: ASGIApp = TolerantPaths(guarded)

    def close(self) -> None:
        """End the dreams, which keep what they have, and forget the views."""
        self.scheduler.close()
        self.page.close()

    def kick(self, workspace_id: str, *, at_once: bool = False) -> None:
        """Dream over a workspace."""
        self.scheduler.kick(self.workspaces.folder(workspace_id), at_once=at_once)

    def dream_status(self, workspace_id: str) -> DreamStatus:
        """How a workspace's dreams go."""
        return self.scheduler.status(self.workspaces.folder(workspace_id))

    def run(self, ear: socket.socket) -> None:
        """Serve at a socket that listens, until told to end."""
        uvicorn.Server(configuration(self.app)).run([ear])

    def _is_member(self, workspace_id: str, session_id: str, peer_id: str) -> bool:
        try:
            with self.workspaces.use(workspace_id) as memory, memory.reading() as connection:
                return attention(connection, session_id, peer_id) is not None
        except InputError:
            return False


def _root() -> Response:
    return to_page()
