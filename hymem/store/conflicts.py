"""Pairs of edges that cannot both hold, found in the graph as it stands: stated edges in force that are not denied."""

import json
from typing import Final, NamedTuple

from hymem.store.connection import Connection
from hymem.vocabulary import EXCLUSIVE_PREDICATES, EXCLUSIVE_WITHIN_TYPE, OPPOSING_PREDICATES

MOST: Final = 1_000
"""Pairs of one kind, the most confident: a subject with n objects where there can be one makes n × (n - 1) / 2 of them."""

_STANDING: Final = """
    standing as (
        select edge_id, subject, predicate, object, confidence
        from knowledge_graph
        where status <> 'retracted' and not derived
          and pos_evidence > 0 and neg_evidence - decay_windows <= pos_evidence)"""


class Pair(NamedTuple):
    """Two edges by their ids; `shared_type` is the type of both objects, where that is what makes them compete."""

    first: int
    second: int
    shared_type: str | None = None


def competing_objects(connection: Connection) -> list[Pair]:
    """Edges of one subject to two objects where there can be one, always or within one entity type."""
    found = connection.execute(
        f"""
        with {_STANDING}
        select a.edge_id, b.edge_id, iif(a.predicate in (select value from json_each(:within_type)), s.type, null)
        from standing a
        join standing b on b.subject = a.subject and b.predicate = a.predicate and b.object > a.object
        left join entity_types s on s.entity = a.object
        left join entity_types t on t.entity = b.object
        where a.predicate in (select value from json_each(:always))
           or (a.predicate in (select value from json_each(:within_type)) and s.type = t.type)
        order by min(a.confidence, b.confidence) desc, a.subject, a.predicate, a.object, b.object
        limit :most
        """,
        {
            "always": json.dumps(sorted(EXCLUSIVE_PREDICATES)),
            "within_type": json.dumps(sorted(EXCLUSIVE_WITHIN_TYPE)),
            "most": MOST,
        },
    )
    return [Pair(*row) for row in found]


def opposing_predicates(connection: Connection) -> list[Pair]:
    """Edges between the same two ends whose predicates exclude each other."""
    found = connection.execute(
        f"""
        with {_STANDING},
        opposing as (select value ->> 0 as one, value ->> 1 as other from json_each(:opposing))
        select a.edge_id, b.edge_id
        from opposing
        join standing a on a.predicate = one
        join standing b on b.subject = a.subject and b.predicate = other and b.object = a.object
        order by min(a.confidence, b.confidence) desc, a.subject, a.object, a.predicate, b.predicate
        limit :most
        """,
        {"opposing": json.dumps(OPPOSING_PREDICATES), "most": MOST},
    )
    return [Pair(*row) for row in found]
