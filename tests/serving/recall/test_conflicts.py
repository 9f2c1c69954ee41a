from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.records import Edge
from hymem.vocabulary import OPPOSING_PREDICATES
from tests.support.conversations import examples
from tests.support.graphs import edge, graph_of

LANGUAGES = {"english": "language", "dutch": "language", "uv": "tool"}


def found(*edges: Edge | str, types: dict[str, str] | None = None) -> list[tuple[str, str]]:
    with graph_of(*edges, types=types) as memory:
        return [(conflict.kind, str(conflict)) for conflict in memory.conflicts()]


@pytest.mark.parametrize(
    ("predicate", "phrase"), [("runs_on", "runs on"), ("requires_version", "requires"), ("deploys_to", "deploys to")]
)
def test_two_objects_compete_where_there_can_be_one(predicate: str, phrase: str):
    assert found(f"api {predicate} gcp", f"api {predicate} aws", f"worker {predicate} aws") == [
        ("competing_object", f"api {phrase} aws, and api {phrase} gcp")
    ]


def test_preferences_compete_within_one_entity_type_only():
    said = ("atta prefers english", "atta prefers dutch", "atta prefers uv", "atta prefers tabs")

    assert found(*said, types=LANGUAGES) == [("competing_object", "atta prefers dutch, and atta prefers english")]
    assert found(*said) == []


@pytest.mark.parametrize(("one", "other"), OPPOSING_PREDICATES)
def test_opposing_predicates_between_the_same_ends_conflict(one: str, other: str):
    (conflict,) = found(f"team {one} docker", f"team {other} docker", f"team {other} podman", f"docker {other} team")

    assert conflict[0] == "opposing_predicate"


def test_a_conflict_has_its_edges_and_a_reason():
    with graph_of("atta prefers english", "atta prefers dutch", "atta rejects dutch", types=LANGUAGES) as memory:
        competing, opposing = memory.conflicts()

    assert (competing.subject, competing.first.object, competing.second.object) == ("atta", "dutch", "english")
    assert competing.reason == "atta prefers one language, not both dutch and english"
    assert (opposing.first.predicate, opposing.second.predicate) == ("prefers", "rejects")
    assert opposing.reason == "atta cannot be said to prefer and to reject the same thing"


@pytest.mark.parametrize(
    "flaw",
    [
        {"status": "retracted"},
        {"derived": True, "path": (1, 2)},
        {"pos_evidence": 0, "neg_evidence": 1, "confidence": 1 / 3},
        {"pos_evidence": 1, "neg_evidence": 2, "confidence": 0.4},
    ],
)
def test_what_is_retracted_derived_or_denied_contradicts_nothing(flaw: dict[str, Any]):
    assert found("api runs_on aws", edge("api runs_on gcp", **flaw)) == []
    assert found("api uses aws", edge("api rejects aws", **flaw)) == []


def test_what_only_faded_still_contradicts():
    faded = edge("api runs_on gcp", status="stale", neg_evidence=2, decay_windows=2, confidence=0.4)

    assert found("api runs_on aws", faded) == [
        ("competing_object", "api runs on aws, and api runs on gcp (perhaps no longer)")
    ]


ENDS = st.sampled_from(["atta", "english", "dutch", "uv"])
PREDICATES = st.sampled_from(["prefers", "rejects", "avoids", "uses", "runs_on", "depends_on", "conflicts_with"])


@examples(60)
@given(st.sets(st.tuples(ENDS, PREDICATES, ENDS), max_size=12))
def test_conflicts_are_those_pairs_that_the_vocabulary_excludes(said: set[tuple[str, str, str]]):
    def excludes(one: tuple[str, str, str], other: tuple[str, str, str]) -> bool:
        if one[0] != other[0]:
            return False
        if (one[1], other[1]) in OPPOSING_PREDICATES:
            return one[2] == other[2]
        same_type = LANGUAGES.get(one[2], 1) == LANGUAGES.get(other[2], 2)
        return one[1] == other[1] and one[2] < other[2] and (one[1] == "runs_on" or (one[1] == "prefers" and same_type))

    expected = {(one, other) for one in said for other in said if excludes(one, other)}
    with graph_of(*(" ".join(fact) for fact in sorted(said)), types=LANGUAGES) as memory:
        conflicts = memory.conflicts()

    pairs = [tuple((e.subject, e.predicate, e.object) for e in (c.first, c.second)) for c in conflicts]
    assert len(pairs) == len(set(pairs)) and set(pairs) == expected
