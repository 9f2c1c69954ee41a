import io
import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem import HyMem
from serving.exchange import ingest as module
from serving.exchange.ingest import Ingestion, check, ingest
from tests.support.command_line import said


@pytest.fixture
def memory(tmp_path: Path):
    with HyMem(tmp_path) as memory:
        yield memory


def lines(*values: object) -> bytes:
    return b"".join(json.dumps(value).encode() + b"\n" for value in values)


def told(memory: HyMem, data: bytes, name: str = "chat.jsonl") -> Ingestion:
    return ingest(memory, io.BytesIO(data), name)


def test_the_same_file_again_adds_nothing_and_a_grown_one_adds_what_is_new(memory: HyMem):
    file = lines(said("one"), said("two"))

    added = [told(memory, data).added for data in (file, file, file + lines(said("three")))]

    assert added == [2, 0, 1]
    assert [message.content for message in memory.messages()] == ["one", "two", "three"]


def test_two_equal_messages_in_a_file_are_two(memory: HyMem):
    file = lines(said("yes"), said("no"), said("yes"))

    assert [told(memory, file).added, told(memory, file).added, told(memory, file + lines(said("yes"))).added] == [
        3,
        0,
        1,
    ]


def test_messages_without_a_time_keep_the_order_of_the_file_across_batches(
    memory: HyMem, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(module, "BATCH", 3)

    told(memory, lines(*(said(f"{number}") for number in range(10))))

    held = sorted(memory.messages(), key=lambda message: (message.created_at, message.seq))
    assert [message.content for message in held] == [str(number) for number in range(10)]


def test_good_lines_are_kept_and_bad_ones_told(memory: HyMem):
    file = lines(said("one")) + b"{\n" + lines({"role": "user"}, said("four"))

    done = told(memory, file)

    assert (done.messages, done.added, done.refused) == (2, 2, 2)
    assert [fault.where for fault in done.faults] == ["2", "3"]


def test_what_the_ledger_refuses_costs_no_neighbour(memory: HyMem):
    file = lines(said("one", message_id="m"), said("another", message_id="m"), said("three"))

    done = told(memory, file)

    assert (done.added, done.refused) == (2, 1)
    assert "already stands for another text" in done.faults[0].reason


def test_null_and_lone_surrogates_are_cleaned(memory: HyMem):
    file = b'{"session_id":"a","role":"user","content":"post\\ud800gres \\u0000 is up"}\n'

    assert [told(memory, file).added, told(memory, file).added] == [1, 0]
    assert memory.messages()[0].content == "post\ufffdgres \ufffd is up"


def test_a_message_of_twenty_megabytes_is_one_message(memory: HyMem):
    text = "We use Redis. " * 1_500_000

    assert told(memory, lines(said(text), said("short"))).added == 2
    assert len(memory.messages()[0].content) == len(text)


def test_a_picture_alone_is_left_out_and_counted(memory: HyMem):
    picture = {"type": "image_url", "image_url": {"url": "x"}}

    done = told(memory, lines(said([picture]), said([picture, {"type": "text", "text": "this"}])))

    assert (done.messages, done.without_text, done.other_parts, done.refused) == (1, 1, 2, 0)


def test_a_turn_that_only_calls_a_tool_is_left_out_and_no_fault(memory: HyMem):
    done = told(memory, lines(said(None, role="assistant", tool_calls=[{"id": "1"}])))

    assert (done.messages, done.without_text, done.refused) == (0, 1, 0)


def test_faults_are_counted_beyond_those_that_are_kept(memory: HyMem):
    done = told(memory, b"x\n" * 250)

    assert (done.refused, len(done.faults)) == (250, 100)


def test_checking_stores_nothing(memory: HyMem):
    assert check(io.BytesIO(lines(said(), said())), "chat.jsonl").messages == 2
    assert memory.messages() == []


def test_progress_is_told_after_each_batch(memory: HyMem, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(module, "BATCH", 2)
    file, heard = lines(said("a"), said("b"), said("c")), list[int]()

    ingest(memory, io.BytesIO(file), "chat.jsonl", progress=heard.append)

    assert heard[-1] == len(file)
    assert len(heard) == 2


@given(st.lists(st.sampled_from(["yes", "no", "maybe"]), max_size=12), st.data())
def test_telling_a_prefix_first_changes_nothing(
    tmp_path_factory: pytest.TempPathFactory, words: list[str], data: st.DataObject
):
    file = [said(word) for word in words]
    cut = data.draw(st.integers(0, len(file)))

    with HyMem(tmp_path_factory.mktemp("hymem")) as memory:
        told(memory, lines(*file[:cut]))
        told(memory, lines(*file))

        assert [message.content for message in memory.messages()] == words
