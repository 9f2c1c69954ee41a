"""From sessions to experience: what happened (episodes), how things are done (procedures), and one sentence for each session.

A session is read in windows of bounded size, in order. A window that is full never changes again; the last one grows with the
session and is asked about anew when it has grown. Until that is answered, the reply to its shorter form serves.
"""

import hashlib
import json
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.resources import files
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

import pandas as pd
from hamilton.function_modifiers import tag

from dataflows.asking import Asker, Kind, question
from dataflows.tables import (
    Attempt,
    Episode,
    Procedure,
    Prompt,
    Reply,
    SessionSummary,
    Table,
    Window,
    WindowForm,
    WindowTurn,
    each,
    shaped,
    stacked,
    table,
    texts,
)
from hymem.bigrams import bigrams
from hymem.canonical import canonical_or_none
from hymem.digests import digest63
from hymem.errors import ReplyError
from hymem.models.replies import supports
from hymem.models.session_replies import EpisodeItem, ProcedureItem, SessionNotes, read_session_notes
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
    """What was read about windows: by form which reply, and by window the notes."""

    replies: dict[int, tuple[str, str, str]]
    notes: dict[int, SessionNotes]

    def answers(self, form: int) -> tuple[str, str, str]:
        """Prompt version, model and moment of the reply about a form; all "" where there is none."""
        return self.replies.get(form, ("", "", ""))


def session_instructions() -> str:
    """The system prompt for sessions."""
    return files("dataflows.prompts").joinpath("session.md").read_text(encoding="utf-8")


def session_version(prompt_version: str, session_instructions: str) -> str:
    """The configured version with a digest of the prompt's text: another wording is another version."""
    return f"{prompt_version}+{hashlib.sha256(session_instructions.encode()).hexdigest()[:8]}"


def window_turns(spoken_turns: pd.DataFrame, salient_turns: pd.DataFrame) -> Table[WindowTurn]:
    """The turns of new and changed sessions, each with its window and its number there.

    `form` is the id of the window as it was when this turn was its last: a digest of all its messages so far. Sessions in which
    nothing salient was said have no windows.
    """
    telling = spoken_turns[spoken_turns.session_id.isin(salient_turns.session_id)]
    told = telling.assign(
        said_at=telling.created_at, speaker=telling.peer_id, text=telling.content.str[:TURN_CHARACTERS]
    )
    turns = zip(texts(told.session_id), texts(told.message_id), told.text.str.len(), strict=True)
    windows = [row for _, session in groupby(turns, itemgetter(0)) for row in _windows(session)]
    names = ["window_id", "place", "number", "form"]
    return shaped(WindowTurn, told.join(pd.DataFrame(windows, told.index, names, dtype="int64")))


def window_forms(window_turns: Table[WindowTurn]) -> Table[WindowForm]:
    """Every form that a window has had as its session grew, the present one last."""
    return shaped(WindowForm, window_turns.rename(columns={"number": "length"}))


def fresh_windows(window_turns: Table[WindowTurn]) -> Table[Window]:
    """The windows of new and changed sessions, as yet unanswered."""
    if window_turns.empty:
        return table(Window)
    windows = window_turns.groupby("window_id", as_index=False, sort=True).agg(
        session_id=("session_id", "first"),
        place=("place", "first"),
        first_seq=("seq", "min"),
        last_seq=("seq", "max"),
        started_at=("said_at", "min"),
        ended_at=("said_at", "max"),
        form=("form", "last"),
    )
    return shaped(Window, windows.assign(prompt_version="", model="", replied_at="", summary=""))


def ledger_window_readings(
    window_forms: Table[WindowForm],
    session_replies: Table[Reply],
    window_turns: Table[WindowTurn],
    session_version: str,
    extraction_model: str,
) -> WindowReadings:
    """What the ledger's best reply says about each window: to its longest form, by the present model if it answered that."""
    told = window_forms.merge(session_replies, left_on="form", right_on="chunk_id")
    present = (told.prompt_version == session_version) & (told.model == extraction_model)
    order = ["window_id", "length", "present", "replied_at", "prompt_version", "model"]
    best_first = told.assign(present=present).sort_values(order, kind="stable", ascending=False)
    return _read(best_first, window_turns)


def waiting_windows(
    fresh_windows: Table[Window],
    ledger_window_readings: WindowReadings,
    session_version: str,
    extraction_model: str,
) -> Table[Window]:
    """The windows that the present model has not readably answered in their present form under the present prompt."""
    wanted = (session_version, extraction_model)
    answered = [ledger_window_readings.answers(form)[:2] == wanted for form in fresh_windows.form]
    return shaped(Window, fresh_windows[~pd.Series(answered, dtype="bool")])


