import multiprocessing
import os
import socket
import sys

import pytest

from hymem.errors import BusyError
from hymem.store.database import Database
from hymem.store.lock import dream_lock, lock_holder

NOON = "2026-01-01T12:00:00.000000Z"
FOUR_MINUTES_LATER = "2026-01-01T12:04:59.999999Z"
FIVE_MINUTES_LATER = "2026-01-01T12:05:00.000000Z"


def held_by(database: Database, host: str, pid: int) -> None:
    with database.writing() as connection:
        connection.execute("insert into run_lock values ('dream', 'a-token', ?, ?, ?, ?)", (host, pid, NOON, NOON))


def holder(database: Database) -> str | None:
    with database.reading() as connection:
        return lock_holder(connection)


def test_the_lock_is_held_for_the_length_of_the_block(database: Database):
    with dream_lock(database, lambda: NOON):
        assert holder(database) == f"process {os.getpid()} on {socket.gethostname()}, since {NOON}"

    assert holder(database) is None


def test_the_lock_is_given_back_after_a_failure(database: Database):
    with pytest.raises(ZeroDivisionError), dream_lock(database):
        raise ZeroDivisionError

    assert holder(database) is None


def test_only_one_dreams_at_a_time(database: Database):
    with (
        dream_lock(database, lambda: NOON),
        pytest.raises(BusyError, match=f"process {os.getpid()}"),
        dream_lock(database, lambda: FOUR_MINUTES_LATER),
    ):
        pass


def test_a_holder_elsewhere_is_given_five_minutes_of_silence(database: Database):
    held_by(database, "another-host", 1)

    with pytest.raises(BusyError), dream_lock(database, lambda: FOUR_MINUTES_LATER):
        pass
    with dream_lock(database, lambda: FIVE_MINUTES_LATER) as lease:
        assert lease.holder != "a-token"


@pytest.mark.skipif(sys.platform == "win32", reason="there a process cannot be asked about without harm")
def test_a_dead_process_of_this_machine_is_taken_over_at_once(database: Database):
    ended = multiprocessing.get_context("spawn").Process(target=os.getpid)
    ended.start()
    ended.join()
    assert ended.pid is not None
    held_by(database, socket.gethostname(), ended.pid)

    with dream_lock(database, lambda: NOON):
        assert f"process {os.getpid()}" in (holder(database) or "")


def test_a_living_process_of_this_machine_is_waited_for(database: Database):
    held_by(database, socket.gethostname(), os.getpid())

    with pytest.raises(BusyError), dream_lock(database, lambda: FOUR_MINUTES_LATER):
        pass


def test_who_was_taken_over_may_no_longer_write(database: Database):
    with dream_lock(database, lambda: NOON) as lease, database.writing() as connection:
        lease.check(connection)
        connection.execute("update run_lock set holder = 'another'")

        with pytest.raises(BusyError, match="taken for dead"):
            lease.check(connection)
