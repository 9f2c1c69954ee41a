import copy
import io
import json
import os
import subprocess
import sys
import zipfile
from collections import Counter
from pathlib import Path
from typing import Any

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem import HyMem
from hymem.errors import InputError
from serving.exchange.formats import found_in
from serving.exchange.ingest import Ingestion, check, ingest
from tests.support.command_line import CommandLine

SAMPLES = Path(__file__).parent / "samples"


@pytest.fixture
def memory(tmp_path: Path):
    with HyMem(tmp_path / "memory") as memory:
        yield memory


def told(memory: HyMem, path: Path, **options: Any) -> Ingestion:
    with path.open("rb") as file:
        return ingest(memory, file, str(path), **options)


def held(memory: HyMem) -> list[tuple[str, str, str, str]]:
    """What is held: where, when to the second, by whom, and what."""
    return [(m.session_id, m.created_at[:19], m.role, m.content) for m in memory.messages()]


def test_of_an_edited_conversation_with_chatgpt_the_branch_last_seen_is_taken(memory: HyMem):
    done = told(memory, SAMPLES / "chatgpt.json")

    assert held(memory) == [
        ("c-1", "2025-01-01T10:00:10", "user", "We use Redis, see the picture."),
        ("c-1", "2025-01-01T10:00:14", "assistant", "Redis it is."),
        ("c-1", "2025-01-01T10:00:14", "user", "And never use tabs."),
        ("c-3", "2025-01-02T10:00:01", "user", "Wir benutzen kein Docker 🐳."),
        ("c-3", "2025-01-02T10:00:02", "assistant", "Gut."),
    ]
    assert done.skipped == {
        "system prompt": 2,
        "image": 1,
        "attachment": 2,
        "reasoning": 1,
        "tool call or output": 2,
        "empty message": 1,
        "message of another branch": 2,
    }
    assert [(fault.where, "mapping" in fault.reason) for fault in done.faults] == [("conversation 2", True)]


def test_of_claudes_export_what_was_said_is_taken_with_its_times(memory: HyMem):
    done = told(memory, SAMPLES / "claude.json")

    assert held(memory) == [
        ("k-1", "2025-01-01T10:01:00", "user", "We use Redis."),
        ("k-1", "2025-01-01T10:02:00", "assistant", "Redis it is."),
        ("k-2", "2024-01-01T10:00:01", "user", "An older export has text only."),
    ]
    assert done.skipped["message of another branch"] == 1
    assert [(f.where, f.reason[:15]) for f in done.faults] == [("conversation 2, message 2", "role must be on")]


def test_of_a_claude_code_session_what_was_typed_and_answered_is_taken(memory: HyMem):
    done = told(memory, SAMPLES / "claude-code.jsonl")

    assert held(memory) == [
        ("s-1", "2025-06-01T08:00:02", "user", "We use Redis for caching."),
        ("s-1", "2025-06-01T08:00:04", "assistant", "I will look at the cache."),
        ("s-1", "2025-06-01T08:00:07", "user", "Never use pickle."),
    ]
    assert done.skipped == {
        "summary": 2,
        "record of the program": 4,
        "command": 1,
        "reasoning": 1,
        "tool call or output": 2,
        "message of a side chain": 1,
        "image": 1,
    }
    assert [fault.where for fault in done.faults] == ["14"]


def test_specstorys_turns_are_taken_without_tools_and_thinking(memory: HyMem):
    done = told(memory, SAMPLES / "specstory.md")

    session = "6f0c2a1e-1111-4222-8333-444455556666"
    assert held(memory) == [
        (session, "2025-10-11T06:48:59", "user", "We use Redis.\n\n```python\nimport redis\n```"),
        (session, "2025-10-11T06:49:30", "assistant", "Redis it is."),
        (session, "2025-10-11T06:50:00", "user", "Never use pickle."),
    ]
    assert done.skipped == {"tool call or output": 1, "reasoning": 1, "message of a side chain": 1}


def state_of_hermes(path: Path, *, old: bool = False) -> apsw.Connection:
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    new = "" if old else ", active integer not null default 1, compacted integer not null default 0"
    connection.execute(
        f"""
        create table sessions (id text primary key, source text not null, started_at real not null);
        create table messages (id integer primary key, session_id text not null, role text not null, content text,
                               tool_calls text, tool_name text, timestamp real not null{new});
        insert into sessions values ('h-1', 'cli', 1748764800.0);
        insert into messages (session_id, role, content, tool_calls, timestamp) values
          ('h-1', 'system', 'You are an agent.', null, 1748764800.0),
          ('h-1', 'user', 'We use Redis.', null, 1748764801.5),
          ('h-1', 'assistant', null, '[{{}}]', 1748764802.0),
          ('h-1', 'tool', 'import redis', null, 1748764803.0),
          ('h-1', 'assistant', 'Redis it is.', null, 1748764804.0),
          ('h-1', 'user', 'We use Memcached.', null, 1748764805.0);
        """
    )
    return connection


