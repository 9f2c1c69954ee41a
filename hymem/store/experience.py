"""Episodes and procedures, as people and recall read them."""

import json
from dataclasses import dataclass
from typing import Any

from hymem.store.connection import Connection


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
    return [EpisodeRecord(*row[:5], tuple(json.loads(row[5])), *row[6:]) for row in found]


def procedures(connection: Connection) -> list[ProcedureRecord]:
    """All procedures, by name."""
    found = connection.execute(
        """
        select procedure_id, session_id, name, description, steps, triggers, entities, said_at
        from procedures
        order by name, said_at, procedure_id
        """
    )
    return [ProcedureRecord(*row[:4], *(tuple(json.loads(part)) for part in row[4:7]), row[7]) for row in found]
