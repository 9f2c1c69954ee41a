from dataclasses import FrozenInstanceError, replace

import pytest

from hymem.confidence import is_negated
from hymem.records import Edge, Message

EDGE = Edge(
    1, "api", "uses", "redis", False, "active", 0.75, 1, 0, 0, "2026", "2026", "2026", None, None, None, None, ()
)


@pytest.mark.parametrize(("support", "confidence"), [(0, 0.33), (0, 0.9), (1, 0.49), (1, 0.5), (3, 0.8)])
def test_an_edge_is_negated_as_the_arithmetic_of_confidence_says(support: int, confidence: float):
    edge = replace(EDGE, pos_evidence=support, confidence=confidence)

    assert edge.negated == is_negated(support, confidence)


def test_a_weak_conclusion_denies_nothing():
    assert not replace(EDGE, derived=True, pos_evidence=0, confidence=0.2).negated


def test_records_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        EDGE.confidence = 1.0  # type: ignore[misc]


def test_messages_do_not_share_their_metadata():
    assert Message("monday", "user", "a").metadata is not Message("monday", "user", "b").metadata
