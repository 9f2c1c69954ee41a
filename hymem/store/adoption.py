"""An earlier HyMem's database, `hymem.sqlite`, is taken over the first time that memory opens.

One of this HyMem's own making is renamed. From another's, the conversation is read: sessions and messages, with their times. The
rest is not taken at its word; dreaming makes it anew. The old file is left as it is.
"""

from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from itertools import islice
from pathlib import Path
from typing import Final, cast

import apsw

from hymem.errors import InputError, StoreError
from hymem.records import Message
from hymem.store.connection import Connection
from hymem.store.database import APPLICATION_ID, Database, told
from hymem.store.ledger import ledger_state
from hymem.store.messages import identifier, log
from hymem.times import parse_time
from hymem.vocabulary import ROLES

EARLIER: Final = "hymem.sqlite"
_TIMES: Final = ("created_at", "timestamp", "ts", "at")
_BATCH: Final = 1000


def open_or_adopt(path: Path, now: str) -> Database:
    """Open the database; one in which nothing was ever told takes over what an earlier one beside it holds.

    Raises `StoreError` as `Database.open` does.
    """
    earlier = path.with_name(EARLIER)
    if not earlier.exists():
        return Database.open(path)
    if not path.exists():
        _rename_ours(earlier, path)
    database = Database.open(path)
    if earlier.exists():
        _adopt(earlier, database, now)
    return database


def _rename_ours(earlier: Path, path: Path) -> None:
    """Take our own database by its new name; whatever else lies there is not for renaming."""
    ours = False
    with suppress(StoreError), _opened(earlier, apsw.SQLITE_OPEN_READWRITE) as connection:
        ours = connection.pragma("application_id") == APPLICATION_ID
        if ours:
            connection.pragma("wal_checkpoint(truncate)")
    if ours:
        earlier.rename(path)


def _adopt(earlier: Path, database: Database, now: str) -> None:
    """Copy what was said, all of it or nothing; a file that cannot be read is left alone, and said so in the log."""
    try:
        with _opened(earlier, apsw.SQLITE_OPEN_READONLY) as connection, database.writing() as writer:
            if ledger_state(writer).revision > 0:
                return
            said = _said(connection)
            while batch := list(islice(said, _BATCH)):
                log(writer, batch, now)
    except (StoreError, UnicodeDecodeError) as error:
        import logging

        logging.getLogger(__name__).warning("%s is left alone, as it cannot be read: %s", earlier, error)


@contextmanager
def _opened(path: Path, flags: int) -> Generator[Connection, None, None]:
    with told(path):
        connection = apsw.Connection(str(path), flags=flags)
        try:
            yield cast(Connection, connection)
        finally:
            connection.close()


def _said(connection: Connection) -> Iterator[Message]:
    names = [row[0] for row in connection.execute("select name from pragma_table_info('messages')")]
    if not {"session_id", "role", "content"} <= set(names):
        return
    at = next((name for name in _TIMES if name in names), "null")
    sql = f"select row_number() over (), session_id, role, content, {at} from messages"
    for number, session_id, role, content, moment in connection.execute(sql):
        if role in ROLES and isinstance(content, str) and _is_identifier(session_id):
            yield Message(session_id, role, content, None, _time(moment), f"{EARLIER}:{number}")


def _is_identifier(value: object) -> bool:
    try:
        return bool(identifier(value, "session_id"))
    except InputError:
        return False


def _time(moment: object) -> str | None:
    """The message's time where it can be read; without one it counts as said now."""
    try:
        return parse_time(moment) if isinstance(moment, str | int | float) else None
    except InputError:
        return None
