from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import InputError, UnknownError
from hymem.records import Message
from hymem.store.database import Database
from hymem.store.ledger import ledger_state
from hymem.store.messages import (
    ID_LIMIT,
    Logged,
    erase_message,
    log,
    messages,
    messages_by_seq,
    storable,
)
from hymem.store.sessions import close_session, open_session, sessions

NOON = "2026-01-01T12:00:00.000000Z"


def turn(content: str = "hello", **given: Any) -> Message:
    return Message(**{"session_id": "monday", "role": "user", "content": content, **given})


def tell(database: Database, *turns: Message, now: str = NOON) -> Logged:
    with database.writing() as connection:
        return log(connection, turns, now)


def said(database: Database) -> list[str]:
    with database.reading() as connection:
        return [message.content for message in messages(connection)]


def begun(database: Database) -> list[tuple[str, str, str | None]]:
    with database.reading() as connection:
        return [(session.session_id, session.started_at, session.ended_at) for session in sessions(connection)]


def test_a_turn_comes_back_as_it_was_told(database: Database):
    told = turn(
        "hi", peer_id="ada", message_id="m1", created_at="2025-06-01T10:00+02:00", metadata={"mood": ["good", 1]}
    )

    tell(database, told)

    with database.reading() as connection:
        (found,) = messages(connection)
    assert (found.message_id, found.peer_id, found.created_at) == ("m1", "ada", "2025-06-01T08:00:00.000000Z")
    assert found.metadata == {"mood": ["good", 1]}


def test_without_a_time_a_turn_was_said_now(database: Database):
    tell(database, turn())

    with database.reading() as connection:
        assert messages(connection)[0].created_at == NOON


@pytest.mark.parametrize(
    ("given", "understood"),
    [
        ("2026-03-01 09:30", "2026-03-01T09:30:00.000000Z"),
        ("2026-03-01", "2026-03-01T00:00:00.000000Z"),
        ("2026-03-01T09:30:00+09:00", "2026-03-01T00:30:00.000000Z"),
    ],
)
def test_a_time_without_a_zone_is_taken_as_utc(database: Database, given: str, understood: str):
    tell(database, turn(created_at=given))

    with database.reading() as connection:
        assert messages(connection)[0].created_at == understood


def test_turns_keep_the_order_of_their_telling(database: Database):
    tell(database, turn("second thought", created_at="2026-02-02"), turn("first thought", created_at="2026-01-01"))

    assert said(database) == ["second thought", "first thought"]


def test_the_last_turns_of_a_session_can_be_asked_for(database: Database):
    tell(database, *(turn(str(n)) for n in range(5)), turn("elsewhere", session_id="tuesday"))

    with database.reading() as connection:
        assert [message.content for message in messages(connection, "monday", 2)] == ["3", "4"]
        assert [message.content for message in messages(connection, limit=1)] == ["elsewhere"]


def test_turns_are_found_by_their_numbers(database: Database):
    tell(database, turn("a"), turn("b"))

    with database.reading() as connection:
        found = messages_by_seq(connection, [2, 99])
    assert {seq: message.content for seq, message in found.items()} == {2: "b"}


# --------------------------------------------------------------------------------------------------------------- once


def test_the_same_id_told_twice_is_one_message(database: Database):
    first = tell(database, turn("hello", message_id="m1"))
    second = tell(database, turn("hello", message_id="m1"), turn("more", message_id="m2"))

    assert (first.added, second.added) == (1, 1)
    assert second.message_ids == ("m1", "m2")
    assert said(database) == ["hello", "more"]


def test_the_same_id_twice_in_a_batch_is_one_message(database: Database):
    assert tell(database, turn("hello", message_id="m1"), turn("hello", message_id="m1")) == Logged(("m1", "m1"), 1)


@pytest.mark.parametrize("other", [{"content": "goodbye"}, {"session_id": "tuesday"}], ids=["text", "session"])
def test_a_known_id_for_something_else_is_refused(database: Database, other: dict[str, str]):
    tell(database, turn("hello", message_id="m1"))

    with pytest.raises(InputError, match="message 2: 'm1' already stands for another text"):
        tell(database, turn("new"), turn(**{"content": "hello", "message_id": "m1", **other}))
    assert said(database) == ["hello"]
    assert [session for session, *_ in begun(database)] == ["monday"]


def test_one_id_for_two_texts_in_a_batch_is_refused(database: Database):
    with pytest.raises(InputError, match="message 2"):
        tell(database, turn("hello", message_id="m1"), turn("goodbye", message_id="m1"))
    assert said(database) == []


def test_telling_a_known_message_again_moves_nothing(database: Database):
    tell(database, turn(message_id="m1"))
    with database.writing() as connection:
        close_session(connection, "monday", NOON)
        before = ledger_state(connection)

    tell(database, turn(message_id="m1", created_at="1999-01-01"))

    with database.reading() as connection:
        assert ledger_state(connection) == before
    assert begun(database) == [("monday", NOON, NOON)]


