"""The dream's lock: one dreamer at a time, and a dead one is noticed.

The holder is a random token with a heartbeat. Who finds the lock held takes it over when the heartbeat has been silent for
five minutes, or at once when the holder was a process of this machine that no longer lives. Every write of a dream checks
that the token is still its own, so a dreamer that was taken over while it slept can do no harm.
"""

import os
import secrets
import sys
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Final

from hymem.errors import BusyError, StoreError
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.times import to_datetime, wall_clock

SILENCE_ALLOWED: Final = timedelta(minutes=5)
HEARTBEAT_SECONDS: Final = 20.0

Clock = Callable[[], str]


@dataclass(frozen=True)
class Lease:
    """The right to write what a dream made, as long as `check` passes."""

    holder: str
    clock: Clock

    def check(self, connection: Connection) -> None:
        """Raise `BusyError` where another dreamer took over; call it inside each writing transaction."""
        if connection.execute("select 1 from run_lock where holder = ?", (self.holder,)).fetchall() == []:
            raise BusyError("this dream was taken for dead and another one took over: nothing more was written")


@contextmanager
def dream_lock(database: Database, clock: Clock = wall_clock) -> Generator[Lease, None, None]:
    """Hold the dream's lock for the length of a block; raises `BusyError`, saying who dreams, where it is taken."""
    lease = Lease(secrets.token_hex(16), clock)
    with database.writing() as connection:
        _take(connection, lease)
    ended = threading.Event()
    heart = threading.Thread(target=_beat, args=(database, lease, ended), name="hymem-heartbeat", daemon=True)
    heart.start()
    try:
        yield lease
    finally:
        ended.set()
        heart.join()
        with database.writing() as connection:
            connection.execute("delete from run_lock where holder = ?", (lease.holder,))


def lock_holder(connection: Connection) -> str | None:
    """Who dreams just now, in words; None where nobody does."""
    found = connection.execute("select host, pid, acquired_at from run_lock").fetchall()
    return f"process {found[0][1]} on {found[0][0]}, since {found[0][2]}" if found else None


def dreaming_since(connection: Connection, now: str) -> str | None:
    """When the dream that is under way began; None where there is none, or its process no longer lives."""
    for host, pid, acquired_at, heartbeat_at in connection.execute(
        "select host, pid, acquired_at, heartbeat_at from run_lock"
    ).fetchall():
        if not _is_dead(host, pid, heartbeat_at, now):
            return acquired_at
    return None


def _take(connection: Connection, lease: Lease) -> None:
    now = lease.clock()
    for host, pid, heartbeat_at in connection.execute("select host, pid, heartbeat_at from run_lock").fetchall():
        if not _is_dead(host, pid, heartbeat_at, now):
            raise BusyError(f"another dream is running ({lock_holder(connection)}): wait for it to end")
    connection.execute(
        "insert or replace into run_lock values ('dream', ?, ?, ?, ?, ?)",
        (lease.holder, _host(), os.getpid(), now, now),
    )


def _is_dead(host: str, pid: int, heartbeat_at: str, now: str) -> bool:
    silence = to_datetime(now) - to_datetime(heartbeat_at)
    if host == _host():
        return silence >= SILENCE_ALLOWED or not _lives(pid)
    return abs(silence) >= SILENCE_ALLOWED  # nobody's heart beats in the future


def _host() -> str:
    import socket  # not for those who only read

    return socket.gethostname()


def _lives(pid: int) -> bool:
    """Whether a process of this machine is alive; where that cannot be asked harmlessly (Windows), assume so."""
    if sys.platform == "win32":
        return True
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    try:
        with Path(f"/proc/{pid}/stat").open(encoding="ascii", errors="replace") as stat:
            return stat.read().rpartition(")")[2].split()[:1] == ["Z"]
    except OSError:
        return False


def _beat(database: Database, lease: Lease, ended: threading.Event) -> None:
    while not ended.wait(HEARTBEAT_SECONDS):
        try:
            with database.writing() as connection:
                connection.execute(
                    "update run_lock set heartbeat_at = ? where holder = ?", (lease.clock(), lease.holder)
                )
        except StoreError:
            continue  # the next beat comes long before the lock counts as silent
