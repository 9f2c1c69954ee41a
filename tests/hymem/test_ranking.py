import math
from contextlib import closing

import apsw
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.ranking import (
    anchored_score,
    bm25_part,
    convex_fusion,
    coverage,
    inverse_document_frequency,
    recency_weight,
    reciprocal_rank_fusion,
    relative_gap,
    reliance,
    reranked_score,
    routed_score,
    semantic_fallback_score,
    semantic_score,
    standing,
)

SHARES = st.floats(0, 1)
DAYS = st.floats(-1e12, 1e12)
HALF_LIVES = st.floats(1e-3, 1e6)


@pytest.mark.parametrize(("days", "weight"), [(0, 1), (-36_500, 1), (30, math.exp(-1)), (10**15, 0)])
def test_recency_falls_to_one_eth_in_a_half_life_and_the_future_is_today(days: float, weight: float):
    assert recency_weight(days, half_life=30.0) == pytest.approx(weight)


@given(DAYS, DAYS, HALF_LIVES)
def test_older_is_never_more_recent(days: float, more_days: float, half_life: float):
    newer, older = sorted([days, more_days])

    assert 0 <= recency_weight(older, half_life) <= recency_weight(newer, half_life) <= 1


@given(st.lists(DAYS, min_size=1, max_size=20), HALF_LIVES)
def test_a_column_s_recencies_are_its_numbers_recencies(days: list[float], half_life: float):
    assert recency_weight(pd.Series(days), half_life).tolist() == pytest.approx(
        [recency_weight(day, half_life) for day in days], rel=1e-12, abs=1e-300
    )


@pytest.mark.parametrize(("cosine", "score"), [(-0.4, 0), (0.25, 0.25), (1.0000001, 1)])
def test_a_cosine_counts_from_nothing_to_all(cosine: float, score: float):
    assert semantic_score(cosine) == score


@given(SHARES, SHARES, st.floats(-1, 1), st.floats(-1, 1))
def test_a_nearer_edge_never_ranks_below_a_farther_one(confidence: float, recency: float, one: float, other: float):
    far, near = sorted([one, other])

    assert routed_score(confidence, recency, far, 1.5) <= routed_score(confidence, recency, near, 1.5)


def test_without_an_embedder_all_edges_are_equally_near():
    assert routed_score(0.5, 0.5, None, 1.5) == routed_score(0.5, 0.5, 1.0, 1.5) == 0.375


def test_the_fallbacks_score_by_their_own_signal():
    assert anchored_score(0.8, 0.5) == 0.4
    assert anchored_score(0.8, 0.5, overlap_weight=0.5) == 0.2
    assert semantic_fallback_score(0.5, 0.8, 0.5) == 0.2
    assert standing(0.8, days=30, half_life=30.0) == pytest.approx(0.8 / math.e)


@given(st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_better_rank_gives_more(rank: int, other: int):
    assert (reciprocal_rank_fusion(rank) > reciprocal_rank_fusion(other)) == (rank < other)


def test_ranks_fuse_with_the_constant_60():
    assert reciprocal_rank_fusion(1) == 1 / 61
    assert reciprocal_rank_fusion(pd.Series([1, 40])).tolist() == [1 / 61, 1 / 100]


@pytest.mark.parametrize(("first", "second", "gap"), [(1.0, 0.9, 0.1), (0.5, 0.5, 0.0), (0.0, 0.0, 0.0)])
def test_a_gap_is_a_share_of_the_first(first: float, second: float, gap: float):
    assert relative_gap(first, second) == pytest.approx(gap)


def test_a_reranker_s_grade_weighs_more_than_the_fused_score():
    assert reranked_score(5, fused=0.02, best_fused=0.02) == pytest.approx(1.0)
    assert reranked_score(5, fused=0.01, best_fused=0.02) > reranked_score(3, fused=0.02, best_fused=0.02)


# ------------------------------------------------------------------------------------------------------ words and meaning


@given(st.integers(0, 1000), st.integers(0, 1000))
def test_the_rarer_term_tells_more(one: int, other: int):
    rarer, commoner = sorted([one, other])

    assert inverse_document_frequency(rarer, 1000) >= inverse_document_frequency(commoner, 1000) > 0


def test_term_weights_are_those_of_fts5():
    with closing(apsw.Connection(":memory:")) as connection:
        connection.execute("create virtual table said using fts5 (text)")
        connection.execute("insert into said values ('a b b c'), ('c d'), ('e f g h i j'), ('k')")
        (found,) = connection.execute("select -bm25(said) from said where said match 'b'").fetchone()

    assert bm25_part(2, 4, 13 / 4, inverse_document_frequency(1, 4)) == pytest.approx(found)


@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0.01, 1))
def test_coverage_is_a_share_and_full_from_a_part_of_what_can_be_reached(
    found: float, within_reach: float, full: float
):
    share = coverage(found, within_reach, full)

    assert 0 <= share <= 1
    assert share >= coverage(found, within_reach)


def test_short_turns_lean_on_their_neighbours_and_long_ones_less():
    assert [reliance(length) for length in (0, 200, 600)] == [1, 1, 0.5]


@given(SHARES, SHARES)
def test_a_convex_fusion_lies_between_its_parts(words: float, meaning: float):
    assert min(words, meaning) - 1e-9 <= convex_fusion(words, meaning) <= max(words, meaning) + 1e-9
