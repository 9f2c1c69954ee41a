"""What arrived from another place becomes part of this workspace: in one transaction, and never twice.

Messages, replies and conclusions are known by their ids; acts and told facts by all that they say, and when. What people said in
order is put in the order of time, each side's own order kept. Where both sides have a session, a peer or a stay, this side's
record holds, and of two cards the newer one. What contradicts is refused: an id that stands for another text.
"""

import heapq
import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hymem.digests import digest63
from hymem.errors import BusyError, ConflictError
from hymem.redaction import redacted
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.ledger import LedgerState, ledger_state, record_act
from hymem.store.materialization import MATERIALIZED
from hymem.store.travel import TRAVELS, counts
from hymem.store.vectors import drop_vectors

_IN_ORDER: Final = ("reply_rejections", "entity_aliases", "extraction_feedback")


@dataclass(frozen=True)
class Merged:
    """Rows that were added, by table, and messages left out because their session was deleted here."""

    added: dict[str, int]
    buried: int


def merge(database: Database, arrived: Path, replacing: LedgerState | None = None) -> Merged:
    """Take over what lies in another database, all of it or nothing; with `replacing`, in the place of what is here.

    `replacing` is where the ledger stood when it was backed up. Raises `ConflictError` for an id that stands for another text,
    and `BusyError` where somebody wrote since the backup.
    """
    with database.preparing() as connection:
        connection.execute("attach ? as arrived", (str(arrived),))
        try:
            connection.execute("begin immediate")
            try:
                merged = _merge(connection, replacing)
                connection.execute("commit")
            except BaseException:  # Ctrl-C included: an attached database cannot be let go within a transaction
                connection.execute("rollback")
                raise
        finally:
            connection.execute("detach arrived")
    return merged


def _merge(connection: Connection, replacing: LedgerState | None) -> Merged:
    connection.pragma("defer_foreign_keys", True)
    if replacing is not None:
        if ledger_state(connection) != replacing:
            raise BusyError("somebody wrote to this memory since it was backed up: try again; nothing was changed")
        _empty(connection)
    changes = connection.total_changes()
    before = counts(connection)
    _refuse_contradictions(connection)
    buried = _leave_out_buried(connection)
    if buried:
        changes = connection.total_changes()
    _workspace(connection)
    _messages(connection)
    _replies(connection)
    _stays(connection)
    for table in _IN_ORDER:
        _acts(connection, table, _arrived(connection, table))
    _acts(connection, "conclusions", _arrived(connection, "conclusions"))
    _newest(connection, "peer_cards", "written_at")
    _newest(connection, "conclusion_deletions", "deleted_at")
    _facts(connection)
    if replacing is not None or connection.total_changes() > changes:
        record_act(connection)
    after = counts(connection)
    return Merged({table: after[table] - before[table] for table in TRAVELS if after[table] > before[table]}, buried)


def _empty(connection: Connection) -> None:
    """Remove the ledger and all that was computed from it; whose file it is, and the record of the work, stay."""
    drop_vectors(connection)
    for table in (*reversed(MATERIALIZED), "attempts", "deliveries", "dream_state", *reversed([*TRAVELS])):
        if table == "workspace":
            connection.execute("update workspace set metadata = '{}', configuration = '{}'")
        else:
            connection.execute(f"delete from {table}")


def _refuse_contradictions(connection: Connection) -> None:
    differing = connection.execute(
        """
        select a.message_id
        from arrived.messages a join main.messages h using (message_id)
        where (h.session_id, h.role, h.content) <> (a.session_id, a.role, a.content)
        """
    ).fetchall()
    for (message_id,) in differing:
        if not _means_the_same(connection, message_id):
            raise ConflictError(
                f"message {message_id!r} says something else here than in the archive: nothing was changed; "
                "import the archive into a folder of its own, or add --replace to keep only what it holds"
            )
    clashing = connection.execute(
        """
        select a.conclusion_id, (h.observer_id, h.observed_id, h.session_id, h.created_at)
                                is (a.observer_id, a.observed_id, a.session_id, a.created_at), h.content, a.content
        from arrived.conclusions a join main.conclusions h using (conclusion_id)
        where (h.content, h.observer_id, h.observed_id, h.session_id, h.created_at)
              is not (a.content, a.observer_id, a.observed_id, a.session_id, a.created_at)
        """
    ).fetchall()
    for conclusion_id, alike, here, there in clashing:
        if not alike or redacted(here) != redacted(there):
            raise ConflictError(
                f"conclusion {conclusion_id!r} says something else here than in the archive: nothing was changed"
            )