def test_of_hermes_sessions_the_rewound_rows_stay_hidden_and_the_compacted_are_taken(memory: HyMem, tmp_path: Path):
    agent = state_of_hermes(tmp_path / "state.db")
    agent.execute("update messages set active = 0 where content = 'We use Memcached.'")
    agent.execute("update messages set active = 0, compacted = 1 where content = 'We use Redis.'")
    agent.execute(
        "insert into messages (session_id, role, content, timestamp) values ('h-1', 'user', ?, 1748764806.0)",
        ('\x00json:[{"type": "text", "text": "Look:"}, {"type": "image_url", "image_url": {}}]',),
    )

    done = told(memory, tmp_path / "state.db")  # while the agent has it open

    assert held(memory) == [
        ("h-1", "2025-06-01T08:00:01", "user", "We use Redis."),
        ("h-1", "2025-06-01T08:00:04", "assistant", "Redis it is."),
        ("h-1", "2025-06-01T08:00:06", "user", "Look:"),
    ]
    assert done.skipped == {"system prompt": 1, "tool call or output": 2, "rewound message": 1}
    agent.close()


def test_an_earlier_hermes_knew_of_no_rewinding(memory: HyMem, tmp_path: Path):
    state_of_hermes(tmp_path / "state.db", old=True).close()

    assert told(memory, tmp_path / "state.db").added == 3


def test_another_database_is_refused(memory: HyMem, tmp_path: Path):
    connection = apsw.Connection(str(tmp_path / "other.db"))
    connection.execute("create table x (y)")
    connection.close()

    with pytest.raises(InputError, match="no sessions of hermes-agent"):
        told(memory, tmp_path / "other.db")


@pytest.mark.parametrize("sample", ["chatgpt.json", "claude.json", "claude-code.jsonl", "specstory.md"])
def test_an_export_that_is_told_again_adds_nothing(memory: HyMem, sample: str):
    first, second = [told(memory, SAMPLES / sample) for _ in range(2)]

    assert (first.added, second.added) == (first.messages, 0)
    assert first.format == sample.partition(".")[0]


def zipped(path: Path, **members: bytes) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members.items():
            archive.writestr(name.replace("__", "/") + ".json", data)
    return path


@pytest.mark.parametrize("service", ["chatgpt", "claude"])
def test_an_export_is_taken_out_of_the_archive_that_it_came_in(memory: HyMem, tmp_path: Path, service: str):
    data = (SAMPLES / f"{service}.json").read_bytes()
    archive = zipped(tmp_path / "export.zip", conversations=data, user=b"{}", message_feedback=b"[]")

    done = told(memory, archive)

    assert (done.format, done.added) == (service, {"chatgpt": 5, "claude": 3}[service])


def test_an_archive_that_is_cut_off_or_holds_no_export_is_refused(memory: HyMem, tmp_path: Path):
    whole = zipped(tmp_path / "a.zip", conversations=(SAMPLES / "claude.json").read_bytes())
    cut = tmp_path / "cut.zip"
    cut.write_bytes(whole.read_bytes()[:-30])

    with pytest.raises(InputError, match="damaged zip archive"):
        told(memory, cut)
    with pytest.raises(InputError, match=r"without conversations\.json"):
        told(memory, zipped(tmp_path / "b.zip", photos=b"[]"))


def test_of_a_list_that_is_cut_off_the_conversations_before_are_taken_and_the_place_is_told(
    memory: HyMem, tmp_path: Path
):
    path = tmp_path / "conversations.json"
    path.write_bytes((SAMPLES / "claude.json").read_bytes()[:-200])

    done = told(memory, path)

    assert done.added == 2
    assert [fault.where for fault in done.faults] == ["after conversation 1"]
    assert "nothing from there on was read" in done.faults[0].reason


class Pipe(io.RawIOBase):
    """Bytes that come once."""

    def __init__(self, data: bytes) -> None:
        self.data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        return self.data.readinto(buffer)


@pytest.mark.parametrize("sample", ["chatgpt.json", "claude.json", "claude-code.jsonl", "specstory.md"])
def test_a_pipe_is_read_like_a_file(sample: str):
    data = (SAMPLES / sample).read_bytes()

    piped = check(io.BufferedReader(Pipe(data)), "standard input")
    with (SAMPLES / sample).open("rb") as file:
        known = check(file, sample)

    assert (piped.format, piped.messages, piped.skipped) == (known.format, known.messages, known.skipped)


