"""What lies around a thing in the graph, in pieces that a person can look at: never more rows than are asked for."""

from dataclasses import dataclass

from hymem.store.connection import Connection


@dataclass(frozen=True)
class Named:
    """An entity, its type where one is known, and the name that was asked for where it goes by another one."""

    entity: str
    type: str | None
    known_as: str | None


@dataclass(frozen=True)
class Extent:
    """How much is remembered: rows by kind, and from when to when something was said."""

    messages: int
    sessions: int
    edges: int
    retracted: int
    entities: int
    first_said: str | None
    last_said: str | None


def extent(connection: Connection) -> Extent:
    """How much is remembered."""
    found = connection.execute(
        """
        select
          (select count(*) from messages),
          (select count(*) from sessions),
          (select count(*) from knowledge_graph where status <> 'retracted'),
          (select count(*) from knowledge_graph where status = 'retracted'),
          (select count(distinct entity) from entity_names),
          (select min(created_at) from messages),
          (select max(created_at) from messages)
        """
    ).fetchall()
    return Extent(*found[0])


def edges_at(connection: Connection, entity: str) -> int:
    """How many active and stale edges there are at an entity."""
    found = connection.execute(
        """
        select count(*)
        from (select edge_id from knowledge_graph where subject = :entity and status <> 'retracted'
              union select edge_id from knowledge_graph where object = :entity and status <> 'retracted')
        """,
        {"entity": entity},
    ).fetchall()
    return found[0][0]


def entities_named(connection: Connection, name: str, limit: int) -> list[Named]:
    """The entities one of whose names has this in it; those whose name begins with it first, then the shortest."""
    found = connection.execute(
        """
        select n.entity, t.type, min(case when n.name <> n.entity then n.name end)
        from entity_names n left join entity_types t using (entity)
        where instr(n.name, :name) > 0 or :name = ''
        group by n.entity
        order by min(case when instr(n.name, :name) = 1 then 0 else 1 end), length(n.entity), n.entity
        limit :limit
        """,
        {"name": name, "limit": limit},
    )
    return [Named(*row) for row in found]


def edges_naming(connection: Connection, name: str, retracted: bool, limit: int) -> tuple[list[int], int]:
    """The ids of the edges with this in the name of an end, the most confident first; and how many there are in all."""
    chosen = """
        from knowledge_graph
        where (status = 'retracted') = :retracted
          and (:name = '' or instr(subject, :name) > 0 or instr(object, :name) > 0)
        """
    asked = {"name": name, "retracted": retracted}
    total = connection.execute(f"select count(*) {chosen}", asked).fetchall()[0][0]
    found = connection.execute(
        f"select edge_id {chosen} order by derived, confidence desc, last_seen desc, edge_id limit :limit",
        {**asked, "limit": limit},
    )
    return [edge_id for (edge_id,) in found], total
