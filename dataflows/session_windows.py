"""From sessions to windows, and from windows to notes: what a model makes of a whole stretch of conversation.

A session is read in windows of bounded size, in order. A window that is full never changes again; the last one grows with the
session and is asked about anew when it has grown. Until that is answered, the reply to its shorter revision serves.
"""

import hashlib
import json
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.asking import Asker, Kind, question
from dataflows.rows import (
    Attempt,
    Prompt,
    Reply,
    SessionWindow,
    WindowRevision,
    WindowTurn,
)
from dataflows.tables import Table, each, shaped, stacked, table, texts
from hymem.digests import digest63
from hymem.errors import ReplyError
from hymem.models.replies import supports
from hymem.models.session_replies import SessionNotes, read_session_notes
from hymem.store.replies import FAILURES_ALLOWED

WINDOW_TURNS = 40
WINDOW_CHARACTERS = 12_000
TURN_CHARACTERS = 1_500
"""A window ends at so many turns or characters; longer turns are cut at so many characters."""

_NAMES = {"type": "array", "items": {"type": "string"}}
_TEXT = {"type": "string"}
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "summaries": _NAMES,
        "episodes": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "title": _TEXT,
                    "summary": _TEXT,
                    "outcome": _TEXT,
                    "entities": _NAMES,
                    "first": {"type": "integer"},
                    "last": {"type": "integer"},
                    "quote": _TEXT,
                },
            },
        },
        "procedures": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {
                    "name": _TEXT,
                    "description": _TEXT,
                    "steps": {
                        "type": "array",
                        "items": {"type": "object", "properties": {"action": _TEXT, "tools": _NAMES}},
                    },
                    "triggers": _NAMES,
                    "entities": _NAMES,
                    "quote": _TEXT,
                },
            },
        },
    },
}
SESSION = Kind("session", _SCHEMA, read_session_notes)


class WindowReadings(NamedTuple):
    """What was read about windows: by revision which reply, and by window the notes."""

    replies: dict[int, tuple[str, str, str]]
    notes: dict[int, SessionNotes]

    def answers(self, revision_id: int) -> tuple[str, str, str]:
        """Prompt version, model and moment of the reply about a revision; all "" where there is none."""
        return self.replies.get(revision_id, ("", "", ""))


def session_instructions() -> str:
    """The system prompt for sessions."""
    return files("dataflows.prompts").joinpath("session.md").read_text(encoding="utf-8")


def session_version(prompt_version: str, session_instructions: str) -> str:
    """The configured version with a digest of the prompt's text: another wording is another version."""
    return f"{prompt_version}+{hashlib.sha256(session_instructions.encode()).hexdigest()[:8]}"


def window_turns(spoken_turns: pd.DataFrame, salient_turns: pd.DataFrame) -> Table[WindowTurn]:
    """The turns of new and changed sessions, each with its window and its number there.

    `revision_id` is the id of the window as it was when this turn was its last: a digest of all its messages so far.
    Sessions in which nothing salient was said have no windows, and turns that nobody may learn from are in none.
    """
    telling = spoken_turns[spoken_turns.observed & spoken_turns.session_id.isin(salient_turns.session_id)]
    told = telling.assign(
        said_at=telling.created_at, speaker=telling.peer_id, text=telling.content.str[:TURN_CHARACTERS]
    )
    turns = zip(texts(told.session_id), texts(told.message_id), told.text.str.len(), strict=True)
    windows = [row for _, session in groupby(turns, itemgetter(0)) for row in _windows(session)]
    names = ["session_window_id", "place", "number", "revision_id"]
    return shaped(WindowTurn, told.join(pd.DataFrame(windows, told.index, names, dtype="int64")))


def turns_by_window(window_turns: Table[WindowTurn]) -> dict[int, list[Any]]:
    """The turns of each window, in their order."""
    return {window: list(turns) for window, turns in groupby(each(window_turns), lambda turn: turn.session_window_id)}


