"""Names as recall looks them up: which of them the graph knows, and whether what they name is a thing or a slip of the model.

A model sometimes takes a verb for an object ("working"), and every message with that word would then match. So a name counts
where something speaks for it: an edge starts there, a type was given, people gave it another name, or two edges end there.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple, cast

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


FEW: Final = 200
"""Entities of a type up to which every one is looked at."""

WINDOWS: Final = (200, 2_000)
"""Edges, those seen last, among whose ends the entities of a larger type are looked for; at last every one is looked at."""


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
    """The entities that share a type with one of these: of each type the `most` that were seen last.

    Of a type with many entities, those are among the ends of the edges that were seen last, nearly always.
    """
    asked = json.dumps(list(entities))
    left = _types_of(connection, asked)
    found = list[Sibling]()
    for window in WINDOWS:
        many = [kind for kind, members in left.items() if members > FEW]
        for kind, kin in _seen_lately(connection, asked, many, window).items():
            if len(kin) >= most:
                found += [Sibling(entity, kind) for entity in kin[:most]]
                del left[kind]
    return sorted([*found, *_seen_at_all(connection, asked, list(left), most)], key=lambda sibling: sibling.type)


def _types_of(connection: Connection, asked: str) -> dict[str, int]:
    """The types of some entities, and how many entities have each."""
    found = connection.execute(
        """
        select type, count(*)
        from entity_types
        where type in (select type from entity_types where entity in (select value from json_each(?)))
        group by type
        """,
        (asked,),
    )
    return dict(cast("list[tuple[str, int]]", found.fetchall()))


def _seen_lately(connection: Connection, asked: str, types: Sequence[str], window: int) -> dict[str, list[str]]:
    """By type, those of its entities that were seen after the last so many edges began, the latest first."""
    if not types:
        return {}
    rows = connection.execute(
        """
        with latest as (
            select subject, object, last_seen
            from knowledge_graph
            where status <> 'retracted'
            order by last_seen desc
            limit :window),
        ends as (
            select subject as entity, last_seen from latest
            union all select object, last_seen from latest)
        select t.type, t.entity
        from ends cross join entity_types t on t.entity = ends.entity
        where t.type in (select value from json_each(:types))
          and t.entity not in (select value from json_each(:asked))
          and last_seen > (select min(last_seen) from latest)
        group by t.entity
        order by t.type, max(last_seen) desc, t.entity
        """,
        {"asked": asked, "types": json.dumps(types), "window": window},
    )
    found: dict[str, list[str]] = {}
    for kind, entity in rows:
        found.setdefault(kind, []).append(entity)
    return found


def _seen_at_all(connection: Connection, asked: str, types: Sequence[str], most: int) -> list[Sibling]:
    """Of each of these types the entities that were seen last, by looking at every one."""
    if not types:
        return []
    found = connection.execute(
        """
        with kin as (
            select t.entity, t.type, max(
                coalesce((select last_seen from knowledge_graph
                          where subject = t.entity and status <> 'retracted' order by last_seen desc limit 1), ''),
                coalesce((select last_seen from knowledge_graph
                          where object = t.entity and status <> 'retracted' order by last_seen desc limit 1), '')) as seen
            from entity_types t
            where t.type in (select value from json_each(:types))
              and t.entity not in (select value from json_each(:asked)))
        select entity, type
        from (select *, row_number() over (partition by type order by seen desc, entity) as place from kin)
        where place <= :most
        order by type, place
        """,
        {"asked": asked, "types": json.dumps(types), "most": most},
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
