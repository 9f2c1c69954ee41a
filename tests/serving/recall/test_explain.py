from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import InputError
from serving.recall.explain import Explanation
from tests.support.conversations import World, day
from tests.support.graphs import edge, graph_of


@pytest.fixture(scope="module")
def world() -> Iterator[World]:
    """A world in which something is lost at every step before the graph."""
    with World.of(now=day(20)) as opened:
        opened.say("api uses Redis. Redis is a database.", on=1, message_id="said")
        opened.say("kafka uv", on=2, session="friday", message_id="brief")
        opened.say(
            "Yesterday someone talked about the worker and pip again.", on=3, session="saturday", message_id="talk"
        )
        opened.say("billing uses Flask.", on=4)
        opened.say("billing uses Docker. Number five.", on=4)
        opened.dream()
        opened.memory.retract_edge("billing", "uses", "flask")
        opened.dream()
        opened.say("worker uses Kafka and much else, I believe.", on=5, message_id="later")
        yield opened


def explained(world: World, expecting: str, message: str = "what about the api") -> Explanation:
    return world.memory.explain(message, expecting=expecting)


@pytest.mark.parametrize(
    ("expecting", "step", "told"),
    [
        ("api uses oracle", "ledger", "no message names api and oracle"),
        ("oracle", "ledger", "no message names oracle"),
        ("m99", "ledger", "no message names m99"),
        ("brief", "words", "shares no word"),
        ("later", "chunking", "no chunk was cut from it"),
        ("kafka uses uv", "chunking", "no chunk for a model"),
        ("worker uses pip", "extraction", "states that worker uses pip"),
        ("pip", "extraction", "states anything of pip"),
        ("billing uses Flask", "retraction", "a person retracted it"),
        ("flask", "retraction", "every fact about flask is retracted"),
        ("billing uses docker", "matching", "the message does not name billing"),
        ("billing", "matching", "the message does not name billing"),
        ("said", "recalled", "rests on it"),
        ("the API uses Redis", "recalled", "number 1"),
        ("Redis", "recalled", "number 1"),
    ],
)
def test_the_step_is_told_at_which_something_was_lost(world: World, expecting: str, step: str, told: str):
    found = explained(world, expecting)

    assert (found.lost_at, found.recalled) == (step, step == "recalled")
    assert told in str(found)


def test_a_message_without_a_word_of_the_question_is_told(world: World):
    assert explained(world, "talk", "flask?").lost_at == "words"


def test_what_waits_for_a_dream_is_not_read_yet():
    with World.of() as world:
        world.listener.failing = {"api uses Redis.": 9}
        world.say("api uses Redis.")
        assert explained(world, "api uses redis").lost_at == "chunking"
        world.dream()
        assert "no model has answered" in str(explained(world, "api uses redis"))


def test_items_that_were_refused_are_told():
    with World.of() as world:
        said = "the api and redis, as everybody here knows"
        fact = {"subject": "api", "predicate": "uses", "object": "redis", "quote": "never said"}
        world.listener.script = {said: {"triples": [fact], "markers": [], "entity_types": []}}
        world.say(said)
        world.dream()

        assert "items were refused" in str(explained(world, "api uses redis"))


def test_the_speaker_is_named_by_their_own_words():
    with World.of() as world:
        world.say("I would like to have tabs, please, everywhere.")
        world.dream()

        assert explained(world, "user prefers tabs").lost_at == "extraction"


def test_what_faded_away_is_told_with_its_confidence():
    with graph_of(edge("api uses redis", status="retracted", confidence=0.1), "api uses uv") as memory:
        found = memory.explain("the api", expecting="api uses redis")

    assert found.lost_at == "retraction" and "0.100" in found.told


def test_a_name_that_does_not_count_is_told():
    with graph_of("atta uses working") as memory:
        found = memory.explain(
            "are you working",
            expecting="working",
        )

    assert found.lost_at == "recalled"  # as what was seen last
    with graph_of("atta uses working", *(edge(f"api uses thing{n}") for n in range(9))) as memory:
        found = memory.explain("the api is working", expecting="atta uses working")

    assert found.lost_at == "matching" and "working does not count as a name" in found.told


def test_what_an_entity_s_better_facts_displaced_is_told_with_its_score():
    many = [edge(f"api uses thing{n}") for n in range(9)]
    faint = edge("api uses redis", confidence=0.5)
    with graph_of(*many, faint) as memory:
        found = memory.explain("the api", expecting="api uses redis")

    assert (found.lost_at, found.score, found.last_score) == ("entity_cut", 0.5, 2 / 3)


def test_what_scored_too_low_is_told_with_its_score_and_the_last_that_was_returned():
    with graph_of("api uses uv", edge("api uses redis", confidence=0.5), graph_top_k=1) as memory:
        found = memory.explain("the api", expecting="api uses redis")

    assert (found.lost_at, found.score, found.last_score) == ("graph_cut", 0.5, 2 / 3)


def test_a_message_below_the_last_that_is_returned_is_told_with_its_place():
    with World.of() as world:
        for n in range(7):
            world.say(f"Number {n}: all of us talked about gardening {'again ' * n}.", message_id=f"m{n}")
        world.dream()
        found = [explained(world, f"m{n}", "gardening?") for n in range(7)]

    assert sorted(one.lost_at for one in found) == ["fts_cut"] * 2 + ["recalled"] * 5
    assert all(one.score and one.last_score and one.score <= one.last_score for one in found if not one.recalled)


@pytest.mark.parametrize("expecting", ["api uses redis", "redis", "said"])
def test_for_idle_words_nothing_is_recalled(world: World, expecting: str):
    assert explained(world, expecting, "thanks!").lost_at == "question"


def test_what_names_nothing_is_refused(world: World):
    with pytest.raises(InputError, match="names nothing"):
        explained(world, "???")


@given(st.text(min_size=1), st.text())
def test_any_words_are_explained_or_refused(world: World, expecting: str, message: str):
    try:
        found = world.memory.explain(message, expecting=expecting)
    except InputError:
        return
    assert found.told


def test_an_explanation_agrees_with_what_is_recalled():
    known: list[Any] = [edge(f"api uses thing{n}", confidence=0.5 + n / 100) for n in range(6)]
    with graph_of(*known, "worker prefers tabs", types={"thing0": "tool", "thing5": "tool"}) as memory:
        recalled = {fact.edge.edge_id for fact in memory.augment("thing0 and the api").graph_facts}
        told = {
            one.edge_id
            for one in memory.edges()
            if memory.explain("thing0 and the api", expecting=f"{one.subject} {one.predicate} {one.object}").recalled
        }

    assert told == recalled
