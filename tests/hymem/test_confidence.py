import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.confidence import is_doubtful, is_negated, path_confidence, smoothed_confidence

COUNTS = st.integers(0, 10**6)
PAIRS = st.lists(st.tuples(COUNTS, COUNTS), min_size=1, max_size=20)


@pytest.mark.parametrize(("said", "denied", "confidence"), [(0, 0, 1 / 2), (1, 0, 2 / 3), (2, 0, 3 / 4), (0, 1, 1 / 3)])
def test_confidence_starts_at_one_half_and_follows_the_evidence(said: int, denied: int, confidence: float):
    assert smoothed_confidence(said, denied) == confidence


@given(COUNTS, COUNTS)
def test_confidence_is_never_certain_and_moves_with_each_piece_of_evidence(said: int, denied: int):
    confidence = smoothed_confidence(said, denied)

    assert 0 < smoothed_confidence(said, denied + 1) < confidence < smoothed_confidence(said + 1, denied) < 1


@given(PAIRS)
def test_a_column_s_confidences_are_its_numbers_confidences(pairs: list[tuple[int, int]]):
    frame = pd.DataFrame(pairs, columns=["said", "denied"])

    assert smoothed_confidence(frame.said, frame.denied).tolist() == [smoothed_confidence(*pair) for pair in pairs]


def test_a_path_is_believed_as_far_as_all_its_steps():
    assert path_confidence(2 / 3, 2 / 3, 2 / 3) == pytest.approx(8 / 27)
    assert path_confidence(np.array([0.5, 1.0]), 0.5).tolist() == [0.25, 0.5]


@given(st.lists(st.floats(0, 1), max_size=6), st.floats(0, 1))
def test_no_further_step_makes_a_path_surer(steps: list[float], step: float):
    assert path_confidence(*steps, step) <= path_confidence(*steps) <= min([1.0, *steps])
    assert math.isclose(path_confidence(*steps, step), path_confidence(step, *reversed(steps)), abs_tol=1e-300)


@pytest.mark.parametrize(
    ("said", "denied", "negated"), [(0, 1, True), (0, 0, True), (1, 2, True), (1, 1, False), (1, 0, False)]
)
def test_an_edge_is_read_as_its_denial_when_nothing_or_too_little_speaks_for_it(said: int, denied: int, negated: bool):
    assert is_negated(said, denied) is negated
    assert is_doubtful(said, smoothed_confidence(said, denied)) is negated


def test_a_column_of_edges_is_read_edge_by_edge():
    assert is_doubtful(pd.Series([0, 1, 1]), pd.Series([0.5, 0.5, 0.4])).tolist() == [True, False, True]
    assert is_negated(pd.Series([0, 1, 1]), pd.Series([0, 1, 2])).tolist() == [True, False, True]
