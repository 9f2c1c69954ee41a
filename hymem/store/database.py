"""The one file that a workspace is: opened by APSW, in WAL mode, by any number of processes and threads at once.

Every thread has connections of its own, one that reads and one that writes. Reads see one moment of the database
(`reading`). Writes are short and exclusive (`writing`, a `BEGIN IMMEDIATE`): nothing ever waits for a model inside one.

SQLite's locks do not survive a fork: a child that inherits a connection believes in locks that it does not hold. So idle
connections are closed before this process forks, and parent and child open new ones when they need them.
"""

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal, cast
from weakref import WeakSet

import apsw

from hymem.errors import BusyError, HyMemError, InputError, NewerSchemaError, ReadOnlyError, StoreError
from hymem.store.connection import Connection, Cursor, OwnConnection, Row
from hymem.store.functions import add_functions

SCHEMA_VERSION: Final = 1
APPLICATION_ID: Final = 0x48794D65  # "HyMe"
BUSY_SECONDS: Final = 10.0
_HERE: Final = Path(__file__).parent


@dataclass(frozen=True)
class Kind:
    """What a file of ours holds: its schema's number, page and steps, and the mark by which the file is known as ours."""

    version: int
    application_id: int
    page: str
    steps: str


WORKSPACE: Final = Kind(SCHEMA_VERSION, APPLICATION_ID, "schema.sql", "migrations")


class Database:
    """One SQLite file and this process's connections to it; thread-safe."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._sealed = ""
        self._local = threading.local()
        self._opened: WeakSet[OwnConnection] = WeakSet()
        _databases.add(self)

    @classmethod
    def open(cls, path: Path, kind: "Kind | None" = None) -> "Database":
        """Open the file, or make it; raises `StoreError` where it cannot be ours, and changes nothing then.

        `kind` says which of HyMem's files it is: a workspace's, where nothing else is said.
        """
        database = cls(path)
        try:
            with told(path):
                path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                _create_private(path)
                _prepare(database._own("writer"), path, kind or WORKSPACE)
        except BaseException:  # Ctrl-C included: no connection is left open
            database.close()
            raise
        return database

    @contextmanager
    def reading(self) -> Generator[Connection, None, None]:
        """A connection whose statements all see the database as it is at the first of them."""
        with told(self.path):
            connection = self._own("reader")
            if connection.in_transaction:  # a caller further out reads already: join its moment
                yield connection
                return
            connection.execute("begin")
            try:
                yield connection
            finally:
                connection.execute("rollback")

    @contextmanager
    def writing(self) -> Generator[Connection, None, None]:
        """A connection in an exclusive transaction: committed at the end, rolled back on any error."""
        with told(self.path):
            connection = self._writer()
            connection.execute("begin immediate")
            try:
                yield connection
                connection.execute("commit")
            except BaseException:  # Ctrl-C included: all of the block or nothing of it
                if connection.in_transaction:
                    connection.execute("rollback")
                raise

    @contextmanager
    def rehearsing(self) -> Generator[Connection, None, None]:
        """A connection as `writing` gives it, whose changes are undone at the end: to see what they would lead to."""
        with told(self.path):
            connection = self._writer()
            connection.execute("begin immediate")
            try:
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("rollback")

    @contextmanager
    def preparing(self) -> Generator[Connection, None, None]:
        """The connection that `writing` uses, in no transaction: for temporary tables, which keep nobody waiting."""
        with told(self.path):
            yield self._writer()

    def rows(self, sql: str, parameters: tuple[Any, ...] | dict[str, Any] = ()) -> list[Row]:
        """All rows of one reading statement."""
        with self.reading() as connection:
            return connection.execute(sql, parameters).fetchall()

    def checkpoint(self) -> bool:
        """Move what the write-ahead log holds into the file and empty it; False where someone is reading just now."""
        with told(self.path):
            connection = self._own("writer")
            connection.set_busy_handler(None)
            try:
                held, *_ = connection.execute("pragma wal_checkpoint(truncate)").fetchall()[0]
                return not held
            except apsw.BusyError:
                return False  # the next erasure, dream or closing does it
            finally:
                connection.set_busy_handler(_patience())

    def seal(self, reason: str) -> None:
        """From now on whoever would write gets a `ReadOnlyError` with this reason."""
        self._sealed = reason

    @property
    def sealed(self) -> bool:
        """Whether nobody may write."""
        return bool(self._sealed)

    def close(self) -> None:
        """Close every connection of this process; the object opens new ones if it is used again."""
        for connection in list(self._opened):
            connection.close()
        self._opened.clear()
        self._local = threading.local()

    def close_idle(self) -> None:
        """Close the connections that are in no transaction; their threads open new ones."""
        for connection in list(self._opened):
            with suppress(apsw.ThreadingViolationError):  # in use by another thread, so not idle
                if not connection.in_transaction:
                    connection.close()
                    self._opened.discard(connection)

    def _writer(self) -> OwnConnection:
        if self._sealed:
            raise ReadOnlyError(self._sealed)
        return self._own("writer")

    def _own(self, name: Literal["reader", "writer"]) -> OwnConnection:
        """This thread's connection of that name."""
        connection: OwnConnection | None = getattr(self._local, name, None)
        if connection is None or connection not in self._opened:
            connection = self._connect()
            connection.pragma("query_only", name == "reader")
            setattr(self._local, name, connection)
        return connection

    def _connect(self) -> OwnConnection:
        connection = cast(OwnConnection, apsw.Connection(str(self.path)))
        self._opened.add(connection)
        connection.set_busy_handler(_patience())
        connection.pragma("foreign_keys", True)
        connection.pragma("synchronous", "normal")
        connection.pragma("secure_delete", True)
        connection.pragma("temp_store", "memory")
        add_functions(connection)
        return connection


