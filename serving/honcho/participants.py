"""Who takes part in a session, as requests say it: peers with what holds for them, or plain names, or names with roles."""

from collections.abc import Mapping, Sequence
from typing import cast

from hymem.records import Role
from hymem.store import session_peers
from hymem.store.connection import Connection
from hymem.store.peers import ensure_peer, read_peer
from hymem.vocabulary import ROLES
from serving.honcho.asking import new_name, peer_name
from serving.honcho.errors import Refusal
from serving.honcho.models import Attention

Told = Mapping[str, Attention]


def told(peers: Mapping[str, Attention | str] | Sequence[str] | None) -> dict[str, Attention]:
    """Peers with what holds for them; a plain text beside a name is its role."""
    if peers is None:
        return {}
    if not isinstance(peers, Mapping):
        return {name: Attention() for name in peers}
    return {name: Attention(role=said) if isinstance(said, str) else said for name, said in peers.items()}


def add(connection: Connection, session_id: str, peers: Told, now: str) -> None:
    """Let peers take part, made where there are none of these names; raises `Refusal` where too many would observe."""
    for name, said in peers.items():
        know(connection, name, now, _role(said.role))
    joining = {name: session_peers.Attention(said.observe_me, said.observe_others) for name, said in peers.items()}
    session_peers.join(connection, session_id, joining, now)
    check_observers(connection, session_id)


def check_observers(connection: Connection, session_id: str) -> None:
    """Raise `Refusal` where more peers observe a session than may."""
    if session_peers.observers(connection, session_id) > session_peers.MAX_OBSERVERS:
        raise Refusal(400, f"a session has at most {session_peers.MAX_OBSERVERS} peers that observe the others")


def know(connection: Connection, name: str, now: str, role: Role | None = None) -> None:
    """Make sure that there is a peer of that name."""
    if read_peer(connection, peer_name(name)) is None:
        ensure_peer(connection, new_name(name, "a peer's id"), now, role=role)
    elif role is not None:
        ensure_peer(connection, name, now, role=role)


def _role(said: str | None) -> Role | None:
    if said is not None and said not in ROLES:
        raise Refusal(422, f"a role is one of {', '.join(ROLES)}, not {said[:40]!r}")
    return cast(Role | None, said)
