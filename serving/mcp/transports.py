"""The two ways to the server: standard input and output for one client, and HTTP on this machine for several."""

import sys
from contextlib import redirect_stdout
from typing import TYPE_CHECKING, Final

from hymem.errors import ConfigError
from hymem.models.loopback import is_loopback

if TYPE_CHECKING:
    from serving.memory import HyMem

HOST: Final = "127.0.0.1"
PORT: Final = 8766
PATH: Final = "/mcp"
LIMIT: Final = 64 * 1024 * 1024
"""Bytes of a request at most: a long conversation fits, a flood does not."""

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


def serve_http(memory: "HyMem", host: str = HOST, port: int = PORT) -> None:
    """Serve clients of this machine over streamable HTTP, until interrupted; requests for other hosts are refused."""
    if not is_loopback(f"http://{_bracketed(host)}"):
        raise ConfigError(
            f"the MCP server listens on this machine only: --host must be {HOST} or localhost, not {host!r}"
        )
    import uvicorn

    from serving.mcp.server import build_server

    app = build_server(memory).streamable_http_app(host=host, streamable_http_path=PATH, max_request_body_size=LIMIT)
    uvicorn.run(app, host=host, port=port, log_level="warning", timeout_graceful_shutdown=FAREWELL)


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host
