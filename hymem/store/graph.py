"""The graph as recall and explanation read it."""

import json
from collections.abc import Iterable
from typing import Any, Final

from hymem.records import Chunk, Edge, Evidence, Insight, ProfileEntry, Rediscussion
from hymem.store.connection import Connection
from hymem.store.where import Where
from hymem.vocabulary import PREDICATES

_EDGE: Final = """edge_id, subject, predicate, object, derived, status, confidence, pos_evidence, neg_evidence,
    decay_windows, first_seen, last_seen, last_reinforced, value_text, value_numeric, value_unit, temporal_scope, path"""


def edges(connection: Connection, include_retracted: bool = False) -> list[Edge]:
    """All edges, the most confident first."""
    found = connection.execute(
        f"""
        select {_EDGE}
        from knowledge_graph
        where :all or status <> 'retracted'
        order by derived, confidence desc, subject, predicate, object
        """,
        {"all": include_retracted},
    )
    return [_edge(row) for row in found]


def edges_of(connection: Connection, entity: str, *, limit: int = -1, predicates: Iterable[str] = ()) -> list[Edge]:
    """The active and stale edges at an entity, the most confident first.

    With a limit, at each end the `limit` that were seen last, and as many that bear one of the `predicates`.
    """
    found = connection.execute(
        f"""
        with bearing as (select value from json_each(:predicates))
        select {_EDGE}
        from knowledge_graph
        where edge_id in (
            select * from (select edge_id from knowledge_graph
                           where subject = :entity and status <> 'retracted'
                           order by last_seen desc, edge_id limit :limit)
            union
            select * from (select edge_id from knowledge_graph
                           where object = :entity and status <> 'retracted'
                           order by last_seen desc, edge_id limit :limit)
            union
            select * from (select edge_id from knowledge_graph
                           where :predicates <> '[]' and subject = :entity and status <> 'retracted' and predicate in bearing
                           order by last_seen desc, edge_id limit :limit)
            union
            select * from (select edge_id from knowledge_graph
                           where :predicates <> '[]' and object = :entity and status <> 'retracted' and predicate in bearing
                           order by last_seen desc, edge_id limit :limit))
        order by confidence desc, last_seen desc, edge_id
        """,
        {"entity": entity, "limit": limit, "predicates": json.dumps(sorted(predicates))},
    )
    return [_edge(row) for row in found]


def edges_among(connection: Connection, entities: Iterable[str]) -> list[Edge]:
    """The active and stale edges between any two of some entities."""
    found = connection.execute(
        f"""
        with asked as (select value from json_each(:entities))
        select {_EDGE}
        from knowledge_graph
        where subject in asked and predicate in (select value from json_each(:predicates)) and object in asked
          and status <> 'retracted'
        order by edge_id
        """,
        {"entities": json.dumps(sorted(set(entities))), "predicates": json.dumps(PREDICATES)},
    )
    return [_edge(row) for row in found]


def edges_by_predicate(connection: Connection, predicates: Iterable[str], limit: int) -> list[Edge]:
    """The most confident active and stale edges that bear one of the predicates, the latest first where they are even."""
    found = [edge for predicate in set(predicates) for edge in _edges_of_predicate(connection, predicate, limit)]
    found.sort(key=lambda edge: edge.edge_id)
    found.sort(key=lambda edge: (edge.confidence, edge.last_seen), reverse=True)
    return found[:limit]


def _edges_of_predicate(connection: Connection, predicate: str, limit: int) -> list[Edge]:
    """One predicate at a time: then they lie in the index in that order, and no more are read than asked for."""
    found = connection.execute(
        f"""
        select {_EDGE}
        from knowledge_graph
        where predicate = ? and status <> 'retracted'
        order by confidence desc, last_seen desc, edge_id
        limit ?
        """,
        (predicate, limit),
    )
    return [_edge(row) for row in found]


def recent_edges(connection: Connection, limit: int) -> list[Edge]:
    """The active and stale edges that were seen last."""
    found = connection.execute(
        f"""
        select {_EDGE}
        from knowledge_graph
        where status <> 'retracted'
        order by last_seen desc, edge_id
        limit ?
        """,
        (limit,),
    )
    return [_edge(row) for row in found]


def edges_by_text(connection: Connection, text_ids: Iterable[int]) -> list[Edge]:
    """The active and stale edges whose texts have these vectors, in that order."""
    columns = ", ".join(f"g.{name.strip()}" for name in _EDGE.split(","))
    found = connection.execute(
        f"""
        select {columns}
        from json_each(?) asked
        join edge_embeddings v on v.text_id = asked.value
        join knowledge_graph g on
            g.subject = v.subject and g.object = v.object and
            g.predicate = substr(v.text, length(v.subject) + 2, length(v.text) - length(v.subject) - length(v.object) - 2)
        where g.status <> 'retracted'
        order by asked.key, g.derived
        """,
        (json.dumps(list(text_ids)),),
    )
    return [_edge(row) for row in found]


