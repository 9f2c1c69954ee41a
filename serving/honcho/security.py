"""Who may do what: access tokens with Honcho's claims, and the rules that they are held to.

A token is a JWT, signed with HS256, whose claims name how far it reaches: everything (`ad`), a workspace (`w`), or one peer
(`p`) or session (`s`) of a workspace; `t` says when it was made and `exp` when it ends. Whatever the rules below do not let
through is refused, so that a route which nobody thought of is open to the tokens of its workspace and to no narrower one.

A peer's token opens the peer's own routes, and lets it read the sessions that it is a member of. Every refusal is a 401 with
Honcho's words.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, Final, cast

import jwt

from hymem.errors import HyMemError, InputError
from hymem.times import parse_time, to_datetime

ALGORITHM: Final = "HS256"
NO_TOKEN: Final = "No access token provided"
INVALID: Final = "Invalid JWT"
EXPIRED: Final = "JWT expired"
ADMIN_ONLY: Final = "Resource requires admin privileges"
NOT_PERMITTED: Final = "JWT not permissioned for this resource"
UNAUTHORIZED: Final = "Unauthorized access to resource"

IsMember = Callable[[str, str, str], bool]
"""Whether, in a workspace, a session has a peer as its active member."""


class Unauthorized(HyMemError):
    """A token is missing, is none, or does not reach so far."""


@dataclass(frozen=True)
class Claims:
    """How far a token reaches."""

    admin: bool = False
    workspace: str | None = None
    peer: str | None = None
    session: str | None = None

    @property
    def narrow(self) -> bool:
        """Whether it reaches less far than a workspace."""
        return not self.admin and (self.peer is not None or self.session is not None)


@dataclass(frozen=True)
class Asked:
    """What a request asks for, as far as the rules look at it: its JSON body is {} where there is none, or no object."""

    method: str
    path: str
    query: Mapping[str, Sequence[str]] = field(default_factory=lambda: dict[str, Sequence[str]]())
    body: Mapping[str, Any] = field(default_factory=lambda: dict[str, Any]())

    @property
    def steps(self) -> tuple[str, ...]:
        """The path, step by step."""
        return tuple(step for step in self.path.split("/") if step)

    def asks(self, name: str) -> list[Any]:
        """What a parameter says, whether in the query or in the body."""
        said = self.body.get(name)
        return [*self.query.get(name, ()), *(said if isinstance(said, list) else [] if said is None else [said])]


def token(secret: str, claims: Claims, now: str, expires_at: str | None = None) -> str:
    """A token; raises `InputError` for claims that no rule would let through, and for an end that lies behind."""
    narrowed = claims.peer is not None or claims.session is not None
    if not claims.admin and (claims.workspace is None if narrowed else not claims.workspace):
        raise InputError("a token needs a workspace: name workspace_id, beside peer_id or session_id too")
    named = {"w": claims.workspace, "p": claims.peer, "s": claims.session}
    told: dict[str, Any] = {"t": now, **({"ad": True} if claims.admin else {})}
    told |= {name: value for name, value in named.items() if value is not None}
    if expires_at is not None:
        ends = parse_time(expires_at)
        if ends <= now:
            raise InputError(f"expires_at lies in the past: {expires_at}")
        told["exp"] = to_datetime(ends).timestamp()
    return jwt.encode(told, secret, algorithm=ALGORITHM)


def claims_of(secret: str, authorization: str | None, now: str) -> Claims:
    """What the header `Authorization: Bearer …` claims; raises `Unauthorized` where that is no valid token."""
    scheme, _, encoded = (authorization or "").partition(" ")
    if scheme.lower() != "bearer" or not encoded.strip():
        raise Unauthorized(NO_TOKEN)
    try:
        told = jwt.decode(encoded.strip(), secret, algorithms=[ALGORITHM], options={"verify_exp": False})
    except (jwt.PyJWTError, ValueError):
        raise Unauthorized(INVALID) from None
    if _end(told.get("exp")) <= to_datetime(now):
        raise Unauthorized(EXPIRED)
    names = [_name(told.get(claim)) for claim in ("w", "p", "s")]
    if names[0] is None and names[1:] != [None, None]:
        raise Unauthorized(INVALID)
    return Claims(told.get("ad") is True, *names)


def authorize(claims: Claims, asked: Asked, is_member: IsMember) -> None:
    """Raise `Unauthorized` where the claims do not reach as far as the request."""
    if claims.admin:
        return
    match asked.steps:
        case ("v3", "workspaces") if asked.method == "POST":
            _demand(claims.workspace is not None and asked.body.get("id") == claims.workspace)
        case ("v3", "workspaces", "list") | ("v3", "keys"):
            raise Unauthorized(ADMIN_ONLY)
        case ("v3", "workspaces", workspace, *rest):
            _demand(workspace == claims.workspace)
            if claims.narrow:
                _narrow(claims, asked, tuple(rest), lambda session, peer: is_member(workspace, session, peer))
        case _:
            raise Unauthorized(ADMIN_ONLY)


def _narrow(claims: Claims, asked: Asked, rest: tuple[str, ...], is_member: Callable[[str, str], bool]) -> None:
    """The rules for the tokens of a session and of a peer; one that names both is a session's."""
    if asked.asks("scope") or asked.asks("scopes"):
        raise Unauthorized(UNAUTHORIZED)
    kind, own = ("sessions", claims.session) if claims.session is not None else ("peers", claims.peer)
    is_list = asked.method == "POST" and rest[1:] == ("list",)
    if rest == (kind,) and asked.method == "POST":
        _demand(asked.body.get("id") == own)
    elif rest[:2] != (kind, own) or is_list:
        _demand(claims.session is None and not is_list and _reads_session(asked.method, rest, cast(str, own)))
        _demand(is_member(rest[1], cast(str, own)))
    if claims.session is not None:
        _demand(all(session == claims.session for session in asked.asks("sessions")))
    else:
        _stays_with(cast(str, own), asked, is_member)


