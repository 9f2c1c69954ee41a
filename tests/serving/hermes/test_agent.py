"""The real agent, turn by turn, with a scripted model: it remembers within the turn, is corrected, compressed and backed up."""

import json
import textwrap
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import apsw
import pytest

from hymem import HyMem
from serving.hermes.configuration import write_configuration
from tests.support.command_line import CommandLine
from tests.support.hermes import HERMES, profile_with_hymem, run_hermes, run_in_hermes, start_in_hermes
from tests.support.openai_server import Answer, OpenAIServer

pytestmark = HERMES

AGENT = """
import os
from run_agent import AIAgent

told = []

def agent(session, **more):
    return AIAgent(
        base_url=os.environ["MODEL_URL"], api_key="x", provider="custom", model="test-model", session_id=session,
        quiet_mode=True, enabled_toolsets=["memory"], skip_context_files=True, platform="cli", max_iterations=4,
        status_callback=lambda kind, text, **_: told.append(text), **more)
"""


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return profile_with_hymem(tmp_path)


def with_agent(script: str, home: Path, model: OpenAIServer) -> list[Any]:
    return run_in_hermes(AGENT + textwrap.dedent(script), home, {"MODEL_URL": model.url})


def calling(name: str, **arguments: object) -> Answer:
    """A model's answer that calls a tool."""
    function = {"name": name, "arguments": json.dumps(arguments)}
    calls = [{"id": "call-1", "type": "function", "function": function}]
    return Answer(message={"content": None, "tool_calls": calls}, finish_reason="tool_calls")


def last_words(body: dict, role: str) -> str:
    return next(message["content"] for message in reversed(body["messages"]) if message["role"] == role)


def test_an_agent_remembers_in_the_next_session_and_says_so(home: Path):
    script = """
    first = agent("s1")
    first.run_conversation("My daughter Nora plays the cello in the school orchestra.")
    first.shutdown_memory_provider([])
    agent("s2").run_conversation("Which instrument does my daughter play?")
    say(told)
    """
    with OpenAIServer(["How lovely!", "The cello."]) as model:
        [announced] = with_agent(script, home, model)

    first, second = model.asked
    assert "Nora" in last_words(first, "user") and "<memory-context>" not in last_words(first, "user")
    assert '"My daughter Nora plays the cello in the school orchestra."' in last_words(second, "user")
    assert announced == ["🧠 HyMem — recalled 1 memory"]


def test_what_the_model_is_told_to_correct_is_gone(home: Path):
    with HyMem(home / ".hermes") as memory:
        fact_id = memory.remember("The deploy key lives in vault A.")
    script = """
    agent("s1").run_conversation("The deploy key is in vault B now, not in A.")
    """
    with OpenAIServer(
        [calling("hymem_correct", fact_id=fact_id, right="The deploy key lives in vault B."), "Corrected."]
    ) as model:
        with_agent(script, home, model)

    assert json.loads(last_words(model.asked[1], "tool"))["is"] == "The deploy key lives in vault B."
    with HyMem(home / ".hermes") as memory:
        assert [fact["content"] for fact in memory.facts()] == ["The deploy key lives in vault B."]


def test_a_compression_by_the_agent_itself_loses_no_word(home: Path):
    script = """
    from hermes_state import SessionDB
    a = agent("s1", session_db=SessionDB())
    history = []
    for n in range(40):
        history += [{"role": "user", "content": f"Remark number {n}: the blue crate holds part {n}. " + "word " * 400},
                    {"role": "assistant", "content": f"Noted, part {n}. " + "word " * 400}]
    compressed, _ = a._compress_context(history, "You are Hermes.", approx_tokens=90000, force=True)
    say([len(history), len(compressed), any("CONTEXT" in str(row["content"]) for row in compressed)])
    a.run_conversation("Where is part 17?", conversation_history=compressed)
    """
    with OpenAIServer(lambda body: "A summary." if len(body["messages"]) < 3 else "In the blue crate.") as model:
        [[before, after, summarized]] = with_agent(script, home, model)

    with HyMem(home / ".hermes") as memory:
        said = [message.content for message in memory.messages()]
    assert (before, after < before, summarized) == (80, True, True)
    assert len([text for text in said if text.startswith("Remark number")]) == 40
    assert len(said) == len(set(said)) and not [text for text in said if "CONTEXT" in text]
    assert "the blue crate holds part 17" in last_words(model.asked[-1], "user")


