"""Reading a model's reply about a whole stretch of conversation: its summary, its episodes, its procedures.

Turns are numbered from 1 in the prompt, and an episode says from which to which it went. As everywhere, an item that cannot
be taken is refused with its reason and does its neighbours no harm.
"""

from collections.abc import Hashable
from dataclasses import dataclass
from typing import Annotated, Any, Final, cast

from pydantic import BeforeValidator, TypeAdapter

from hymem.models.items import Name, Quote, Statement, clean_text, taken
from hymem.models.json_in_text import read_object

SESSION_LISTS: Final = ("episodes", "procedures", "summaries")
"""The lists of a reply; a bare list is of the first kind."""
_MOST_NAMES: Final = 20
_MOST_STEPS: Final = 50
_LONGEST_TEXT: Final = 500


def _turn(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{str(value)[:40]!r} is no turn's number")
    try:
        return int(value)
    except (ValueError, OverflowError):
        raise ValueError(f"{str(value)[:40]!r} is no turn's number") from None


def _names(value: object) -> tuple[str, ...]:
    """The texts of a list, or of one text; whatever else is in it is passed over."""
    raw = cast(list[object], value) if isinstance(value, list) else [value]
    names = (clean_text(name, 100) for name in raw)
    return tuple(dict.fromkeys(name for name in names if name))[:_MOST_NAMES]


def _steps(value: object) -> tuple["Step", ...]:
    """Steps in the order of the list, whatever numbers they bear: texts, or objects with an action and tools."""
    if not isinstance(value, list):
        raise ValueError("steps must be a list")
    found = [_step(raw) for raw in cast(list[object], value)]
    steps = tuple(step for step in found if step)[:_MOST_STEPS]
    if not steps:
        raise ValueError("there are no steps")
    return steps


def _step(raw: object) -> "Step | None":
    given = cast(dict[str, Any], raw) if isinstance(raw, dict) else {"action": raw}
    action = clean_text(given.get("action") or given.get("step") or given.get("description"), _LONGEST_TEXT)
    tools = given.get("tools", given.get("tool", []))
    return Step(action, _names(tools)) if action else None


@dataclass(frozen=True)
class Step:
    """One step of a procedure, with the tools it takes."""

    action: str
    tools: tuple[str, ...]


def _statement_if_any(value: object) -> str | None:
    return clean_text(value, _LONGEST_TEXT)


OptionalStatement = Annotated[str | None, BeforeValidator(_statement_if_any)]
Names = Annotated[tuple[str, ...], BeforeValidator(_names)]
Turn = Annotated[int, BeforeValidator(_turn)]


@dataclass(frozen=True)
class EpisodeItem:
    """A stretch of conversation about one thing, and how it ended."""

    title: Name
    summary: Statement
    first: Turn
    last: Turn
    quote: Quote
    outcome: OptionalStatement = None
    entities: Names = ()


@dataclass(frozen=True)
class ProcedureItem:
    """How something is done, step by step."""

    name: Name
    steps: Annotated[tuple[Step, ...], BeforeValidator(_steps)]
    quote: Quote
    description: OptionalStatement = None
    triggers: Names = ()
    entities: Names = ()


@dataclass(frozen=True)
class SessionNotes:
    """What a stretch of conversation gave; `refused` says of each dropped item why."""

    summary: str | None
    episodes: tuple[EpisodeItem, ...]
    procedures: tuple[ProcedureItem, ...]
    refused: tuple[str, ...]


_SUMMARY: Final[TypeAdapter[str]] = TypeAdapter(Statement)
_EPISODE: Final = TypeAdapter(EpisodeItem)
_PROCEDURE: Final = TypeAdapter(ProcedureItem)


def read_session_notes(text: str) -> SessionNotes:
    """The items of a reply about a session. Raises `ReplyError` where the reply as a whole cannot be read."""
    lists = read_object(text, SESSION_LISTS)
    refused: list[str] = []
    summaries = taken("summaries", lists["summaries"], _SUMMARY, str.casefold, refused)
    return SessionNotes(
        next(iter(summaries.values()), None),
        tuple(taken("episodes", lists["episodes"], _EPISODE, _same_episode, refused).values()),
        tuple(taken("procedures", lists["procedures"], _PROCEDURE, _same_procedure, refused).values()),
        tuple(refused),
    )


def _same_episode(item: EpisodeItem) -> Hashable:
    return item.title.casefold(), item.first, item.last


def _same_procedure(item: ProcedureItem) -> Hashable:
    return item.name.casefold()
