from dataclasses import FrozenInstanceError, replace

import pytest

from hymem.confidence import smoothed_confidence
from hymem.records import Edge, Message

EDGE = Edge(
    1, "api", "uses", "redis", False, "active", 0.75, 1, 0, 0, "2026", "2026", "2026", None, None, None, None, ()
)


@pytest.mark.parametrize(
    ("said", "against", "windows", "negated", "faded"),
    [
        (0, 1, 0, True, False),
        (1, 2, 0, True, False),
        (1, 1, 0, False, False),
        (1, 2, 2, False, True),
        (3, 3, 2, False, False),
    ],
)
def test_an_edge_is_negated_by_what_was_said_and_faded_by_what_was_not(
    said: int, against: int, windows: int, negated: bool, faded: bool
):
    counts = {"pos_evidence": said, "neg_evidence": against, "decay_windows": windows}
    edge = replace(EDGE, **counts, confidence=smoothed_confidence(said, against))

    assert (edge.negated, edge.faded) == (negated, faded)


def test_a_weak_conclusion_denies_nothing():
    weak = replace(EDGE, derived=True, pos_evidence=0, confidence=0.2)

    assert not weak.negated and not weak.faded


def test_records_cannot_be_changed():
    with pytest.raises(FrozenInstanceError):
        EDGE.confidence = 1.0  # type: ignore[misc]


def test_messages_do_not_share_their_metadata():
    assert Message("monday", "user", "a").metadata is not Message("monday", "user", "b").metadata
