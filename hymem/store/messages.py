"""Messages: what was said, by whom, when. Batches are stored whole or not at all."""

import json
import re
import secrets
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hymem.errors import InputError, UnknownError
from hymem.records import LoggedMessage, Message
from hymem.store.connection import Connection
from hymem.store.ledger import record_act, record_write
from hymem.times import parse_time
from hymem.vocabulary import DEFAULT_PEERS, ROLES

ID_LIMIT: Final = 512
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Logged:
    """The ids of a batch in its order, and how many of its messages were new."""

    message_ids: tuple[str, ...]
    added: int


@dataclass(frozen=True)
class _Row:
    message_id: str
    session_id: str
    peer_id: str
    role: str
    content: str
    created_at: str
    metadata: str


def log(connection: Connection, messages: Sequence[Message], now: str) -> Logged:
    """Store a batch within the caller's transaction; raises `InputError`, naming the message, before anything is stored."""
    rows = [_row(number, message, now) for number, message in enumerate(messages, start=1)]
    sessions = _first_said(rows)
    connection.executemany(
        "insert or ignore into peers (peer_id, role, created_at) values (?, ?, ?)",
        {(row.peer_id, row.role, now) for row in rows},
    )
    connection.executemany(
        """insert into sessions (session_id, started_at) values (?, ?)
           on conflict (session_id) do update set started_at = min(started_at, excluded.started_at)""",
        sessions.items(),
    )
    before = connection.total_changes()
    connection.executemany(
        """insert into messages (message_id, session_id, peer_id, role, content, created_at, logged_at, metadata)
           values (?, ?, ?, ?, ?, ?, ?, ?) on conflict (message_id) do nothing""",
        [(r.message_id, r.session_id, r.peer_id, r.role, r.content, r.created_at, now, r.metadata) for r in rows],
    )
    added = connection.total_changes() - before
    if added < len(rows):
        _refuse_reused_ids(connection, rows)
    if added:
        connection.executemany(
            "update sessions set revision = revision + 1, ended_at = null where session_id = ?",
            [(session,) for session in sessions],
        )
        record_write(connection)
    return Logged(tuple(row.message_id for row in rows), added)


def messages(connection: Connection, session_id: str | None = None, limit: int = -1) -> list[LoggedMessage]:
    """The turns of a session, or of all, in the order of their telling; the last `limit` where one is given."""
    found = connection.execute(
        """
        select seq, message_id, session_id, peer_id, role, content, created_at, metadata
        from messages
        where :session is null or session_id = :session
        order by seq desc
        limit :limit
        """,
        {"session": session_id, "limit": limit},
    )
    return [_logged(row) for row in found][::-1]


def messages_by_seq(connection: Connection, seqs: Sequence[int]) -> dict[int, LoggedMessage]:
    """The named turns, by their number."""
    found = connection.execute(
        """
        select seq, message_id, session_id, peer_id, role, content, created_at, metadata
        from messages
        where seq in (select value from json_each(?))
        """,
        (json.dumps(list(seqs)),),
    )
    return {row[0]: _logged(row) for row in found}


def erase_message(connection: Connection, message_id: str) -> None:
    """Remove a message, what was asked about it, and everything that was made of it."""
    found = connection.execute("select seq, session_id from messages where message_id = ?", (message_id,)).fetchall()
    if not found:
        raise UnknownError(f"no message {message_id!r}: `hymem show messages` lists them")
    seq, session_id = found[0]
    connection.execute(
        "delete from processed_chunks where session_id = ? and ? between first_seq and last_seq", (session_id, seq)
    )
    connection.execute("delete from messages where seq = ?", (seq,))
    connection.execute("update sessions set revision = revision + 1 where session_id = ?", (session_id,))
    record_act(connection)


def storable(text: str) -> str:
    """The text with what no database can hold (lone surrogates, NUL) replaced by U+FFFD."""
    return text if text.isascii() and "\x00" not in text else _UNSTORABLE.sub("\ufffd", text)


def identifier(value: object, name: str) -> str:
    """An id as a caller gave it, or `InputError`."""
    if not isinstance(value, str) or not value.strip() or len(value) > ID_LIMIT or not value.isprintable():
        raise InputError(f"{name} must be printable text of 1 to {ID_LIMIT} characters, not {value!r:.60}")
    return value


def _row(number: int, message: Message, now: str) -> _Row:
    if message.role not in ROLES:
        raise InputError(f"message {number}: role must be one of {', '.join(ROLES)}, not {message.role!r:.40}")
    if not isinstance(message.content, str):  # pyright: ignore[reportUnnecessaryIsInstance]
        raise InputError(f"message {number}: content must be text, not {type(message.content).__name__}")
    try:
        return _Row(
            secrets.token_hex(10) if message.message_id is None else identifier(message.message_id, "message_id"),
            identifier(message.session_id, "session_id"),
            DEFAULT_PEERS[message.role] if message.peer_id is None else identifier(message.peer_id, "peer_id"),
            message.role,
            storable(message.content),
            now if message.created_at is None else parse_time(message.created_at),
            _json(message.metadata) if message.metadata else "{}",
        )
    except InputError as error:
        raise InputError(f"message {number}: {error}") from error


def _json(metadata: Mapping[str, Any]) -> str:
    try:
        return storable(json.dumps(metadata, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"metadata must be plain JSON: {error}") from error


def _first_said(rows: Sequence[_Row]) -> dict[str, str]:
    first: dict[str, str] = {}
    for row in rows:
        first[row.session_id] = min(first.get(row.session_id, row.created_at), row.created_at)
    return first


def _refuse_reused_ids(connection: Connection, rows: Sequence[_Row]) -> None:
    """The same message told again is fine; another text under a known id would be lost, so it is refused."""
    told = {row.message_id: (row.session_id, row.content) for row in rows}
    repeated = [name for name, count in Counter(row.message_id for row in rows).items() if count > 1]
    stored = connection.execute(
        "select message_id, session_id, content from messages where message_id in (select value from json_each(?))",
        (json.dumps(list(told)),),
    )
    for message_id, session_id, content in stored:
        same = [r for r in rows if r.message_id == message_id] if message_id in repeated else [None]
        if told[message_id] != (session_id, content) or any(r and r.content != content for r in same):
            raise InputError(f"message_id {message_id!r} already stands for another text: use a new id")


def _logged(row: tuple[Any, ...]) -> LoggedMessage:
    return LoggedMessage(*row[:-1], metadata=json.loads(row[-1]))
