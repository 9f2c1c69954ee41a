"""Names as recall looks them up: which of them the graph knows, and whether what they name is a thing or a slip of the model.

A model sometimes takes a verb for an object ("working"), and every message with that word would then match. So a name counts
where something speaks for it: an edge starts there, a type was given, people gave it another name, or two edges end there.
"""

import json
from collections.abc import Iterable
from typing import Final, NamedTuple

from hymem.store.connection import Connection

_COUNTS: Final = """
    exists (select 1 from entity_types t where t.entity = n.entity)
    or exists (select 1 from entity_names o where o.entity = n.entity and o.name <> n.entity)
    or exists (select 1 from knowledge_graph g where g.subject = n.entity and g.status <> 'retracted' and not g.derived)
    or 1 < (
        select count(*) from (
            select 1 from knowledge_graph g
            where g.object = n.entity and g.status <> 'retracted' and not g.derived
            limit 2))"""


class KnownName(NamedTuple):
    """A name in the graph, the entity that it leads to, and whether it passes the shape filter."""

    name: str
    entity: str
    counts: bool


class Sibling(NamedTuple):
    """An entity of the same type as one that was asked for."""

    entity: str
    type: str


def known_names(connection: Connection, names: Iterable[str]) -> list[KnownName]:
    """Those of the names that the graph knows."""
    found = connection.execute(
        f"""
        select n.name, n.entity, {_COUNTS}
        from json_each(?) asked join entity_names n on n.name = asked.value
        """,
        (json.dumps(list(names)),),
    )
    return [KnownName(name, entity, bool(counts)) for name, entity, counts in found]


def names_within(connection: Connection, text: str) -> list[KnownName]:
    """The known names that are a part of the text, in order of their place: for scripts that put no space between words."""
    found = connection.execute(
        f"""
        select n.name, n.entity, {_COUNTS}
        from entity_names n
        where instr(:text, n.name)
        order by instr(:text, n.name), length(n.name) desc
        """,
        {"text": text},
    )
    return [KnownName(name, entity, bool(counts)) for name, entity, counts in found]


def siblings(connection: Connection, entities: Iterable[str], most: int) -> list[Sibling]:
    """The entities that share a type with one of these: of each type the `most` that were seen last."""
    found = connection.execute(
        """
        with asked as (select value as entity from json_each(:entities)),
        kin as (
            select t.entity, t.type, max(
                coalesce((select last_seen from knowledge_graph
                          where subject = t.entity and status <> 'retracted' order by last_seen desc limit 1), ''),
                coalesce((select last_seen from knowledge_graph
                          where object = t.entity and status <> 'retracted' order by last_seen desc limit 1), '')) as seen
            from entity_types t
            where t.type in (select type from entity_types where entity in asked) and t.entity not in asked)
        select entity, type
        from (select *, row_number() over (partition by type order by seen desc, entity) as place from kin)
        where place <= :most
        order by type, place
        """,
        {"entities": json.dumps(list(entities)), "most": most},
    )
    return [Sibling(*row) for row in found]


def all_names(connection: Connection) -> list[tuple[str, str]]:
    """Every name with its entity."""
    return connection.execute("select name, entity from entity_names order by name").fetchall()


def camel_case_forms(connection: Connection) -> list[str]:
    """The surface forms in which a capital follows a small letter: "MedFlow"."""
    found = connection.execute(
        """
        select subject from extracted_triples where subject glob '*[a-z][A-Z]*'
        union select object from extracted_triples where object glob '*[a-z][A-Z]*'
        """
    )
    return [form for (form,) in found]


def names_stamp(connection: Connection) -> tuple[object, ...]:
    """What differs whenever a dream, in whatever process, may have changed the names: for what is kept between questions."""
    return tuple(
        connection.execute(
            """
            select (select revision || ' ' || seen_at || ' ' || fingerprint || ' ' || waiting from dream_state),
                   run_id, outcome
            from (select 1) left join (select run_id, outcome from dream_runs order by started_at desc, run_id limit 1)
            """
        ).fetchall()[0]
    )
