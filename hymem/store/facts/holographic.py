"""Facts out of hermes-agent's built-in store, told here as they stand there: with their trust, and how often they helped.

They are read from a copy; the store itself stays as it is. What was taken over once is not taken over again, also where it was
changed, marked or removed here since.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final, NamedTuple

from hymem.errors import InputError
from hymem.store.connection import Connection
from hymem.store.facts.standing import settle
from hymem.store.facts.told import fact_that_says, tell_fact
from hymem.store.hermes_state import copied
from hymem.store.messages import storable
from hymem.times import parse_time
from hymem.trust import DEFAULT_TRUST, HELPFUL, changed_trust, trust_after

MOST_MARKS: Final = 1_000
"""Times that a fact helped that are taken over, at most."""


class KeptFact(NamedTuple):
    """A fact as the built-in store has it."""

    number: int
    content: str
    category: str
    tags: str
    trust: float
    helpful: int
    created_at: str
    updated_at: str


class Refusal(NamedTuple):
    """A fact that cannot be taken, and why."""

    number: int
    reason: str


class TakenOver(NamedTuple):
    """How many facts were told, how many were known already, and those that cannot be taken."""

    told: int
    known: int
    refused: tuple[Refusal, ...]


def kept_facts(path: Path) -> list[KeptFact]:
    """The facts in a file; raises `InputError` where it is none of the built-in store's."""
    with copied(path) as connection:
        columns = {row[1] for row in connection.execute("pragma table_info(facts)")}
        if not {"fact_id", "content", "category", "tags", "trust_score", "helpful_count"} <= columns:
            raise InputError(
                f"{path} holds no facts of hermes-agent: its file is memory_store.db in the agent's folder"
            )
        found = connection.execute(
            """
            select fact_id, content, coalesce(category, ''), coalesce(tags, ''), coalesce(trust_score, ?),
                   coalesce(helpful_count, 0), created_at, coalesce(updated_at, created_at)
            from facts
            order by fact_id
            """,
            (DEFAULT_TRUST,),
        )
        return [KeptFact(*row) for row in found]


def take_over(connection: Connection, facts: Iterable[KeptFact], now: str, peer_id: str) -> TakenOver:
    """Tell these facts as a peer's, each in the state in which it was kept."""
    told = known = 0
    refused = list[Refusal]()
    for fact in facts:
        try:
            new = _told_anew(connection, fact, now, peer_id)
        except InputError as error:
            refused.append(Refusal(fact.number, str(error)))
        else:
            told, known = told + new, known + (not new)
    return TakenOver(told, known, tuple(refused))


def _told_anew(connection: Connection, fact: KeptFact, now: str, peer_id: str) -> bool:
    text = storable(str(fact.content)).strip()
    if _was_told(connection, peer_id, text) or fact_that_says(connection, peer_id, text) is not None:
        return False
    trust = changed_trust(float(fact.trust), 0.0)
    marks = max(0, min(int(fact.helpful), MOST_MARKS))
    first = changed_trust(trust, -marks * HELPFUL)
    began = parse_time(fact.created_at, now)
    told = {"peer_id": peer_id, "category": str(fact.category), "tags": " ".join(str(fact.tags).split())}
    fact_id = tell_fact(connection, text, began, trust=first, **told)
    _mark(connection, fact_id, marks, trust - trust_after(first, [HELPFUL] * marks), parse_time(fact.updated_at, now))
    return True


def _was_told(connection: Connection, peer_id: str, text: str) -> bool:
    found = connection.execute("select 1 from facts_told where peer_id = ? and content = ? limit 1", (peer_id, text))
    return found.fetchall() != []


def _mark(connection: Connection, fact_id: int, marks: int, change: float, at: str) -> None:
    """Note how often a fact helped, and by how much its trust differs from what that alone comes to."""
    connection.executemany(
        "insert into fact_acts (fact_id, act, created_at) values (?, 'helpful', ?)", [(fact_id, at)] * marks
    )
    if abs(change) > 1e-6:
        connection.execute(
            "insert into fact_acts (fact_id, act, trust_change, created_at) values (?, 'update', ?, ?)",
            (fact_id, round(change, 6), at),
        )
    settle(connection, [fact_id])
