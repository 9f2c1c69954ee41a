from datetime import datetime, timedelta
from itertools import product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.decay import MICROSECONDS_PER_DAY, decay_window_index, edge_status, elapsed_days, is_past_grace

MOMENTS = st.integers(-(10**17), 10**17)
WINDOWS = st.integers(1, 10**14)


@pytest.mark.parametrize(("day", "index"), [(-1, -1), (0, 0), (29, 0), (30, 1), (59, 1), (60, 2)])
def test_windows_are_counted_from_the_last_reinforcement(day: int, index: int):
    assert decay_window_index(0, day, 30) == index


@given(MOMENTS, MOMENTS, MOMENTS, WINDOWS)
def test_a_later_moment_lies_in_no_earlier_window(reinforced: int, at: int, later: int, window: int):
    first, second = sorted([at, later])

    assert decay_window_index(reinforced, first, window) <= decay_window_index(reinforced, second, window)


@given(MOMENTS, MOMENTS, WINDOWS)
def test_only_what_is_a_whole_window_later_can_count(reinforced: int, at: int, window: int):
    assert is_past_grace(decay_window_index(reinforced, at, window)) == (at - reinforced >= window)


@given(MOMENTS, st.lists(MOMENTS, min_size=1, max_size=20), WINDOWS)
def test_a_column_s_windows_are_its_numbers_windows(reinforced: int, moments: list[int], window: int):
    column = pd.Series(moments, dtype="int64")

    assert decay_window_index(reinforced, column, window).tolist() == [
        decay_window_index(reinforced, at, window) for at in moments
    ]


def test_datetimes_with_a_timedelta_are_a_unit_too():
    reinforced, at = datetime(2025, 1, 1), datetime(2025, 3, 2)

    assert decay_window_index(reinforced, at, timedelta(days=30)) == 2
    assert decay_window_index(pd.Series([reinforced]), pd.Series([at]), pd.Timedelta(days=30)).tolist() == [2]


def test_elapsed_days_have_a_fraction_and_a_sign():
    assert (elapsed_days(0, MICROSECONDS_PER_DAY * 3 // 2), elapsed_days(MICROSECONDS_PER_DAY, 0)) == (1.5, -1.0)


@pytest.mark.parametrize(
    ("confidence", "decay_windows", "by_person", "status"),
    [
        (0.75, 0, False, "active"),
        (0.75, 1, False, "stale"),
        (0.15, 0, False, "active"),
        (0.14, 9, False, "retracted"),
        (0.99, 0, True, "retracted"),
    ],
)
def test_an_edge_is_retracted_before_it_is_stale(confidence: float, decay_windows: int, by_person: bool, status: str):
    assert edge_status(confidence, decay_windows, by_person, retract_threshold=0.15) == status


@pytest.mark.parametrize("column", [np.array, pd.Series])
def test_a_column_of_edges_has_the_statuses_of_its_edges(column):
    edges = list(product([0.1, 0.9], [0, 2], [True, False]))
    confidences, windows, by_person = (column(values) for values in zip(*edges, strict=True))

    assert edge_status(confidences, windows, by_person, 0.15).tolist() == [edge_status(*edge, 0.15) for edge in edges]
    assert edge_status(0.9, windows, False, 0.15).tolist() == [edge_status(0.9, edge[1], False, 0.15) for edge in edges]