def test_an_agent_dreams_in_the_background_and_knows_the_graph_afterwards(home: Path):
    write_configuration(home / ".hermes", {"dream": "yes", "llm_model": "rules"})
    script = """
    a = agent("s1")
    a.run_conversation("The billing service depends on PostgreSQL.")
    a.shutdown_memory_provider([])
    """
    with OpenAIServer(["Noted."]) as model:
        with_agent(script, home, model)

    with HyMem(home / ".hermes") as memory:
        ends = time.monotonic() + 60
        while not memory.edges() and time.monotonic() < ends:
            time.sleep(0.1)
        assert [f"{edge.subject} {edge.predicate} {edge.object}" for edge in memory.edges()] == [
            "billing_service depends_on postgresql"
        ]


@contextmanager
def running_agent(home: Path, model: OpenAIServer) -> Iterator[None]:
    """An agent that has spoken, and whose process is still there, with its database open."""
    script = AGENT + textwrap.dedent("""
    import sys
    a = agent("s1")
    a.run_conversation("The blue crate holds the spare parts.")
    a._memory_manager.flush_pending(10)
    say("there")
    sys.stdin.readline()
    """)
    process = start_in_hermes(script, home, {"MODEL_URL": model.url})
    try:
        assert process.stdout is not None
        while "there" not in process.stdout.readline():
            assert process.poll() is None
        yield
    finally:
        process.kill()
        process.communicate()


def test_the_backup_of_a_running_agent_has_a_whole_database(home: Path, tmp_path: Path):
    archive = tmp_path / "backup.zip"
    with OpenAIServer(["Noted."]) as model, running_agent(home, model):
        run_hermes("backup", "--output", str(archive), home=home)

    with zipfile.ZipFile(archive) as found:
        name = next(name for name in found.namelist() if name.endswith("hymem.db"))
        (tmp_path / "restored").mkdir()
        (tmp_path / "restored" / "hymem.db").write_bytes(found.read(name))
    whole = apsw.Connection(str(tmp_path / "restored" / "hymem.db"))
    assert whole.execute("pragma quick_check").fetchall() == [("ok",)]
    whole.close()
    with HyMem(tmp_path / "restored") as memory:
        assert [message.content for message in memory.messages()] == ["The blue crate holds the spare parts.", "Noted."]


def test_hermes_shows_that_it_works(home: Path):
    shown = run_hermes("memory", "status", home=home)

    assert "hymem" in shown and "working" in shown


def test_what_was_kept_live_is_not_taken_over_again_and_a_gateways_user_keeps_to_a_workspace(home: Path):
    script = """
    from hermes_state import SessionDB
    db = SessionDB()
    a = agent("s1", session_db=db)
    a.run_conversation("My daughter Nora plays the cello.")
    a.run_conversation("ok")
    a.shutdown_memory_provider([])
    db.create_session("before", "cli")
    db.append_message("before", "user", "Before HyMem I said this.")
    db.create_session("chat", "telegram", user_id="42")
    db.append_message("chat", "user", "I am somebody else.")
    """
    with OpenAIServer(["How lovely!", "Good."]) as model:
        with_agent(script, home, model)

    told = CommandLine(home / ".hermes").json("hermes", "backfill", "--home", str(home / ".hermes"))
    again = CommandLine(home / ".hermes").json("hermes", "backfill", "--home", str(home / ".hermes"))

    assert {one["workspace"]: one["added"] for one in told} == {"default": 1, "telegram-42": 1}
    assert {one["added"] for one in again} == {0}
    with HyMem(home / ".hermes") as memory:
        assert "I am somebody else." not in [message.content for message in memory.messages()]


def test_the_model_looks_through_an_earlier_session(home: Path):
    script = """
    first = agent("s1")
    first.run_conversation("My daughter Nora plays the cello.")
    first.shutdown_memory_provider([])
    agent("s2").run_conversation("What exactly did I say of music?")
    """
    with OpenAIServer(["Good.", calling("hymem_sessions", query="cello"), "That."]) as model:
        with_agent(script, home, model)

    found = json.loads(last_words(model.asked[-1], "tool"))
    assert [result["session_id"] for result in found["results"]] == ["s1"]