def test_a_format_may_be_forced_and_must_be_one(memory: HyMem):
    done = told(memory, SAMPLES / "specstory.md", format="messages")

    assert (done.added, done.refused > 0) == (0, True)
    with pytest.raises(InputError, match="the formats are messages, chatgpt, claude, claude-code, specstory, hermes"):
        told(memory, SAMPLES / "specstory.md", format="telegram")


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**40), 2**40) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner, max_size=2),
    max_leaves=4,
)


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, one in inner for place in places(one, (*path, key)))]


def spoilt(document: Any, place: tuple[Any, ...], junk: Any) -> Any:
    if not place:
        return junk
    document = copy.deepcopy(document)
    at = document
    for key in place[:-1]:
        at = at[key]
    at[place[-1]] = junk
    return document


@pytest.mark.parametrize("service", ["chatgpt", "claude"])
@given(data=st.data())
def test_junk_anywhere_in_an_export_costs_its_own_conversation_at_most(service: str, data: st.DataObject):
    document = json.loads((SAMPLES / f"{service}.json").read_text(encoding="utf-8"))
    place, junk = data.draw(st.sampled_from(places(document)[1:])), data.draw(JUNK)
    file = io.BytesIO(json.dumps(spoilt(document, place, junk)).encode())

    _, found = found_in(file, "conversations.json", service)
    sessions = Counter(one.value["session_id"] for one in found if isinstance(one.value, dict))

    others = {"chatgpt": {"c-1": 3, "c-3": 2}, "claude": {"k-1": 2, "k-2": 2}}[service]
    spoilt_one = {"chatgpt": ["c-1", "c-2", "c-3"], "claude": ["k-1", "k-2"]}[service][place[0]]
    assert {session: count for session, count in sessions.items() if session in others and session != spoilt_one} == {
        session: count for session, count in others.items() if session != spoilt_one
    }


@given(data=st.data())
def test_junk_anywhere_in_a_claude_code_session_costs_its_own_line_at_most(data: st.DataObject):
    lines = [json.loads(line) for line in (SAMPLES / "claude-code.jsonl").read_text(encoding="utf-8").splitlines()[:-1]]
    place, junk = data.draw(st.sampled_from([place for place in places(lines) if len(place) > 1])), data.draw(JUNK)
    file = io.BytesIO("\n".join(json.dumps(line) for line in spoilt(lines, place, junk)).encode())

    _, found = found_in(file, "s.jsonl", "claude-code")

    taken = {one.where for one in found if one.value}
    assert {"5", "7", "10"} - {str(place[0] + 1)} <= taken


def test_a_folder_is_taken_file_by_file_and_the_summary_says_what_was_left_out(tmp_path: Path):
    project = tmp_path / "projects" / "shop"
    project.mkdir(parents=True)
    (project / "s-1.jsonl").write_bytes((SAMPLES / "claude-code.jsonl").read_bytes())
    (project / "notes.txt").write_text("no conversation", encoding="utf-8")
    (project / "day.md").write_bytes((SAMPLES / "specstory.md").read_bytes())
    hymem = CommandLine(tmp_path / "root")

    done = hymem("ingest", str(tmp_path / "projects"))

    assert "claude-code, 3 messages, 3 new; 1 line not taken; left out: 2 × summary" in done.stdout
    assert "specstory, 3 messages, 3 new" in done.stdout
    assert "s-1.jsonl:14: not JSON" in done.stderr
    empty = hymem("ingest", str(tmp_path / "root"))
    assert (empty.exit_code, "no file in it ends in" in empty.stderr) == (3, True)


MEASURE = """
import resource, sys
from serving.exchange.ingest import check
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
with open(sys.argv[1], "rb") as file:
    done = check(file, sys.argv[1])
print(done.messages, (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) // 1024)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted in Linux's units")
def test_an_export_larger_than_the_memory_it_may_take_is_streamed(tmp_path: Path):
    path, text = tmp_path / "conversations.json", "We use Redis. " * 5000
    with path.open("w", encoding="utf-8") as file:
        for number in range(1000):
            said = {"uuid": "m", "sender": "human", "created_at": "2025-01-01T10:00:00Z", "text": text}
            file.write("[" if number == 0 else ",")
            file.write(json.dumps({"uuid": f"k-{number}", "name": "", "chat_messages": [said]}))
        file.write("]")

    ran = subprocess.run(
        [sys.executable, "-c", MEASURE, str(path)],
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])},
        capture_output=True,
        text=True,
        check=True,
    )

    messages, grown = map(int, ran.stdout.split())
    assert (messages, path.stat().st_size > 65_000_000, grown < 30) == (1000, True, True)
