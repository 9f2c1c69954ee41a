"""The doorkeeper stands before every route: it knows the caller before a byte of the body is read, and how much may come.

Without a secret everyone is let in, so then the server listens on this machine alone, and only those are let in who mean it: a
page from elsewhere that a browser on this machine shows could otherwise reach the server under a name that it made lead here.
"""

import asyncio
import ipaddress
import json
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hymem.errors import ConfigError
from hymem.times import wall_clock
from serving.honcho.security import Asked, Claims, IsMember, Unauthorized, authorize, claims_of
from serving.page.files import is_open

OPEN: Final = frozenset({"/", "/health", "/metrics", "/openapi.json", "/docs", "/docs/oauth2-redirect", "/redoc"})
"""Paths that ask nobody who they are; they tell nothing of what is remembered."""

LARGEST_BODY: Final = 20 * 1024 * 1024
"""A hundred messages of 25,000 characters, each written as an escape, fit in."""

LARGEST_UPLOAD: Final = 6 * 1024 * 1024
BODY_SECONDS: Final = 30.0
"""How long the server waits for the next piece of a body."""

FOREIGN: Final = (
    "this server has no access tokens and answers this machine only: call it as localhost or 127.0.0.1, "
    "or set HYMEM_HONCHO_AUTH_SECRET"
)


def check_address(host: str, secret: str | None) -> None:
    """Raise `ConfigError` where a server without tokens would be reached from other machines."""
    if secret is None and not is_this_machine(host):
        raise ConfigError(
            f"without access tokens the server listens on this machine only, not on {host!r}: "
            "set HYMEM_HONCHO_AUTH_SECRET (32 bytes or more), or HYMEM_HONCHO_HOST=127.0.0.1"
        )


def is_this_machine(host: str) -> bool:
    """Whether a host, as in an address or a `Host` header without its port, is this machine's loopback interface."""
    if host.lower().rstrip(".") == "localhost":
        return True
    try:
        return ipaddress.ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False


class Doorkeeper:
    """ASGI middleware: limits, hosts and tokens. `is_member` looks into the store, and is called in a thread."""

    def __init__(
        self, app: ASGIApp, *, secret: str | None, is_member: IsMember, clock: Callable[[], str] = wall_clock
    ) -> None:
        self._app, self._secret, self._is_member, self._clock = app, secret, is_member, clock

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let the request through, or answer it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = False

        async def sending(message: Message) -> None:
            nonlocal begun
            begun = True
            await send(message)

        try:
            arriving = _limited(scope, receive)
            arriving = await self._let_in(scope, arriving)
            await self._app(scope, arriving, sending)
        except HTTPException as refused:
            if begun:
                raise
            headers = {"WWW-Authenticate": "Bearer"} if refused.status_code == 401 else {"Connection": "close"}
            await JSONResponse({"detail": refused.detail}, refused.status_code, headers)(scope, receive, send)

    async def _let_in(self, scope: Scope, receive: Receive) -> Receive:
        headers = _headers(scope)
        if self._secret is None:
            _mean_this_machine(headers)
            return receive
        if scope["path"] in OPEN or is_open(scope["path"]):
            return receive
        try:
            claims = claims_of(self._secret, headers.get("authorization"), self._clock())
            scope.setdefault("state", {})["claims"] = claims
            body: dict[str, Any] = {}
            if _decides(claims, scope) and not _is_upload(headers):
                receive, body = await _read(receive)
            query = parse_qs(scope.get("query_string", b"").decode("latin-1"))
            asked = Asked(scope["method"], scope["path"], query, body)
            await asyncio.to_thread(authorize, claims, asked, self._is_member)
        except Unauthorized as error:
            raise HTTPException(401, str(error)) from None
        return receive


def _decides(claims: Claims, scope: Scope) -> bool:
    """Whether the body may say something that the rules look at."""
    return not claims.admin and (claims.narrow or scope["path"].rstrip("/") == "/v3/workspaces")


def _is_upload(headers: dict[str, str]) -> bool:
    """Whether no route reads the body as JSON; a media type is what stands at the beginning, parameters may say anything."""
    return headers.get("content-type", "").lower().lstrip().startswith("multipart/")


def _headers(scope: Scope) -> dict[str, str]:
    """The headers by their names; of those that come twice all values, which then are none that is known."""
    found: dict[str, str] = {}
    for name, value in scope["headers"]:
        key = name.decode("latin-1").lower()
        found[key] = f"{found[key]},{value.decode('latin-1')}" if key in found else value.decode("latin-1")
    return found


def _mean_this_machine(headers: MutableMapping[str, str]) -> None:
    """Refuse names that were made to lead here, and pages from elsewhere."""
    host = _host(f"//{headers.get('host', '')}")
    origin = headers.get("origin")
    if not is_this_machine(host) or (origin is not None and not is_this_machine(_host(origin))):
        raise HTTPException(403, FOREIGN)


def _host(address: str) -> str:
    try:
        return urlsplit(address).hostname or ""
    except ValueError:
        return ""


def _limited(scope: Scope, receive: Receive) -> Receive:
    """The body as it comes, as long as it comes in time and is not too large."""
    headers = _headers(scope)
    limit = LARGEST_UPLOAD if _is_upload(headers) else LARGEST_BODY
    declared = headers.get("content-length", "0")
    if declared.isdecimal() and int(declared) > limit:
        raise _too_large(limit)
    came, complete = 0, False

    async def arriving() -> Message:
        nonlocal came, complete
        if complete:  # what comes now is the end of the connection, for which there is no hurry
            return await receive()
        message = await _in_time(receive())
        came += len(message.get("body", b""))
        complete = not message.get("more_body", False)
        if came > limit:
            raise _too_large(limit)
        return message

    return arriving


def _too_large(limit: int) -> HTTPException:
    return HTTPException(413, f"the body is larger than {limit // 1024 // 1024} MiB: send it in parts")


async def _in_time(message: Awaitable[Message]) -> Message:
    try:
        return await asyncio.wait_for(message, BODY_SECONDS)
    except TimeoutError:
        raise HTTPException(408, f"nothing came for {BODY_SECONDS:g} seconds: send the body without pauses") from None


async def _read(receive: Receive) -> tuple[Receive, dict[str, Any]]:
    """The whole body as the routes will read it again, and the JSON object that it is; {} where it is none."""
    pieces: list[Message] = []
    while True:
        pieces.append(await receive())
        if not pieces[-1].get("more_body", False):
            break
    waiting = iter(pieces)

    async def again() -> Message:
        return next(waiting, None) or await receive()

    try:
        body = json.loads(b"".join(piece.get("body", b"") for piece in pieces) or b"{}")
    except (ValueError, RecursionError):
        body = {}
    return again, body if isinstance(body, dict) else {}
