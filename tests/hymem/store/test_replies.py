import pytest

from hymem.errors import BusyError
from hymem.models.chat import ChatReply
from hymem.records import Message
from hymem.store.database import Database
from hymem.store.ledger import ledger_state
from hymem.store.lock import dream_lock
from hymem.store.messages import erase_message, log
from hymem.store.replies import ReplyKeeper, ReplyKey
from hymem.store.sessions import erase_session

NOW = "2026-01-01T12:00:00.000000Z"
KEY = ReplyKey("extraction", 7, "v1", "a-model", "monday", 1, 2, beside='{"known_to_be_wrong": []}')
REPLY = ChatReply('{"triples": []}', "a-model", 100, 5)


def clock() -> str:
    return NOW


@pytest.fixture
def talked(database: Database) -> Database:
    """Two turns in a session, numbered 1 and 2."""
    with database.writing() as connection:
        turns = [Message("monday", role, "hi", message_id=role) for role in ("assistant", "user")]
        log(connection, turns, NOW)
    return database


def kept(database: Database) -> list[tuple[object, ...]]:
    return database.rows(
        "select chunk_id, reply, prompt_tokens, completion_tokens, beside, replied_at from processed_chunks"
    )


def test_a_reply_is_in_the_ledger_when_it_is_kept(talked: Database):
    with dream_lock(talked, clock) as lease:
        assert ReplyKeeper(talked, lease).reply(KEY, REPLY) == NOW

    assert kept(talked) == [(7, REPLY.text, 100, 5, '{"known_to_be_wrong": []}', NOW)]


def test_each_kept_reply_moves_the_ledger_by_one_and_is_no_act(talked: Database):
    with dream_lock(talked, clock) as lease, talked.writing() as connection:
        before = ledger_state(connection)
    with dream_lock(talked, clock) as lease:
        keeper = ReplyKeeper(talked, lease)
        keeper.reply(KEY, REPLY)

    with talked.reading() as connection:
        after = ledger_state(connection)
    assert (after.revision - before.revision, after.generation - before.generation) == (keeper.kept, 0) == (1, 0)


def test_a_second_reply_to_the_same_question_takes_the_place_of_the_first(talked: Database):
    with dream_lock(talked, clock) as lease:
        keeper = ReplyKeeper(talked, lease)
        keeper.reply(KEY, REPLY)
        keeper.reply(KEY, ChatReply("{}", "a-model"))

    assert [row[1] for row in kept(talked)] == ["{}"]


@pytest.mark.parametrize("erased", ["user", "assistant"])
def test_a_reply_about_an_erased_message_is_not_kept(talked: Database, erased: str):
    with talked.writing() as connection:
        erase_message(connection, erased)

    with dream_lock(talked, clock) as lease:
        keeper = ReplyKeeper(talked, lease)
        assert keeper.reply(KEY, REPLY) is None

    assert (kept(talked), keeper.kept) == ([], 0)


def test_a_failure_about_an_erased_session_is_not_kept(talked: Database):
    with talked.writing() as connection:
        erase_session(connection, "monday")

    with dream_lock(talked, clock) as lease:
        ReplyKeeper(talked, lease).failure(KEY, "no JSON")

    assert talked.rows("select * from attempts") == []


def test_failures_are_counted_until_a_reply_comes(talked: Database):
    with dream_lock(talked, clock) as lease:
        keeper = ReplyKeeper(talked, lease)
        keeper.failure(KEY, "no JSON")
        keeper.failure(KEY, "cut short")
        assert talked.rows("select chunk_id, failures, reason from attempts") == [(7, 2, "cut short")]

        keeper.reply(KEY, REPLY)

    assert talked.rows("select * from attempts") == []


def test_who_lost_the_lock_keeps_nothing(talked: Database):
    with dream_lock(talked, clock) as lease:
        with talked.writing() as connection:
            connection.execute("update run_lock set holder = 'another'")

        with pytest.raises(BusyError, match="another one took over"):
            ReplyKeeper(talked, lease).reply(KEY, REPLY)

    assert kept(talked) == []
    assert talked.rows("select holder from run_lock") == [("another",)]


def test_erasing_a_message_erases_the_replies_that_it_was_shown_for(talked: Database):
    with talked.writing() as connection:
        log(connection, [Message("monday", "user", "later"), Message("tuesday", "user", "elsewhere")], NOW)
    with dream_lock(talked, clock) as lease:
        keeper = ReplyKeeper(talked, lease)
        keeper.reply(KEY, REPLY)
        keeper.reply(ReplyKey("extraction", 8, "v1", "a-model", "monday", 3, 3), REPLY)
        keeper.reply(ReplyKey("extraction", 9, "v1", "a-model", "tuesday", 4, 4), REPLY)

    with talked.writing() as connection:
        erase_message(connection, "assistant")

    assert [row[0] for row in kept(talked)] == [8, 9]