def _means_the_same(connection: Connection, message_id: str) -> bool:
    """Whether two messages of one id differ in nothing but that secrets were taken out of one of them."""
    here, there = (
        connection.execute(
            f"select session_id, role, content from {schema}.messages where message_id = ?", (message_id,)
        ).fetchall()[0]
        for schema in ("main", "arrived")
    )
    return here[:2] == there[:2] and redacted(here[2]) == redacted(there[2])


def _leave_out_buried(connection: Connection) -> int:
    """Drop from what arrived the sessions that were deleted here for good; how many messages that were."""
    buried = {digest for (digest,) in connection.execute("select session_digest from main.deleted_sessions")}
    gone = [
        session
        for (session,) in connection.execute("select session_id from arrived.sessions").fetchall()
        if buried and digest63("session", session) in buried
    ]
    named = (json.dumps(gone),)
    messages = connection.execute(
        "select count(*) from arrived.messages where session_id in (select value from json_each(?))", named
    ).fetchall()[0][0]
    if gone:
        connection.execute("delete from arrived.sessions where session_id in (select value from json_each(?))", named)
    return messages


def _workspace(connection: Connection) -> None:
    """What clients attached to the workspace, where nothing is attached here; whose file this is does not change."""
    connection.execute(
        """
        insert or ignore into main.workspace (one, workspace_id, metadata, configuration, created_at)
        select one, workspace_id, metadata, configuration, created_at from arrived.workspace where workspace_id = 'default'
        """
    )
    for column in ("metadata", "configuration"):
        connection.execute(
            f"""
            update main.workspace as h set {column} = a.{column}
            from arrived.workspace a
            where h.{column} = '{{}}' and a.{column} <> '{{}}'
            """
        )
    live = {digest63("session", name) for (name,) in connection.execute("select session_id from main.sessions")}
    buried = connection.execute("select session_digest, deleted_at from arrived.deleted_sessions").fetchall()
    connection.executemany(
        "insert or ignore into main.deleted_sessions (session_digest, deleted_at) values (?, ?)",
        [row for row in buried if row[0] not in live],
    )
    connection.execute(
        """
        insert or ignore into main.forgotten_messages (message_digest, forgotten_at)
        select message_digest, forgotten_at from arrived.forgotten_messages
        """
    )


def _messages(connection: Connection) -> None:
    """Peers, sessions and messages that are new; a session that was here and grew is cut anew."""
    (last,) = connection.execute("select coalesce(max(seq), 0) from main.messages").fetchall()[0]
    known = "select session_id from main.sessions"
    grown = connection.execute(
        f"""
        select distinct session_id
        from arrived.messages
        where session_id in ({known}) and message_id not in (select message_id from main.messages)
        """
    ).fetchall()
    for table in ("peers", "sessions", "messages"):
        columns = ", ".join(TRAVELS[table])
        connection.execute(
            f"insert or ignore into main.{table} ({columns}) select {columns} from arrived.{table} order by rowid"
        )
    connection.execute(
        """
        insert or ignore into main.scopes (peer_id)
        select peer_id from arrived.scopes where peer_id not in (select peer_id from main.messages)
        """
    )
    connection.executemany(
        """
        update main.sessions
        set revision = revision + 1,
            started_at = (select min(created_at) from main.messages where session_id = :session)
        where session_id = :session and :last < (select max(seq) from main.messages where session_id = :session)
        """,
        [{"session": session, "last": last} for (session,) in grown],
    )


def _here(number: str) -> str:
    """A message's number, as it is here."""
    return f"""
        (select h.seq from arrived.messages m join main.messages h using (message_id) where m.seq = a.{number})
    """


def _replies(connection: Connection) -> None:
    """Replies to questions that have none here."""
    columns = TRAVELS["processed_chunks"]
    values = ", ".join(_here(name) if name.endswith("_seq") else f"a.{name}" for name in columns)
    connection.execute(
        f"""
        insert or ignore into main.processed_chunks ({", ".join(columns)})
        select {values} from arrived.processed_chunks a order by a.rowid
        """
    )