def quarantined_windows(waiting_windows: Table[Window], session_attempts: Table[Attempt]) -> Table[Window]:
    """The waiting windows that failed so often that they rest until they grow, or prompt or model change."""
    failed = session_attempts.chunk_id[session_attempts.failures >= FAILURES_ALLOWED]
    return shaped(Window, waiting_windows[waiting_windows.form.isin(failed)])


def due_windows(waiting_windows: Table[Window], quarantined_windows: Table[Window], dream_budget: int) -> Table[Window]:
    """The windows to ask about now, the newest first, at most as many as chunks."""
    due = waiting_windows[~waiting_windows.form.isin(quarantined_windows.form)]
    newest_first = due.sort_values(["ended_at", "last_seq", "window_id"], ascending=False)
    return shaped(Window, newest_first if dream_budget == 0 else newest_first.head(dream_budget))


def session_prompts(due_windows: Table[Window], window_turns: Table[WindowTurn], session_version: str) -> Table[Prompt]:
    """The questions about sessions, one for each window."""
    shown = window_turns[window_turns.window_id.isin(due_windows.window_id)]
    turns = _by_window(shown)
    asked = due_windows.assign(
        chunk_id=due_windows.form,
        prompt_version=session_version,
        between=pd.Series([json.dumps([turn.seq for turn in turns[w]]) for w in due_windows.window_id], dtype="str"),
        question=pd.Series([question({}, turns=_shown(turns[w])) for w in due_windows.window_id], dtype="str"),
        beside="{}",
    )
    return shaped(Prompt, asked)


def session_answers(session_prompts: Table[Prompt], session_instructions: str, asker: Asker) -> Table[Reply]:
    """What the model answers about sessions: an impure step. Override this node with a frame to do without a model."""
    return asker.ask(SESSION, session_instructions, session_prompts)


def window_readings(
    ledger_window_readings: WindowReadings,
    session_answers: Table[Reply],
    fresh_windows: Table[Window],
    window_turns: Table[WindowTurn],
) -> WindowReadings:
    """What is to be thought of each new or changed window: the new answer, else what the ledger has."""
    answered = fresh_windows[["window_id", "form"]].merge(session_answers, left_on="form", right_on="chunk_id")
    new = _read(answered, window_turns)
    return WindowReadings(ledger_window_readings.replies | new.replies, ledger_window_readings.notes | new.notes)


@tag(table="session_windows")
def session_windows(
    carried_windows: Table[Window], fresh_windows: Table[Window], window_readings: WindowReadings
) -> Table[Window]:
    """All windows, each with the reply about its present form, and the sentence that this or an earlier one gave."""
    replies = pd.DataFrame(
        [window_readings.answers(form) for form in fresh_windows.form],
        columns=["prompt_version", "model", "replied_at"],
        dtype="str",
    )
    notes = [window_readings.notes.get(window) for window in fresh_windows.window_id]
    read = fresh_windows.assign(
        **{str(name): replies[name] for name in replies},
        summary=pd.Series([note.summary or "" if note else "" for note in notes], dtype="str"),
    )
    return shaped(Window, stacked(Window, carried_windows, read).sort_values("window_id"))


@tag(table="session_summaries")
def session_summaries(session_windows: Table[Window]) -> Table[SessionSummary]:
    """One sentence for each session: that of its latest window that has one."""
    told = session_windows[session_windows.summary != ""].sort_values(["session_id", "place"])
    return shaped(SessionSummary, told.drop_duplicates("session_id", keep="last"))


@tag(table="episodes")
def episodes(
    carried_episodes: Table[Episode],
    session_windows: Table[Window],
    window_readings: WindowReadings,
    window_turns: Table[WindowTurn],
) -> Table[Episode]:
    """What happened, by session; an episode is known by its first message, and by its place among those that begin there."""
    turns = _by_window(window_turns)
    fresh = [
        row
        for window, notes in sorted(window_readings.notes.items())
        for row in _episodes(turns[window], notes.episodes)
    ]
    kept = carried_episodes[carried_episodes.window_id.isin(session_windows.window_id)]
    together = stacked(Episode, kept, table(Episode, fresh))
    return shaped(Episode, together.drop_duplicates("episode_id").sort_values("episode_id"))


@tag(table="procedures")
def procedures(
    carried_procedures: Table[Procedure],
    session_windows: Table[Window],
    window_readings: WindowReadings,
    window_turns: Table[WindowTurn],
) -> Table[Procedure]:
    """How things are done; a procedure is known by its session and name."""
    turns = _by_window(window_turns)
    fresh = [
        row
        for window, notes in sorted(window_readings.notes.items())
        for row in _procedures(turns[window], notes.procedures)
    ]
    kept = carried_procedures[carried_procedures.window_id.isin(session_windows.window_id)]
    together = stacked(Procedure, kept, table(Procedure, fresh))
    newest = together.sort_values(["procedure_id", "said_at", "window_id"]).drop_duplicates("procedure_id", keep="last")
    return shaped(Procedure, newest)


