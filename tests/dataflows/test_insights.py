import json

from dataflows.insights import (
    contradictions,
    dependency_hubs,
    insights,
    markdown_sections,
    memory_section,
    strong_preferences,
    told_edges,
)
from dataflows.rows import Edge, Insight, RankedInsight
from dataflows.tables import Table, table
from tests.support.frames import some, told

NONE = table(Insight)


def edges(*relations: tuple[str, str, str], **given: object) -> Table[Edge]:
    """Stated edges, active and well believed unless told otherwise."""
    subject, predicate, object_ = (list(column) for column in zip(*relations, strict=True))
    plain = {"status": "active", "confidence": 0.9, "pos_evidence": 1, "edge_id": list(range(len(relations)))}
    return some(Edge, subject=subject, predicate=predicate, object=object_, **{**plain, **given})


def dependents(count: int, hub: str = "redis") -> list[tuple[str, str, str]]:
    return [(f"app{n}", "depends_on", hub) for n in range(1, count + 1)]


def test_only_stated_edges_that_are_not_retracted_are_told():
    known = edges(
        ("a", "uses", "b"), ("a", "uses", "c"), ("a", "depends_on", "d"),
        status=["stale", "retracted", "active"], derived=[False, False, True],
    )  # fmt: skip

    assert told_edges(known).object.tolist() == ["b"]


def test_what_two_things_depend_on_is_a_hub():
    hubs = dependency_hubs(edges(*dependents(2), ("app9", "depends_on", "kafka")))

    assert told(hubs) == [("hub", 2.0, "redis is a shared dependency of: app1, app2", "[0, 1]")]


def test_a_hub_names_five_and_counts_the_others():
    line = dependency_hubs(edges(*dependents(300))).statement[0]

    assert line == "redis is a shared dependency of: app1, app10, app100, app101, app102 and 295 more"


def test_doubtful_dependencies_make_no_hub():
    doubtful = edges(*dependents(2), confidence=[0.9, 0.6])

    assert dependency_hubs(doubtful).empty


def test_a_strong_preference_is_an_insight():
    wanted = edges(
        ("user", "prefers", "tabs"), ("user", "rejects", "yaml"), ("user", "avoids", "xml"), confidence=[0.75, 0.8, 0.7]
    )

    assert strong_preferences(wanted).statement.tolist() == ["user prefers tabs", "user rejects yaml"]


def test_a_contradiction_is_said_and_denied_in_so_many_words():
    torn = edges(("api", "uses", "flask"), pos_evidence=3, neg_evidence=5, decay_windows=3, confidence=0.5)

    assert told(contradictions(torn)) == [
        ("contradiction", 2.0, "conflicting evidence whether api uses flask (3 for, 2 against)", "[0]")
    ]


def test_fading_is_no_contradiction():
    faded = edges(("api", "uses", "flask"), pos_evidence=3, neg_evidence=3, decay_windows=3, confidence=0.5)

    assert contradictions(faded).empty


def test_a_denial_without_an_assertion_is_no_contradiction():
    assert contradictions(edges(("api", "uses", "flask"), pos_evidence=0, neg_evidence=2)).empty


def test_a_contradiction_states_neither_side_as_a_fact():
    torn = edges(("api", "uses", "flask"), pos_evidence=1, neg_evidence=2, confidence=0.4)

    assert contradictions(torn).statement[0].startswith("conflicting evidence whether ")


def lines(kind: str, count: int) -> Table[Insight]:
    numbers = range(count)
    return some(
        Insight,
        kind=kind,
        weight=[float(n) for n in numbers],
        statement=[f"{kind} {n}" for n in numbers],
        edges="[]",
    )


def kinds(found: Table[RankedInsight]) -> dict[str, int]:
    return found.kind.value_counts().to_dict()


def test_each_kind_has_its_share_of_the_lines():
    shown = insights(lines("hub", 20), lines("preference", 20), lines("contradiction", 20), 12)

    assert kinds(shown) == {"hub": 5, "preference": 4, "contradiction": 3}


def test_unused_shares_go_to_the_others():
    shown = insights(lines("hub", 20), lines("preference", 1), NONE, 12)

    assert kinds(shown) == {"hub": 11, "preference": 1}


def test_twelve_hubs_do_not_push_out_the_one_rejection():
    shown = insights(lines("hub", 12), lines("preference", 1), NONE, 12)

    assert kinds(shown)["preference"] == 1


def test_the_weightiest_of_a_kind_come_first_in_their_places():
    shown = insights(lines("hub", 7), NONE, lines("contradiction", 1), 4)

    assert told(shown, "rank", "statement") == [(1, "hub 6"), (2, "hub 5"), (3, "hub 4"), (4, "contradiction 0")]


def test_a_limit_of_zero_shows_nothing():
    assert insights(lines("hub", 3), lines("preference", 3), NONE, 0).empty


def test_the_section_lists_the_lines_under_their_kinds():
    shown = insights(lines("hub", 1), lines("preference", 1), NONE, 12)

    assert memory_section(shown) == (
        "## What is known\n\n### Dependency hubs\n\n- hub 0\n\n### Preferences and rejections\n\n- preference 0"
    )


def test_an_empty_memory_says_so():
    assert memory_section(table(RankedInsight)) == "## What is known\n\nNothing learnt yet."


def test_both_sections_are_kept_by_name():
    assert told(markdown_sections("of the user", "of the world")) == [
        ("insights", "of the world"),
        ("profile", "of the user"),
    ]


def test_an_insight_leads_back_to_its_edges():
    hubs = dependency_hubs(edges(*dependents(6), edge_id=[1 << 62, 2, 3, 4, 5, 6]))

    assert json.loads(hubs.edges[0]) == [1 << 62, 2, 3, 4, 5, 6]