def window_revisions(window_turns: Table[WindowTurn]) -> Table[WindowRevision]:
    """Every revision that a window has had as its session grew, the present one last."""
    return shaped(WindowRevision, window_turns.rename(columns={"number": "length"}))


def fresh_windows(window_turns: Table[WindowTurn]) -> Table[SessionWindow]:
    """The windows of new and changed sessions, as yet unanswered."""
    if window_turns.empty:
        return table(SessionWindow)
    windows = window_turns.groupby("session_window_id", as_index=False, sort=True).agg(
        session_id=("session_id", "first"),
        place=("place", "first"),
        first_seq=("seq", "min"),
        last_seq=("seq", "max"),
        started_at=("said_at", "min"),
        ended_at=("said_at", "max"),
        revision_id=("revision_id", "last"),
    )
    return shaped(SessionWindow, windows.assign(prompt_version="", model="", replied_at="", summary=""))


def ledger_window_readings(
    window_revisions: Table[WindowRevision],
    session_replies: Table[Reply],
    window_turns: Table[WindowTurn],
    session_version: str,
    extraction_model: str,
) -> WindowReadings:
    """What the ledger's best reply says about each window: to its longest revision, by the present model if it answered that."""
    told = window_revisions.merge(session_replies, left_on="revision_id", right_on="chunk_id")
    present = (told.prompt_version == session_version) & (told.model == extraction_model)
    order = ["session_window_id", "length", "present", "replied_at", "prompt_version", "model"]
    best_first = told.assign(present=present).sort_values(order, kind="stable", ascending=False)
    return _read(best_first, window_turns)


def waiting_windows(
    fresh_windows: Table[SessionWindow],
    ledger_window_readings: WindowReadings,
    session_version: str,
    extraction_model: str,
) -> Table[SessionWindow]:
    """The windows that the present model has not readably answered in their present revision under the present prompt."""
    wanted = (session_version, extraction_model)
    answered = [ledger_window_readings.answers(revision_id)[:2] == wanted for revision_id in fresh_windows.revision_id]
    return shaped(SessionWindow, fresh_windows[~pd.Series(answered, dtype="bool")])


def quarantined_windows(
    waiting_windows: Table[SessionWindow], session_attempts: Table[Attempt]
) -> Table[SessionWindow]:
    """The waiting windows that failed so often that they rest until they grow, or prompt or model change."""
    failed = session_attempts.chunk_id[session_attempts.failures >= FAILURES_ALLOWED]
    return shaped(SessionWindow, waiting_windows[waiting_windows.revision_id.isin(failed)])


def due_windows(
    waiting_windows: Table[SessionWindow], quarantined_windows: Table[SessionWindow], dream_budget: int
) -> Table[SessionWindow]:
    """The windows to ask about now, the newest first, at most as many as chunks."""
    due = waiting_windows[~waiting_windows.revision_id.isin(quarantined_windows.revision_id)]
    newest_first = due.sort_values(["ended_at", "last_seq", "session_window_id"], ascending=False)
    return shaped(SessionWindow, newest_first if dream_budget == 0 else newest_first.head(dream_budget))


def session_prompts(
    due_windows: Table[SessionWindow], turns_by_window: dict[int, list[Any]], session_version: str
) -> Table[Prompt]:
    """The questions about sessions, one for each window."""
    turns = [turns_by_window[window] for window in due_windows.session_window_id]
    asked = due_windows.assign(
        chunk_id=due_windows.revision_id,
        prompt_version=session_version,
        between=pd.Series([json.dumps([turn.seq for turn in window]) for window in turns], dtype="str"),
        question=pd.Series([question({}, turns=_shown(window)) for window in turns], dtype="str"),
        beside="{}",
    )
    return shaped(Prompt, asked)