_databases: Final[WeakSet[Database]] = WeakSet()


def _prepare_to_fork() -> None:
    for database in list(_databases):
        database.close_idle()


if sys.platform != "win32":
    os.register_at_fork(before=_prepare_to_fork)


def user_query(database: Database, sql: str) -> tuple[list[str], list[Row]]:
    """Names and rows of what a person's statement finds; it can read this database, and do nothing else."""
    names: list[str] = []

    def note_names(cursor: Cursor, *_: object) -> bool:
        if names:
            raise InputError("the query cannot be answered: ask one statement at a time")
        names[:] = [column[0] for column in cursor.get_description()]
        return True

    with database.reading() as connection, _reading_only(cast(OwnConnection, connection)):
        cursor = connection.cursor()
        cursor.exec_trace = note_names  # called before the first row, so that there are names where there are no rows
        try:
            return names, cursor.execute(sql).fetchall()
        except (apsw.SQLError, apsw.ReadOnlyError, apsw.AuthError) as error:
            raise InputError(f"the query cannot be answered: {error}") from error


_READING: Final = {apsw.SQLITE_SELECT, apsw.SQLITE_READ, apsw.SQLITE_FUNCTION, apsw.SQLITE_RECURSIVE}
_TELLING_PRAGMAS: Final = {"table_info", "table_xinfo", "table_list", "index_list", "index_info", "foreign_key_list"}


def _permission(action: int, name: str | None, *_: str | None) -> int:
    telling = action == apsw.SQLITE_PRAGMA and name in (*_TELLING_PRAGMAS, "data_version")  # FTS5 asks for the last
    return apsw.SQLITE_OK if action in _READING or telling else apsw.SQLITE_DENY


@contextmanager
def _reading_only(connection: OwnConnection) -> Generator[None, None, None]:
    """Let statements read for the length of a block: no attaching of other files, no pragmas, no end of the transaction."""
    connection.authorizer = _permission
    try:
        yield
    finally:
        connection.authorizer = None


@contextmanager
def told(path: Path) -> Generator[None, None, None]:
    """Say what SQLite's errors mean for the person who must act on them."""
    try:
        yield
    except HyMemError:
        raise
    except (apsw.BusyError, apsw.LockedError) as error:
        raise BusyError(f"{path} is held by another process: try again in a moment") from error
    except apsw.FullError as error:
        raise StoreError(f"no space left for {path}: free some; nothing was written") from error
    except apsw.NotADBError as error:
        raise StoreError(f"{path} is no SQLite database: move it away, or choose another HYMEM_ROOT") from error
    except apsw.CorruptError as error:
        raise StoreError(f"{path} is damaged: restore a backup, or export what `hymem doctor` can read") from error
    except (apsw.ReadOnlyError, apsw.PermissionsError, apsw.CantOpenError, PermissionError, OSError) as error:
        raise StoreError(f"{path} cannot be written: check the folder's permissions and disk ({error})") from error
    except apsw.IOError as error:
        raise StoreError(f"reading or writing {path} failed: check the disk ({_reason(error)})") from error
    except apsw.SQLError as error:
        raise StoreError(
            f"{path} is not as HyMem made it ({error}): restore a backup, or ingest anew elsewhere"
        ) from error
    except UnicodeEncodeError as error:
        raise InputError(f"no database can hold half a character ({error.reason}): leave it out") from error


