"""Scopes: views over chosen sessions, kept as peers that observe there and never speak."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Final

from hymem.errors import ConflictError
from hymem.store.connection import Connection
from hymem.store.peers import ensure_peer, read_peer
from hymem.store.session_peers import Attention, join

PREFIX: Final = "scope."


def ensure_scope(connection: Connection, scope_id: str, now: str, metadata: Mapping[str, Any] | None = None) -> bool:
    """Make sure that there is a scope, with these metadata; whether it is new.

    Raises `ConflictError` where a peer that is no scope bears its name.
    """
    peer_id = PREFIX + scope_id
    if read_peer(connection, peer_id) is not None and not is_scope(connection, scope_id):
        raise ConflictError(f"a peer named {peer_id!r} is there already, and is no scope: choose another id")
    created = ensure_peer(connection, peer_id, now, metadata=metadata, role="system")
    connection.execute("insert or ignore into scopes (peer_id) values (?)", (peer_id,))
    return created


def is_scope(connection: Connection, scope_id: str) -> bool:
    """Whether there is a scope of that id."""
    return connection.execute("select 1 from scopes where peer_id = ?", (PREFIX + scope_id,)).fetchall() != []


def missing_sessions(connection: Connection, session_ids: Sequence[str]) -> list[str]:
    """Those of the sessions that are not there."""
    found = connection.execute(
        "select value from json_each(?) where value not in (select session_id from sessions) order by key",
        (json.dumps(list(session_ids)),),
    )
    return [session for (session,) in found]


def add_sessions(connection: Connection, scope_id: str, session_ids: Sequence[str], now: str) -> None:
    """Let a scope look at sessions, from their first message on."""
    for session_id in session_ids:
        join(connection, session_id, {PREFIX + scope_id: Attention(False, True)}, now)
        connection.execute(
            "update session_peers set after_seq = 0 where session_id = ? and peer_id = ? and left_at is null",
            (session_id, PREFIX + scope_id),
        )


def remove_session(connection: Connection, scope_id: str, session_id: str) -> bool:
    """Let a scope see a session no more, nor what was said there; whether it saw it."""
    connection.execute(
        "delete from session_peers where session_id = ? and peer_id = ?", (session_id, PREFIX + scope_id)
    )
    return connection.changes() > 0


def scope_joins(connection: Connection, scope_id: str) -> dict[str, str]:
    """Since when a scope has looked at each of its sessions."""
    found = connection.execute(
        "select session_id, joined_at from session_peers where peer_id = ? and left_at is null order by stay_id",
        (PREFIX + scope_id,),
    )
    return dict(found.fetchall())
