"""The courier takes events to webhooks, in a thread of its own, so that nobody waits for an address that does not answer.

A webhook's address comes from a client, who must not reach through the server what only the server can reach: addresses of
private networks and of this machine are not called, whatever name stands for them, and redirections are not followed.
"""

import hashlib
import hmac
import http.client
import ipaddress
import json
import logging
import queue
import socket
import ssl
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import SplitResult, urlsplit

from hymem.errors import InputError

WAITING_ALLOWED: Final = 1000
TIMEOUT_SECONDS: Final = 10.0
SIGNATURE: Final = "X-Honcho-Signature"
URL_LIMIT: Final = 2048

logger: Final = logging.getLogger(__name__)


@dataclass(frozen=True)
class Event:
    """What happened, `data` about it, and when (ISO-8601)."""

    type: str
    data: dict[str, Any]
    timestamp: str

    @property
    def body(self) -> bytes:
        """As it is delivered, and signed."""
        told = {"type": self.type, "data": self.data, "timestamp": self.timestamp}
        return json.dumps(told, sort_keys=True, separators=(",", ":")).encode()


def checked_url(url: str, *, local: bool = False) -> str:
    """The address, where it may be called; raises `InputError`. `local` allows private networks and this machine."""
    parts = _parts(url)
    if not local and _is_private(parts.hostname or ""):
        raise InputError("a webhook's address must not lie in a private network, nor be this machine")
    return url


class Courier:
    """Delivers events one after the other; `deliver` and `call` return at once. `secret` signs what is delivered."""

    def __init__(self, secret: str | None, *, local: bool = False, timeout_seconds: float = TIMEOUT_SECONDS) -> None:
        self._secret, self._local, self._timeout = secret, local, timeout_seconds
        self._errands: queue.Queue[Callable[[], None] | None] = queue.Queue(WAITING_ALLOWED)
        self._thread = threading.Thread(target=self._run, name="hymem-courier", daemon=True)
        self._thread.start()
        self.delivered, self.failed = 0, 0

    def deliver(self, urls: Sequence[str], event: Event) -> None:
        """Take an event to some addresses."""
        for url in urls:
            self.call(lambda url=url: self._deliver(url, event))

    def call(self, errand: Callable[[], None]) -> None:
        """Run an errand in the courier's thread, when those before it are done; dropped, and said, where too many wait."""
        try:
            self._errands.put_nowait(errand)
        except queue.Full:
            self.failed += 1
            logger.warning("a webhook's event was dropped: %d others wait", WAITING_ALLOWED)

    def close(self) -> None:
        """Deliver nothing more, once the delivery under way is over."""
        while True:
            try:
                self._errands.get_nowait()
            except queue.Empty:
                break
        self._errands.put(None)
        self._thread.join(self._timeout * 3)

    def _run(self) -> None:
        while (errand := self._errands.get()) is not None:
            try:
                errand()
            except Exception:  # one errand's fault must not end the thread that all others wait for
                self.failed += 1
                logger.exception("a webhook's errand failed")

    def _deliver(self, url: str, event: Event) -> None:
        try:
            status = self._post(url, event.body)
        except (OSError, http.client.HTTPException, InputError, UnicodeError) as error:
            self.failed += 1
            logger.warning("webhook %s was not reached: %s", _shown(url), error)
            return
        if 200 <= status < 300:
            self.delivered += 1
        else:
            self.failed += 1
            logger.warning("webhook %s answered %d", _shown(url), status)

    def _post(self, url: str, body: bytes) -> int:
        parts = _parts(url)
        headers = {"Content-Type": "application/json", "User-Agent": "hymem"}
        if self._secret:
            headers[SIGNATURE] = hmac.new(self._secret.encode(), body, hashlib.sha256).hexdigest()
        connection = _connection(parts, self._address(parts), self._timeout)
        try:
            connection.request("POST", f"{parts.path or '/'}{'?' + parts.query if parts.query else ''}", body, headers)
            return connection.getresponse().status
        finally:
            connection.close()

    def _address(self, parts: SplitResult) -> tuple[str, int]:
        """Where a name leads now; it is this very address that is called, so that the name cannot change in between."""
        port = parts.port or (443 if parts.scheme == "https" else 80)
        found = socket.getaddrinfo(parts.hostname, port, type=socket.SOCK_STREAM)
        for *_, address in found:
            if self._local or not _is_private(str(address[0])):
                return str(address[0]), port
        raise InputError("its name leads into a private network, or to this machine")


def _connection(parts: SplitResult, address: tuple[str, int], timeout: float) -> http.client.HTTPConnection:
    """A connection to that address, under the name that the webhook gives."""
    host, port = parts.hostname or "", address[1]
    reached = socket.create_connection(address, timeout)
    try:
        if parts.scheme == "https":
            reached = ssl.create_default_context().wrap_socket(reached, server_hostname=host)
        connection = http.client.HTTPConnection(host, port, timeout=timeout)
        connection.sock = reached
        return connection
    except BaseException:  # Ctrl-C included: no socket is left open
        reached.close()
        raise


def _parts(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and parts.hostname and (parts.port is None or parts.port > 0)
    except ValueError:
        usable, parts = False, SplitResult("", "", "", "", "")
    if not usable or len(url) > URL_LIMIT or not url.isascii() or not url.isprintable() or " " in url:
        raise InputError(f"a webhook's address begins with http:// or https:// and names a host, not {url[:60]!r}")
    return parts


def _is_private(host: str) -> bool:
    """Whether a host, by its own looks, is this machine or in a network that the world cannot reach."""
    name = host.lower().rstrip(".").partition("%")[0]
    if name == "localhost" or name.endswith((".localhost", ".local", ".internal")):
        return True
    try:
        address = ipaddress.ip_address(name)
    except ValueError:
        return _is_number(name)
    mapped = getattr(address, "ipv4_mapped", None) or address
    return not mapped.is_global or mapped.is_multicast


def _is_number(name: str) -> bool:
    """Whether it is an address in one of the older notations (0x7f000001, 2130706433, 127.1), which resolvers know."""
    try:
        return not ipaddress.ip_address(socket.inet_aton(name)).is_global
    except (OSError, ValueError):
        return False


def _shown(url: str) -> str:
    """An address without what may be secret in it."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.hostname}"
