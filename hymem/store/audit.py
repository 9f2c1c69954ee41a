"""What memory holds twice, without support, out of date or astray: counted over all of it, for those who look after it."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from hymem.store.connection import Connection

TEXTS: Final = {
    "messages": ("message_id", "content"),
    "chunks": ("chunk_id", "text"),
    "kg_evidence": ("chunk_id", "quote"),
    "facts": ("fact_id", "content"),
    "profile_entries": ("entry_id", "statement"),
}
"""Tables whose texts a person may read, with the columns of id and text. Only messages may hold a secret."""


@dataclass(frozen=True)
class GraphCounts:
    """How many edges there were after a dream, by status; `dreamt_at` is None for the graph as it stands."""

    dreamt_at: str | None
    active: int
    stale: int
    retracted: int

    @property
    def stale_share(self) -> float:
        """Of the edges that recall serves, those that are stale; 0 where there are none."""
        return self.stale / (self.active + self.stale) if self.stale else 0.0


def graph_counts(connection: Connection) -> GraphCounts:
    """The graph as it stands."""
    counts = dict(connection.execute("select status, count(*) from knowledge_graph group by status").fetchall())
    return GraphCounts(None, counts.get("active", 0), counts.get("stale", 0), counts.get("retracted", 0))


def graph_trend(connection: Connection, limit: int) -> list[GraphCounts]:
    """The graph after each of the last dreams that ended and left it another, the oldest first."""
    found = connection.execute(
        """
        with told as (
            select rowid as place, started_at, edges, lag(edges) over (order by rowid) as before
            from dream_runs
            where outcome in ('done', 'interrupted') and edges is not null)
        select started_at, edges ->> 'active', edges ->> 'stale', edges ->> 'retracted'
        from told
        where edges is not before
        order by place desc
        limit ?
        """,
        (limit,),
    ).fetchall()
    return [GraphCounts(*row) for row in reversed(found)]


def alike_entities(connection: Connection) -> list[tuple[str, ...]]:
    """Entities whose names differ in hyphens, dots, spaces and underscores only, together."""
    found = connection.execute(
        """
        select group_concat(entity, ' ')
        from (select distinct entity from entity_names order by entity)
        group by replace(replace(replace(entity, '_', ''), '-', ''), '.', '')
        having count(*) > 1
        order by 1
        """
    )
    return [tuple(entities.split()) for (entities,) in found]


def repeated_facts(connection: Connection) -> list[str]:
    """What one peer was told as a fact more than once, in the same words but for capitals."""
    found = connection.execute(
        """
        select min(content)
        from facts
        group by peer_id, lower(trim(content, ' .'))
        having count(*) > 1
        order by 1
        """
    )
    return [content for (content,) in found]


def unsupported_edges(connection: Connection) -> list[tuple[str, str, str]]:
    """Edges in force that no chunk speaks of, and derived ones whose path is broken."""
    found = connection.execute(
        """
        select subject, predicate, object
        from knowledge_graph g
        where status <> 'retracted'
          and iif(
            derived,
            exists (select 1 from json_each(g.path) where value not in (select edge_id from knowledge_graph)),
            not exists (select 1 from kg_evidence e where e.edge_id = g.edge_id))
        order by subject, predicate, object
        """
    )
    return [(subject, predicate, object_) for subject, predicate, object_ in found]


def unsupported_entries(connection: Connection) -> list[str]:
    """Profile entries that no chunk speaks of."""
    found = connection.execute(
        """
        select statement
        from profile_entries p
        where not exists (select 1 from profile_evidence e where e.entry_id = p.entry_id)
        order by statement
        """
    )
    return [statement for (statement,) in found]


def stale_edges(connection: Connection, limit: int) -> list[tuple[str, str, str]]:
    """The edges that have faded most."""
    found = connection.execute(
        """
        select subject, predicate, object
        from knowledge_graph
        where status = 'stale'
        order by confidence, subject, predicate, object
        limit ?
        """,
        (limit,),
    )
    return [(subject, predicate, object_) for subject, predicate, object_ in found]


def lost_entities(connection: Connection) -> list[str]:
    """Entities that no edge, no mention and no fact leads to."""
    found = connection.execute(
        """
        select distinct entity
        from entity_names n
        where not exists (select 1 from knowledge_graph where subject = n.entity)
          and not exists (select 1 from knowledge_graph where object = n.entity)
          and not exists (select 1 from entity_mentions where entity = n.entity)
          and not exists (select 1 from extracted_triples where n.name in (subject, object))
        union
        select canonical
        from entities e
        where not exists (select 1 from fact_entities f where f.entity_id = e.entity_id)
        order by 1
        """
    )
    return [entity for (entity,) in found]


def all_texts(connection: Connection) -> Iterator[tuple[str, str, str]]:
    """Table, id and text of everything that a person may read."""
    for table, (key, text) in TEXTS.items():
        for number, words in connection.execute(f"select {key}, {text} from {table} where {text} <> ''"):
            yield table, str(number), words
