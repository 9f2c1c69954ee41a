"""Conclusions that clients wrote down: what one peer concluded about another, kept until somebody deletes it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hymem.ids import new_id
from hymem.store.connection import Connection
from hymem.store.ledger import record_write
from hymem.store.messages import storable
from hymem.store.pages import Listing, Page, Slice, page
from hymem.store.where import Where

Level = Literal["explicit", "deductive", "inductive", "contradiction"]
"""Said; following from what was said; or two that cannot both hold. Nothing here is inductive."""

COLUMNS: Final = "c.conclusion_id, c.content, c.observer_id, c.observed_id, c.session_id, c.created_at"
_LISTING: Final = Listing(COLUMNS, "conclusions c", ("c.seq",), descending=True)


@dataclass(frozen=True)
class NewConclusion:
    """What a client concludes."""

    content: str
    observer_id: str
    observed_id: str
    session_id: str | None = None


@dataclass(frozen=True)
class ConclusionRecord:
    """A conclusion: as the ledger has it, or as memory draws it from what was said.

    `source_ids` are the conclusions that it follows from, `message_ids` the messages that say it, and `times_derived` how often
    it was said.
    """

    conclusion_id: str
    content: str
    observer_id: str
    observed_id: str
    session_id: str | None
    created_at: str
    level: Level = "explicit"
    source_ids: tuple[str, ...] = ()
    times_derived: int = 1
    message_ids: tuple[str, ...] = ()


def add_conclusions(connection: Connection, told: Sequence[NewConclusion], now: str) -> list[ConclusionRecord]:
    """Write conclusions down; their peers and sessions must be there."""
    records = [
        ConclusionRecord(new_id(), storable(one.content), one.observer_id, one.observed_id, one.session_id, now)
        for one in told
    ]
    connection.executemany(
        """
        insert into conclusions (conclusion_id, content, observer_id, observed_id, session_id, created_at)
        values (?, ?, ?, ?, ?, ?)
        """,
        [(r.conclusion_id, r.content, r.observer_id, r.observed_id, r.session_id, r.created_at) for r in records],
    )
    record_write(connection)
    return records


def conclusions_between(connection: Connection, observer_id: str, observed_id: str) -> list[ConclusionRecord]:
    """What clients concluded of one peer for another, the oldest first."""
    found = connection.execute(
        f"select {COLUMNS} from conclusions c where (observer_id, observed_id) = (?, ?) order by seq",
        (observer_id, observed_id),
    )
    return [ConclusionRecord(*row) for row in found]


def read_conclusion(connection: Connection, conclusion_id: str) -> ConclusionRecord | None:
    """A conclusion, None where there is none of that id."""
    found = connection.execute(
        f"select {COLUMNS} from conclusions c where conclusion_id = ?", (conclusion_id,)
    ).fetchall()
    return ConclusionRecord(*found[0]) if found else None


def delete_conclusion(connection: Connection, conclusion_id: str) -> bool:
    """Take a conclusion back; whether it was there."""
    connection.execute("delete from conclusions where conclusion_id = ?", (conclusion_id,))
    deleted = connection.changes() > 0
    if deleted:
        record_write(connection)
    return deleted


def list_conclusions(connection: Connection, where: Where, asked: Slice) -> tuple[Page, list[ConclusionRecord]]:
    """A page of the conclusions, the newest first."""
    found = page(connection, _LISTING, where, asked)
    return found, [ConclusionRecord(*row) for row in found.rows]
