"""How far a statement is believed, from what was said for and against it.

An edge's confidence is a function of two counts, computed anew from the evidence rows in every dream; it is never
nudged up or down. So the same evidence always gives the same confidence, in whatever order it came.
"""

import math
from typing import Final

from hymem.quantities import Quantity

EVEN: Final = 0.5
"""The confidence of a statement of which nothing is known."""


def smoothed_confidence(supporting: Quantity, contradicting: Quantity) -> Quantity:
    """Laplace's rule of succession: one half with no evidence, never quite 0 or 1.

    Source: Laplace, *Essai philosophique sur les probabilités* (1814). Both are counts of evidence, at least 0.
    """
    return (supporting + 1) / (supporting + contradicting + 2)


def path_confidence(*confidences: Quantity) -> Quantity:
    """How far a conclusion is believed that needs every step of a path: the product of the steps' confidences."""
    return math.prod(confidences, start=1.0)


def is_negated(positive_evidence: Quantity, negative_evidence: Quantity) -> Quantity:
    """Whether a stated edge is to be read as its denial: nothing was said for it, or more was said against it.

    Both count what was said; fading denies nothing. A derived edge has no evidence of its own, and is never negated.
    """
    return (positive_evidence < 1) | (negative_evidence > positive_evidence)


def is_doubtful(positive_evidence: Quantity, confidence: Quantity) -> Quantity:
    """Whether a stated edge must not be shown as a fact, nor be built upon: unsaid, denied, or faded below even odds."""
    return (positive_evidence < 1) | (confidence < EVEN)
