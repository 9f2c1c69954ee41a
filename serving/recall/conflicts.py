"""What contradicts itself in memory: pairs of edges that cannot both hold, each with the reason. No model is asked."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from hymem.digests import digest63
from hymem.records import Edge
from hymem.store.conflicts import Pair, competing_objects, opposing_predicates
from hymem.store.connection import Connection
from hymem.store.graph import edges_by_id
from hymem.vocabulary import verb_phrase
from serving.recall.facts import sentence

Kind = Literal["competing_object", "opposing_predicate"]


@dataclass(frozen=True)
class Conflict:
    """Two edges of one subject that cannot both hold."""

    kind: Kind
    subject: str
    first: Edge
    second: Edge
    reason: str

    @property
    def conflict_id(self) -> int:
        """Its id, made of its kind and its edges: 63 bits."""
        return digest63("conflict", self.kind, str(self.first.edge_id), str(self.second.edge_id))

    def __str__(self) -> str:
        """Both sides, as sentences."""
        return f"{sentence(self.first)}, and {sentence(self.second)}"


def conflicts(connection: Connection) -> list[Conflict]:
    """All conflicts: objects that compete for one place, then predicates that oppose each other; the most confident first."""
    competing, opposing = competing_objects(connection), opposing_predicates(connection)
    edges = edges_by_id(connection, {edge_id for pair in (*competing, *opposing) for edge_id in pair[:2]})
    return [*_conflicts("competing_object", competing, edges), *_conflicts("opposing_predicate", opposing, edges)]


def _conflicts(kind: Kind, pairs: Iterable[Pair], edges: dict[int, Edge]) -> list[Conflict]:
    both = ((pair, edges[pair.first], edges[pair.second]) for pair in pairs)
    return [Conflict(kind, one.subject, one, other, _reason(pair, one, other)) for pair, one, other in both]


def _reason(pair: Pair, one: Edge, other: Edge) -> str:
    if one.predicate != other.predicate:
        return f"{one.subject} cannot be said to {_plain(one)} and to {_plain(other)} the same thing"
    kind = f"one {pair.shared_type}" if pair.shared_type else "one thing"
    return f"{one.subject} {verb_phrase(one.predicate)} {kind}, not both {one.object} and {other.object}"


def _plain(edge: Edge) -> str:
    """The verb as it stands after "to": "depends_on" → "depend on"."""
    return verb_phrase(edge.predicate, negated=True).removeprefix("does not ")
