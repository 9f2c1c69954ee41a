"""What language models do to a memory that trusts them: wrapped, broken, endless and repeated replies."""

import json
from typing import Any

import pytest

from hymem.config import HyMemConfig
from tests.support.conversations import Turn, World

TEXT = "api uses Redis. I prefer tabs."
TRIPLE = {"subject": "api", "predicate": "uses", "object": "Redis", "polarity": 1, "quote": "api uses Redis"}
REPLY = {"triples": [TRIPLE], "markers": [], "entity_types": []}


def learnt(reply: str | dict[str, Any], dreams: int = 2) -> tuple[dict[str, tuple[int, int, str]], int]:
    """The edges that one chunk's reply gave, and how often it was asked for."""
    with World.of([Turn("m1", "monday", "user", TEXT, 1)]) as world:
        world.listener.script = {TEXT: reply}
        for _ in range(dreams):
            world.dream()
        return world.edges(), len(world.listener.asked)


def values(**value: Any) -> list[tuple[Any, ...]]:
    """What is stored of a triple's values."""
    with World.of([Turn("m1", "monday", "user", TEXT, 1)]) as world:
        world.listener.script = {TEXT: {"triples": [TRIPLE | value]}}
        world.dream()
        world.dream()
        assert len(world.listener.asked) == 1
        return world.rows("select pos_evidence, value_text, value_numeric from knowledge_graph")


@pytest.mark.parametrize(
    "reply",
    [
        json.dumps(REPLY),
        json.dumps([TRIPLE]),
        f"```json\n{json.dumps(REPLY)}\n```",
        f"Here you are:\n\n{json.dumps(REPLY)}\n\nAnything else?",
        f"<think>Is it {{}}?</think>{json.dumps(REPLY)}",
    ],
    ids=["object", "array", "fence", "prose", "reasoning"],
)
def test_a_wrapped_reply_is_unwrapped(reply: str):
    assert learnt(reply) == ({"api uses redis": (1, 0, "active")}, 1)


@pytest.mark.parametrize(
    "reply", ["", "null", "I cannot help with that.", json.dumps(REPLY)[:-20], '{"error": "busy"}']
)
def test_a_reply_that_says_nothing_readable_is_asked_for_again_until_it_rests(reply: str):
    assert learnt(reply, dreams=5) == ({}, 3)


def test_a_reply_of_nothing_is_an_answer():
    assert learnt({"triples": []}) == ({}, 1)


def test_half_a_character_in_a_name_is_cleaned():
    assert learnt({"triples": [TRIPLE | {"object": "Re\ud800dis"}]}) == ({"api uses redis": (1, 0, "active")}, 1)


def test_chunks_that_always_fail_do_not_hide_what_was_said_since():
    failing = [f"api uses thing{n}." for n in range(5)]
    with World.of(Turn(f"m{n}", "monday", "user", text, n) for n, text in enumerate(failing)) as world:
        world.listener.script = dict.fromkeys(failing, "")
        world.say("worker uses uv.", on=-300, session="tuesday")
        for _ in range(4):
            world.dream(budget=5)

        assert world.edges() == {"worker uses uv": (1, 0, "active")}
        assert max(world.listener.asked.count(text) for text in failing) == 3


def test_one_triple_told_twenty_times_is_one_piece_of_evidence():
    assert learnt({"triples": [TRIPLE] * 20}) == ({"api uses redis": (1, 0, "active")}, 1)


def test_three_prompt_versions_are_no_three_pieces_of_evidence():
    with World.of([Turn("m1", "monday", "user", TEXT, 1)]) as world:
        for version in ("v7", "v8", "v9", "v10"):
            world.memory.config = HyMemConfig(prompt_version=version)
            world.dream()

        assert world.edges() == {"api uses redis": (1, 0, "active")}
        assert [entry.pos_evidence for entry in world.memory.profile()] == [1]


def test_one_episode_without_a_title_does_its_neighbour_no_harm():
    with World.of([Turn("m1", "monday", "user", TEXT, 1)]) as world:
        whole = {"title": "A cache", "summary": "Redis it is.", "first": 1, "last": 1, "quote": "api uses Redis"}
        world.listener.notes = {"episodes": [whole | {"title": None}, whole]}
        world.dream()

        assert world.rows("select title from episodes") == [("A cache",)]


@pytest.mark.parametrize("number", [10**400, float("inf"), float("nan"), True, "many", [1]], ids=repr)
def test_a_number_that_is_none_costs_the_triple_its_value_only(number: Any):
    assert values(value_numeric=number) == [(1, None, None)]


def test_a_number_in_a_text_is_a_number():
    assert values(value_text=">= 15", value_numeric="15") == [(1, ">= 15", 15.0)]


@pytest.mark.parametrize(
    ("disguise", "edge"),
    [
        ({"predicate": "Uses"}, "api uses redis"),
        ({"predicate": "depends on"}, "api depends_on redis"),
        ({"predicate": "DEPENDS-ON", "polarity": "1"}, "api depends_on redis"),
        ({"polarity": 1.0}, "api uses redis"),
    ],
    ids=repr,
)
def test_what_is_meant_is_understood(disguise: dict[str, Any], edge: str):
    assert learnt({"triples": [TRIPLE | disguise]}) == ({edge: (1, 0, "active")}, 1)


@pytest.mark.parametrize(
    "nonsense",
    [
        {"polarity": True},
        {"polarity": 0},
        {"predicate": "likes"},
        {"subject": None},
        {"object": ""},
        {"subject": "API", "object": "api"},
        {"quote": "api uses Kafka"},
        {"quote": ""},
    ],
    ids=repr,
)
def test_what_makes_no_sense_is_refused_and_said_so(nonsense: dict[str, Any]):
    with World.of([Turn("m1", "monday", "user", TEXT, 1)]) as world:
        world.listener.script = {TEXT: {"triples": [TRIPLE | nonsense]}}
        world.dream()

        assert world.edges() == {}
        assert [len(json.loads(refused)) for (refused,) in world.rows("select refused from chunk_replies")] == [1]
