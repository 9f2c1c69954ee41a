"""Peers: whoever takes part in sessions, with the role that they play and what clients attached to them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from hymem.records import Role
from hymem.roles import inferred_role, told_role
from hymem.store.connection import Connection, Row
from hymem.store.messages import identifier, json_object
from hymem.store.pages import Listing, Page, Slice, page
from hymem.store.where import Where

COLUMNS: Final = "p.peer_id, p.role, p.metadata, p.configuration, p.created_at"
_LISTING: Final = Listing(COLUMNS, "peers p", ("p.created_at", "p.peer_id"))
_KINDS: Final = {
    "peer": "p.peer_id not in (select peer_id from scopes)",
    "scope": "p.peer_id in (select peer_id from scopes)",
    "all": "true",
}


@dataclass(frozen=True)
class PeerRecord:
    """A peer as the ledger has it."""

    peer_id: str
    role: Role
    metadata: Mapping[str, Any]
    configuration: Mapping[str, Any]
    created_at: str


def read_peer(connection: Connection, peer_id: str) -> PeerRecord | None:
    """A peer, None where there is none of that name."""
    found = connection.execute(f"select {COLUMNS} from peers p where peer_id = ?", (peer_id,)).fetchall()
    return peer_record(found[0]) if found else None


def ensure_peer(
    connection: Connection,
    peer_id: str,
    now: str,
    *,
    metadata: Mapping[str, Any] | None = None,
    configuration: Mapping[str, Any] | None = None,
    role: Role | None = None,
) -> bool:
    """Make sure that there is a peer, and that it has what is given; whether it is new.

    A new one plays the role that is given, or that its metadata name, or its id tells; a known one keeps its role unless one
    is given or named.
    """
    connection.execute(
        "insert or ignore into peers (peer_id, role, created_at) values (?, ?, ?)",
        (identifier(peer_id, "peer_id"), role or inferred_role(peer_id, metadata), now),
    )
    created = connection.changes() > 0
    if metadata is not None:
        connection.execute("update peers set metadata = ? where peer_id = ?", (json_object(metadata), peer_id))
    if configuration is not None:
        connection.execute(
            "update peers set configuration = ? where peer_id = ?", (json_object(configuration), peer_id)
        )
    named = role or told_role(metadata)
    if named is not None and not created:
        connection.execute("update peers set role = ? where peer_id = ?", (named, peer_id))
    return created


def roles(connection: Connection, peer_ids: list[str]) -> dict[str, Role]:
    """The roles of those that are known."""
    found = connection.execute(
        "select peer_id, role from peers where peer_id in (select value from json_each(?))", (json.dumps(peer_ids),)
    )
    return dict(found.fetchall())


def list_peers(
    connection: Connection, where: Where, asked: Slice, kind: Literal["peer", "scope", "all"] = "peer"
) -> tuple[Page, list[PeerRecord]]:
    """A page of the peers, the oldest first; scopes only where they are asked for."""
    found = page(connection, _LISTING, where.also(_KINDS[kind]), asked)
    return found, [peer_record(row) for row in found.rows]


def peer_record(row: Row) -> PeerRecord:
    """The record of a row of `COLUMNS`."""
    peer_id, role, metadata, configuration, created_at = row
    return PeerRecord(peer_id, role, json.loads(metadata), json.loads(configuration), created_at)
