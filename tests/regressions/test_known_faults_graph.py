"""What goes wrong between evidence and graph: facts that swallow facts, fade by being dreamt of, or come from nowhere."""

import numpy as np
import pytest

from dataflows.driver import build_driver
from dataflows.edges import edge_ids
from dataflows.inference import DERIVED_PER_SUBJECT
from dataflows.rows import Edge
from hymem.config import HyMemConfig
from tests.support.conversations import World, day
from tests.support.frames import some


def derived(world: World) -> dict[str, float]:
    """The conclusions, with how far they are believed."""
    return {
        f"{edge.subject} {edge.predicate} {edge.object}": round(edge.confidence, 3)
        for edge in world.memory.edges(include_retracted=True)
        if edge.derived
    }


def test_a_statement_of_what_was_concluded_before_outlives_the_conclusion():
    with World.of() as world:
        world.say("one depends on two. two depends on three.", on=1)
        world.dream()
        assert derived(world) == {"one depends_on three": 0.444}

        world.say("one depends on three.", on=2)
        world.dream()
        world.memory.retract_edge("two", "depends_on", "three")
        world.dream()

        assert world.edges()["one depends_on three"] == (1, 0, "active")
        assert derived(world) == {}


def test_a_topic_that_returned_once_counts_once_however_often_one_dreams():
    with World.of(now=day(40)) as world:
        for n in range(10):
            world.say("api uses Redis.", on=n / 10)
        world.say("Yesterday someone talked about the api again.", on=39)
        for n in range(8):
            world.clock.now = day(40 + 3 * n)
            world.write("delete from dream_state")
            world.dream()

        assert world.edges() == {"api uses redis": (10, 1, "stale")}


def test_a_word_that_is_always_said_lets_nothing_fade():
    with World.of() as world:
        for n in range(50):
            text = f"The user surely prefers thing{n}."
            world.listener.script |= {
                text: {"triples": [{"subject": "user", "predicate": "prefers", "object": f"thing{n}", "quote": text}]}
            }
            world.say(text, on=n / 100)
        world.say("Yesterday someone talked about the user again.", on=100)
        for _ in range(4):
            world.write("delete from dream_state")
            world.dream()

        assert set(world.edges().values()) == {(1, 0, "active")}
        assert len(world.edges()) == 50


def test_a_chunk_that_names_two_things_is_no_evidence_that_they_belong_together():
    with World.of() as world:
        world.say("api uses Postgres.", on=1)
        world.say("Please do NOT use the api together with Postgres in tests.", on=2)
        for _ in range(3):
            world.write("delete from dream_state")
            world.dream()

        assert world.edges() == {"api uses postgresql": (1, 0, "active")}


def test_what_was_only_denied_is_never_told_as_a_fact():
    with World.of() as world:
        world.say("We no longer uses Docker.", on=1)
        world.dream()

        facts = world.memory.augment("what about docker?").graph_facts

        assert [str(fact) for fact in facts] == ["user does not use docker"]
        assert b"user uses docker" not in b"".join(world.files().values())


def test_a_retraction_by_a_person_is_not_overruled_by_the_model():
    with World.of(now=day(10)) as world:
        world.say("api uses Redis.", on=1)
        world.dream()
        world.memory.retract_edge("api", "uses", "Redis")
        world.say("api uses Redis.", on=20)
        world.dream()
        world.memory.config = HyMemConfig(prompt_version="v8")
        world.dream()

        assert world.edges() == {"api uses redis": (2, 0, "retracted")}
        assert world.memory.augment("the api").graph_facts == ()


def test_only_a_person_s_retraction_teaches_the_model_what_is_wrong():
    with World.of() as world:
        world.say("api uses Redis. api uses Kafka.", on=0)
        for n in range(1, 12):
            world.say(f"Number {n}: someone talked about Redis again.", on=31 * n)
        world.dream()
        world.memory.retract_edge("api", "uses", "Kafka")
        assert world.edges()["api uses redis"][2] == "retracted"
        world.say("worker uses uv.", on=365)
        world.dream()

        shown = (
            world.listener.requests[-1]
            if world.listener.requests[-1].kind == "extraction"
            else world.listener.requests[-2]
        )

        assert shown.material["known_to_be_wrong"] == [{"subject": "api", "predicate": "uses", "object": "kafka"}]
        assert "kafka" not in shown.system.casefold()


def test_fading_is_not_told_as_conflicting_evidence():
    with World.of() as world:
        for n in range(3):
            world.say("api uses Postgres.", on=n)
        for n in range(2):
            world.say("Yesterday someone talked about Postgres again.", on=40 + 40 * n)
        world.dream()

        assert world.edges() == {"api uses postgresql": (3, 2, "stale")}
        assert b"conflicting" not in world.files()["MEMORY.md"]


def test_a_conclusion_is_believed_less_with_every_step():
    with World.of() as world:
        world.say("one depends on two. two depends on three. three depends on four.", on=1)
        world.dream()

        assert derived(world) == {
            "one depends_on three": 0.444,
            "two depends_on four": 0.444,
            "one depends_on four": 0.296,
        }


def test_nothing_depends_on_itself_by_way_of_a_circle():
    with World.of() as world:
        world.say("one depends on two. two depends on three. three depends on one.", on=1)
        world.dream()

        assert derived(world) == {
            "one depends_on three": 0.444,
            "two depends_on one": 0.444,
            "three depends_on two": 0.444,
        }


def test_a_dense_graph_gives_a_bounded_number_of_conclusions():
    nodes, degree = 300, 5
    randomly = np.random.default_rng(1)
    ends = {(a, int(b)) for a in range(nodes) for b in randomly.choice(nodes, degree, replace=False) if a != b}
    subjects, objects = (list(map("node{}".format, column)) for column in zip(*sorted(ends), strict=True))
    edges = some(
        Edge,
        subject=subjects,
        predicate="depends_on",
        object=objects,
        confidence=10 / 11,
        pos_evidence=9,
        status="active",
    )
    edges = edges.assign(edge_id=edge_ids(edges))

    found = build_driver().execute(
        ["derived_edges"],
        inputs={"retract_threshold": 0.15},
        overrides={"stated_edges": edges, "settled_pairs": edges[["subject", "object"]]},
    )["derived_edges"]

    assert found.groupby("subject").size().max() == DERIVED_PER_SUBJECT
    assert len(found) <= nodes * DERIVED_PER_SUBJECT


@pytest.mark.parametrize("years", [10, 100])
def test_a_fact_from_the_future_scores_like_one_of_today(years: int):
    with World.of(now=day(1)) as world:
        world.say("api uses Redis.", on=365 * years)
        world.say("worker uses Redis.", on=1)
        world.dream()

        facts = world.memory.augment("who uses redis here?").graph_facts

        assert len({fact.score for fact in facts}) == 1
        assert len(facts) == 2


@pytest.mark.parametrize("idle", ["", "   ", "thanks!", "ok", "👍", "/help"])
def test_idle_words_recall_nothing(idle: str):
    with World.of() as world:
        world.say("api uses Redis.", on=1)
        world.dream()

        found = world.memory.augment(idle)

        assert (found.fts_hits, found.graph_facts, found.matched_entities) == ((), (), ())
