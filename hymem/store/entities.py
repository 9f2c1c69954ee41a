"""Entities: what they are, and whether every stored name is still in its canonical form."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hymem.canonical import canonical_or_none
from hymem.store.connection import Connection
from hymem.store.ledger import record_act

_LEDGER_NAMES: Final = (
    ("entity_aliases", "alias"),
    ("entity_aliases", "canonical"),
    ("extraction_feedback", "subject"),
    ("extraction_feedback", "object"),
)
_MATERIALIZED_NAMES: Final = (
    ("knowledge_graph", "subject"),
    ("knowledge_graph", "object"),
    ("entity_names", "name"),
    ("entity_names", "entity"),
    ("entity_types", "entity"),
    ("entity_mentions", "name"),
    ("entity_mentions", "entity"),
)


@dataclass(frozen=True)
class Entity:
    """A thing in the graph: its type where one is known, the other names it goes by,
    how many facts it has and how many chunks mention it."""

    entity: str
    type: str | None
    names: tuple[str, ...]
    facts: int
    mentions: int


@dataclass(frozen=True)
class Drift:
    """A stored name that is not in canonical form; `canonical` is None where it has no such form."""

    table: str
    column: str
    name: str
    canonical: str | None


def entities(connection: Connection) -> list[Entity]:
    """All entities, those with the most edges first."""
    found = connection.execute(
        """
        with ends as (
            select subject as entity, edge_id from knowledge_graph where status <> 'retracted' and not derived
            union select object, edge_id from knowledge_graph where status <> 'retracted' and not derived),
        degrees as (select entity, count(*) as edges from ends group by entity),
        mentioned as (select entity, count(distinct chunk_id) as chunks from entity_mentions group by entity)
        select n.entity, t.type, group_concat(n.name, ' '), coalesce(d.edges, 0), coalesce(m.chunks, 0)
        from entity_names n
        left join entity_types t using (entity) left join degrees d using (entity) left join mentioned m using (entity)
        group by n.entity
        order by coalesce(d.edges, 0) desc, coalesce(m.chunks, 0) desc, n.entity
        """
    )
    return [
        Entity(entity, kind, tuple(sorted(name for name in names.split() if name != entity)), edges, mentions)
        for entity, kind, names, edges, mentions in found
    ]


def canonical_drift(connection: Connection) -> list[Drift]:
    """Every stored name that something other than HyMem wrote past canonicalization."""
    return [drift for place in (*_LEDGER_NAMES, *_MATERIALIZED_NAMES) for drift in _drift_in(connection, place)]


def repair_canonical_drift(connection: Connection) -> Sequence[Drift]:
    """Put the ledger's names into canonical form, and take what else drifted out, for the next dream to make anew."""
    found = canonical_drift(connection)
    for drift in found:
        if (drift.table, drift.column) in _MATERIALIZED_NAMES or drift.canonical is None:
            connection.execute(f"delete from {drift.table} where {drift.column} = ?", (drift.name,))
        else:
            sql = f"update {drift.table} set {drift.column} = ? where {drift.column} = ?"
            connection.execute(sql, (drift.canonical, drift.name))
    if found:
        connection.execute("delete from dream_state")
        record_act(connection)
    return found


def _drift_in(connection: Connection, place: tuple[str, str]) -> Iterator[Drift]:
    table, column = place
    for (name,) in connection.execute(f"select distinct {column} from {table} order by 1"):
        canonical = canonical_or_none(name)
        if canonical != name:
            yield Drift(table, column, name, canonical)
