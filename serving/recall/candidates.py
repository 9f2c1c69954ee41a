"""Which edges may answer a question, from three sources: the names in it, the relations it asks for, and its meaning.

Each source brings its best few, so the work is bounded however much is known about a thing.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from hymem.records import Edge
from hymem.store.connection import Connection
from hymem.store.graph import edges_among, edges_by_predicate, edges_by_text, edges_of, recent_edges
from hymem.store.neighbours import cosines, edge_vectors, nearest
from hymem.store.vec_tables import LARGEST_K
from serving.recall.expansion import Anchors
from serving.recall.meaning import Meaning
from serving.recall.question import Question

if TYPE_CHECKING:
    from serving.recall.caches import QueryCaches

EDGES_OF_AN_ENTITY: Final = 100
EDGES_OF_ITS_LIKE: Final = 20
"""Edges at each end that are looked at for the best of an entity, those seen last: age weighs more than confidence can."""

MOST_ANCHORED: Final = 100
"""Edges that names may bring, those with the best prospects."""

RECENT_EDGES: Final = 50
"""Edges that are looked at where nothing else is found, those seen last."""

Edges = Mapping[int, Edge]


def _none() -> dict[int, Edge]:
    return {}


@dataclass(frozen=True)
class Candidates:
    """Edges by their ids, source by source; `cut` are edges at the anchors that are not among the best of any.

    `cosines` says how near each candidate lies to the question; None without an embedding model.
    """

    anchors: Anchors
    anchored: Edges = field(default_factory=_none)
    cut: Edges = field(default_factory=_none)
    routed: Edges = field(default_factory=_none)
    similar: Edges = field(default_factory=_none)
    recent: Edges = field(default_factory=_none)
    cosines: Mapping[int, float] | None = None

    @property
    def every(self) -> dict[int, Edge]:
        """The candidates of all sources."""
        return {**self.anchored, **self.routed, **self.similar, **self.recent}

    def ends_named(self, edge: Edge) -> int:
        """How many of an edge's ends the message names."""
        return (edge.subject in self.anchors.named) + (edge.object in self.anchors.named)


def drawn(connection: Connection, anchors: Anchors, question: Question) -> Candidates:
    """What names and routed predicates bring: of each entity its best few, and what joins two that the message names."""
    found = Candidates(anchors)
    best = by_id(edges_among(connection, anchors.named))
    seen: dict[int, Edge] = {}
    for entity in anchors:
        if entity in anchors.named:
            edges = edges_of(connection, entity, limit=EDGES_OF_AN_ENTITY, predicates=question.predicates)
        else:
            edges = edges_of(connection, entity, limit=EDGES_OF_ITS_LIKE)
        seen |= by_id(edges)
        best |= by_id(_in_order(edges, found, question)[: question.config.graph_top_k_per_entity])
    anchored = by_id(_in_order(best.values(), found, question)[:MOST_ANCHORED])
    cut = {edge_id: edge for edge_id, edge in seen.items() if edge_id not in anchored}
    routed = edges_by_predicate(connection, question.predicates, question.config.graph_predicate_top_k)
    return replace(found, anchored=anchored, cut=cut, routed=by_id(routed))


def without_vector(connection: Connection, candidates: Candidates) -> list[str]:
    """The texts of the candidates that have no vector: conclusions from afar, and what the last dream could not embed."""
    known = edge_vectors(connection, candidates.every)
    return list(dict.fromkeys(text(edge) for edge_id, edge in candidates.every.items() if edge_id not in known))


def with_meaning(
    connection: Connection, candidates: Candidates, meaning: Meaning, question: Question, caches: "QueryCaches"
) -> Candidates:
    """The candidates with those that lie near the question, and with every cosine."""
    if meaning.vector is None:
        return candidates
    similar = by_id(_similar(connection, meaning.vector, question, caches))
    every = candidates.every | similar
    stored = edge_vectors(connection, every)
    asked = {edge_id: vector for edge_id, edge in every.items() if (vector := meaning.others.get(text(edge)))}
    return replace(candidates, similar=similar, cosines=cosines(meaning.vector, asked | stored))


def with_recent(connection: Connection, candidates: Candidates) -> Candidates:
    """What was seen last, for a question to which nothing else was found."""
    return replace(candidates, recent=by_id(recent_edges(connection, RECENT_EDGES)))


def by_id(edges: Iterable[Edge]) -> dict[int, Edge]:
    """Edges by their ids, in their order."""
    return {edge.edge_id: edge for edge in edges}


def text(edge: Edge) -> str:
    """The text by which an edge's vector is kept."""
    return f"{edge.subject} {edge.predicate} {edge.object}"


def _in_order(edges: Iterable[Edge], candidates: Candidates, question: Question) -> list[Edge]:
    """Edges between named entities first, then by their prospects."""
    return sorted(edges, key=lambda edge: (-candidates.ends_named(edge), -question.prospect(edge), edge.edge_id))


def _similar(connection: Connection, vector: bytes, question: Question, caches: "QueryCaches") -> list[Edge]:
    """The edges in force whose texts lie nearest; more texts are asked for as long as retracted edges hide others."""
    wanted, k = question.config.graph_semantic_top_k, 2 * question.config.graph_semantic_top_k
    while True:
        near = nearest(connection, "edge", vector, k, question.config.embedding_max_scan, caches.signs)
        edges = edges_by_text(connection, [text_id for text_id, cosine in near if cosine > 0])
        if len(edges) >= wanted or len(near) < k or k >= LARGEST_K:
            return edges[:wanted]
        k *= 4
