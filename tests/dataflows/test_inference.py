import json
import logging
from itertools import product

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflows import inference
from dataflows.edges import edge_ids
from dataflows.inference import (
    believed_edges,
    conclusions,
    dependency_paths,
    derived_edges,
    paths_from_use,
    room_for_conclusions,
)
from dataflows.rows import Edge
from dataflows.tables import Table, table
from tests.support.frames import days, some, sparing, told


def stated(*edges: tuple[str, str, str, float], **given: list[object]) -> Table[Edge]:
    """Stated edges (subject, predicate, object, confidence), active and said once unless told otherwise."""
    subject, predicate, object_, confidence = (list(column) for column in zip(*edges, strict=True))
    made = some(
        Edge,
        subject=subject,
        predicate=predicate,
        object=object_,
        confidence=confidence,
        **{"status": "active", "pos_evidence": 1, **given},
    )
    return made.assign(edge_id=edge_ids(made))


def depends(*pairs: str, confidence: float = 0.75) -> list[tuple[str, str, str, float]]:
    """`depends("ab")` is the edge a depends_on b."""
    return [(pair[0], "depends_on", pair[1], confidence) for pair in pairs]


def derived(edges: Table[Edge], retract_threshold: float = 0.15) -> Table[Edge]:
    believed = believed_edges(edges)
    settled = edges[edges.predicate == "depends_on"]
    chains = dependency_paths(believed, room_for_conclusions(settled), retract_threshold)
    uses = paths_from_use(believed, retract_threshold)
    return derived_edges(conclusions(chains, uses, settled), chains, uses, believed)


def concluded(edges: Table[Edge]) -> dict[str, float]:
    """ "ac" → the confidence that a depends on c."""
    found = derived(edges)
    assert set(found.predicate) <= {"depends_on"}
    return {row[0] + row[1]: round(row[2], 4) for row in told(found, "subject", "object", "confidence")}


def test_a_conclusion_is_believed_as_far_as_its_whole_path():
    chain = stated(*depends("ab", "bc", "cd", confidence=0.8))

    assert concluded(chain) == {"ac": 0.64, "bd": 0.64, "ad": 0.512}


def test_of_several_paths_the_strongest_counts():
    diamond = stated(*depends("ab", "bd", confidence=0.6), *depends("ac", "cd", confidence=0.9))

    assert concluded(diamond) == {"ad": 0.81}


def test_a_longer_path_may_be_the_stronger_one():
    edges = stated(*depends("ax", "xd", confidence=0.5), *depends("ab", "bc", "cd", confidence=0.9))

    assert concluded(edges)["ad"] == 0.729


def test_what_was_stated_is_not_concluded_again():
    assert concluded(stated(*depends("ab", "bc", "ac"))) == {}


def test_what_a_person_retracted_is_not_concluded_again():
    retracted = stated(*depends("ab", "bc", "ac"), status=["active", "active", "retracted"])

    assert concluded(retracted) == {}


def test_what_was_denied_is_not_concluded():
    denied = stated(*depends("ab", "bc"), ("a", "depends_on", "c", 0.33), pos_evidence=[1, 1, 0])

    assert concluded(denied) == {}


def test_nothing_follows_from_a_retracted_edge():
    assert concluded(stated(*depends("ab", "bc"), status=["active", "retracted"])) == {}


def test_nothing_follows_from_a_denied_edge():
    assert concluded(stated(*depends("ab"), ("b", "depends_on", "c", 0.4), pos_evidence=[1, 1])) == {}


def test_who_uses_a_thing_depends_on_what_it_depends_on():
    assert concluded(stated(("a", "uses", "b", 0.8), *depends("bc", confidence=0.5))) == {"ac": 0.4}


def test_what_follows_from_use_goes_one_dependency_deep():
    assert concluded(stated(("a", "uses", "b", 0.9), *depends("bc", "cd"))).keys() == {"ac", "bd"}


def test_using_what_uses_a_thing_concludes_nothing():
    assert concluded(stated(("a", "uses", "b", 0.9), ("b", "uses", "c", 0.9))) == {}


