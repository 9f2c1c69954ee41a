"""An ASGI application as a real server on a free port of the loopback interface, for the length of a block."""

import socket
import threading
import time
from typing import Any, Self

import uvicorn


class HttpServer:
    """The server; `url` is where it is."""

    def __init__(self, app: Any, **options: Any) -> None:
        self._socket = socket.socket(
            socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP
        )  # so that answers go at once
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        config = uvicorn.Config(app, log_level="warning", ws="none", **options)
        self._server = uvicorn.Server(config)
        self._thread = threading.Thread(target=self._server.run, kwargs={"sockets": [self._socket]})

    def __enter__(self) -> Self:
        self._thread.start()
        ends = time.monotonic() + 20
        while not self._server.started:
            assert self._thread.is_alive() and time.monotonic() < ends, "the server did not start"
            time.sleep(0.005)
        return self

    def __exit__(self, *_: object) -> None:
        self._server.should_exit = True
        self._thread.join()
        self._socket.close()
