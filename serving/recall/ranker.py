"""In which order the candidates answer: by confidence, recency, and what the question adds, with the reasons for each.

Where the question asks for a relation, all candidates compete: confidence × recency × nearness × boost. Where it does not, the
first of these that finds anything answers: the names in it, its meaning, and what was seen last.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from hymem.ranking import anchored_score, routed_score, semantic_fallback_score, semantic_score
from hymem.records import Edge
from serving.recall.candidates import Candidates
from serving.recall.facts import GraphFact
from serving.recall.question import Question

ROUTED: Final = "routed"
ENTITY_ANCHORED: Final = "fallback:entity_anchored"
OVERLAP: Final = "fallback:entity_anchored:overlap"
SEMANTIC: Final = "fallback:semantic"
RECENCY: Final = "fallback:recency"


@dataclass(frozen=True)
class Ranking:
    """The facts that recall returns, best first, and those for which no place was left, the next one first."""

    branch: str
    facts: tuple[GraphFact, ...]
    left_out: tuple[GraphFact, ...]


@dataclass(frozen=True)
class Ranker:
    """Scores candidates, and gives the reasons."""

    question: Question
    candidates: Candidates

    def ranking(self) -> Ranking:
        """The best facts and the others.

        Facts at the entities that the message names have their places before those that were only guessed at; within
        the places, and in the answer, the score decides.
        """
        branch = self.branch()
        found = [self._fact(edge, branch) for edge in self._competing(branch).values()]
        placed = sorted(found, key=lambda fact: (-self.candidates.ends_named(fact.edge), *_order(fact)))
        places = self.question.config.graph_top_k
        return Ranking(branch, tuple(sorted(placed[:places], key=_order)), tuple(placed[places:]))

    def branch(self) -> str:
        """Which formula applies."""
        found = self.candidates
        if self.question.predicates and (found.anchored or found.routed or found.similar):
            return ROUTED
        if found.anchored:
            return ENTITY_ANCHORED
        return SEMANTIC if found.similar else RECENCY

    def _competing(self, branch: str) -> dict[int, Edge]:
        found = self.candidates
        sources = {ENTITY_ANCHORED: found.anchored, SEMANTIC: found.similar, RECENCY: found.recent}
        return dict(sources[branch]) if branch in sources else {**found.anchored, **found.routed, **found.similar}

    def _fact(self, edge: Edge, branch: str) -> GraphFact:
        return GraphFact(edge, self._score(edge, branch), tuple(self._reasons(edge, branch)))

    def _score(self, edge: Edge, branch: str) -> float:
        confidence, recency = edge.confidence, self.question.recency(edge)
        weight = self.question.config.graph_token_overlap_weight if self._by_part_only(edge, branch) else 1.0
        if branch == ROUTED:
            return weight * routed_score(confidence, recency, self._cosine(edge), self.question.boost(edge))
        if branch == SEMANTIC:
            return semantic_fallback_score(self._cosine(edge), confidence, recency)
        return anchored_score(confidence, recency, weight)

    def _reasons(self, edge: Edge, branch: str) -> Iterator[str]:
        cosine = self._cosine(edge)
        by_part = self._by_part_only(edge, branch)
        if branch != ROUTED:
            yield OVERLAP if by_part else branch
        if cosine is not None and branch in (ROUTED, SEMANTIC):
            yield f"semantic_{semantic_score(cosine):.2f}"
        if edge.predicate in self.question.predicates:
            yield f"predicate:{edge.predicate}"
        yield from (f"entity_type:{kind}" for kind in self._through(edge, self.candidates.anchors.by_type))
        days = self.question.days(edge)
        if days < self.question.config.graph_recency_recent_days:
            yield f"recency_{int(days)}d"
        if self.candidates.ends_named(edge):
            yield "entity_match"
        if by_part:
            yield from (f"overlap_via:{part}" for part in self._through(edge, self.candidates.anchors.by_part))

    def _cosine(self, edge: Edge) -> float | None:
        """How near the edge lies to the question; None for all where there is no embedding model."""
        cosines = self.candidates.cosines
        return None if cosines is None else cosines.get(edge.edge_id, 0.0)

    def _by_part_only(self, edge: Edge, branch: str) -> bool:
        """Whether nothing but a shared part of a name leads to the edge."""
        found, anchors = self.candidates, self.candidates.anchors
        if branch not in (ROUTED, ENTITY_ANCHORED) or found.ends_named(edge) or self._through(edge, anchors.by_type):
            return False
        return edge.edge_id not in found.routed and edge.edge_id not in found.similar

    def _through(self, edge: Edge, joined: Mapping[str, str]) -> list[str]:
        """By which types or parts the ends of the edge were reached."""
        return list(dict.fromkeys(joined[end] for end in (edge.subject, edge.object) if end in joined))


def _order(fact: GraphFact) -> tuple[float, int]:
    return -fact.score, fact.edge.edge_id