def windows_left(
    waiting_windows: Table[Window], quarantined_windows: Table[Window], session_answers: Table[Reply]
) -> int:
    """How many windows are still to be asked about."""
    return len(waiting_windows) - len(quarantined_windows) - len(session_answers)


def windows_resting(quarantined_windows: Table[Window]) -> int:
    """How many windows rest."""
    return len(quarantined_windows)


def _windows(turns: Iterable[tuple[str, str, int]]) -> Iterator[tuple[int, int, int, int]]:
    """The window, its place, the number therein and the form of each of a session's turns (session, message, length).

    A new window begins where the present one is full.
    """
    place, number, size, window, form = -1, WINDOW_TURNS, 0, 0, 0
    for session_id, message_id, length in turns:
        if number == WINDOW_TURNS or size + length > WINDOW_CHARACTERS:
            place, number, size = place + 1, 0, 0
            window = form = digest63("window", session_id, message_id)
        number, size = number + 1, size + length
        form = digest63("form", str(form), message_id)
        yield window, place, number, form


def _shown(turns: list[Any]) -> list[dict[str, Any]]:
    return [{"turn": t.number, "speaker": t.speaker, "role": t.role, "text": t.text} for t in turns]


def _read(replies: pd.DataFrame, window_turns: pd.DataFrame) -> WindowReadings:
    """Read the first readable reply about each window; where there is none, the window waits."""
    said = window_turns.groupby("window_id").text.agg("\n".join)
    found = WindowReadings({}, {})
    for reply in each(replies):
        if reply.window_id in found.notes:
            continue
        try:
            notes = read_session_notes(reply.reply)
        except ReplyError:
            continue
        found.replies[reply.form] = (reply.prompt_version, reply.model, reply.replied_at)
        found.notes[reply.window_id] = _quoted(notes, said[reply.window_id])
    return found


def _quoted(notes: SessionNotes, said: str) -> SessionNotes:
    """The notes without the items whose words nobody said."""
    return SessionNotes(
        notes.summary,
        tuple(item for item in notes.episodes if supports(item.quote, said)),
        tuple(item for item in notes.procedures if supports(item.quote, said)),
        notes.refused,
    )


def _by_window(window_turns: pd.DataFrame) -> dict[int, list[Any]]:
    """The turns of each window, in their order."""
    return {window: list(turns) for window, turns in groupby(each(window_turns), lambda turn: turn.window_id)}


def _episodes(turns: list[Any], items: Iterable[EpisodeItem]) -> Iterator[tuple[Any, ...]]:
    """Turns that are not in the window are taken for its nearest; of episodes that begin together, each has its own id."""
    begun: Counter[str] = Counter()
    for item in items:
        first, last = sorted(min(max(turn, 1), len(turns)) for turn in (item.first, item.last))
        span = turns[first - 1 : last]
        start, end = span[0], span[-1]
        nth = [str(begun[start.message_id])] if begun[start.message_id] else []
        begun[start.message_id] += 1
        yield (
            *(digest63("episode", start.session_id, start.message_id, *nth), start.window_id, start.session_id),
            *(item.title, item.summary, item.outcome or "", _canonical(item.entities)),
            *(*_seqs(span), start.said_at, end.said_at),
            bigrams(" ".join([item.title, item.summary, item.outcome or "", *item.entities])),
        )


def _procedures(turns: list[Any], items: Iterable[ProcedureItem]) -> Iterator[tuple[Any, ...]]:
    start, end = turns[0], turns[-1]
    for item in items:
        steps = [
            {"order": order, "action": step.action, "tools": list(step.tools)}
            for order, step in enumerate(item.steps, start=1)
        ]
        wording = "\n".join(" ".join([step.action, *step.tools]) for step in item.steps)
        yield (
            *(digest63("procedure", start.session_id, item.name.casefold()), start.window_id, start.session_id),
            *(item.name, item.description or "", _json(steps), _json(item.triggers), _canonical(item.entities)),
            *(*_seqs(turns), end.said_at, wording),
            bigrams(" ".join([item.name, item.description or "", wording, *item.triggers, *item.entities])),
        )


def _seqs(turns: list[Any]) -> tuple[int, int]:
    """The first and the last number of their messages, which follow the telling and not the time."""
    seqs = [turn.seq for turn in turns]
    return min(seqs), max(seqs)


def _canonical(names: Iterable[str]) -> str:
    return _json(list(dict.fromkeys(name for surface in names if (name := canonical_or_none(surface)))))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
