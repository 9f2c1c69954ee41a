"""The server's life: from the environment to a socket, and back to a database that is whole when it is told to end."""

import logging
import signal
import socket
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final, NoReturn

import uvicorn
from starlette.types import ASGIApp

from hymem.errors import ConfigError
from hymem.models.chat import close_client
from hymem.settings import build_embedder, build_llm, read_server_settings, read_settings
from hymem.tracing import start_tracing
from serving.environment import tell_remarks
from serving.honcho.doorkeeper import check_address
from serving.honcho.server import HonchoServer
from serving.logs import configure_logs
from serving.memory import HyMem
from serving.workspaces import Workspaces

IDLE_SECONDS: Final = 75
"""How long a connection that says nothing is kept: longer than the load balancers before it do."""

FAREWELL_SECONDS: Final = 10
CONNECTIONS: Final = 1000
BACKLOG: Final = 512

logger: Final = logging.getLogger("hymem.honcho")


def serve(root: str | None, host: str | None, port: int | None, on_start: Callable[[str], None]) -> None:
    """Serve until told to end, by Ctrl-C or SIGTERM; raises `ConfigError`, saying what to set, before anything is opened.

    `on_start` is given the address, once the server listens there.
    """
    settings, server_settings = read_settings(root=root), read_server_settings(root=root)
    host, port = host or server_settings.honcho_host, server_settings.honcho_port if port is None else port
    check_address(host, server_settings.auth_secret)
    llm, embedder = build_llm(settings), build_embedder(settings)
    configure_logs(as_json=server_settings.json_log)
    tell_remarks(settings)
    start_tracing(settings.traces)

    def open_memory(folder: Path) -> HyMem:
        return HyMem(
            folder,
            llm=llm,
            embedder=embedder,
            concurrency=settings.llm_concurrency,
            redact_stored=settings.redact_stored,
        )

    with listening(host, port) as ear, ended_by_signals():
        workspaces = Workspaces(settings.root, open_memory)
        server = HonchoServer(workspaces, server_settings)
        try:
            server.resume()
            on_start(f"http://{_shown(host)}:{ear.getsockname()[1]}")
            uvicorn.Server(configuration(server.app)).run([ear])
        finally:
            server.close()
            workspaces.close()
            close_client(llm)
            logger.info("the server ended")


@contextmanager
def listening(host: str, port: int) -> Generator[socket.socket]:
    """A socket that listens; raises `ConfigError` where the address is taken, or is none of this machine's."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # Named as TCP, since asyncio lets short packets go at once on such sockets only; else each answer waits for 40 ms.
    ear = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        if sys.platform != "win32":
            ear.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        ear.bind((host.strip("[]"), port))
        ear.listen(BACKLOG)
    except OSError as error:
        ear.close()
        raise ConfigError(
            f"{_shown(host)}:{port} cannot be listened on, perhaps it is taken ({error.strerror or error}): "
            "set HYMEM_HONCHO_HOST or HYMEM_HONCHO_PORT, or end what listens there"
        ) from None
    try:
        yield ear
    finally:
        ear.close()


@contextmanager
def ended_by_signals() -> Generator[None]:
    """Let SIGTERM end the block as Ctrl-C does, and either end it quietly: uvicorn raises them anew when it is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.signal(signal.SIGTERM, _interrupt)
    try:
        with suppress(KeyboardInterrupt):
            yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _interrupt(*_: object) -> NoReturn:
    raise KeyboardInterrupt


def configuration(app: ASGIApp) -> uvicorn.Config:
    """How uvicorn serves an application."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        lifespan="off",
        ws="none",
        limit_concurrency=CONNECTIONS,
        timeout_keep_alive=IDLE_SECONDS,
        timeout_graceful_shutdown=FAREWELL_SECONDS,
    )


def _shown(host: str) -> str:
    return f"[{host}]" if ":" in host else host
