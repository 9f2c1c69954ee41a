import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import ReplyError
from hymem.models.session_replies import SessionNotes, Step, read_session_notes

EPISODE = {
    "title": "Moving to uv",
    "summary": "They moved from pip to uv.",
    "outcome": "done",
    "entities": ["uv", "pip"],
    "first": 1,
    "last": 3,
    "quote": "we moved to uv",
}
PROCEDURE = {
    "name": "Release",
    "description": "How a release is made.",
    "steps": [{"action": "run the tests", "tools": ["pytest"]}, "tag the commit"],
    "triggers": ["how do we release?"],
    "entities": ["pytest"],
    "quote": "first run the tests",
}


def read(**lists: Any) -> SessionNotes:
    return read_session_notes(json.dumps(lists))


def test_a_reply_gives_a_sentence_episodes_and_procedures():
    notes = read(summaries=["  They moved\nto uv. "], episodes=[EPISODE], procedures=[PROCEDURE])

    (episode,), (procedure,) = notes.episodes, notes.procedures
    assert notes.summary == "They moved to uv."
    assert (episode.title, episode.outcome, episode.first, episode.last) == ("Moving to uv", "done", 1, 3)
    assert procedure.steps == (Step("run the tests", ("pytest",)), Step("tag the commit", ()))
    assert (procedure.triggers, notes.refused) == (("how do we release?",), ())


@pytest.mark.parametrize(
    "bad",
    [
        {"title": None},
        {"title": ""},
        {"title": "x" * 101},
        {"summary": 5},
        {"quote": None},
        {"first": "soon"},
        {"first": True},
        {"last": None},
        {"last": float("inf")},
        {"last": "9" * 5000},
    ],
    ids=str,
)
def test_an_episode_that_cannot_be_taken_is_refused_and_its_neighbours_are_not(bad: dict[str, Any]):
    notes = read(episodes=[EPISODE | bad, EPISODE])

    assert [item.title for item in notes.episodes] == ["Moving to uv"]
    assert [reason.partition(":")[0] for reason in notes.refused] == ["episodes 1"]


@pytest.mark.parametrize(
    "bad",
    [
        {"name": []},
        {"steps": []},
        {"steps": "first this, then that"},
        {"steps": [None, {"tools": ["x"]}]},
        {"quote": " "},
    ],
    ids=str,
)
def test_a_procedure_that_cannot_be_taken_is_refused_and_its_neighbours_are_not(bad: dict[str, Any]):
    notes = read(procedures=[PROCEDURE | bad, PROCEDURE])

    assert [item.name for item in notes.procedures] == ["Release"]
    assert [reason.partition(":")[0] for reason in notes.refused] == ["procedures 1"]


@pytest.mark.parametrize(
    ("given_", "taken"),
    [
        (["uv", None, 5, " uv ", {"name": "pip"}, "pip"], ("uv", "pip")),
        ("uv", ("uv",)),
        (None, ()),
        ({"name": "uv"}, ()),
        ([f"tool {n}" for n in range(40)], tuple(f"tool {n}" for n in range(20))),
    ],
)
def test_of_a_list_of_names_the_names_are_taken(given_: Any, taken: tuple[str, ...]):
    (episode,) = read(episodes=[EPISODE | {"entities": given_}]).episodes

    assert episode.entities == taken


@pytest.mark.parametrize(("given_", "number"), [("2", 2), (2.0, 2), (" 2 ", 2), (-1, -1), (10**30, 10**30)])
def test_a_turns_number_may_be_written_in_several_ways(given_: Any, number: int):
    (episode,) = read(episodes=[EPISODE | {"first": given_}]).episodes

    assert episode.first == number


def test_a_step_may_be_named_in_several_ways_and_keeps_its_place_in_the_list():
    steps = [{"order": 9, "step": "one", "tool": "make"}, {"description": "two"}, {}, {"action": 3}, "three"]

    (procedure,) = read(procedures=[PROCEDURE | {"steps": steps}]).procedures

    assert procedure.steps == (Step("one", ("make",)), Step("two", ()), Step("three", ()))


def test_the_same_thing_told_twice_is_one():
    notes = read(episodes=[EPISODE, EPISODE | {"title": "MOVING TO UV"}], procedures=[PROCEDURE, PROCEDURE])

    assert (len(notes.episodes), len(notes.procedures), notes.refused) == (1, 1, ())


def test_a_description_may_be_a_paragraph():
    (procedure,) = read(procedures=[PROCEDURE | {"description": "word " * 80}]).procedures

    assert procedure.description == ("word " * 80).strip()


def test_a_bare_list_is_a_list_of_episodes():
    notes = read_session_notes(json.dumps([EPISODE]))

    assert [item.title for item in notes.episodes] == ["Moving to uv"]


@pytest.mark.parametrize("text", ["", "I am not sure.", '{"facts": []}', "[1, 2]", '{"error": "overloaded"}'])
def test_a_reply_without_any_of_the_lists_is_unreadable(text: str):
    with pytest.raises(ReplyError):
        read_session_notes(text)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([*EPISODE, *PROCEDURE]), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(lists=st.dictionaries(st.sampled_from(["summaries", "episodes", "procedures"]), st.lists(VALUES), min_size=1))
def test_whatever_the_lists_hold_what_is_taken_is_clean(lists: dict[str, list[Any]]):
    notes = read(**lists)

    told = [item.title + item.summary + item.quote for item in notes.episodes] + [
        item.name for item in notes.procedures
    ]
    assert all(text.isprintable() and text.strip() for text in told)
