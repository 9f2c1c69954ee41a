import json
from collections.abc import Iterator
from typing import Any

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflows.experience import episodes, procedures, session_summaries
from dataflows.rows import Attempt, Episode, Message, Procedure, Reply, SessionWindow
from dataflows.session_windows import (
    TURN_CHARACTERS,
    WINDOW_CHARACTERS,
    WINDOW_TURNS,
    due_windows,
    fresh_windows,
    ledger_window_readings,
    quarantined_windows,
    session_instructions,
    session_prompts,
    session_version,
    session_windows,
    turns_by_window,
    waiting_windows,
    window_readings,
    window_revisions,
    window_turns,
)
from dataflows.tables import Table, table
from hymem.store.replies import FAILURES_ALLOWED
from hymem.store.search import match_expression
from hymem.testing import ScriptedModel
from tests.support.conversations import NOTHING, Listener, World
from tests.support.frames import day, some, sparing, told

PRESENT = ("v1", "present-model")
MOMENT = "2026-01-01T00:00:00.000000Z"


def spoken(*texts: str, session: str = "monday") -> Table[Message]:
    """Turns of a session, one a day; their seqs run against their time, as those of an import may."""
    count = len(texts)
    return some(
        Message,
        seq=list(range(count, 0, -1)),
        message_id=[f"{session}-{n}" for n in range(count)],
        session_id=session,
        peer_id="ada",
        role="user",
        content=list(texts),
        created_at=[day(n) for n in range(count)],
        observed=True,
    )


class Session:
    """The dataflow's way from a session's turns to its experience, with the replies that the ledger has."""

    def __init__(self, *texts: str) -> None:
        turns = spoken(*texts)
        self.turns = window_turns(turns, turns)
        self.forms = window_revisions(self.turns)
        self.windows = fresh_windows(self.turns)

    def revision_id(self, length: int) -> int:
        """The revision that the last window had when it was so long."""
        last = self.windows.sort_values("place").session_window_id.iloc[-1]
        return int(
            self.forms[(self.forms.session_window_id == last) & (self.forms.length == length)].revision_id.item()
        )

    def read(self, *replies: tuple[int, Any], told_by: tuple[str, str] = PRESENT) -> "Session":
        """What the ledger says, from replies by revision."""
        rows = [
            (revision_id, *told_by, reply if isinstance(reply, str) else json.dumps(reply), MOMENT)
            for revision_id, reply in replies
        ]
        self.readings = ledger_window_readings(self.forms, table(Reply, rows), self.turns, *PRESENT)
        return self

    def waiting(self) -> Table[SessionWindow]:
        return waiting_windows(self.windows, self.readings, *PRESENT)

    def rows(self) -> Table[SessionWindow]:
        return session_windows(table(SessionWindow), self.windows, self.readings)

    def episodes(self) -> Table[Episode]:
        return episodes(table(Episode), self.rows(), self.readings, turns_by_window(self.turns))

    def procedures(self) -> Table[Procedure]:
        return procedures(table(Procedure), self.rows(), self.readings, turns_by_window(self.turns))


def episode(title: str, first: int, last: int, quote: str, **more: Any) -> dict[str, Any]:
    return {"title": title, "summary": title, "first": first, "last": last, "quote": quote, **more}


def notes(*told: dict[str, Any], summary: str = "They talked.", how: tuple[dict[str, Any], ...] = ()) -> dict[str, Any]:
    return {"summaries": [summary], "episodes": list(told), "procedures": list(how)}


# ------------------------------------------------------------------------------------------------------------ windows


def test_a_long_session_is_read_in_windows_of_bounded_length():
    session = Session(*(f"turn {n}" for n in range(2 * WINDOW_TURNS + 3)))

    assert session.windows.sort_values("place").place.tolist() == [0, 1, 2]
    assert session.turns.groupby("place").number.max().tolist() == [WINDOW_TURNS, WINDOW_TURNS, 3]


def test_long_turns_are_cut_and_fill_their_windows():
    session = Session(*["x" * 5000] * 17)

    assert session.turns.text.str.len().unique().tolist() == [TURN_CHARACTERS]
    assert session.turns.groupby("place").text.agg(lambda said: said.str.len().sum()).max() <= WINDOW_CHARACTERS


@given(
    st.lists(st.text("ab ", min_size=1, max_size=3).map(lambda word: word * 700), min_size=2, max_size=60), st.data()
)
@sparing
def test_a_growing_session_changes_its_last_window_only(said: list[str], data):
    before = data.draw(st.integers(1, len(said) - 1))

    grown, shorter = Session(*said), Session(*said[:before])

    full = shorter.windows.sort_values("place").revision_id.tolist()[:-1]
    assert grown.windows.sort_values("place").revision_id.tolist()[: len(full)] == full
    assert set(shorter.windows.revision_id) <= set(grown.forms.revision_id)


def test_a_session_without_a_salient_turn_has_no_windows():
    turns = spoken("hi", "ok")

    assert window_turns(turns, turns[:0]).empty


