"""The two ways to the server: standard input and output for one client, and HTTP on this machine for several."""

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Final

from hymem.errors import ConfigError

if TYPE_CHECKING:
    from serving.memory import HyMem

HOST: Final = "127.0.0.1"
PORT: Final = 8766
PATH: Final = "/mcp"
LIMIT: Final = 64 * 1024 * 1024
"""Bytes of a request at most, as far as the doorkeeper has not refused it before."""

FAREWELL: Final = 3
"""Seconds that open streams have to end when the server is told to."""


def serve_stdio(memory: "HyMem") -> None:
    """Serve the one client at standard input and output, until it goes.

    Whatever else is printed, by libraries too, goes to standard error, where clients keep their logs.
    """
    with redirect_stdout(sys.stderr):
        import anyio

        from serving.mcp.server import build_server

        server = build_server(memory, on_stdio=True)
    anyio.run(server.run_stdio_async)


def serve_http(memory: "HyMem", host: str = HOST, port: int = PORT, secret: str | None = None) -> None:
    """Serve clients over streamable HTTP until interrupted, behind the Honcho server's doorkeeper.

    Without a `secret` for access tokens only this machine is served, under its own names. With one, an admin's token opens the
    server: it serves a whole memory, and no narrower token reaches so far.
    """
    from serving.honcho.doorkeeper import Doorkeeper, is_this_machine

    if secret is None and not is_this_machine(host):
        raise ConfigError(
            f"without access tokens the MCP server listens on this machine only, not on {host!r}: "
            f"set HYMEM_HONCHO_AUTH_SECRET (32 bytes or more), or --host {HOST}"
        )
    import uvicorn

    from serving.mcp.server import build_server

    app = build_server(memory).streamable_http_app(host=host, streamable_http_path=PATH, max_request_body_size=LIMIT)
    guarded = Doorkeeper(app, secret=secret, is_member=_no_member)
    uvicorn.run(guarded, host=host, port=port, log_level="warning", timeout_graceful_shutdown=FAREWELL)


def _no_member(workspace: str, session: str, peer: str) -> bool:
    return False
