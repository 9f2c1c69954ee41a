"""A made-up year in which a project changes its stack: for tests, notebooks and whoever wants to see a memory grow old.

`STORY` says what is said in which months. A seed decides on which days, so that no expectation hangs on a date.

    for moment, confidences in month_by_month(memory, simulated_year(seed=7)):
        ...
"""

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from itertools import groupby
from typing import Final, Protocol

from hymem.records import Edge, Message
from hymem.times import format_time

EVERY_MONTH: Final = tuple(range(1, 13))

STORY: Final[Sequence[tuple[str, Sequence[int]]]] = (
    # what is said again and again
    ("Orbit is tested with pytest.", EVERY_MONTH),
    ("Orbit depends on Stripe.", (1, 4, 8, 12)),
    ("Comet depends on Stripe.", (2, 5, 9, 12)),
    ("I prefer short answers.", (1, 6, 11)),
    ("Never use tabs.", (5, 10)),
    # what is replaced
    ("Orbit uses Flask.", (1, 2, 3)),
    ("We migrated Orbit from Flask to FastAPI.", (4,)),
    ("Orbit uses FastAPI.", (5, 7, 9, 12)),
    ("Orbit runs on Heroku.", (1, 2, 4)),
    ("Orbit runs on Hetzner.", (9, 10, 12)),
    # what is denied
    ("Orbit uses Redis.", (1, 3)),
    ("Orbit no longer uses Redis.", (6, 8)),
    ("Actually, Comet uses MySQL, not Postgres.", (3,)),
    # what is talked about, asked and imagined, and never said
    ("We talked about Orbit for an hour today.", EVERY_MONTH),
    ("Should Orbit use Kafka?", (2, 7)),
    ("If Orbit used Kafka, it would be much slower.", (8,)),
    # what nobody comes back to
    ("Payroll requires Java 17.", (2,)),
)
"""Sentences of a user, each with the months in which it is said."""


class Memory(Protocol):
    """What `month_by_month` needs of a `HyMem`."""

    def log_messages(self, turns: Iterable[Message], /) -> object:
        """Log a batch."""
        ...

    def dream(self, *, budget: int | None, now: str | None) -> object:
        """Dream as of a moment."""
        ...

    def edges(self, include_retracted: bool) -> list[Edge]:
        """The graph."""
        ...


def simulated_year(seed: int, story: Sequence[tuple[str, Sequence[int]]] = STORY, year: int = 2025) -> list[Message]:
    """The year's messages in the order of their time, a session a month; equal for equal seeds."""
    dice = random.Random(seed)
    told = sorted(
        (_moment(dice, year, month), number, text) for number, (text, months) in enumerate(story) for month in months
    )
    return [
        Message(
            session_id=f"{at:%Y-%m}",
            role="user",
            content=text,
            created_at=format_time(at),
            message_id=f"{at:%Y-%m}-{number}",
        )
        for at, number, text in told
    ]


def month_by_month(memory: Memory, said: Sequence[Message]) -> Iterator[tuple[str, Mapping[str, float]]]:
    """Live through the messages: log each month and dream at its end. Gives that moment, and each edge's confidence by then.

    Edges are named "subject predicate object"; conclusions are left out.
    """
    for _, messages in groupby(said, lambda message: message.session_id):
        month = list(messages)
        now = _end_of_month(month[0].session_id)
        memory.log_messages(month)
        memory.dream(budget=0, now=now)
        stated = [edge for edge in memory.edges(include_retracted=True) if not edge.derived]
        yield now, {f"{edge.subject} {edge.predicate} {edge.object}": edge.confidence for edge in stated}


def _moment(dice: random.Random, year: int, month: int) -> datetime:
    return datetime(year, month, 1, tzinfo=UTC) + timedelta(minutes=dice.randrange(28 * 24 * 60))


def _end_of_month(session_id: str) -> str:
    year, month = map(int, session_id.split("-"))
    return format_time(datetime(year + month // 12, month % 12 + 1, 1, tzinfo=UTC) - timedelta(microseconds=1))