def test_of_many_windows_the_newest_are_asked_about_within_the_budget():
    session = Session(*(f"turn {n}" for n in range(3 * WINDOW_TURNS))).read()

    due = due_windows(session.waiting(), table(SessionWindow), dream_budget=2)

    assert due.place.tolist() == [2, 1]


def test_a_prompt_shows_the_window_and_nothing_else():
    session = Session(*(f"turn {n}" for n in range(WINDOW_TURNS + 1))).read()
    last = session.waiting().query("place == 1").reset_index(drop=True)

    (prompt,) = session_prompts(last, turns_by_window(session.turns), "v1").itertuples()

    assert json.loads(prompt.question) == {
        "turns": [{"turn": 1, "speaker": "ada", "role": "user", "text": f"turn {WINDOW_TURNS}"}]
    }
    assert (prompt.chunk_id, prompt.beside) == (session.revision_id(1), "{}")


def test_another_wording_of_the_prompt_is_another_version():
    assert session_version("v7", session_instructions()) != session_version("v7", session_instructions() + ".")


# ------------------------------------------------------------------------------------------------------------- asking


def test_a_window_waits_until_its_present_form_is_answered():
    session = Session("we use uv", "we use pip")

    states = [
        session.read().waiting(),
        session.read((session.revision_id(1), notes())).waiting(),
        session.read((session.revision_id(2), notes()), told_by=("v0", PRESENT[1])).waiting(),
        session.read((session.revision_id(2), notes()), told_by=(PRESENT[0], "other-model")).waiting(),
        session.read((session.revision_id(2), notes())).waiting(),
    ]

    assert [len(state) for state in states] == [1, 1, 1, 1, 0]


def test_a_window_whose_old_form_alone_is_answered_is_no_answered_window():
    session = Session("we use uv", "we use pip")

    (row,) = session.read((session.revision_id(1), notes(summary="So far."))).rows().itertuples()

    assert (row.prompt_version, row.model, row.replied_at, row.summary) == ("", "", "", "So far.")


def test_a_reply_in_the_ledger_that_cannot_be_read_is_asked_for_again_and_an_older_one_serves():
    session = Session("we use uv", "we use pip")

    session.read((session.revision_id(1), notes(summary="So far.")), (session.revision_id(2), "I am not sure."))

    assert len(session.waiting()) == 1
    assert session.rows().summary.tolist() == ["So far."]


def test_a_window_that_failed_thrice_rests_until_it_grows():
    failed = Session("we use uv").read()
    attempts = table(Attempt, [(failed.revision_id(1), FAILURES_ALLOWED)])
    grown = Session("we use uv", "we use pip").read()

    assert len(quarantined_windows(failed.waiting(), attempts)) == 1
    assert quarantined_windows(grown.waiting(), attempts).empty


# ------------------------------------------------------------------------------------------------------- what happened


def test_a_grown_session_keeps_its_notes_until_the_new_reply_comes():
    session = Session("we use uv", "we use pip")
    session.read((session.revision_id(1), notes(episode("uv", 1, 1, "we use uv"))))
    new = table(
        Reply, [(session.revision_id(2), *PRESENT, json.dumps(notes(episode("pip", 2, 2, "we use pip"))), MOMENT)]
    )

    before = session.episodes()
    session.readings = window_readings(session.readings, new, session.windows, session.turns)

    assert (before.title.tolist(), session.episodes().title.tolist()) == (["uv"], ["pip"])


@pytest.mark.parametrize(
    ("first", "last", "span"),
    [(2, 3, (1, 2)), (3, 2, (1, 2)), (-5, 1, (0, 0)), (2, 99, (1, 3)), (50, 99, (3, 3)), (0, 10**30, (0, 3))],
)
def test_an_episode_spans_the_turns_it_names_as_far_as_there_are_such(first: int, last: int, span: tuple[int, int]):
    session = Session("a uv", "b uv", "c uv", "d uv")

    found = session.read((session.revision_id(4), notes(episode("uv", first, last, "uv")))).episodes()

    assert told(found, "started_at", "ended_at", "first_seq", "last_seq") == [
        (day(span[0]), day(span[1]), 4 - span[1], 4 - span[0])
    ]


def test_what_quotes_no_word_of_the_window_is_refused_and_its_neighbours_are_not():
    session = Session("we use uv")
    how = {"name": "Release", "steps": ["tag"], "quote": "tag it"}

    session.read(
        (session.revision_id(1), notes(episode("a", 1, 1, "we use pip"), episode("b", 1, 1, "WE  use uv"), how=(how,)))
    )

    assert (session.episodes().title.tolist(), len(session.procedures())) == (["b"], 0)


def test_episodes_that_begin_at_one_turn_are_all_kept():
    session = Session("we use uv and pip")

    found = session.read(
        (session.revision_id(1), notes(episode("uv", 1, 1, "uv"), episode("pip", 1, 1, "pip")))
    ).episodes()

    assert sorted(found.title) == ["pip", "uv"]