def _stays_with(peer: str, asked: Asked, is_member: Callable[[str, str], bool]) -> None:
    """A peer's token reads sessions that the peer is a member of, and what others said only as the peer heard it."""
    sessions = [*asked.asks("session_id"), *asked.asks("sessions")]
    _demand(all(isinstance(session, str) and is_member(session, peer) for session in sessions))
    perspective, targets = asked.asks("peer_perspective"), asked.asks("peer_target")
    _demand(all(seen_by == peer for seen_by in perspective))
    _demand(bool(perspective) or all(target == peer for target in targets))


def _reads_session(method: str, rest: tuple[str, ...], peer: str) -> bool:
    match method, *rest:
        case ("POST", "sessions", _, "messages", "list") | ("POST", "sessions", _, "search"):
            return True
        case ("GET", "sessions", _) | ("GET", "sessions", _, "context" | "summaries" | "peers"):
            return True
        case ("GET", "sessions", _, "messages", _):
            return True
        case ("GET", "sessions", _, "peers", who, "config"):
            return who == peer
        case _:
            return False


def _demand(holds: bool) -> None:
    if not holds:
        raise Unauthorized(NOT_PERMITTED)


def _name(value: object) -> str | None:
    if value is None:
        return None
    if not isinstance(value, str) or not value:
        raise Unauthorized(INVALID)
    return value


def _end(value: object) -> datetime:
    """When a token ends; Honcho's own servers write times as text into tokens that they cannot read again."""
    if value is None:
        return datetime.max.replace(tzinfo=UTC)
    try:
        if isinstance(value, str):
            return to_datetime(parse_time(value))
        if isinstance(value, int | float) and not isinstance(value, bool):
            return datetime.fromtimestamp(value, UTC)
    except (InputError, ValueError, OverflowError, OSError):
        pass
    raise Unauthorized(INVALID)
