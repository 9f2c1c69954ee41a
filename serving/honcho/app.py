"""The application: every router under `/v3`, over the workspaces that it is given."""

import re
from typing import Final

from fastapi import FastAPI
from starlette.types import ASGIApp, Receive, Scope, Send

from serving.honcho.asking import REFUSALS
from serving.honcho.errors import add_handlers
from serving.honcho.routers import (
    chat,
    conclusions,
    contexts,
    messages,
    peers,
    representations,
    scopes,
    search,
    sessions,
    workspaces,
)
from serving.workspaces import Workspaces

ROUTERS: Final = (workspaces, peers, representations, sessions, contexts, messages, search, chat, conclusions, scopes)
_TOLD_TWICE: Final = re.compile(r"^/v3(?=/v3(/|$))")


class TolerantPaths:
    """ASGI middleware that takes `/v3/v3/…` and a slash at the end for what they mean."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, under its plain path."""
        if scope["type"] == "http":
            path = _TOLD_TWICE.sub("", scope["path"]).rstrip("/") or "/"
            if path != scope["path"]:  # else it stays the scope that others look at afterwards
                scope = {**scope, "path": path}
        await self._app(scope, receive, send)


def create_app(workspaces: Workspaces) -> FastAPI:
    """The server's application, over these workspaces, which the caller closes."""
    app = FastAPI(
        title="HyMem",
        summary="Memory for AI agents, behind the interface of Honcho v3.",
        redirect_slashes=False,
        responses=REFUSALS,
    )
    app.state.workspaces = workspaces
    for noun in ROUTERS:
        app.include_router(noun.router, prefix="/v3")
    add_handlers(app)
    app.add_middleware(TolerantPaths)
    return app
