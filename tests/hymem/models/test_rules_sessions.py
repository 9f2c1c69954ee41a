import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.models.replies import supports
from hymem.models.rules.sessions import session_notes
from hymem.models.session_replies import read_session_notes

RELEASE = """To release the library:

1. Run `pytest -q` and `ruff check`
2. Bump the version
3) Tag the commit
Then wait."""


def notes(*said: str, role: str = "user") -> dict[str, list[Any]]:
    return session_notes([{"turn": n, "role": role, "text": text} for n, text in enumerate(said, start=1)])


def test_the_summary_is_the_line_that_decides_something():
    told = notes("Let me think about the weather first.", "ok", "We decided to use Postgres. It is raining.")

    assert told["summaries"] == ["We decided to use Postgres."]


def test_where_nothing_is_decided_the_first_line_that_says_something_is_the_summary():
    told = notes("hi", "The billing service talks to the ledger. Fine.", "The api uses Redis.")

    assert told["summaries"] == ["The billing service talks to the ledger."]


@pytest.mark.parametrize("said", ["hi", "ok, thanks", "Should we use Redis?", "", "x" * 500])
def test_of_small_talk_questions_and_pasted_text_nothing_is_told(said: str):
    assert notes(said) == {"summaries": [], "episodes": [], "procedures": []}


def test_each_deciding_line_is_an_episode_at_its_turn():
    told = notes("We moved from pip to uv. It was easy.", "Nice.", "We decided to use Postgres.")

    assert [(e["title"], e["first"], e["last"]) for e in told["episodes"]] == [
        ("We moved from pip to uv.", 1, 1),
        ("We decided to use Postgres.", 3, 3),
    ]


def test_an_assistant_decides_nothing():
    assert notes("We moved from pip to uv.", role="assistant")["episodes"] == []


def test_a_long_line_has_a_short_title_cut_at_a_word():
    line = "We decided to use Postgres " + "because of the many things that it can do for us " * 3 + "."

    (episode,) = notes(line)["episodes"]

    assert len(episode["title"]) <= 80
    assert line.startswith(episode["title"].removesuffix("…") + " ")


def test_a_numbered_list_is_a_procedure_named_by_the_line_above_it():
    (procedure,) = notes(RELEASE)["procedures"]

    assert (procedure["name"], procedure["triggers"]) == ("To release the library", ["to release the library"])
    assert procedure["steps"] == [
        {"action": "Run `pytest -q` and `ruff check`", "tools": ["pytest", "ruff"]},
        {"action": "Bump the version", "tools": []},
        {"action": "Tag the commit", "tools": []},
    ]


@pytest.mark.parametrize(
    "text",
    [
        "1. open it\n2. close it",
        "Steps:\n1. open the only one",
        "Doors:\n3. open three\n4. open four",
        "Version 1.5 of 2.0",
        f"{'a long line ' * 20}\n1. open it\n2. close it",
        "***\n1. open it\n2. close it",
        "Books:\n1. **Themes**: power\n2. **Length**: long\n3. Read it",
    ],
)
def test_a_list_without_a_name_a_second_step_or_a_beginning_is_none(text: str):
    assert notes(text)["procedures"] == []


@pytest.mark.parametrize(
    ("text", "name", "steps"),
    [
        ("Release steps: 1. build 2. test 3. ship", "Release steps", ["build", "test", "ship"]),
        ("We ship often. Release steps: 1) build\n2) test", "Release steps", ["build", "test"]),
        ("How we release.\n1. build 2. test 3. ship", "How we release", ["build", "test", "ship"]),
        ("To release the library, first run the tests, then tag the commit, finally push the tag.",
         "To release the library", ["run the tests", "tag the commit", "push the tag"]),
        ("This is how I deploy. First I build the image. It takes long. Then I push it and finally restart the pods.",
         "how I deploy", ["build the image", "push it", "restart the pods"]),
        ("Our release process is simple. First bump the version, then push.",
         "Our release process is simple", ["bump the version", "push"]),
    ],
)  # fmt: skip
def test_steps_told_on_one_line_or_in_order_are_a_procedure(text: str, name: str, steps: list[str]):
    (procedure,) = notes(text)["procedures"]

    assert (procedure["name"], [step["action"] for step in procedure["steps"]]) == (name, steps)


@pytest.mark.parametrize(
    "text",
    [
        "1. build 2. test 3. ship",
        "I like 1. cats 2. dogs 3. birds",
        "To be read: version 1. 2 of 3.",
        "To settle it, first we liked Python, then we moved to Go, finally to Rust.",
        "I am tired. First run the tests, then push.",
        "How do I deploy? First build the image.",
        "At first I was lost. Then I found it.",
    ],
)
def test_stories_counts_and_steps_towards_nothing_are_no_procedure(text: str):
    assert notes(text)["procedures"] == []


def test_two_lists_are_two_procedures():
    told = notes("Build:\n1. configure\n2. make\nClean:\n1. stop the server\n2. delete the output")["procedures"]

    assert [(p["name"], len(p["steps"])) for p in told] == [("Build", 2), ("Clean", 2)]


LINES = st.sampled_from(
    [
        "We moved from pip to uv.",
        "Release:",
        "1. test",
        "To release, first build it, then test it. Finally, push.",
        "Steps: 1. build 2. test 3. ship",
        "2. tag `v1`",
        "3) push",
        "We decided: no tabs!",
        "why?",
        "",
        "决定用 uv。",
    ]
)


@given(said=st.lists(st.lists(LINES, max_size=8).map("\n".join) | st.text(max_size=80), min_size=1, max_size=4))
def test_whatever_was_said_the_notes_are_readable_and_quote_it(said: list[str]):
    told = notes(*said)
    read = read_session_notes(json.dumps(told))

    assert read.refused == ()
    assert all(supports(item.quote, "\n".join(said)) for item in (*read.episodes, *read.procedures))
