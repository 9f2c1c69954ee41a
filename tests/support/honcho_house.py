"""The whole Honcho server, doorkeeper, dreams and webhooks included, on loopback for the length of a block."""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from hymem.settings import ServerSettings
from serving.honcho.security import Claims, token
from serving.honcho.server import HonchoServer
from serving.scheduler import COMMAND
from serving.workspaces import Workspaces
from tests.support.http_server import HttpServer

SECRET = "the secret of the tests, 32 bytes and more"
OFFLINE = {"HYMEM_LLM_MODEL": "rules"}


@dataclass(frozen=True)
class House:
    """A server, and a client that may do everything."""

    url: str
    server: HonchoServer
    client: httpx.Client

    def bearer(self, claims: Claims, expires_at: str | None = None, now: str = "2026-01-01T00:00:00.000000Z") -> str:
        """The header of someone who may do so much."""
        return f"Bearer {token(SECRET, claims, now, expires_at)}"

    def say(self, content: str, session: str = "s1", workspace: str = "w", **more: object) -> httpx.Response:
        """Have ann say something."""
        body = {"messages": [{"peer_id": "ann", "content": content, **more}]}
        return self.client.post(f"/v3/workspaces/{workspace}/sessions/{session}/messages", json=body)

    def messages(self, session: str = "s1", workspace: str = "w") -> list[dict]:
        """What was said."""
        return self.client.post(f"/v3/workspaces/{workspace}/sessions/{session}/messages/list").json()["items"]


@contextmanager
def honcho_house(
    root: Path, settings: ServerSettings | None = None, dream: Sequence[str] = COMMAND, **environment: str
) -> Iterator[House]:
    """The server over the workspaces in a folder; its dreams' model is that of the rules."""
    settings = settings or ServerSettings(dream_cooldown_seconds=0.5)
    held = {name: value for name, value in os.environ.items() if not name.startswith(("HYMEM_", "DEEPSEEK_"))}
    workspaces = Workspaces(root)
    server = HonchoServer(workspaces, settings, environment={**held, **OFFLINE, **environment}, dream_command=dream)
    try:
        with HttpServer(server.app, lifespan="off") as http:
            everything = {"Authorization": f"Bearer {token(SECRET, Claims(admin=True), workspaces.clock())}"}
            with httpx.Client(base_url=http.url, headers=everything, timeout=30) as client:
                yield House(http.url, server, client)
    finally:
        server.close()
        workspaces.close()
