"""A real Honcho server on loopback, for the length of a test: uvicorn in a thread, over workspaces in a folder."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import uvicorn
from fastapi import FastAPI
from honcho import Honcho

from hymem.models.rules import RulesExtractor
from serving.honcho.app import create_app
from serving.memory import HyMem
from serving.workspaces import Workspaces


@dataclass(frozen=True)
class Served:
    """Where a server listens, and what it serves."""

    url: str
    workspaces: Workspaces

    def client(self, workspace_id: str = "default") -> Honcho:
        """The SDK, pointed at the server."""
        return Honcho(base_url=self.url, workspace_id=workspace_id, api_key="none", max_retries=0)

    def dream(self, workspace_id: str) -> None:
        """Dream over a workspace, with the model of the rules."""
        with HyMem(self.workspaces.folder(workspace_id), llm=RulesExtractor()) as memory:
            memory.dream()


@contextmanager
def serving(app: FastAPI) -> Iterator[str]:
    """The address of an application that is served until the end of the block."""
    with socket.socket(
        socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
    ) as listening:  # so that answers go at once
        listening.bind(("127.0.0.1", 0))
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="off", timeout_graceful_shutdown=2))
        thread = threading.Thread(target=server.run, args=([listening],))
        thread.start()
        while not server.started:
            time.sleep(0.005)
        try:
            yield f"http://127.0.0.1:{listening.getsockname()[1]}"
        finally:
            server.should_exit = True
            thread.join()


@contextmanager
def honcho_server(root: Path) -> Iterator[Served]:
    """A server over the workspaces in a folder."""
    workspaces = Workspaces(root)
    try:
        with serving(create_app(workspaces)) as url:
            yield Served(url, workspaces)
    finally:
        workspaces.close()
