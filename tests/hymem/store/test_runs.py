from dataclasses import replace

import pytest

from hymem.records import DreamRun
from hymem.store.database import Database
from hymem.store.ledger import record_write
from hymem.store.runs import (
    DreamState,
    NodeRun,
    begin_run,
    dream_state,
    end_run,
    is_up_to_date,
    keep_dream_state,
    node_runs,
    note_locked,
    runs,
)

MORNING = "2026-01-01T08:00:00.000000Z"
NOON = "2026-01-01T12:00:00.000000Z"
BEGUN = DreamRun("r1", MORNING, None, "dreaming")
DONE = replace(
    BEGUN, finished_at=NOON, outcome="done", asked=3, answered=2, failed=1, changed={"chunks": 4}, warnings=("slow",)
)


def known(database: Database, limit: int = 20) -> list[DreamRun]:
    with database.reading() as connection:
        return runs(connection, limit)


def test_a_run_comes_back_as_it_ended(database: Database):
    with database.writing() as connection:
        begin_run(connection, BEGUN, MORNING)
        end_run(connection, DONE, [])

    assert known(database) == [DONE]


def test_what_each_node_did_is_kept_with_the_run_in_the_order_of_the_start(database: Database):
    nodes = [NodeRun("later", NOON, 2.5, 7, None, None), NodeRun("first", MORNING, 1.5, None, None, "ValueError: no")]
    with database.writing() as connection:
        begin_run(connection, BEGUN, MORNING)
        end_run(connection, DONE, nodes)

    with database.reading() as connection:
        assert node_runs(connection, "r1") == nodes[::-1]
        assert node_runs(connection, "r2") == []


def test_a_run_that_was_killed_is_closed_by_the_next(database: Database):
    with database.writing() as connection:
        begin_run(connection, BEGUN, MORNING)
        begin_run(connection, replace(BEGUN, run_id="r2", started_at=NOON), NOON)

    assert [(run.run_id, run.outcome, run.finished_at) for run in known(database)] == [
        ("r2", "dreaming", None),
        ("r1", "killed", NOON),
    ]


def test_a_dream_that_found_the_lock_taken_is_noted(database: Database):
    with database.writing() as connection:
        note_locked(connection, "r1", NOON, "process 7 dreams")

    assert known(database) == [DreamRun("r1", NOON, NOON, "locked", error="process 7 dreams")]


def test_the_last_runs_are_told_the_newest_first(database: Database):
    with database.writing() as connection:
        for number in range(5):
            begin_run(connection, replace(BEGUN, run_id=f"r{number}", started_at=f"2026-01-0{number + 1}"), NOON)

    assert [run.run_id for run in known(database, 2)] == ["r4", "r3"]


STATE = DreamState("a-fingerprint", 0, 0, MORNING, None)


def test_before_the_first_dream_there_is_no_state(database: Database):
    with database.reading() as connection:
        assert dream_state(connection) is None
        assert not is_up_to_date(connection, "a-fingerprint", NOON)


def test_a_dream_over_an_unchanged_ledger_has_nothing_to_do(database: Database):
    with database.writing() as connection:
        keep_dream_state(connection, STATE)

        assert dream_state(connection) == STATE
        assert is_up_to_date(connection, "a-fingerprint", NOON)


@pytest.mark.parametrize(
    ("state", "ledger_writes"),
    [
        (replace(STATE, fingerprint="another"), 0),
        (replace(STATE, waiting=1), 0),
        (replace(STATE, changes_at=MORNING), 0),
        (replace(STATE, changes_at=NOON), 0),
        (replace(STATE, seen_at="2026-01-01T12:00:00.000001Z"), 0),
        (STATE, 1),
    ],
    ids=["other code", "chunks wait", "time has come", "time is now", "the clock went back", "the ledger grew"],
)
def test_whatever_changes_memory_gives_a_dream_something_to_do(
    database: Database, state: DreamState, ledger_writes: int
):
    with database.writing() as connection:
        keep_dream_state(connection, state)
        for _ in range(ledger_writes):
            record_write(connection)

        assert not is_up_to_date(connection, "a-fingerprint", NOON)
