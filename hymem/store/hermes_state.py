"""The sessions of hermes-agent, read from a copy of its `state.db`: the agent may go on writing, and is never kept waiting."""

import os
import tempfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import apsw

from hymem.errors import InputError
from hymem.store.connection import Connection

_WANTED: Final = ("active", "compacted", "tool_name", "tool_calls")


class SpokenRow(NamedTuple):
    """A row of the agent's messages. `rewound` ones were taken back by the user; `calls_tools` ones may have no content."""

    row: int
    session_id: str
    role: str
    content: str | None
    timestamp: Any
    source: str | None
    rewound: bool
    calls_tools: bool


def spoken_rows(path: Path) -> Iterator[SpokenRow]:
    """Every message, session by session, in the order of their telling; raises `InputError` where the file is none of hermes'."""
    with _copy(path) as connection:
        for row in connection.execute(_query(connection)):
            yield SpokenRow(*row[:6], rewound=bool(row[6]), calls_tools=bool(row[7]))


def _query(connection: Connection) -> str:
    """The columns that this version of the agent has; what it does not know of yet never happened."""
    columns = {row[1] for row in connection.execute("pragma table_info(messages)")}
    if not {"id", "session_id", "role", "content", "timestamp"} <= columns:
        raise InputError("this database holds no sessions of hermes-agent: its file is state.db in the agent's folder")
    has = {name: f"m.{name}" if name in columns else "null" for name in _WANTED}
    sessions = {row[1] for row in connection.execute("pragma table_info(sessions)")}
    source = "(select s.source from sessions s where s.id = m.session_id)" if {"id", "source"} <= sessions else "null"
    return f"""
        select m.id, m.session_id, m.role, m.content, m.timestamp, {source},
               coalesce({has["active"]}, 1) = 0 and coalesce({has["compacted"]}, 0) = 0,
               {has["tool_calls"]} is not null
        from messages m
        order by m.session_id, m.id
        """


@contextmanager
def _copy(path: Path) -> Generator[Connection]:
    """A private copy of the database as it is at this moment."""
    with tempfile.TemporaryDirectory(prefix="hymem-") as folder:
        copy = apsw.Connection(os.fspath(Path(folder) / "state.db"))
        try:
            _fill(copy, path)
            yield cast(Connection, copy)
        except apsw.Error as error:
            raise InputError(f"{path} cannot be read as a database: {error}") from error
        finally:
            copy.close()


def _fill(copy: apsw.Connection, path: Path) -> None:
    source = apsw.Connection(
        path.absolute().as_uri() + "?mode=ro", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    try:
        source.set_busy_timeout(10_000)
        with copy.backup("main", source, "main") as backup:
            while not backup.done:
                backup.step(1000)
    finally:
        source.close()
