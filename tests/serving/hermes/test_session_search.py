"""Earlier conversations are looked through in four modes, by whom they concern."""

import json
from pathlib import Path
from typing import Any

import pytest

from hymem import HyMem
from hymem.models.rules import RulesExtractor
from hymem.store.sessions import ensure_session
from serving.hermes.session_arguments import SESSION_SEARCH
from serving.hermes.session_search import SessionSearch

NOW = "2026-03-01T12:00:00.000000Z"


@pytest.fixture
def memory(tmp_path: Path):
    with HyMem(tmp_path, llm=RulesExtractor(), clock=lambda: NOW) as opened:
        yield opened


def held(memory: HyMem, session: str, day: int, *turns: str, peer: str = "user", **attached: str) -> list[str]:
    """A session of turns, the user's and the assistant's by turns, a minute apart."""
    with memory.writing() as connection:
        ensure_session(connection, session, NOW, metadata=attached or None)
    return [
        memory.log_message(
            session,
            "user" if number % 2 == 0 else "assistant",
            turn,
            peer_id=peer if number % 2 == 0 else None,
            created_at=f"2026-01-{day:02}T10:{number:02}:00Z",
        )
        for number, turn in enumerate(turns)
    ]


def asked(memory: HyMem, peer: str | None = None, current: str = "", **arguments: Any) -> dict[str, Any]:
    return json.loads(SessionSearch(memory, peer, current)(arguments))


def names(answer: dict[str, Any]) -> list[str]:
    return [one["session_id"] for one in answer["results"]]


@pytest.mark.parametrize("dreamt", [False, True])
def test_a_query_finds_sessions_by_any_form_of_its_words_with_what_was_said_around_them(memory: HyMem, dreamt: bool):
    held(
        memory,
        "old",
        2,
        *(f"Filler number {n}." for n in range(12)),
        "We deployed the parser on Monday.",
        "Good.",
        "Bye.",
    )
    held(memory, "other", 3, "The weather is fine.", "It is.")
    if dreamt:
        memory.dream()

    (found,) = asked(memory, query="deploying parsers")["results"]

    assert (found["session_id"], found["matched_role"]) == ("old", "user")
    assert "We >>>deployed<<< the parser" in found["snippet"]
    assert [one["content"] for one in found["messages"] if one.get("anchor")] == ["We deployed the parser on Monday."]
    assert [one["content"] for one in found["bookend_start"]] == [f"Filler number {n}." for n in range(3)]
    assert (len(found["messages"]), found["messages_before"], found["messages_after"]) == (8, 7, 0)


@pytest.mark.parametrize(
    ("said", "query"),
    [("我们选择了数据库缓存方案", "缓存"), ("デプロイは木曜日です", "木曜日"), ("Мы выбрали Кассандру", "кассандру")],
)
def test_any_script_is_found_inside_of_its_words(memory: HyMem, said: str, query: str):
    held(memory, "there", 2, said, "ok")
    held(memory, "elsewhere", 3, "Nothing of it.", "ok")

    (found,) = asked(memory, query=query)["results"]

    assert (found["session_id"], f">>>{query[:2].casefold()}" in found["snippet"].casefold()) == ("there", True)


def test_a_peer_finds_the_sessions_that_it_takes_part_in_and_no_others(memory: HyMem):
    held(memory, "ada's", 2, "My parser is ready.", "Nice.", peer="ada")
    held(memory, "bob's", 3, "My parser failed.", "Sorry.", peer="bob")
    number = memory.messages("bob's")[0].seq

    assert names(asked(memory, "ada", query="parser")) == ["ada's"]
    assert names(asked(memory, "ada")) == ["ada's"]
    assert "no session bob's" in asked(memory, "ada", session_id="bob's")["error"]
    assert "is not in session" in asked(memory, "ada", session_id="ada's", around_message_id=number)["error"]
    assert names(asked(memory, query="parser", sort="oldest")) == ["ada's", "bob's"]


