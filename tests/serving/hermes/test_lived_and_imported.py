"""What was lived with the agent and is then taken from its state.db is there once, and where the provider looks."""

from pathlib import Path

import pytest

from hymem import HyMem
from serving.hermes.configuration import write_configuration
from serving.hermes.installing import install
from tests.support.command_line import CommandLine
from tests.support.hermes import HERMES, run_in_hermes

pytestmark = HERMES

LIVED = """
import json, os, pathlib
home = pathlib.Path(os.environ["HERMES_HOME"])
from agent.memory_manager import MemoryManager
from hermes_state import SessionDB
from plugins.memory import load_memory_provider
db = SessionDB(home / "state.db")
def manager(session, **kwargs):
    made = MemoryManager()
    made.add_provider(load_memory_provider("hymem"))
    made.initialize_all(session_id=session, hermes_home=str(home), **{"platform": "cli", "agent_context": "primary", **kwargs})
    return made
from agent.context_compressor import SUMMARY_PREFIX
def live(manager, session, *turns, before=()):
    rows = list(before)
    for row in rows:
        db.append_message(session, row["role"], row["content"])
    for user, assistant in turns:
        rows += [{"role": "user", "content": user}, {"role": "assistant", "content": assistant}]
        for row in rows[-2:]:
            db.append_message(session, row["role"], row["content"])
        manager.sync_all(user, assistant, session_id=session, messages=list(rows))
    manager.flush_pending(10)

db.create_session("old", "cli")
db.append_message("old", "user", "Before HyMem there was Oracle.")
db.create_session("s1", "cli")
db.set_session_title("s1", "Caching for billing")
m = manager("s1", session_title="Caching for billing")
live(m, "s1", ("We use Redis for billing.", "Noted."), ("continue", "Done."), ("continue", "Done."), ("  spaced \\n", "Fine."),
     ("Which one?", "That one."))
db.end_session("s1", "compression")
db.create_session("s2", "cli", parent_session_id="s1")
m.on_session_switch("s2", parent_session_id="s1", reason="compression")
m.providers[0]._background.finish(10)
summary = {"role": "user", "content": SUMMARY_PREFIX + " Redis was chosen."}
tail = [{"role": "user", "content": "Which one?"}, {"role": "assistant", "content": "That one."}]
live(m, "s2", ("continue", "Done."), before=[summary, *tail])
db.create_session("g1", "telegram", user_id="11")
g = manager("g1", platform="telegram", user_id="11")
live(g, "g1", ("My hint is plum.", "Fine."))
db.create_session("g0", "telegram", user_id="11")
db.append_message("g0", "user", "An old hint was pear.")
now = manager("s3")
asked = ({"query": "redis"}, {"session_id": "s1"}, {"session_id": "g1"}, {})
say([json.loads(now.handle_tool_call("hymem_sessions", each)) for each in asked])
say("hymem_sessions" in now.get_all_tool_names())
for each in (m, g, now):
    each.shutdown_all()
"""


@pytest.fixture(scope="module")
def lived(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list]:
    home = tmp_path_factory.mktemp("home")
    profile = home / ".hermes"
    profile.mkdir()
    write_configuration(profile, {"dream": "no", "llm_model": "rules"})
    install(profile)
    return profile, run_in_hermes(LIVED, home)


def test_the_agent_looks_through_its_sessions_by_words_and_by_id_and_through_no_other_users(lived: tuple[Path, list]):
    (found, read, anothers, browsed), offered = lived[1]

    assert offered and found["results"][0]["title"] == "Caching for billing"
    assert read["success"] and not anothers["success"]
    assert "g1" not in {one["session_id"] for one in browsed["results"]}


def test_taking_over_what_was_lived_adds_only_what_was_said_before_and_each_user_finds_their_own(
    lived: tuple[Path, list],
):
    profile, _ = lived
    line = CommandLine(profile)

    done, again = (
        {one["workspace"]: one for one in line.json("hermes", "backfill", "--home", str(profile))} for _ in range(2)
    )
    standing = line.json("hermes", "status", "--home", str(profile))

    assert {name: (one["messages"], one["added"]) for name, one in done.items()} == {
        "default": (13, 1),
        "telegram-11": (3, 1),
    }
    assert [one["added"] for one in again.values()] == [0, 0]
    assert (standing["messages"], standing["told_facts"]) == (13, 0)
    with HyMem(profile / "workspaces/telegram-11") as memory:
        told = {message.content: message.peer_id for message in memory.messages()}
    assert told == {"My hint is plum.": "user", "Fine.": "assistant", "An old hint was pear.": "user"}
