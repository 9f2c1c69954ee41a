import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import InputError
from hymem.store.database import Database
from hymem.store.messages import log
from serving.exchange.turns import is_without_text, read_turn
from tests.support.command_line import said


def test_parts_of_text_are_joined_and_others_counted():
    parts = [
        {"type": "text", "text": "Look at this:"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "text", "text": "It uses Redis."},
    ]

    content = read_turn(said(parts)).content

    assert (content.text, content.other_parts) == ("Look at this:\nIt uses Redis.", 1)


def test_roles_of_openai_become_ours():
    roles = ["User", "assistant", "developer", "function", "tool", "system"]

    assert [read_turn(said(role=role)).role for role in roles] == [
        "user",
        "assistant",
        "system",
        "tool",
        "tool",
        "system",
    ]


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ([], "a message is an object with session_id, role and content, not a list"),
        ("hello", "a message is an object with session_id, role and content, not text"),
        ({"session_id": "a", "role": "user"}, "content is missing"),
        ({"session_id": "a", "content": "hi"}, "role is missing"),
        ({"role": "user", "content": "hi"}, "session_id is missing: name it there, or give --session ID"),
        (said(role="narrator"), "role must be one of user, assistant, system, tool, not 'narrator'"),
        (said(role=7), "role must be one of"),
        (said(None), "content must be text, or a list of parts, not null"),
        (said(True), "content must be text, or a list of parts, not a truth value"),
        (said([7]), "a part of content must be an object with a type"),
        (said([{"type": "text", "text": None}]), "a part of type 'text' must have a text"),
        (said(session_id=""), "session_id must be printable text of 1 to 512 characters"),
        (said(session_id=7), "session_id: input should be a valid string"),
        (said(session_id="x" * 513), "session_id must be printable"),
        (said(peer_id="a\tb"), "peer_id must be printable"),
        (said(created_at="yesterday"), "cannot read the time 'yesterday'"),
        (said(created_at="2025-02-30"), "cannot read the time '2025-02-30'"),
        (said(created_at=1e300), "cannot read the time '1e+300'"),
        (said(metadata=[]), "metadata: input should be a valid dictionary"),
        (said(metadata={"x": float("inf")}), "metadata must be plain JSON"),
    ],
)
def test_what_cannot_be_taken_is_refused_with_its_reason(value: object, reason: str):
    with pytest.raises(InputError) as refusal:
        read_turn(value)

    assert reason in str(refusal.value)


def test_every_reason_is_told_at_once():
    with pytest.raises(InputError, match=r"role must be one of .*; content is missing"):
        read_turn({"session_id": "a", "role": "narrator"})


@pytest.mark.parametrize(
    ("told", "understood"),
    [
        ("2025-03-01T09:30:00", "2025-03-01T09:30:00.000000Z"),
        ("2025-03-01 09:30+02:00", "2025-03-01T07:30:00.000000Z"),
        ("1969-12-31T23:59:59Z", "1969-12-31T23:59:59.000000Z"),
        (-1, "1969-12-31T23:59:59.000000Z"),
        ("2999-01-01", "2999-01-01T00:00:00.000000Z"),
        (None, None),
    ],
)
def test_a_time_without_a_zone_is_utc_and_past_and_future_are_taken(told: object, understood: str | None):
    assert read_turn(said(created_at=told)).created_at == understood


def test_the_same_words_have_the_same_id_and_other_words_another():
    told = read_turn(said("We use Redis.", created_at="2025-03-01T10:00:00+01:00"))

    again = read_turn(said("We use Redis.", created_at="2025-03-01T09:00:00Z", peer_id="user", metadata={"a": 1}))
    others = [said("We use Redis!"), said("We use Redis.", peer_id="mara"), said("We use Redis.", session_id="tuesday")]

    ids = [turn.message(turn.key(), 0).message_id for turn in [told, *(read_turn(other) for other in others)]]
    assert again.message(again.key(), 0).message_id == ids[0]
    assert len({*ids, told.message(told.key(), 1).message_id}) == 5


def test_only_an_assistants_calls_may_be_without_text():
    assert is_without_text({"role": "assistant", "content": None, "tool_calls": [{"id": "1"}]})
    assert not is_without_text({"role": "assistant", "content": None, "tool_calls": []})


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
NAMES = ["session_id", "role", "content", "created_at", "peer_id", "message_id", "metadata", "other"]
likely = st.sampled_from(["user", "assistant", "2025-01-01", "a\ud800b", "a\x00b", [{"type": "text", "text": "hi"}]])


@given(st.dictionaries(st.sampled_from(NAMES), json_values | likely))
def test_whatever_is_taken_can_be_logged(tmp_path_factory: pytest.TempPathFactory, value: dict[str, object]):
    try:
        message = read_turn(json.loads(json.dumps(value))).message(0)
    except InputError:
        return
    database = Database.open(tmp_path_factory.mktemp("hymem") / "hymem.db")
    with database.writing() as connection:
        assert log(connection, [message], "2025-01-01T00:00:00.000000Z").added == 1
    database.close()
