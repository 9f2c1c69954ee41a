"""From notes to experience: what happened (episodes), how things are done (procedures), and one sentence for each session."""

import json
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from hamilton.function_modifiers import tag

from dataflows.rows import (
    Episode,
    Procedure,
    SessionSummary,
    SessionWindow,
)
from dataflows.session_windows import WindowReadings
from dataflows.tables import Table, shaped, stacked, table
from hymem.bigrams import bigrams
from hymem.canonical import canonical_or_none
from hymem.digests import digest63
from hymem.models.session_replies import EpisodeItem, ProcedureItem


@tag(table="session_summaries")
def session_summaries(session_windows: Table[SessionWindow]) -> Table[SessionSummary]:
    """One sentence for each session: that of its latest window that has one."""
    told = session_windows[session_windows.summary != ""].sort_values(["session_id", "place"])
    return shaped(SessionSummary, told.drop_duplicates("session_id", keep="last"))


@tag(table="episodes")
def episodes(
    carried_episodes: Table[Episode],
    session_windows: Table[SessionWindow],
    window_readings: WindowReadings,
    turns_by_window: dict[int, list[Any]],
) -> Table[Episode]:
    """What happened, by session; an episode is known by its first message, and by its place among those that begin there."""
    fresh = [
        row
        for window, notes in sorted(window_readings.notes.items())
        for row in _episodes(turns_by_window[window], notes.episodes)
    ]
    kept = carried_episodes[carried_episodes.session_window_id.isin(session_windows.session_window_id)]
    together = stacked(Episode, kept, table(Episode, fresh))
    return shaped(Episode, together.drop_duplicates("episode_id").sort_values("episode_id"))


@tag(table="procedures")
def procedures(
    carried_procedures: Table[Procedure],
    session_windows: Table[SessionWindow],
    window_readings: WindowReadings,
    turns_by_window: dict[int, list[Any]],
) -> Table[Procedure]:
    """How things are done; a procedure is known by its session and name."""
    fresh = [
        row
        for window, notes in sorted(window_readings.notes.items())
        for row in _procedures(turns_by_window[window], notes.procedures)
    ]
    kept = carried_procedures[carried_procedures.session_window_id.isin(session_windows.session_window_id)]
    together = stacked(Procedure, kept, table(Procedure, fresh))
    newest = together.sort_values(["procedure_id", "said_at", "session_window_id"]).drop_duplicates(
        "procedure_id", keep="last"
    )
    return shaped(Procedure, newest)


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
            *(digest63("episode", start.session_id, start.message_id, *nth), start.session_window_id, start.session_id),
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
            *(digest63("procedure", start.session_id, item.name.casefold()), start.session_window_id, start.session_id),
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
