"""What hermes-agent 0.19.0 itself wrote to its state.db is taken over, each word once."""

from pathlib import Path

import pytest

from hymem import HyMem
from hymem.models.rules import RulesExtractor
from serving.exchange.ingest import ingest
from serving.hermes.session_search import SessionSearch
from tests.support.hermes import HERMES, run_in_hermes

pytestmark = HERMES

WRITTEN = """
import os, time
from pathlib import Path
from hermes_state import SessionDB
from agent.context_compressor import SUMMARY_PREFIX
import agent.context_compressor as c

db = SessionDB(Path(os.environ["HERMES_HOME"]) / "state.db")
summary = SUMMARY_PREFIX + "\\n## Active Task\\nThe user chose Redis.\\n\\n" + c._SUMMARY_END_MARKER

db.create_session("in-place", "cli", user_id=None)
db.set_session_title("in-place", "Choosing a cache")
turns = [(role, f"{role} turn {n}.") for n in range(5) for role in ("user", "assistant")]
for role, text in turns:
    db.append_message("in-place", role, text, api_content=text + "\\n<memory-context>recalled</memory-context>")
head, tail = turns[:2], turns[-3:]
compacted = [{"role": r, "content": t} for r, t in head] + [{"role": "user", "content": summary}]
db.archive_and_compact("in-place", compacted + [{"role": r, "content": t} for r, t in tail])
db.append_message("in-place", "user", "After the compaction.")
db.append_message("in-place", "assistant", "", tool_calls=[{"id": "1", "function": {"name": "x", "arguments": "{}"}}])
db.append_message("in-place", "tool", "output", tool_name="x", tool_call_id="1")
db.append_message("in-place", "assistant", "Understood.")
taken_back = db.append_message("in-place", "user", "A slip.")
db.append_message("in-place", "assistant", "A reply to a slip.")
db.rewind_to_message("in-place", taken_back)

db.create_session("parent", "cli")
for role, text in turns[:4]:
    db.append_message("parent", role, "p " + text)
db.end_session("parent", "compression")
db.create_session("child", "cli", parent_session_id="parent")
merged = c._MERGED_PRIOR_CONTEXT_HEADER + "\\np " + turns[2][1] + "\\n\\n" + c._MERGED_SUMMARY_DELIMITER + "\\n\\n" + summary
for role, text in [("user", merged), ("assistant", "p " + turns[3][1]), ("user", "Only in the child.")]:
    db.append_message("child", role, text)

db.create_session("branch", "cli", parent_session_id="parent", model_config={"_branched_from": "parent"})
for role, text in [*[(r, "p " + t) for r, t in turns[:2]], ("user", "Only in the branch.")]:
    db.append_message("branch", role, text)

db.create_session("helper", "subagent", parent_session_id="parent", model_config={"_delegate_from": "parent"})
db.append_message("helper", "user", "Do this for me.")

db.create_session("chat", "telegram", user_id="42")
db.append_message("chat", "user", [{"type": "text", "text": "我们用缓存"}, {"type": "image_url", "image_url": {"url": "data:x"}}])
db.append_message("chat", "assistant", "好的")
say(db.message_count())
"""

SAID = [f"{role} turn {n}." for n in range(5) for role in ("user", "assistant")]


@pytest.fixture(scope="module")
def state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("home")
    run_in_hermes(WRITTEN, home)
    return home / ".hermes/state.db"


def test_every_word_that_was_said_is_taken_once_and_nothing_that_the_agent_wrote_to_itself(state: Path, tmp_path: Path):
    before = state.read_bytes()
    with HyMem(tmp_path, llm=RulesExtractor()) as memory:
        with state.open("rb") as file:
            done = ingest(memory, file, str(state))
        with state.open("rb") as file:
            again = ingest(memory, file, str(state))
        told = {
            name: [m.content for m in memory.messages(name)]
            for name in ("in-place", "parent", "child", "branch", "chat")
        }
        whose = [m.peer_id for m in memory.messages("chat")]
        sessions = {one.session_id for one in memory.sessions()}
        titled = SessionSearch(memory).answer({"query": "choosing a CACHE"})["results"]

    assert told == {
        "in-place": [*SAID, "After the compaction.", "Understood."],
        "parent": [f"p {text}" for text in SAID[:4]],
        "child": ["Only in the child."],
        "branch": ["Only in the branch."],
        "chat": ["我们用缓存", "好的"],
    }
    assert whose == ["telegram:42", "assistant"]
    assert (sessions, again.added, state.read_bytes()) == (set(told), 0, before)
    assert [(one["session_id"], one["source"]) for one in titled[:1]] == [("in-place", "cli")]
    assert done.skipped == {
        "copy of a message": 9,
        "summary of a compaction": 1,
        "tool call or output": 2,
        "rewound message": 2,
        "message of a subagent": 1,
    }