def test_a_repeated_message_does_not_open_its_session_again(database: Database):
    tell(database, turn(message_id="m1"))
    with database.writing() as connection:
        close_session(connection, "monday", NOON)

    tell(database, turn(message_id="m1"), turn("new", session_id="tuesday"))

    assert ("monday", NOON, NOON) in begun(database)


# ----------------------------------------------------------------------------------------------------------- sessions


def test_logging_to_a_closed_session_takes_it_up_again(database: Database):
    tell(database, turn())
    with database.writing() as connection:
        close_session(connection, "monday", NOON)

    tell(database, turn("one more thing"))

    assert begun(database) == [("monday", NOON, None)]


def test_a_session_begins_with_its_earliest_message(database: Database):
    tell(database, turn(created_at="2026-02-02"), turn(created_at="2026-01-01"))
    tell(database, turn(created_at="2025-12-31"), turn(created_at="2026-03-03"))

    assert begun(database) == [("monday", "2025-12-31T00:00:00.000000Z", None)]


def test_a_session_that_was_opened_begins_with_its_first_message_all_the_same(database: Database):
    with database.writing() as connection:
        open_session(connection, "monday", NOON)

    tell(database, turn(created_at="2026-02-02"))

    assert begun(database) == [("monday", "2026-02-02T00:00:00.000000Z", None)]


def test_without_its_earliest_message_a_session_begins_later(database: Database):
    tell(database, turn(created_at="2026-01-01", message_id="m1"), turn(created_at="2026-02-02", message_id="m2"))

    with database.writing() as connection:
        erase_message(connection, "m1")

    assert begun(database) == [("monday", "2026-02-02T00:00:00.000000Z", None)]


# ------------------------------------------------------------------------------------------------------------ refusal


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"role": "narrator"}, "role must be one of"),
        ({"role": ["user"]}, "role must be one of"),
        ({"content": None}, "content must be text, not NoneType"),
        ({"content": [{"type": "text"}]}, "content must be text, not list"),
        ({"session_id": ""}, "session_id must be printable"),
        ({"session_id": 7}, "session_id must be printable"),
        ({"session_id": "two\nlines"}, "session_id must be printable"),
        ({"message_id": "x" * (ID_LIMIT + 1)}, "message_id must be printable"),
        ({"peer_id": " "}, "peer_id must be printable"),
        ({"created_at": "yesterday"}, "not an ISO-8601 time"),
        ({"metadata": {"share": float("nan")}}, "metadata must be plain JSON"),
        ({"metadata": {"thing": object()}}, "metadata must be plain JSON"),
        ({"metadata": ["no", "object"]}, "metadata must be an object"),
    ],
    ids=lambda value: value if isinstance(value, str) else str(value)[:30],
)
def test_a_batch_with_one_bad_message_stores_nothing_and_names_it(
    database: Database, wrong: dict[str, Any], reason: str
):
    with pytest.raises(InputError, match=f"^message 2: .*{reason}"):
        tell(database, turn("fine"), turn(**{"content": "bad", **wrong}), turn("fine too"))

    assert said(database) == []
    assert begun(database) == []


def test_what_no_database_can_hold_is_replaced(database: Database):
    tell(database, turn("post\ud800gres \x00 is fine", metadata={"note": "\udfff"}))

    assert said(database) == ["post�gres � is fine"]


@given(st.text(st.characters()))
def test_storable_text_is_itself(text: str):
    cleaned = storable(text)

    assert storable(cleaned) == cleaned
    assert len(cleaned) == len(text)
    cleaned.encode("utf-8")


def test_a_peer_keeps_the_role_in_which_it_spoke_first(database: Database):
    tell(database, turn(peer_id="bot", role="assistant"), turn(peer_id="bot", role="user"))
    tell(database, turn(peer_id="bot", role="tool"))

    assert database.rows("select peer_id, role from peers") == [("bot", "assistant")]


def test_who_speaks_without_a_name_is_the_peer_of_that_role(database: Database):
    tell(database, turn(), turn(role="assistant"))

    assert database.rows("select peer_id from messages order by seq") == [("user",), ("assistant",)]


# ------------------------------------------------------------------------------------------------------------ erasing


def test_an_erased_message_is_gone_and_the_ledger_says_that_someone_acted(database: Database):
    tell(database, turn("secret", message_id="m1"), turn("kept"))
    with database.writing() as connection:
        before = ledger_state(connection)
        erase_message(connection, "m1")
        after = ledger_state(connection)

    assert said(database) == ["kept"]
    assert after.generation == before.generation + 1


def test_erasing_an_unknown_message_is_refused(database: Database):
    with pytest.raises(UnknownError, match="hymem show messages"), database.writing() as connection:
        erase_message(connection, "m1")
