"""Episodes and procedures, as people and recall read them."""

import json
from dataclasses import dataclass
from typing import Any

from hymem.store.connection import Connection, Row


@dataclass(frozen=True)
class EpisodeRecord:
    """A stretch of conversation about one thing, and how it ended."""

    episode_id: int
    session_id: str
    title: str
    summary: str
    outcome: str
    entities: tuple[str, ...]
    first_seq: int
    last_seq: int
    started_at: str
    ended_at: str


@dataclass(frozen=True)
class ProcedureRecord:
    """How something is done; each step is {order, action, tools}."""

    procedure_id: int
    session_id: str
    name: str
    description: str
    steps: tuple[dict[str, Any], ...]
    triggers: tuple[str, ...]
    entities: tuple[str, ...]
    said_at: str


def episodes(connection: Connection) -> list[EpisodeRecord]:
    """All episodes, the latest first."""
    found = connection.execute(
        """
        select episode_id, session_id, title, summary, outcome, entities, first_seq, last_seq, started_at, ended_at
        from episodes
        order by started_at desc, episode_id
        """
    )
    return [as_episode(row) for row in found]


def procedures(connection: Connection) -> list[ProcedureRecord]:
    """All procedures, by name."""
    found = connection.execute(
        """
        select procedure_id, session_id, name, description, steps, triggers, entities, said_at
        from procedures
        order by name, said_at, procedure_id
        """
    )
    return [as_procedure(row) for row in found]


def as_episode(row: Row) -> EpisodeRecord:
    """A row of an episode's columns, in the order of the record's fields, as the record."""
    return EpisodeRecord(*_with_lists(row, 5))


def as_procedure(row: Row) -> ProcedureRecord:
    """A row of a procedure's columns, in the order of the record's fields, as the record."""
    return ProcedureRecord(*_with_lists(row, 4, 5, 6))


def _with_lists(row: Row, *places: int) -> Row:
    """A row with tuples for the JSON lists at these places."""
    return tuple(tuple(json.loads(value)) if place in places else value for place, value in enumerate(row))
