"""What comes first: the arithmetic of recall and of the profile's order.

Every score is a product of factors that can be named to the reader: how far an edge is believed, how lately it was
seen, how near it lies to the question. Which formula applies is recall's decision (`serving/recall/ranker.py`).
"""

from typing import Final

from hymem.quantities import Quantity, at_least, at_most, exponential

RRF_K: Final = 60
"""Cormack's constant: how little the first ranks of one list may outweigh agreement between lists."""

RELEVANCE_SHARE: Final = 0.7
"""The reranker's part in a reranked score; the rest is the fused score's."""

TOP_RELEVANCE: Final = 5
"""A reranker grades from 1 to 5."""


def recency_weight(days: Quantity, half_life: float) -> Quantity:
    """exp(-days / half_life): 1 for today and for the future, toward 0 with age.

    The name is the parameter's, `graph_recency_half_life_days`, and misleads: after one `half_life` (in days) it is 1/e, not 1/2.
    """
    return exponential(-at_least(0.0, days) / half_life)


def semantic_score(cosine: Quantity) -> Quantity:
    """A cosine as a factor: clipped to [0, 1], as rounding exceeds 1 and an opposite meaning is no more than none."""
    return at_most(1.0, at_least(0.0, cosine))


def standing(confidence: Quantity, days: Quantity, half_life: float) -> Quantity:
    """How prominent a fact is without a question: how far it is believed, times how lately it was seen.

    The order in which profile entries are shown, and the score of `fallback:entity_anchored` and `fallback:recency`.
    """
    return confidence * recency_weight(days, half_life)


def routed_score(
    confidence: Quantity, recency: Quantity, semantic: Quantity | None = None, boost: Quantity = 1.0
) -> Quantity:
    """The score of an edge where the question named a relation; `boost` is above 1 for edges that bear it.

    `semantic` is the cosine, for every candidate, or None where there is no embedder at all: a cosine missing for some
    would lift those above the others.
    """
    nearness = 1.0 if semantic is None else semantic_score(semantic)
    return confidence * recency * nearness * boost


def anchored_score(confidence: Quantity, recency: Quantity, overlap_weight: Quantity = 1.0) -> Quantity:
    """The score of an edge found by a name in the question; `overlap_weight` where only a part of it agrees."""
    return overlap_weight * confidence * recency


def semantic_fallback_score(semantic: Quantity, confidence: Quantity, recency: Quantity) -> Quantity:
    """The score of an edge that was found by its meaning alone; `semantic` is the cosine."""
    return semantic_score(semantic) * confidence * recency


def reciprocal_rank_fusion(rank: Quantity, k: float = RRF_K) -> Quantity:
    """What one list gives to an item at `rank` (1 is the first); an item's fused score is the sum over the lists.

    Source: Cormack, Clarke and Büttcher, *Reciprocal Rank Fusion outperforms Condorcet* (SIGIR 2009).
    """
    return 1 / (k + rank)


def relative_gap(first: float, second: float) -> float:
    """By what share of the first score the second falls short; 0 where they tie, or where there is no score at all."""
    return (first - second) / first if first > 0 else 0.0


def reranked_score(relevance: Quantity, fused: Quantity, best_fused: float) -> Quantity:
    """A reranker's grade (1 to 5) joined with the fused score, as a share of the best one (above 0)."""
    return RELEVANCE_SHARE * relevance / TOP_RELEVANCE + (1 - RELEVANCE_SHARE) * fused / best_fused
