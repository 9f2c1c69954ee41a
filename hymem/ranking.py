"""What comes first: the arithmetic of recall and of the profile's order.

Every score is a product of factors that can be named to the reader: how far an edge is believed, how lately it was
seen, how near it lies to the question. Which formula applies is recall's decision (`serving/recall/ranker.py`).
"""

from typing import Final

from hymem.quantities import Quantity, at_least, at_most, exponential, logarithm

RRF_K: Final = 60
"""Cormack's constant: how little the first ranks of one list may outweigh agreement between lists."""

FULL_MATCH: Final = 0.35
"""The share of the best BM25 within a question's reach from which a text counts as matching fully, beside its meaning."""

LEXICAL_SHARE: Final = 0.5
"""The part of words in the fused score; the rest is the meaning's."""

NEARBY: Final = (0.7, 0.7, 0.6, 0.4)
"""What a term is worth that stands in the turn before, the turn after, and those two away, as a share."""

NEARBY_MEANING: Final = (0.4, 0.4, 0.2, 0.2)
"""The same for cosines, which are added up."""

SELF_RELIANT: Final = 200
"""Characters from which a turn leans less on its neighbours."""

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


def inverse_document_frequency(texts_with_it: Quantity, texts: Quantity) -> Quantity:
    """How much a term tells that stands in so many texts of so many, as FTS5 has it; never quite 0.

    Source: Robertson and Walker, *On relevance weights with little relevance information* (SIGIR 1997).
    """
    return at_least(1e-6, logarithm((texts - texts_with_it + 0.5) / (texts_with_it + 0.5)))


def bm25_part(frequency: Quantity, length: Quantity, average: float, told: float) -> Quantity:
    """What a term is worth in a text in which it stands `frequency` times; `told` is its inverse document frequency.

    Lengths are in words. Source: Robertson and Zaragoza, *The Probabilistic Relevance Framework: BM25 and Beyond* (2009), with
    the constants of FTS5.
    """
    return told * frequency * 2.2 / (frequency + 1.2 * (0.25 + 0.75 * length / average))


def coverage(found: Quantity, within_reach: float, full: float = 1.0) -> Quantity:
    """What a text's BM25 is of the best within the question's reach, or of a share of that, from 0 to 1: so questions compare."""
    return at_most(1.0, found / (full * within_reach)) if within_reach > 0 else found * 0.0


def reliance(characters: Quantity) -> Quantity:
    """How much a turn of so many characters leans on its neighbours: short ones fully, long ones stand for themselves."""
    return at_most(1.0, 2 / (1 + characters / SELF_RELIANT))


def convex_fusion(words: Quantity, meaning: Quantity) -> Quantity:
    """Coverage and closeness, each from 0 to 1, as one score.

    Source: Bruch, Gai and Ingber, *An Analysis of Fusion Functions for Hybrid Retrieval* (TOIS 2023).
    """
    return LEXICAL_SHARE * words + (1 - LEXICAL_SHARE) * meaning


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