def looks_like_ours(head: bytes) -> bool:
    """Whether a file that begins with these hundred bytes is a workspace's database."""
    return head.startswith(b"SQLite format 3\x00") and int.from_bytes(head[68:72], "big") == APPLICATION_ID


def is_database(path: Path) -> bool:
    """Whether there is a workspace's database of that name."""
    if not path.is_file():
        return False
    with told(path), path.open("rb") as file:
        return looks_like_ours(file.read(100))


def _reason(error: apsw.Error) -> str:
    """SQLite's words; where it has none, the name of the error: of a full disk a backup tells no more than that."""
    return type(error).__name__ if str(error) == "not an error" else str(error)


def _create_private(path: Path) -> None:
    """A new database is readable by its owner only; SQLite gives its side files the same mode."""
    if not path.exists():
        os.close(os.open(path, os.O_CREAT | os.O_RDWR, 0o600))


def _patience() -> Callable[[int], bool]:
    """Wait in steps of a millisecond: SQLite's own back-off sleeps up to a hundred."""
    started = 0.0

    def wait(calls: int) -> bool:
        nonlocal started
        if calls == 0:
            started = time.monotonic()
        time.sleep(0.001)
        return time.monotonic() - started < BUSY_SECONDS

    return wait


def _prepare(connection: OwnConnection, path: Path, kind: Kind) -> None:
    version = _version(connection, path, kind)
    if version == kind.version:
        return
    connection.pragma("journal_mode", "wal")
    connection.execute("begin immediate")
    try:
        for number, script in _missing(_version(connection, path, kind), kind):  # again: another process may have won
            connection.execute(script)
            connection.pragma("user_version", number)
        connection.pragma("application_id", kind.application_id)
        connection.execute("commit")
    except BaseException:  # Ctrl-C included: no half-made schema
        connection.execute("rollback")
        raise


def _version(connection: OwnConnection, path: Path, kind: Kind) -> int:
    """The schema's number, 0 for an empty file; refuses what is not ours before anything is written."""
    version = connection.pragma("user_version")
    application = connection.pragma("application_id")
    if version < 0 or (version == 0 and application == kind.application_id):
        raise StoreError(f"{path} has lost its schema's number: restore a backup, or choose another HYMEM_ROOT")
    if version > kind.version and application == kind.application_id:
        raise NewerSchemaError(
            f"{path} has schema {version}, this HyMem knows {kind.version}: upgrade HyMem; nothing was changed"
        )
    empty = connection.execute("select count(*) from sqlite_schema").fetchall() == [(0,)]
    if application != kind.application_id and not empty:
        raise StoreError(f"{path} is a database of another program: choose another HYMEM_ROOT")
    return version if application == kind.application_id else 0


def migrations(kind: Kind = WORKSPACE) -> list[tuple[int, str]]:
    """Every step from an empty file to the present schema: (version it leads to, SQL)."""
    steps = _HERE.joinpath(kind.steps)
    found = [
        (int(match[1]), script.read_text(encoding="utf-8"))
        for script in (steps.iterdir() if steps.is_dir() else ())
        if (match := re.fullmatch(r"(\d{4})_\w+\.sql", script.name))
    ]
    return sorted(found)


def schema(kind: Kind = WORKSPACE) -> str:
    """The present schema as one page."""
    return _HERE.joinpath(kind.page).read_text(encoding="utf-8")


def _missing(version: int, kind: Kind) -> list[tuple[int, str]]:
    if version == 0:
        return [(kind.version, schema(kind))]
    return [(number, script) for number, script in migrations(kind) if number > version]