def test_a_conversation_that_went_on_in_another_session_is_found_once_and_the_present_one_not_at_all(memory: HyMem):
    held(memory, "begun", 2, "The parser is slow.", "I see.")
    held(memory, "continued", 3, "The parser is still slow.", "Hm.", parent_session_id="begun")
    held(memory, "now", 4, "And the parser?", "What of it?")
    held(memory, "helper", 5, "Profile the parser.", "Done.", platform="subagent")
    held(memory, "nightly", 6, "Parser report, parser, parser.", "Sent.", platform="cron")

    found = asked(memory, current="now", query="parser")["results"]

    assert [one["session_id"] in ("begun", "continued") for one in found] == [True, False]
    assert found[-1]["session_id"] == "nightly"
    assert names(asked(memory, current="now", limit=10)) == ["nightly", "continued"]
    assert "goes on now" in asked(memory, current="continued", session_id="begun", around_message_id=1)["error"]


def test_a_title_is_found_by_its_name(memory: HyMem):
    held(memory, "s1", 2, "Hello there.", "Hello.", title="Parser rewrite")
    held(memory, "s2", 3, "We talked of the parser rewrite.", "Yes.")

    assert names(asked(memory, query='"parser REWRITE"')) == ["s1", "s2"]


def test_scrolling_goes_on_from_the_last_message_that_was_shown(memory: HyMem):
    held(memory, "long", 2, *(f"Turn {n}." for n in range(50)))
    begun = asked(memory, session_id="long")
    middle = begun["messages"][19]["id"]

    window = asked(memory, session_id="long", around_message_id=str(middle), window=99)

    assert (begun["message_count"], begun["truncated"], len(begun["messages"])) == (50, True, 30)
    assert [one["content"] for one in window["messages"]] == [f"Turn {n}." for n in range(40)]
    assert (window["window"], window["messages_before"], window["messages_after"]) == (20, 0, 10)
    assert [one["content"] for one in window["messages"] if one.get("anchor")] == ["Turn 19."]


def test_a_message_of_a_continuation_is_found_from_the_session_in_which_it_began(memory: HyMem):
    held(memory, "begun", 2, "One.", "Two.")
    held(memory, "continued", 3, "Three.", "Four.", parent_session_id="begun")
    third = memory.messages("continued")[0].seq

    found = asked(memory, session_id="begun", around_message_id=third)

    assert (found["session_id"], [one["content"] for one in found["messages"]]) == ("continued", ["Three.", "Four."])
    assert "went on from begun" in found["warning"]


def test_what_is_shown_is_without_secrets_and_bounded(memory: HyMem):
    held(memory, "s", 2, "The key is sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCD " + "x" * 9000, "ok")

    shown = asked(memory, session_id="s")["messages"][0]["content"]

    assert "abcdefghijklmnop" not in shown
    assert shown.endswith("more characters]")
    assert len(shown) < 4100


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"query": 7}, "query must be text"),
        ({"query": "x", "sort": "best"}, "sort must be newest or oldest"),
        ({"query": "x", "role_filter": "user,robot"}, "is no role"),
        ({"query": "x", "limit": "many"}, "limit must be a whole number"),
        ({"around_message_id": 3}, "needs the session_id"),
        ({"session_id": "nowhere"}, "no session nowhere"),
    ],
)
def test_what_cannot_be_meant_is_refused_with_what_to_do(memory: HyMem, arguments: dict[str, Any], reason: str):
    answer = asked(memory, **arguments)

    assert (answer["success"], reason in answer["error"]) == (False, True)


@pytest.mark.parametrize("query", ["who am I?", "AND OR NOT", '"', "C++ pre-commit *", "🦜", "x" * 30_000])
def test_no_query_breaks_the_search(memory: HyMem, query: str):
    held(memory, "s", 2, "We use pre-commit for C++.", "ok")

    assert asked(memory, query=query)["success"]


def test_an_empty_memory_has_no_sessions(memory: HyMem):
    assert (asked(memory)["results"], asked(memory, query="x")["results"]) == ([], [])


def test_the_tool_is_an_object_at_its_top_and_bears_no_name_of_the_agents_own():
    parameters = SESSION_SEARCH["parameters"]

    assert (parameters["type"], set(parameters)) == ("object", {"type", "properties"})
    assert SESSION_SEARCH["name"] not in {"session_search", "memory"}
