"""A session's messages as clients of a server see them: in the order of their telling, with their tokens counted."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from hymem.ids import new_id
from hymem.store.connection import Connection, Row
from hymem.store.messages import json_object
from hymem.store.pages import Listing, Page, Slice, page
from hymem.store.where import Where
from hymem.tokens import count_tokens

COLUMNS: Final = "m.message_id, m.session_id, m.peer_id, m.content, m.created_at, m.metadata, m.token_count"
_LISTING: Final = Listing(COLUMNS, "messages m", ("m.seq",))


@dataclass(frozen=True)
class MessageRecord:
    """A message with what its clients attached to it."""

    message_id: str
    session_id: str
    peer_id: str
    content: str
    created_at: str
    metadata: Mapping[str, Any]
    token_count: int


def list_messages(
    connection: Connection, session_id: str, where: Where, asked: Slice
) -> tuple[Page, list[MessageRecord]]:
    """A page of a session's messages, in the order of their telling."""
    found = page(connection, _LISTING, where.also("m.session_id = :of_session", of_session=session_id), asked)
    return found, [message_record(row) for row in found.rows]


def read_message(connection: Connection, session_id: str, message_id: str) -> MessageRecord | None:
    """A message of a session, None where there is none of that id."""
    found = connection.execute(
        f"select {COLUMNS} from messages m where session_id = ? and message_id = ?", (session_id, message_id)
    ).fetchall()
    return message_record(found[0]) if found else None


def messages_named(connection: Connection, message_ids: Sequence[str]) -> dict[str, MessageRecord]:
    """The messages of these names, in whatever session they are."""
    found = connection.execute(
        f"select {COLUMNS} from messages m where m.message_id in (select value from json_each(?))",
        (json.dumps(list(message_ids)),),
    )
    return {record.message_id: record for record in map(message_record, found)}


def set_message_metadata(connection: Connection, message_id: str, metadata: Mapping[str, Any]) -> None:
    """Replace what is attached to a message."""
    connection.execute("update messages set metadata = ? where message_id = ?", (json_object(metadata), message_id))


def count_the_uncounted(connection: Connection) -> None:
    """Count the tokens of the messages that came by another door, so that they can be asked for by that number."""
    found = connection.execute("select seq, content from messages where token_count is null").fetchall()
    connection.executemany(
        "update messages set token_count = ? where seq = ?", [(count_tokens(content), seq) for seq, content in found]
    )


def message_record(row: Row) -> MessageRecord:
    """The record of a row of `COLUMNS`."""
    message_id, session_id, peer_id, content, created_at, metadata, tokens = row
    counted = count_tokens(content) if tokens is None else tokens
    return MessageRecord(message_id, session_id, peer_id, content, created_at, json.loads(metadata), counted)


def clone_session(connection: Connection, session_id: str, last_message_id: str | None, now: str) -> str:
    """Copy a session, up to a message where one is named; the copy's id.

    The copy has the same metadata, configuration, messages and peers. Nothing is learnt from it, since that would count what
    was said once as said twice.
    """
    copy = new_id()
    bindings = {"session": session_id, "copy": copy, "now": now, "cut": last_message_id}
    connection.execute(
        """
        insert into sessions (session_id, started_at, metadata, configuration, created_at)
        select :copy, started_at, metadata, configuration, :now
        from sessions
        where session_id = :session
        """,
        bindings,
    )
    copied = connection.execute(
        """
        select seq
        from messages
        where session_id = :session
          and (:cut is null or seq <= (select seq from messages where message_id = :cut))
        order by seq
        """,
        bindings,
    ).fetchall()
    connection.executemany(
        """
        insert into messages
          (message_id, session_id, peer_id, role, content, created_at, logged_at, metadata, observed, token_count)
        select ?, ?, peer_id, role, content, created_at, ?, metadata, 0, token_count
        from messages
        where seq = ?
        """,
        [(new_id(), copy, now, seq) for (seq,) in copied],
    )
    _clone_stays(connection, session_id, copy, [seq for (seq,) in copied])
    return copy


def _clone_stays(connection: Connection, session_id: str, copy: str, copied: list[int]) -> None:
    """Let the same peers take part in the copy, from and to the same messages."""
    copies = connection.execute("select seq from messages where session_id = ? order by seq", (copy,)).fetchall()
    numbers = dict(zip(copied, (seq for (seq,) in copies), strict=True))

    def place(seq: int | None) -> int | None:
        return None if seq is None else max((new for old, new in numbers.items() if old <= seq), default=0)

    stays = connection.execute(
        """
        select peer_id, observe_me, observe_others, joined_at, left_at, after_seq, last_seq
        from session_peers
        where session_id = ?
        order by stay_id
        """,
        (session_id,),
    ).fetchall()
    connection.executemany(
        """
        insert into session_peers
          (session_id, peer_id, observe_me, observe_others, joined_at, left_at, after_seq, last_seq)
        values (?, ?, ?, ?, ?, ?, ?, ?)
        """,
        [(copy, *said, place(after), place(last)) for *said, after, last in stays],
    )
