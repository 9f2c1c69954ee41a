"""What one peer can know of another: the sessions in which both took part, and what bears there on the one that is observed.

A peer takes part where it has a stay. A session in which nobody has one came by another door; whoever spoke there heard it all.
"""

import json
from collections.abc import Iterable
from typing import NamedTuple

from hymem.store.connection import Connection


class Source(NamedTuple):
    """A message that says something, and its session."""

    session_id: str
    message_id: str


def sessions_of(connection: Connection, peer_id: str, *, observing: bool = False) -> set[str]:
    """The sessions in which a peer takes part or did; `observing`, without those where it does not observe the others."""
    found = connection.execute(
        """
        select session_id
        from session_peers
        where peer_id = :peer
        group by session_id
        having not :observing or coalesce(max(stay_id * 2 + coalesce(observe_others, 1)) % 2, 1)
        union
        select session_id
        from sessions s
        where not exists (select 1 from session_peers where session_id = s.session_id)
          and exists (select 1 from messages where session_id = s.session_id and peer_id = :peer)
        """,
        {"peer": peer_id, "observing": observing},
    )
    return {session_id for (session_id,) in found}


def heard_everything(connection: Connection, peer_id: str | None, sessions: Iterable[str]) -> bool:
    """Whether nothing was ever said outside these sessions, and the peer, where one is named, was there for all of it."""
    found = connection.execute(
        """
        select 1
        from sessions s
        where exists (select 1 from messages where session_id = s.session_id)
          and (
            s.session_id not in (select value from json_each(:sessions))
            or (
              :peer is not null
              and exists (select 1 from session_peers where session_id = s.session_id)
              and not exists (
                select 1
                from session_peers
                where session_id = s.session_id and peer_id = :peer and left_at is null
                  and after_seq < (select min(seq) from messages where session_id = s.session_id))))
        limit 1
        """,
        {"peer": peer_id, "sessions": json.dumps(sorted(sessions))},
    ).fetchall()
    return not found


def edges_about(connection: Connection, peer_id: str, entity: str | None) -> set[int]:
    """The stated edges, retracted ones aside, that a peer spoke of, or that begin or end at the entity that it is."""
    found = connection.execute(
        """
        select edge_id
        from knowledge_graph
        where status <> 'retracted' and not derived and (
          subject = :entity or object = :entity
          or edge_id in (
            select e.edge_id
            from chunks c join kg_evidence e using (chunk_id)
            where c.peer_id = :peer and e.source = 'stated'))
        """,
        {"peer": peer_id, "entity": entity},
    )
    return {edge_id for (edge_id,) in found}


def edge_sources(connection: Connection, edge_ids: Iterable[int]) -> dict[tuple[int, int], list[Source]]:
    """By edge and polarity, the messages that say it or deny it, the oldest first."""
    found = connection.execute(
        """
        select e.edge_id, e.polarity, c.session_id, m.message_id
        from kg_evidence e join chunks c using (chunk_id) join messages m on m.seq = c.message_seq
        where e.source = 'stated' and e.edge_id in (select value from json_each(?))
        order by e.edge_id, e.said_at, e.chunk_id
        """,
        (json.dumps(sorted(edge_ids)),),
    )
    said = dict[tuple[int, int], list[Source]]()
    for edge_id, polarity, *source in found:
        said.setdefault((edge_id, polarity), []).append(Source(*source))
    return said


def entry_sources(connection: Connection, peer_id: str) -> dict[int, list[Source]]:
    """By profile entry of a peer, the messages that voice it, the oldest first."""
    found = connection.execute(
        """
        select e.entry_id, c.session_id, m.message_id
        from profile_entries p join profile_evidence e using (entry_id)
          join chunks c using (chunk_id) join messages m on m.seq = c.message_seq
        where p.peer_id = ? and e.polarity = 1
        order by e.entry_id, c.said_at, c.chunk_id
        """,
        (peer_id,),
    )
    said = dict[int, list[Source]]()
    for entry_id, *source in found:
        said.setdefault(entry_id, []).append(Source(*source))
    return said


def speakers(connection: Connection) -> list[str]:
    """The peers who ever said something, or took part somewhere, by their names."""
    found = connection.execute(
        """
        select peer_id
        from peers p
        where exists (select 1 from messages where peer_id = p.peer_id)
           or exists (select 1 from session_peers where peer_id = p.peer_id)
        order by peer_id
        """
    )
    return [peer_id for (peer_id,) in found]
