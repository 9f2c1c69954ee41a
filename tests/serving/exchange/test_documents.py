import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from serving.exchange import documents
from serving.exchange.documents import found_in

MESSAGE = {"session_id": "a", "role": "user", "content": "hi"}


def found(data: bytes | str, name: str = "chat.jsonl") -> list[tuple[str, object]]:
    file = io.BytesIO(data.encode() if isinstance(data, str) else data)
    return [(one.where, one.fault or one.value) for one in found_in(file, name)]


@pytest.mark.parametrize("name", ["chat.jsonl", "chat.json", "standard input"])
def test_lines_are_values_with_their_numbers(name: str):
    assert found('\n{"a": 1}\r\n\n{"a": 2}', name) == [("2", {"a": 1}), ("4", {"a": 2})]


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_is_its_messages(indent: int | None):
    assert found(json.dumps([MESSAGE, MESSAGE], indent=indent), "chat.json") == [
        ("message 1", MESSAGE),
        ("message 2", MESSAGE),
    ]


@pytest.mark.parametrize("indent", [None, 2])
def test_an_object_with_messages_is_these_in_its_session(indent: int | None):
    data = json.dumps({"session_id": "monday", "messages": [{"role": "user", "content": "hi"}]}, indent=indent)

    (one,) = found_in(io.BytesIO(data.encode()), "chat.json")

    assert (one.session_id, one.value) == ("monday", {"role": "user", "content": "hi"})


def test_a_single_message_may_be_a_document():
    assert found(json.dumps(MESSAGE, indent=2), "chat.json") == [("", MESSAGE)]


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xef\xbb\xbf", b"[]", b'{"messages": []}'])
def test_an_empty_file_holds_nothing(data: bytes):
    assert found(data, "chat.json") == []


def test_a_byte_order_mark_is_no_part_of_the_first_line():
    assert found(b"\xef\xbb\xbf" + b'{"a": 1}') == [("1", {"a": 1})]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"a": "\xff"}', "not UTF-8: byte 8 is 0xff"),
        (b'{"a": 1', "not JSON: expecting ',' delimiter at column 8"),
        (b"hello", "not JSON: expecting value at column 1"),
        (b'{"a": NaN}', "not JSON that can be read: NaN is no JSON number"),
        (b'{"a": -Infinity}', "not JSON that can be read: -Infinity is no JSON number"),
        (b"1" * 5000, "not JSON that can be read"),
        (b"[" * 100_000, "not JSON that can be read"),
        (b'{"messages": {}}', "messages must be a list"),
    ],
    ids=range(8),
)
def test_a_bad_line_costs_nothing_but_itself(line: bytes, reason: str):
    (good, _), (number, fault), (last, _) = found(b'{"a": 1}\n' + line + b'\n{"a": 3}\n')

    assert (good, number, last) == ("1", "2", "3")
    assert reason in str(fault)


def test_a_bad_document_is_told_with_its_place():
    assert found('[\n  {"a": 1},\n  {"a": }\n]', "chat.json") == [("", "not JSON: expecting value at line 3, column 9")]


class CountingFile(io.BytesIO):
    most = 0

    def readline(self, size: int | None = -1) -> bytes:
        line = super().readline(size)
        self.most = max(self.most, len(line))
        return line

    def read(self, size: int | None = -1) -> bytes:
        raise AssertionError("lines are never read all at once")


def test_lines_stream():
    file = CountingFile(b'{"a": 1}\n' * 10_000)

    assert sum(1 for _ in found_in(file, "standard input")) == 10_000


@given(st.binary(max_size=200), st.sampled_from(["a.jsonl", "a.json"]))
def test_no_bytes_break_the_reading(data: bytes, name: str):
    for one in found_in(io.BytesIO(data), name):
        assert one.fault or one.value is not None or b"null" in data


@given(st.binary(max_size=200))
def test_all_lines_are_behind_in_the_end(data: bytes):
    ends = [one.read for one in found_in(io.BytesIO(data), "a.jsonl")]

    assert ends == sorted(ends) and all(end <= len(data) for end in ends)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_list_that_is_too_large_to_be_held_is_read_message_by_message(
    monkeypatch: pytest.MonkeyPatch, indent: int | None
):
    held = json.dumps([MESSAGE] * 50, indent=indent)
    whole = found(held, "chat.json")
    monkeypatch.setattr(documents, "HELD", 100)

    assert found(held, "chat.json") == whole
    *before, (place, reason) = found(held[:-20], "chat.json")
    assert (before, place) == (whole[:49], "after message 49")
    assert "nothing from there on was read" in str(reason)