def edges_between(connection: Connection, subject: str, predicate: str, object_: str) -> list[Edge]:
    """The stated and the derived edge of that name, where they exist."""
    found = connection.execute(
        f"select {_EDGE} from knowledge_graph where (subject, predicate, object) = (?, ?, ?) order by derived",
        (subject, predicate, object_),
    )
    return [_edge(row) for row in found]


def edges_by_id(connection: Connection, ids: Iterable[int]) -> dict[int, Edge]:
    """Edges by their ids."""
    found = connection.execute(
        f"select {_EDGE} from knowledge_graph where edge_id in (select value from json_each(?))",
        (json.dumps(list(ids)),),
    )
    return {row[0]: _edge(row) for row in found}


def edges_following(connection: Connection, stated: Iterable[int]) -> list[Edge]:
    """The derived edges that follow from these stated ones alone."""
    found = connection.execute(
        f"""
        with given as materialized (select value from json_each(?))
        select {_EDGE}
        from knowledge_graph g
        where derived and status <> 'retracted' and path <> '[]'
          and not exists (select 1 from json_each(g.path) step where step.value not in (select value from given))
        order by edge_id
        """,
        (json.dumps(sorted(stated)),),
    )
    return [_edge(row) for row in found]


def evidence_for(connection: Connection, edge_id: int) -> list[Evidence]:
    """Every chunk's word for or against an edge, the oldest first, with the reply that it was read from."""
    found = connection.execute(
        """
        select chunk_id, polarity, source, said_at, quote, value_text, prompt_version, model, replied_at
        from kg_evidence join chunk_replies using (chunk_id)
        where edge_id = ?
        order by said_at, chunk_id, polarity desc
        """,
        (edge_id,),
    )
    return [Evidence(*row) for row in found]


def messages_stating(connection: Connection, edge_ids: Iterable[int], where: Where) -> list[tuple[int, str]]:
    """The messages, for which a condition holds, that state edges: each edge's id with a message's, in the order of the edges.

    Of one edge, the messages that were said last come first.
    """
    found = connection.execute(
        f"""
        select asked.value, m.message_id
        from json_each(:asked_edges) asked
        join kg_evidence e on e.edge_id = asked.value and e.polarity = 1
        join chunks k on k.chunk_id = e.chunk_id
        join messages m on m.seq = k.message_seq
        where {where.condition}
        order by asked.key, m.created_at desc, m.seq desc
        """,
        {"asked_edges": json.dumps(list(edge_ids)), **where.parameters},
    )
    return list(dict.fromkeys((edge_id, message_id) for edge_id, message_id in found))


def rediscussions_of(connection: Connection, edge_id: int) -> list[Rediscussion]:
    """The decay windows that count against an edge."""
    found = connection.execute(
        """
        select r.window, r.chunk_id, c.said_at
        from rediscussions r join chunks c using (chunk_id)
        where edge_id = ?
        order by r.window
        """,
        (edge_id,),
    )
    return [Rediscussion(*row) for row in found]


def chunks_by_id(connection: Connection, ids: Iterable[int]) -> dict[int, Chunk]:
    """Chunks by their ids."""
    found = connection.execute(
        """
        select chunk_id, session_id, message_seq, context_seq, peer_id, said_at, salience_reason, context, text
        from chunks
        where chunk_id in (select value from json_each(?))
        """,
        (json.dumps(list(ids)),),
    )
    return {row[0]: Chunk(*row) for row in found}


def reply_text(connection: Connection, chunk_id: int) -> str | None:
    """The very reply that a chunk is read from."""
    found = connection.execute(
        """
        select reply
        from chunk_replies join processed_chunks using (chunk_id, prompt_version, model, replied_at)
        where kind = 'extraction' and chunk_id = ?
        """,
        (chunk_id,),
    ).fetchall()
    return found[0][0] if found else None


def entity_of(connection: Connection, name: str) -> str | None:
    """The entity that a canonical name leads to, where the graph knows it."""
    found = connection.execute("select entity from entity_names where name = ?", (name,)).fetchall()
    return found[0][0] if found else None


def profile(connection: Connection) -> list[ProfileEntry]:
    """All profile entries, by peer and kind, the most confident first."""
    found = connection.execute(
        """
        select entry_id, peer_id, kind, statement, pos_evidence, neg_evidence, confidence, first_seen, last_seen
        from profile_entries
        order by peer_id, kind, confidence desc, statement
        """
    )
    return [ProfileEntry(*row) for row in found]


def insights(connection: Connection) -> list[Insight]:
    """The lines of MEMORY.md."""
    found = connection.execute("select rank, kind, statement, edges from insights order by rank")
    return [Insight(rank, kind, statement, tuple(json.loads(edges))) for rank, kind, statement, edges in found]


def _edge(row: tuple[Any, ...]) -> Edge:
    *columns, path = row
    columns[4] = bool(columns[4])  # derived
    return Edge(*columns, path=() if path == "[]" else tuple(json.loads(path)))