def _stays(connection: Connection) -> None:
    """Who took part in sessions, where nothing is known of that peer in that session."""
    columns = TRAVELS["session_peers"]
    values = ", ".join(
        f"iif(a.{name} = 0, 0, {_here(name)})" if name.endswith("_seq") else f"a.{name}" for name in columns
    )
    connection.execute(
        f"""
        insert into main.session_peers ({", ".join(columns)})
        select {values}
        from arrived.session_peers a
        where not exists (
            select 1 from main.session_peers h where (h.session_id, h.peer_id) = (a.session_id, a.peer_id))
        order by a.stay_id
        """
    )


def _newest(connection: Connection, table: str, moment: str) -> None:
    """Of two cards that one peer keeps of another, or deletions of one conclusion, the one that was written last."""
    columns = ", ".join(TRAVELS[table])
    connection.execute(
        f"""
        insert into main.{table} ({columns})
        select {columns} from arrived.{table} where true
        on conflict do update set {", ".join(f"{name} = excluded.{name}" for name in TRAVELS[table])}
        where excluded.{moment} > {table}.{moment}
        """
    )


def _arrived(connection: Connection, table: str) -> list[tuple[Any, ...]]:
    return connection.execute(f"select {', '.join(TRAVELS[table])} from arrived.{table} order by rowid").fetchall()


def _acts(connection: Connection, table: str, arrived: Sequence[tuple[Any, ...]]) -> None:
    """Put what is new among acts, in the order of time, between those that are here."""
    columns = TRAVELS[table]
    here = connection.execute(f"select {', '.join(columns)} from main.{table} order by rowid").fetchall()
    new = _new(here, arrived)
    if not new:
        return
    moment = columns.index("created_at")
    connection.execute(f"delete from main.{table}")
    connection.executemany(
        f"insert into main.{table} ({', '.join(columns)}) values ({', '.join('?' * len(columns))})",
        list(heapq.merge(here, new, key=lambda row: row[moment])),
    )


def _new(here: Iterable[tuple[Any, ...]], arrived: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows that are not here, each as often as it came more often than it is here."""
    known = Counter(map(_meant, here))
    new: list[tuple[Any, ...]] = []
    for row in arrived:
        if known[meant := _meant(row)] > 0:
            known[meant] -= 1
        else:
            new.append(row)
    return new


def _meant(row: Iterable[Any]) -> tuple[Any, ...]:
    """Equal for rows that differ in nothing but that secrets were taken out of one of them."""
    return tuple(redacted(value) if isinstance(value, str) else value for value in row)


def _facts(connection: Connection) -> None:
    """Told facts with what was said of them; a fact told twice at one moment in the same words is one."""
    stood = connection.execute("select exists (select 1 from main.facts)").fetchall()[0][0]
    changes = connection.total_changes()
    numbers = _told(connection)
    acts = [(numbers[fact], *rest) for fact, *rest in _arrived(connection, "fact_acts")]
    _acts(connection, "fact_acts", acts)
    told = connection.total_changes() > changes
    connection.executemany(
        """
        insert into main.fact_retrievals (fact_id, count) values (?, ?)
        on conflict do update set count = excluded.count where excluded.count > count
        """,
        [(numbers[fact], count) for fact, count in _arrived(connection, "fact_retrievals")],
    )
    empty = not connection.execute("select exists (select 1 from main.facts_told)").fetchall()[0][0]
    if told or (connection.total_changes() > changes and not empty) or (stood and empty):
        from hymem.store.facts.standing import rebuild  # numpy comes with it

        rebuild(connection)


def _told(connection: Connection) -> dict[int, int]:
    """The number that each told fact has here, by the number that it arrived with; new ones are added."""
    columns = ", ".join(TRAVELS["facts_told"][1:])
    known: dict[tuple[Any, ...], list[int]] = {}
    for fact_id, *words in connection.execute(f"select fact_id, {columns} from main.facts_told order by fact_id desc"):
        known.setdefault(_meant(words), []).append(fact_id)
    (last,) = connection.execute("select coalesce(max(fact_id), 0) from main.facts_told").fetchall()[0]
    numbers: dict[int, int] = {}
    new: list[tuple[Any, ...]] = []
    for fact_id, *words in _arrived(connection, "facts_told"):
        alike = known.get(_meant(words))
        if alike:
            numbers[fact_id] = alike.pop()
        else:
            last += 1
            numbers[fact_id] = last
            new.append((last, *words))
    connection.executemany(f"insert into main.facts_told (fact_id, {columns}) values (?, ?, ?, ?, ?, ?, ?, ?)", new)
    return numbers