def test_an_episode_keeps_its_id_when_it_is_told_anew():
    short, grown = Session("we use uv"), Session("we use uv", "we use pip")

    before = short.read((short.revision_id(1), notes(episode("uv", 1, 1, "uv")))).episodes()
    after = grown.read((grown.revision_id(2), notes(episode("Moving to uv", 1, 2, "uv")))).episodes()

    assert before.episode_id.tolist() == after.episode_id.tolist()


def test_a_procedure_told_again_later_is_one_as_told_last():
    session = Session(*(f"release: step {n}" for n in range(WINDOW_TURNS + 1)))
    first = int(session.windows[session.windows.place == 0].revision_id.item())
    old = {"name": "Release", "steps": ["old"], "quote": "release"}
    new = {
        "name": "RELEASE",
        "steps": [{"action": "new", "tools": ["make"]}],
        "triggers": ["ship it"],
        "quote": "release",
    }

    found = session.read((first, notes(how=(old,))), (session.revision_id(1), notes(how=(new,)))).procedures()

    assert told(found, "name", "steps", "triggers") == [
        ("RELEASE", '[{"order": 1, "action": "new", "tools": ["make"]}]', '["ship it"]')
    ]


def test_entities_are_canonical_and_named_once():
    session = Session("we use uv")

    found = session.read(
        (session.revision_id(1), notes(episode("uv", 1, 1, "uv", entities=["The API", "api", "…", "数据库"])))
    ).episodes()

    assert json.loads(found.entities.item()) == ["api", "数据库"]


def test_the_last_window_with_a_sentence_gives_the_sessions_summary():
    session = Session(*(f"turn {n}" for n in range(2 * WINDOW_TURNS + 1)))
    forms = session.windows.sort_values("place").revision_id.tolist()
    replies = [(forms[0], notes(summary="First.")), (forms[1], notes(summary="Second.")), (forms[2], {"episodes": []})]

    assert told(session_summaries(session.read(*replies).rows())) == [("monday", "Second.")]


# ---------------------------------------------------------------------------------------------------- dream after dream


@pytest.fixture
def world() -> Iterator[World]:
    with World.of() as made:
        yield made


def asked_windows(listener: Listener) -> list[int]:
    """How many turns each question about a window showed."""
    return [len(request.material["turns"]) for request in listener.requests if request.kind == "session"]


def test_a_session_is_asked_about_again_only_when_it_has_grown(world: World):
    world.say("api uses Redis.", on=1)
    world.dream()
    world.say("worker uses uv.", on=2, session="tuesday")
    world.dream()
    world.say("billing uses uv.", on=3)
    world.dream()

    assert asked_windows(world.listener) == [1, 1, 2]


def test_a_grown_window_that_was_not_answered_is_asked_about_by_the_next_dream(world: World):
    world.say("api uses Redis.", on=1)
    world.dream()
    world.say("worker uses uv.", on=2)
    world.listener.refusing = "not now"
    refused = world.dream()
    kept = [episode.title for episode in world.memory.episodes()]
    world.listener.refusing = None
    world.dream()

    assert (refused.waiting, kept) == (2, ["api uses Redis"])
    assert [episode.title for episode in world.memory.episodes()] == ["worker uses uv", "api uses Redis"]


def test_a_window_that_never_gets_a_readable_reply_rests_after_three_dreams(world: World):
    world.say("api uses Redis.", on=1)
    world.listener.refusing = "never"

    runs = [world.dream() for _ in range(5)]

    assert [run.asked for run in runs] == [2, 2, 2, 0, 0]
    assert (runs[3].quarantined, runs[3].waiting, runs[4].outcome) == (2, 0, "nothing to do")


def test_what_people_search_is_found_in_the_indexes(world: World):
    how = {
        "name": "Deploy to staging",
        "steps": [{"action": "build the image", "tools": ["podman"]}],
        "triggers": ["how do we ship?"],
        "quote": "Postgres",
    }
    told = episode("Moving the database", 1, 1, "Postgres", outcome="it went well", entities=["数据库缓存"])
    world.memory.llm = ScriptedModel(lambda text: NOTHING, sessions=notes(told, how=(how,)))
    world.say("We talked about Postgres for a while.", on=1)
    world.dream()

    def found(index: str, words: str) -> bool:
        return world.rows(f"select rowid from {index} where {index} match '{match_expression(words)}'") != []

    happened = ("databases", "moved", "well", "缓存", "kafka")
    assert [found("episodes_fts", words) for words in happened] == [True, True, True, True, False]
    known = ("deploying", "image", "podman", "shipping", "action", "order", "tools")
    assert [found("procedures_fts", words) for words in known] == [True, True, True, True, False, False, False]


def test_a_sessions_summary_is_shown_with_it_and_goes_with_it(world: World):
    world.say("api uses Redis.", on=1, message_id="m1")
    world.dream()
    shown = [session.summary for session in world.memory.sessions()]
    world.memory.erase_message("m1")
    world.dream()

    assert (shown, [session.summary for session in world.memory.sessions()]) == (["api uses Redis."], [None])


def test_frames_without_rows_pass_through():
    nobody = Session()

    assert nobody.windows.empty
    assert isinstance(nobody.read().rows(), pd.DataFrame)
