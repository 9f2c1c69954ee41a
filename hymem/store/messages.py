"""Messages: what was said, by whom, when. Batches are stored whole or not at all."""

import json
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, cast

from hymem.digests import digest63
from hymem.errors import InputError
from hymem.records import LoggedMessage, Message
from hymem.redaction import redacted
from hymem.store.connection import Connection
from hymem.store.ledger import record_write
from hymem.times import parse_time
from hymem.vocabulary import DEFAULT_PEERS, ROLES

ID_LIMIT: Final = 512
_JOINERS: Final = re.compile("[\u200c\u200d]")  # part of how a language or an emoji is written
_UNSTORABLE: Final = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True)
class Logged:
    """The ids of a batch in its order, and how many of its messages were new."""

    message_ids: tuple[str, ...]
    added: int


class _Row(NamedTuple):
    message_id: str
    session_id: str
    peer_id: str
    role: str
    content: str
    created_at: str
    logged_at: str
    metadata: str
    observed: bool
    token_count: int | None


def log(connection: Connection, messages: Sequence[Message], now: str) -> Logged:
    """Store a batch within the caller's transaction; raises `InputError`, naming the message, before anything is stored.

    A message that is known by its id is not stored again. One that is new opens its session, or takes it up again; a session
    begins with the earliest of its messages.
    """
    told = [_row(number, message, now) for number, message in enumerate(messages, start=1)]
    new = _unknown(connection, told)
    if new:
        _add_peers(connection, new, now)
        _open_sessions(connection, new, now)
        _add_messages(connection, new)
        _move_sessions(connection, {row.session_id for row in new})
        record_write(connection)
    return Logged(tuple(row.message_id for row in told), len(new))


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


def last_observed(connection: Connection, limit: int) -> list[LoggedMessage]:
    """The last turns that may be learnt from, in the order of their telling."""
    found = connection.execute(
        """
        select seq, message_id, session_id, peer_id, role, content, created_at, metadata
        from messages
        where observed = 1
        order by seq desc
        limit ?
        """,
        (limit,),
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


def messages_by_id(connection: Connection, ids: Sequence[str]) -> dict[str, LoggedMessage]:
    """The named turns, by their id."""
    found = connection.execute(
        """
        select seq, message_id, session_id, peer_id, role, content, created_at, metadata
        from messages
        where message_id in (select value from json_each(?))
        """,
        (json.dumps(list(ids)),),
    )
    return {row[1]: _logged(row) for row in found}


def erase_message(connection: Connection, message_id: str) -> None:
    """Remove a message, what was asked about it, and everything that was made of it."""
    from hymem.store.erasure import erase
    from hymem.store.erasure_scope import erasure_of_message

    erase(connection, erasure_of_message(connection, message_id))


def note_forgotten(connection: Connection, seqs: Iterable[int], now: str) -> None:
    """Note, before their erasure, that messages are to stay away: see `forgotten`."""
    found = connection.execute(
        "select message_id from messages where seq in (select value from json_each(?))", (json.dumps(sorted(seqs)),)
    ).fetchall()
    connection.executemany(
        "insert or ignore into forgotten_messages (message_digest, forgotten_at) values (?, ?)",
        [(digest63("message", message_id), now) for (message_id,) in found],
    )


def forgotten(connection: Connection, message_ids: Iterable[str]) -> set[str]:
    """Those of these ids whose messages people had forgotten; who hands over what it knows anyway leaves them out."""
    digests = {digest63("message", message_id): message_id for message_id in message_ids}
    found = connection.execute(
        "select message_digest from forgotten_messages where message_digest in (select value from json_each(?))",
        (json.dumps(sorted(digests)),),
    )
    return {digests[digest] for (digest,) in found}


def storable(text: str) -> str:
    """The text with what no database can hold (lone surrogates, NUL) replaced by U+FFFD."""
    return text if text.isascii() and "\x00" not in text else _UNSTORABLE.sub("\ufffd", text)


def identifier(value: object, name: str) -> str:
    """An id as a caller gave it, or `InputError`."""
    if (
        not isinstance(value, str)
        or not value.strip()
        or len(value) > ID_LIMIT
        or not (value.isprintable() or _JOINERS.sub("", value).isprintable())
    ):
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
            now,
            json_object(message.metadata),
            message.observed,
            message.token_count,
        )
    except InputError as error:
        raise InputError(f"message {number}: {error}") from error


def json_object(metadata: object) -> str:
    """An object as the ledger keeps it, or `InputError`."""
    if metadata == {}:
        return "{}"
    if not isinstance(metadata, Mapping):
        raise InputError(f"metadata must be an object, not {type(metadata).__name__}")
    try:
        told = dict(cast(Mapping[str, Any], metadata))
        return storable(json.dumps(told, ensure_ascii=False, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"metadata must be plain JSON: {error}") from error


def _unknown(connection: Connection, rows: Sequence[_Row]) -> list[_Row]:
    """The rows whose ids are new, each id once; another text under a known id would be lost, so it is refused."""
    ids = [row.message_id for row in rows]
    found = connection.execute(
        "select message_id, session_id, content from messages where message_id in (select value from json_each(?))",
        (json.dumps(ids),),
    )
    known = {message_id: (session_id, content) for message_id, session_id, content in found}
    if not known and len(set(ids)) == len(ids):
        return list(rows)
    new: list[_Row] = []
    for number, row in enumerate(rows, start=1):
        said = (row.session_id, row.content)
        if row.message_id not in known:
            new.append(row)
        stored = known.setdefault(row.message_id, said)
        if stored != said and (stored[0], redacted(stored[1])) != (said[0], redacted(said[1])):
            raise InputError(
                f"message {number}: {row.message_id!r} already stands for another text: use a new message_id"
            )
    return new


def _add_peers(connection: Connection, rows: Sequence[_Row], now: str) -> None:
    """Make sure that every speaker is known; a peer keeps the role in which it spoke first."""
    connection.executemany(
        "insert or ignore into peers (peer_id, role, created_at) values (?, ?, ?)",
        [(peer, role, now) for peer, role in dict.fromkeys((row.peer_id, row.role) for row in rows)],
    )


def _open_sessions(connection: Connection, rows: Sequence[_Row], now: str) -> None:
    """Open the sessions that are new, and take up again those that were closed."""
    connection.executemany(
        """insert into sessions (session_id, started_at, created_at) values (?, ?, ?)
           on conflict (session_id) do update set ended_at = null""",
        [(session, said_at, now) for session, said_at in {row.session_id: row.created_at for row in rows}.items()],
    )


def _add_messages(connection: Connection, rows: Sequence[_Row]) -> None:
    connection.executemany(
        """
        insert into messages
          (message_id, session_id, peer_id, role, content, created_at, logged_at, metadata, observed, token_count)
        values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        rows,
    )


def _move_sessions(connection: Connection, session_ids: Iterable[str]) -> None:
    """Say that messages of these sessions came or went; each begins with the earliest that it has."""
    connection.executemany(
        """
        update sessions
        set revision = revision + 1,
            started_at = coalesce((select min(created_at) from messages where session_id = :session), started_at)
        where session_id = :session
        """,
        [{"session": session_id} for session_id in session_ids],
    )


def _logged(row: tuple[Any, ...]) -> LoggedMessage:
    return LoggedMessage(*row[:-1], metadata=json.loads(row[-1]))
