"""The sessions of hermes-agent, read from a copy of its `state.db`: the agent may go on writing, and is never kept waiting."""

import os
import tempfile
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import apsw

from hymem.errors import InputError
from hymem.store.connection import Connection

_SESSION_COLUMNS: Final = (
    "source",
    "title",
    "user_id",
    "parent_session_id",
    "end_reason",
    "started_at",
    "model_config",
)
_MESSAGE_COLUMNS: Final = ("active", "compacted", "tool_calls")


class AgentSession(NamedTuple):
    """A session of the agent. It goes on from its `parent` as a continuation, as a branch, or is a subagent's."""

    session_id: str
    platform: str | None
    title: str | None
    user_id: str | None
    parent: str | None
    continues: bool
    branches: bool
    delegated: bool


class SpokenRow(NamedTuple):
    """A row of the agent's messages. `rewound` ones were taken back by the user; `calls_tools` ones may have no content."""

    row: int
    role: str
    content: str | None
    timestamp: Any
    rewound: bool
    calls_tools: bool


class HermesState:
    """A copy of the agent's database, as it was at one moment."""

    def __init__(self, connection: Connection) -> None:
        """Raises `InputError` where the file is none of hermes' own."""
        self._connection = connection
        self._columns = {
            table: {row[1] for row in connection.execute(f"pragma table_info({table})")}
            for table in ("messages", "sessions")
        }
        if not {"id", "session_id", "role", "content", "timestamp"} <= self._columns["messages"]:
            raise InputError(
                "this database holds no sessions of hermes-agent: its file is state.db in the agent's folder"
            )

    def sessions(self) -> list[AgentSession]:
        """Every session that has messages, one that others go on from before these."""
        if "id" not in self._columns["sessions"]:
            found = self._connection.execute("select distinct session_id from messages order by session_id")
            return [AgentSession(name, None, None, None, None, False, False, False) for (name,) in found]
        source, title, user, parent, _, started, config = self._has("sessions", "s", _SESSION_COLUMNS)
        ended_as = "p.end_reason" if "end_reason" in self._columns["sessions"] else "null"
        linked = f"left join sessions p on p.id = {parent}" if parent != "null" else "left join sessions p on false"
        known = f"case when json_valid({config}) then {config} end"
        found = self._connection.execute(
            f"""
            select s.id, {source}, {title}, {user}, {parent},
                   coalesce({ended_as}, '') = 'compression',
                   json_extract({known}, '$._branched_from') is not null or coalesce({ended_as}, '') = 'branched',
                   json_extract({known}, '$._delegate_from') is not null
            from sessions s {linked}
            where exists (select 1 from messages m where m.session_id = s.id)
            order by {started}, s.id
            """
        )
        return _parents_first([AgentSession(*row[:5], *map(bool, row[5:])) for row in found])

    def rows(self, session_id: str) -> Iterator[SpokenRow]:
        """The messages of a session in the order of their telling."""
        active, compacted, calls = self._has("messages", "m", _MESSAGE_COLUMNS)
        found = self._connection.execute(
            f"""
            select m.id, m.role, m.content, m.timestamp,
                   coalesce({active}, 1) = 0 and coalesce({compacted}, 0) = 0,
                   {calls} is not null
            from messages m
            where m.session_id = ?
            order by m.id
            """,
            (session_id,),
        )
        return (SpokenRow(*row[:4], rewound=bool(row[4]), calls_tools=bool(row[5])) for row in found)

    def _has(self, table: str, alias: str, names: Iterable[str]) -> list[str]:
        """The columns that this version of the agent has; what it does not know of yet never happened."""
        return [f"{alias}.{name}" if name in self._columns[table] else "null" for name in names]


def _parents_first(sessions: list[AgentSession]) -> list[AgentSession]:
    named = {session.session_id: session for session in sessions}
    ordered = dict[str, AgentSession]()
    for session in sessions:
        line, one = list[AgentSession](), session
        while one.session_id not in ordered and one not in line:
            line.append(one)
            one = named.get(one.parent or "", one)
        ordered.update((each.session_id, each) for each in reversed(line))
    return list(ordered.values())


@contextmanager
def hermes_state(path: Path) -> Generator[HermesState]:
    """The sessions in a file; raises `InputError` where it is none of hermes' own."""
    with copied(path) as connection:
        yield HermesState(connection)


@contextmanager
def copied(path: Path) -> Generator[Connection]:
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
