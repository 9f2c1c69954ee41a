"""A real receiver of webhooks on loopback, which writes down what comes."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Receiver(ThreadingHTTPServer):
    """Receives what is delivered, after a pause."""

    daemon_threads = True

    def __init__(self, status: int = 200, pause: float = 0.0) -> None:
        self.came: list[tuple[str, dict[str, str], bytes]] = []
        self.status, self.pause = status, pause
        super().__init__(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server_address[1]}/hook?a=1"


class Handler(BaseHTTPRequestHandler):
    server: Receiver

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.server.came.append((self.path, dict(self.headers), body))
        time.sleep(self.server.pause)
        self.send_response(self.server.status)
        self.send_header("Location", "/elsewhere")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def receiving(status: int = 200, pause: float = 0.0) -> Iterator[Receiver]:
    """A receiver, until the end of the block."""
    receiver = Receiver(status, pause)
    thread = threading.Thread(target=receiver.serve_forever, args=(0.02,))
    thread.start()
    try:
        yield receiver
    finally:
        receiver.shutdown()
        receiver.server_close()
        thread.join()
