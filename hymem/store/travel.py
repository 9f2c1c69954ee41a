"""What of a workspace travels to another place: the ledger, table by table, in terms that hold anywhere.

Numbers of messages differ from file to file, so a column that holds one travels as the id of that message. Everything
else that was computed is computed anew from the ledger where it arrives, and does not travel. `arrive` writes rows into an empty
database of the same schema, whose rules (types, checks, references) they must keep; from there `merging` takes them over.
"""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from math import isfinite
from typing import Any, Final, cast

import apsw

from hymem.errors import InputError
from hymem.store.connection import Connection
from hymem.store.messages import identifier
from hymem.times import parse_time

Row = dict[str, Any]

TRAVELS: Final[Mapping[str, tuple[str, ...]]] = {
    "workspace": ("workspace_id", "metadata", "configuration", "created_at"),
    "deleted_sessions": ("session_digest", "deleted_at"),
    "forgotten_messages": ("message_digest", "forgotten_at"),
    "peers": ("peer_id", "role", "metadata", "configuration", "created_at"),
    "scopes": ("peer_id",),
    "sessions": (*("session_id", "started_at", "ended_at", "metadata", "configuration", "created_at", "revision"),),
    "messages": (
        *("message_id", "session_id", "peer_id", "role", "content", "created_at", "logged_at", "metadata", "observed"),
        "token_count",
    ),
    "session_peers": (
        *("session_id", "peer_id", "observe_me", "observe_others", "joined_at", "left_at", "after_seq", "last_seq"),
    ),
    "processed_chunks": (
        *("kind", "chunk_id", "prompt_version", "model", "reply", "beside", "prompt_tokens", "completion_tokens"),
        *("replied_at", "session_id", "first_seq", "last_seq", "run_id"),
    ),
    "reply_rejections": ("act", "run_id", "created_at"),
    "entity_aliases": ("alias", "canonical", "source", "created_at"),
    "extraction_feedback": ("act", "subject", "predicate", "object", "reason", "created_at"),
    "facts_told": ("fact_id", "peer_id", "content", "category", "tags", "trust", "message_id", "created_at"),
    "fact_acts": ("fact_id", "act", "content", "category", "tags", "trust_change", "message_id", "created_at"),
    "fact_retrievals": ("fact_id", "count"),
    "conclusions": ("conclusion_id", "content", "observer_id", "observed_id", "session_id", "created_at"),
    "conclusion_deletions": ("what", "deleted_at"),
    "peer_cards": ("observer_id", "observed_id", "card", "written_at"),
}
"""Every table that travels, after those it refers to, and its columns."""

STAYS: Final[Mapping[str, str]] = {
    "ledger_state": "counts the writes to one file",
    "fact_space": "how one file keeps its vectors",
    "embedding_space": "follows from the vectors, which are made anew",
    "vector_state": "follows from the vectors",
    "attempts": "questions that failed are asked again",
    "deliveries": "a client repeats a request where it made it",
    "webhooks": "an address is told of the server that it knows",
    "run_lock": "of one machine's processes",
    "dream_state": "of what is computed in one file",
    "dream_runs": "of the work, which was done there",
    "node_runs": "of the work, which was done there",
    "workspaces": "the server's list of its workspaces' folders; an archive holds one workspace",
}
"""Tables that are neither computed from the ledger nor travel, and why."""

NUMBERED: Final[Mapping[str, frozenset[str]]] = {
    "workspace": frozenset({"one"}),
    "sessions": frozenset({"summary"}),
    "messages": frozenset({"seq"}),
    "session_peers": frozenset({"stay_id"}),
    "reply_rejections": frozenset({"rejection_id"}),
    "entity_aliases": frozenset({"alias_id"}),
    "extraction_feedback": frozenset({"feedback_id"}),
    "fact_acts": frozenset({"act_id"}),
    "conclusions": frozenset({"seq"}),
}
"""Columns of travelling tables that stay: numbers that only tell the order, in which rows travel, and what a dream writes."""

_IDENTIFIERS: Final = frozenset({"message_id", "session_id", "peer_id", "observer_id", "observed_id", "workspace_id"})
_WORDS: Final = {
    "messages": ("content",),
    "conclusions": ("content",),
    "facts_told": ("content", "tags"),
    "fact_acts": ("content", "tags"),
}
_OBJECTS: Final = frozenset({"metadata", "configuration", "beside"})


