"""The one file that a workspace is: opened by APSW, in WAL mode, by any number of processes and threads at once.

Every thread has connections of its own, one that reads and one that writes. Reads see one moment of the database
(`reading`). Writes are short and exclusive (`writing`, a `BEGIN IMMEDIATE`): nothing ever waits for a model inside one.
"""

import os
import re
import threading
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import Any, Final, cast
from weakref import WeakSet

import apsw

from hymem.errors import BusyError, HyMemError, InputError, NewerSchemaError, StoreError
from hymem.store.connection import Connection, Row

SCHEMA_VERSION: Final = 1
APPLICATION_ID: Final = 0x48794D65  # "HyMe"
BUSY_SECONDS: Final = 10.0


class Database:
    """One SQLite file and this process's connections to it; thread-safe."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._opened: WeakSet[apsw.Connection] = WeakSet()

    @classmethod
    def open(cls, path: Path) -> "Database":
        """Open the file, or make it; raises `StoreError` where it cannot be ours, and changes nothing then."""
        database = cls(path)
        with told(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            _create_private(path)
            connection = database._connect()
            _prepare(connection, path)
            database._local.writer = (os.getpid(), connection)
        return database

    @contextmanager
    def reading(self) -> Generator[Connection, None, None]:
        """A connection whose statements all see the database as it is at the first of them."""
        connection = self._reader()
        with told(self.path):
            if connection.in_transaction:  # a caller further out reads already: join its moment
                yield cast(Connection, connection)
                return
            connection.execute("begin")
            try:
                yield cast(Connection, connection)
            finally:
                connection.execute("rollback")

    @contextmanager
    def writing(self) -> Generator[Connection, None, None]:
        """A connection in an exclusive transaction: committed at the end, rolled back on any error."""
        connection = self._writer()
        with told(self.path):
            connection.execute("begin immediate")
            try:
                yield cast(Connection, connection)
                connection.execute("commit")
            except BaseException:
                if connection.in_transaction:
                    connection.execute("rollback")
                raise

    def rows(self, sql: str, parameters: tuple[Any, ...] | dict[str, Any] = ()) -> list[Row]:
        """All rows of one reading statement."""
        with self.reading() as connection:
            return connection.execute(sql, parameters).fetchall()

    def close(self) -> None:
        """Close every connection of this process; the object opens new ones if it is used again."""
        for connection in list(self._opened):
            connection.close()
        self._local = threading.local()

    def _reader(self) -> apsw.Connection:
        return self._own("reader", lambda connection: connection.pragma("query_only", True))

    def _writer(self) -> apsw.Connection:
        return self._own("writer", lambda connection: None)

    def _own(self, name: str, prepare: Callable[[apsw.Connection], object]) -> apsw.Connection:
        """This thread's connection of that name; a forked child gets one of its own."""
        pid, connection = getattr(self._local, name, (0, None))
        if connection is None or pid != os.getpid():
            with told(self.path):
                connection = self._connect()
                prepare(connection)
            setattr(self._local, name, (os.getpid(), connection))
        return connection

    def _connect(self) -> apsw.Connection:
        connection = apsw.Connection(str(self.path))
        self._opened.add(connection)
        connection.set_busy_handler(_patience())
        connection.pragma("foreign_keys", True)
        connection.pragma("synchronous", "normal")
        connection.pragma("secure_delete", True)
        connection.pragma("temp_store", "memory")
        return connection


def user_query(database: Database, sql: str) -> tuple[list[str], list[Row]]:
    """Names and rows of a statement that a person wrote; it can only read."""
    with database.reading() as connection:
        try:
            cursor = connection.execute(sql)
            names = [column[0] for column in cursor.get_description()]
            return names, cursor.fetchall()
        except apsw.ExecutionCompleteError:
            return [], []
        except (apsw.SQLError, apsw.ReadOnlyError) as error:
            raise InputError(f"the query cannot be answered: {error}") from error


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
        raise StoreError(f"reading or writing {path} failed: check the disk ({error})") from error


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


def _prepare(connection: apsw.Connection, path: Path) -> None:
    version = _version(connection, path)
    if version == SCHEMA_VERSION:
        return
    connection.pragma("journal_mode", "wal")
    connection.execute("begin immediate")
    try:
        for number, script in _missing(_version(connection, path)):  # looked at again: another process may have won
            connection.execute(script)
            connection.pragma("user_version", number)
        connection.pragma("application_id", APPLICATION_ID)
        connection.execute("commit")
    except BaseException:
        connection.execute("rollback")
        raise


def _version(connection: apsw.Connection, path: Path) -> int:
    """The schema's number, 0 for an empty file; refuses what is not ours before anything is written."""
    version = connection.pragma("user_version")
    application = connection.pragma("application_id")
    if version > SCHEMA_VERSION and application == APPLICATION_ID:
        raise NewerSchemaError(
            f"{path} has schema {version}, this HyMem knows {SCHEMA_VERSION}: upgrade HyMem; nothing was changed"
        )
    empty = connection.execute("select count(*) from sqlite_schema").fetchall() == [(0,)]
    if application != APPLICATION_ID and not empty:
        raise StoreError(f"{path} is a database of another program: choose another HYMEM_ROOT")
    return version if application == APPLICATION_ID else 0


def migrations() -> list[tuple[int, str]]:
    """Every step from an empty file to the present schema: (version it leads to, SQL)."""
    found = [
        (int(match[1]), script.read_text(encoding="utf-8"))
        for script in files("hymem.store").joinpath("migrations").iterdir()
        if (match := re.fullmatch(r"(\d{4})_\w+\.sql", script.name))
    ]
    return sorted(found)


def schema() -> str:
    """The present schema as one page."""
    return files("hymem.store").joinpath("schema.sql").read_text(encoding="utf-8")


def _missing(version: int) -> list[tuple[int, str]]:
    if version == 0:
        return [(SCHEMA_VERSION, schema())]
    return [(number, script) for number, script in migrations() if number > version]