def test_cycles_end_and_nothing_depends_on_itself():
    assert concluded(stated(*depends("ab", "bc", "ca"))).keys() == {"ac", "ba", "cb"}


def test_a_path_below_the_threshold_is_not_drawn():
    assert derived(stated(*depends("ab", "bc", confidence=0.5)), retract_threshold=0.26).empty


def test_a_path_has_at_most_six_edges():
    chain = stated(*depends("ab", "bc", "cd", "de", "ef", "fg", "gh", confidence=1.0))

    assert {"ag", "bh"} <= concluded(chain).keys()
    assert "ah" not in concluded(chain)


def test_a_derived_edge_keeps_its_path():
    edges = stated(*depends("ab", "bc"))

    assert json.loads(derived(edges).path[0]) == edges.edge_id.tolist()


def test_a_conclusion_is_as_old_as_its_youngest_step_and_as_fresh_as_its_stalest():
    edges = stated(*depends("ab", "bc"), first_seen=days(0, 5), last_seen=days(20, 10))

    assert told(derived(edges), "first_seen", "last_seen") == [tuple(days(5, 10))]


def test_a_conclusion_over_a_stale_step_is_stale():
    edges = stated(*depends("ab", "bc"), status=["active", "stale"])

    assert told(derived(edges), "status", "pos_evidence", "neg_evidence") == [("stale", 0, 0)]


def test_conclusions_beyond_the_limits_are_left_out_and_logged(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
):
    monkeypatch.setattr(inference, "DERIVED_PER_SUBJECT", 1)
    edges = stated(*depends("ab", confidence=0.9), *depends("bc", confidence=0.9), *depends("bd", confidence=0.8))

    with caplog.at_level(logging.WARNING):
        found = concluded(edges)

    assert found == {"ac": 0.81}
    assert "1 conclusions were left out" in caplog.text


def test_without_dependencies_nothing_follows():
    assert derived(table(Edge)).empty


PAIRS = st.sets(st.sampled_from([a + b for a, b in product("abcdef", repeat=2) if a != b]), min_size=1, max_size=12)


def strongest(edges: dict[str, float], threshold: float, longest: int) -> dict[str, float]:
    """By hand: every path without repeats, its product, the best for each pair that is no edge."""
    best: dict[str, float] = {}

    def walk(path: str, confidence: float) -> None:
        for pair, step in edges.items():
            if pair[0] == path[-1] and pair[1] not in path and confidence * step >= threshold:
                if len(path) >= 2 and path[0] + pair[1] not in edges:
                    best[path[0] + pair[1]] = max(best.get(path[0] + pair[1], 0.0), confidence * step)
                if len(path) < longest:
                    walk(path + pair[1], confidence * step)

    for start in "abcdef":
        walk(start, 1.0)
    return {pair: round(confidence, 4) for pair, confidence in best.items()}


@given(PAIRS, st.data())
@sparing
def test_inference_agrees_with_trying_every_path(pairs: set[str], data: st.DataObject):
    grades = st.sampled_from([0.5, 0.6, 0.7, 0.8, 0.9])
    known = {pair: data.draw(grades) for pair in sorted(pairs)}
    retracted = data.draw(st.sets(st.sampled_from(sorted(pairs))))
    edges = stated(
        *((pair[0], "depends_on", pair[1], grade) for pair, grade in known.items()),
        status=["retracted" if pair in retracted else "active" for pair in known],
    )

    believed = {pair: grade for pair, grade in known.items() if pair not in retracted}
    expected = strongest(believed, 0.15, inference.LONGEST_PATH)
    assert concluded(edges) == {pair: confidence for pair, confidence in expected.items() if pair not in retracted}


@given(PAIRS)
@sparing
def test_the_order_of_edges_changes_no_conclusion(pairs: set[str]):
    edges = stated(*depends(*sorted(pairs)))

    pd.testing.assert_frame_equal(derived(edges), derived(edges.iloc[::-1].reset_index(drop=True)))


def test_a_retracted_edge_to_a_stranger_hides_no_conclusion():
    edges = stated(*depends("ab", "bc", "bz"), status=["active", "active", "retracted"])

    assert concluded(edges).keys() == {"ac"}