def travel_name(column: str) -> str:
    """What a column is called on the way: one with a message's number travels with its id."""
    return column.removesuffix("_seq") + "_message" if column.endswith("_seq") else column


def rows_of(connection: Connection, table: str) -> Iterator[Row]:
    """The rows of a table in their order, each as it travels."""
    columns = TRAVELS[table]
    names = [travel_name(column) for column in columns]
    selected = ", ".join(_leaving(column) for column in columns)
    for row in connection.execute(f"select {selected} from {table} t order by rowid"):
        yield dict(zip(names, row, strict=True))


def counts(connection: Connection) -> dict[str, int]:
    """How many rows each travelling table has."""
    return {table: connection.execute(f"select count(*) from {table}").fetchall()[0][0] for table in TRAVELS}


def arrive(connection: Connection, table: str, rows: Iterable[Row], stored_form: Callable[[str], str]) -> int:
    """Write travelling rows into an empty database; how many there were.

    `stored_form` gives what somebody told as the ledger keeps it. Raises `InputError`, naming table and row, for one that is
    not as HyMem writes it.
    """
    columns = TRAVELS[table]
    names = frozenset(travel_name(column) for column in columns)
    values = ", ".join(_arriving(table, column) for column in columns)
    sql = f"insert into {table} ({', '.join(columns)}) values ({values})"
    number = 0
    for number, row in enumerate(rows, start=1):
        try:
            _check(row, names)
            for name in _WORDS.get(table, ()):
                row[name] = None if row[name] is None else stored_form(row[name])
            if table == "peer_cards":
                row["card"] = json.dumps([stored_form(line) for line in json.loads(row["card"])])
            connection.execute(sql, row)
        except (InputError, apsw.ConstraintError, OverflowError, TypeError, UnicodeError) as error:
            raise InputError(f"{table}, row {number} is not as HyMem writes it: {error}") from error
    return number


def _leaving(column: str) -> str:
    """A column's value; of a message's number the id of the newest message of the session up to it, since it may be erased."""
    if not column.endswith("_seq"):
        return f"t.{column}"
    return f"""
        (select m.message_id from messages m
         where m.session_id = t.session_id and m.seq <= t.{column} order by m.seq desc limit 1)
    """


def _arriving(table: str, column: str) -> str:
    if not column.endswith("_seq"):
        return f":{column}"
    found = f"(select seq from messages where message_id = :{travel_name(column)} and session_id = :session_id)"
    if table != "session_peers":
        return found
    none = "iif(:left_at is null, null, 0)" if column == "last_seq" else "0"
    return f"iif(:{travel_name(column)} is null, {none}, {found})"


def _check(row: Row, names: frozenset[str]) -> None:
    """Refuse what SQLite would take: other columns, moments and ids that are none, JSON that is none."""
    if row.keys() != names:
        raise InputError(f"it has the fields {', '.join(sorted(row))}"[:200])
    for name, value in row.items():
        if isinstance(value, bool | list | dict):
            raise InputError(f"{name} is neither text nor a number")
        if isinstance(value, float) and not isfinite(value):
            raise InputError(f"{name} is no number")
        if value is not None:
            _check_value(name, value)
            if isinstance(value, str) and "\x00" in value:
                raise InputError(f"{name} holds a NUL")


def _check_value(name: str, value: Any) -> None:
    if name.endswith("_at"):
        _check_moment(value)
    elif name in _IDENTIFIERS:
        identifier(value, name)
    elif name in _OBJECTS:
        if not isinstance(_parsed(value), dict):
            raise InputError(f"{name} is no JSON object")
    elif name == "card":
        lines: object = _parsed(value)
        if not isinstance(lines, list) or not all(isinstance(line, str) for line in cast(list[object], lines)):
            raise InputError("card is no JSON list of lines")


def _check_moment(value: object) -> None:
    if not isinstance(value, str) or parse_time(value) != value:
        raise InputError(f"{value!r:.40} is no moment in UTC")


def _parsed(value: object) -> object:
    if value == "{}":
        return {}
    try:
        return json.loads(cast(str, value))
    except (TypeError, ValueError, RecursionError) as error:
        raise InputError(f"no JSON: {error}") from error
