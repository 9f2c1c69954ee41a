"""The life of `hymem serve ui`: from the environment to a socket of this machine, and back."""

import logging
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Final

from hymem.errors import ConfigError
from hymem.models.embedding import EmbeddingClient
from hymem.settings import Settings, build_embedder, read_server_settings, read_settings
from serving.environment import tell_remarks
from serving.honcho.running import ended_by_signals, listening
from serving.logs import configure_logs
from serving.memory import HyMem
from serving.page.server import PageServer
from serving.workspaces import DEFAULT, Workspaces

HOST: Final = "127.0.0.1"

logger: Final = logging.getLogger("hymem.page")


def serve(root: str | None, port: int, on_start: Callable[[str], None]) -> None:
    """Serve until told to end, by Ctrl-C or SIGTERM; `on_start` is given the address, once the server listens there."""
    settings, server_settings = read_settings(root=root), read_server_settings(root=root)
    embedder = _embedder(settings)
    configure_logs(as_json=server_settings.json_log)
    tell_remarks(settings)

    def open_memory(folder: Path) -> HyMem:
        return HyMem(folder, embedder=embedder, redact_stored=settings.redact_stored)

    with listening(HOST, port) as ear, ended_by_signals():
        workspaces = Workspaces(settings.root, open_memory)
        with workspaces.use(DEFAULT, create=True):
            server = PageServer(workspaces, server_settings)
        try:
            on_start(f"http://{HOST}:{ear.getsockname()[1]}")
            server.run(ear)
        finally:
            server.close()
            workspaces.close()
            logger.info("the page ended")


def _embedder(settings: Settings) -> EmbeddingClient | None:
    """The embedding model, where one can be had: recall goes without it, and says so."""
    with suppress(ConfigError):
        return build_embedder(settings)
    return None
