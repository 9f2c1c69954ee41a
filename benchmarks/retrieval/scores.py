"""What a list of found messages is worth against the evidence."""

import math
from collections.abc import Collection, Sequence
from typing import NamedTuple


class Scores(NamedTuple):
    """The share of the evidence among the first five and ten, whether any is, one through the first's rank, and nDCG."""

    recall_5: float
    recall_10: float
    any_10: float
    mrr: float
    ndcg_10: float


NAMES = ("R@5", "R@10", "any@10", "MRR", "nDCG@10")


def scores(found: Sequence[str], evidence: Collection[str]) -> Scores:
    """The scores of the first ten of what was found; the evidence is not empty."""
    ranks = [rank for rank, name in enumerate(found[:10], start=1) if name in evidence]
    gain = sum(1 / math.log2(rank + 1) for rank in ranks)
    best = sum(1 / math.log2(rank + 1) for rank in range(1, min(len(evidence), 10) + 1))
    return Scores(
        sum(rank <= 5 for rank in ranks) / len(evidence),
        len(ranks) / len(evidence),
        float(bool(ranks)),
        1 / ranks[0] if ranks else 0.0,
        gain / best,
    )


def mean(many: Sequence[Scores]) -> Scores:
    """The mean of each score."""
    return Scores(*(sum(column) / len(many) for column in zip(*many, strict=True)))