def session_answers(session_prompts: Table[Prompt], session_instructions: str, asker: Asker) -> Table[Reply]:
    """What the model answers about sessions: an impure step. Override this node with a frame to do without a model."""
    return asker.ask(SESSION, session_instructions, session_prompts)


def window_readings(
    ledger_window_readings: WindowReadings,
    session_answers: Table[Reply],
    fresh_windows: Table[SessionWindow],
    window_turns: Table[WindowTurn],
) -> WindowReadings:
    """What is to be thought of each new or changed window: the new answer, else what the ledger has."""
    answered = fresh_windows[["session_window_id", "revision_id"]].merge(
        session_answers, left_on="revision_id", right_on="chunk_id"
    )
    new = _read(answered, window_turns)
    return WindowReadings(ledger_window_readings.replies | new.replies, ledger_window_readings.notes | new.notes)


@tag(table="session_windows")
def session_windows(
    carried_windows: Table[SessionWindow], fresh_windows: Table[SessionWindow], window_readings: WindowReadings
) -> Table[SessionWindow]:
    """All windows, each with the reply about its present revision, and the sentence that this or an earlier one gave."""
    replies = pd.DataFrame(
        [window_readings.answers(revision_id) for revision_id in fresh_windows.revision_id],
        columns=["prompt_version", "model", "replied_at"],
        dtype="str",
    )
    notes = [window_readings.notes.get(window) for window in fresh_windows.session_window_id]
    read = fresh_windows.assign(
        **{str(name): replies[name] for name in replies},
        summary=pd.Series([note.summary or "" if note else "" for note in notes], dtype="str"),
    )
    return shaped(SessionWindow, stacked(SessionWindow, carried_windows, read).sort_values("session_window_id"))


def windows_left(
    waiting_windows: Table[SessionWindow], quarantined_windows: Table[SessionWindow], session_answers: Table[Reply]
) -> int:
    """How many windows are still to be asked about."""
    return len(waiting_windows) - len(quarantined_windows) - len(session_answers)


def windows_resting(quarantined_windows: Table[SessionWindow]) -> int:
    """How many windows rest."""
    return len(quarantined_windows)


def _windows(turns: Iterable[tuple[str, str, int]]) -> Iterator[tuple[int, int, int, int]]:
    """The window, its place, the number therein and the form of each of a session's turns (session, message, length).

    A new window begins where the present one is full.
    """
    place, number, size, window, revision_id = -1, WINDOW_TURNS, 0, 0, 0
    for session_id, message_id, length in turns:
        if number == WINDOW_TURNS or size + length > WINDOW_CHARACTERS:
            place, number, size = place + 1, 0, 0
            window = revision_id = digest63("window", session_id, message_id)
        number, size = number + 1, size + length
        revision_id = digest63("revision", str(revision_id), message_id)
        yield window, place, number, revision_id


def _shown(turns: list[Any]) -> list[dict[str, Any]]:
    return [{"turn": t.number, "speaker": t.speaker, "role": t.role, "text": t.text} for t in turns]


def _read(replies: pd.DataFrame, window_turns: pd.DataFrame) -> WindowReadings:
    """Read the first readable reply about each window; where there is none, the window waits."""
    said = window_turns.groupby("session_window_id").text.agg("\n".join)
    found = WindowReadings({}, {})
    for reply in each(replies):
        if reply.session_window_id in found.notes:
            continue
        try:
            notes = read_session_notes(reply.reply)
        except ReplyError:
            continue
        found.replies[reply.revision_id] = (reply.prompt_version, reply.model, reply.replied_at)
        found.notes[reply.session_window_id] = _quoted(notes, said[reply.session_window_id])
    return found


def _quoted(notes: SessionNotes, said: str) -> SessionNotes:
    """The notes without the items whose words nobody said."""
    return SessionNotes(
        notes.summary,
        tuple(item for item in notes.episodes if supports(item.quote, said)),
        tuple(item for item in notes.procedures if supports(item.quote, said)),
        notes.refused,
    )
