"""Who takes part in which session, from which message to which, and what they let be seen.

A peer that leaves and comes back stays twice: between the two it heard nothing. Stays are counted in messages, not in time,
since what is told today may have been said years ago.
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from hymem.store.connection import Connection
from hymem.store.pages import Listing, Page, Slice, page
from hymem.store.peers import COLUMNS, PeerRecord, peer_record
from hymem.store.sessions import LISTING, SessionRecord, session_record
from hymem.store.where import EVERYTHING, Where

MAX_OBSERVERS: Final = 10

HEARD: Final = """(
    m.peer_id in (select value from json_each(:{peers}))
    or exists (
        select 1
        from session_peers stay
        where stay.session_id = m.session_id and stay.peer_id in (select value from json_each(:{peers}))
          and m.seq > stay.after_seq and m.seq <= coalesce(stay.last_seq, m.seq)))"""
"""Holds of a message that any of the peers said, or was there to hear; the name of the parameter with their list is put in."""


@dataclass(frozen=True)
class Attention:
    """Whether a peer may be learnt from in a session, and whether it forms a view of the others; None where nothing was said."""

    observe_me: bool | None = None
    observe_others: bool | None = None


def join(connection: Connection, session_id: str, peers: Mapping[str, Attention], now: str) -> None:
    """Let peers, who must be known, take part in a session from here on; of one who does already, what is said is changed."""
    connection.executemany(
        """
        insert into session_peers (session_id, peer_id, observe_me, observe_others, joined_at, after_seq)
        values (:session, :peer, :me, :others, :now,
          (select coalesce(max(seq), 0) from messages where session_id = :session))
        on conflict (session_id, peer_id) where left_at is null do update set
          observe_me = coalesce(excluded.observe_me, observe_me),
          observe_others = coalesce(excluded.observe_others, observe_others)
        """,
        [
            {"session": session_id, "peer": peer, "me": said.observe_me, "others": said.observe_others, "now": now}
            for peer, said in peers.items()
        ],
    )


def heard_by(peer_id: str) -> Where:
    """Holds of the messages that a peer said or was there to hear."""
    return Where(HEARD.format(peers="heard_by"), {"heard_by": json.dumps([peer_id])})


def leave(connection: Connection, session_id: str, peer_ids: Iterable[str], now: str) -> None:
    """Let peers leave a session; what they heard there they keep."""
    connection.execute(
        """
        update session_peers
        set left_at = :now,
            last_seq = (select coalesce(max(seq), 0) from messages where session_id = :session)
        where session_id = :session and left_at is null and peer_id in (select value from json_each(:peers))
        """,
        {"session": session_id, "now": now, "peers": json.dumps(list(peer_ids))},
    )


def leave_others(connection: Connection, session_id: str, staying: Iterable[str], now: str) -> None:
    """Let everybody but these leave a session, scopes aside."""
    present = connection.execute(
        """
        select peer_id
        from session_peers
        where session_id = ? and left_at is null and peer_id not in (select peer_id from scopes)
        """,
        (session_id,),
    ).fetchall()
    leave(connection, session_id, {peer for (peer,) in present} - set(staying), now)


def set_attention(connection: Connection, session_id: str, peer_id: str, said: Attention) -> None:
    """Say anew what holds for a peer that is present."""
    connection.execute(
        """
        update session_peers
        set observe_me = ?, observe_others = ?
        where session_id = ? and peer_id = ? and left_at is null
        """,
        (said.observe_me, said.observe_others, session_id, peer_id),
    )


def attention(connection: Connection, session_id: str, peer_id: str) -> Attention | None:
    """What holds for a peer in a session; None where it does not take part."""
    found = connection.execute(
        """
        select observe_me, observe_others
        from session_peers
        where session_id = ? and peer_id = ? and left_at is null
        """,
        (session_id, peer_id),
    ).fetchall()
    return Attention(*(None if said is None else bool(said) for said in found[0])) if found else None


def observers(connection: Connection, session_id: str) -> int:
    """How many peers of a session form views of the others, scopes aside."""
    return connection.execute(
        """
        select count(*)
        from session_peers
        where session_id = ? and left_at is null and observe_others = 1 and peer_id not in (select peer_id from scopes)
        """,
        (session_id,),
    ).fetchall()[0][0]


def list_session_peers(connection: Connection, session_id: str, asked: Slice) -> tuple[Page, list[PeerRecord]]:
    """A page of the peers that take part in a session, in the order of their coming."""
    listing = Listing(COLUMNS, "session_peers sp join peers p using (peer_id)", ("sp.stay_id",))
    present = EVERYTHING.also("sp.session_id = :of_session and sp.left_at is null", of_session=session_id)
    found = page(connection, listing, present.also("p.peer_id not in (select peer_id from scopes)"), asked)
    return found, [peer_record(row) for row in found.rows]


def list_peer_sessions(
    connection: Connection, peer_id: str, where: Where, asked: Slice
) -> tuple[Page, list[SessionRecord]]:
    """A page of the sessions in which a peer takes part."""
    takes_part = """
        s.session_id in (select session_id from session_peers where peer_id = :of_peer and left_at is null)"""
    found = page(connection, LISTING, where.also(takes_part, of_peer=peer_id), asked)
    return found, [session_record(row) for row in found.rows]
