import pytest

from hymem.errors import InputError, UnknownError
from hymem.records import Message, Session
from hymem.store.database import Database
from hymem.store.ledger import ledger_state
from hymem.store.messages import log
from hymem.store.sessions import close_session, erase_session, open_session, sessions

MORNING = "2026-01-01T08:00:00.000000Z"
NOON = "2026-01-01T12:00:00.000000Z"


def known(database: Database) -> list[Session]:
    with database.reading() as connection:
        return sessions(connection)


def test_a_session_is_opened_once(database: Database):
    for moment in (MORNING, NOON):
        with database.writing() as connection:
            open_session(connection, "monday", moment)

    assert known(database) == [Session("monday", MORNING, None, None, 0)]


def test_a_closed_session_keeps_its_first_end(database: Database):
    with database.writing() as connection:
        open_session(connection, "monday", MORNING)
        close_session(connection, "monday", MORNING)
        close_session(connection, "monday", NOON)

    assert known(database)[0].ended_at == MORNING


def test_opening_a_closed_session_takes_it_up_again(database: Database):
    with database.writing() as connection:
        open_session(connection, "monday", MORNING)
        close_session(connection, "monday", MORNING)
        open_session(connection, "monday", NOON)

    assert known(database)[0].ended_at is None


def test_sessions_are_told_the_newest_first_with_their_messages(database: Database):
    with database.writing() as connection:
        log(connection, [Message("old", "user", "a"), Message("old", "user", "b")], MORNING)
        log(connection, [Message("new", "user", "c")], NOON)

    assert [(session.session_id, session.messages) for session in known(database)] == [("new", 1), ("old", 2)]


def test_an_erased_session_takes_its_messages_along(database: Database):
    with database.writing() as connection:
        log(connection, [Message("monday", "user", "a"), Message("tuesday", "user", "b")], NOON)
        before = ledger_state(connection)
        erase_session(connection, "monday")
        after = ledger_state(connection)

    assert database.rows("select content from messages") == [("b",)]
    assert after.generation == before.generation + 1


@pytest.mark.parametrize("act", [lambda c: close_session(c, "monday", NOON), lambda c: erase_session(c, "monday")])
def test_what_is_not_there_can_neither_be_closed_nor_erased(database: Database, act):
    with pytest.raises(UnknownError, match="no session 'monday'"), database.writing() as connection:
        act(connection)


def test_a_session_needs_a_name(database: Database):
    with pytest.raises(InputError, match="session_id"), database.writing() as connection:
        open_session(connection, " ", NOON)
