"""Conclusions: what clients wrote down of one peer for another, kept until somebody deletes it, and lists of these with others.

What memory concludes is computed when it is asked for; deleting it is noted here, and holds until it is said anew.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from hymem.ids import new_id
from hymem.store.connection import Connection, Row
from hymem.store.ledger import record_act, record_write
from hymem.store.messages import storable
from hymem.store.pages import Listing, Page, Slice, page
from hymem.store.where import Where

Level = Literal["explicit", "deductive", "inductive", "contradiction"]
"""Said; following from what was said; or two that cannot both hold. Nothing here is inductive."""

COLUMNS: Final = "c.conclusion_id, c.content, c.observer_id, c.observed_id, c.session_id, c.created_at"
_BOTH: Final = """(
    select seq, conclusion_id, content, observer_id, observed_id, session_id, created_at,
           'explicit' as level, '[]' as source_ids, 1 as times_derived, '[]' as message_ids
    from conclusions
    union all
    select 0, value ->> 'id', value ->> 'content', value ->> 'observer', value ->> 'observed', value ->> 'session',
           value ->> 'at', value ->> 'level', value -> 'sources', value ->> 'times', value -> 'messages'
    from json_each(:drawn)) c"""
_LISTING: Final = Listing(
    f"{COLUMNS}, c.level, c.source_ids, c.times_derived, c.message_ids",
    _BOTH,
    ("c.created_at", "c.seq", "c.conclusion_id"),
    descending=True,
)


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
    it was said. `renewed_at` is when what it rests on was said last, "" for those in the ledger.
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
    renewed_at: str = ""


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


def list_conclusions(
    connection: Connection, where: Where, asked: Slice, drawn: Iterable[ConclusionRecord] = ()
) -> tuple[Page, list[ConclusionRecord]]:
    """A page of the conclusions in the ledger and of others, the newest first."""
    found = page(connection, _LISTING, where.also("true", drawn=_json(drawn)), asked)
    return found, [_record(row) for row in found.rows]


def conclusions_where(
    connection: Connection, where: Where, records: Iterable[ConclusionRecord]
) -> list[ConclusionRecord]:
    """Those of the conclusions, in the ledger or not, for which a condition holds."""
    known = {record.conclusion_id: record for record in records}
    found = connection.execute(
        f"select c.conclusion_id from {_BOTH} where {where.condition}",
        {**where.parameters, "drawn": _json(record for record in known.values() if record.renewed_at)},
    )
    kept = {name for (name,) in found}
    return [record for record in known.values() if record.conclusion_id in kept]


def note_deletion(connection: Connection, what: int, now: str) -> None:
    """Note that a client deleted what memory concludes of an edge, an entry or a clash."""
    connection.execute("insert or replace into conclusion_deletions (what, deleted_at) values (?, ?)", (what, now))
    record_act(connection)


def without_deleted(connection: Connection, drawn: Iterable[ConclusionRecord]) -> list[ConclusionRecord]:
    """Those that nobody deleted, or that were said anew since."""
    deleted = {f"{what:016x}": at for what, at in deletions(connection).items()}
    return [record for record in drawn if record.renewed_at > deleted.get(record.conclusion_id[:16], "")]


def deletions(connection: Connection) -> dict[int, str]:
    """When clients deleted what memory concludes, by the edge, the entry or the conflict."""
    return dict(connection.execute("select what, deleted_at from conclusion_deletions").fetchall())


def _json(records: Iterable[ConclusionRecord]) -> str:
    return json.dumps(
        [
            {
                "id": record.conclusion_id,
                "content": record.content,
                "observer": record.observer_id,
                "observed": record.observed_id,
                "session": record.session_id,
                "at": record.created_at,
                "level": record.level,
                "sources": record.source_ids,
                "times": record.times_derived,
                "messages": record.message_ids,
            }
            for record in records
        ]
    )


def _record(row: Row) -> ConclusionRecord:
    *told, level, sources, times, messages = row
    return ConclusionRecord(
        *told,
        level=level,
        source_ids=tuple(json.loads(sources)),
        times_derived=times,
        message_ids=tuple(json.loads(messages)),
    )
