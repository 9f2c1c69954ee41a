"""hermes-agent's own Honcho plugin, and the SDK 2.2.0 that it pins, against the whole server."""

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hymem.settings import ServerSettings
from tests.support.hermes import HERMES, run_in_hermes
from tests.support.honcho_house import House, honcho_house

pytestmark = HERMES

NO_DREAM = [sys.executable, "-I", "-S", "-c", "print('{}')"]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    settings = ServerSettings(dream_cooldown_seconds=3600)
    with honcho_house(tmp_path_factory.mktemp("hermes"), settings, NO_DREAM) as house:
        yield house


def test_the_plugin_of_hermes_remembers_a_session_here(house: House, tmp_path: Path):
    profile = tmp_path / ".hermes"
    (profile / "memories").mkdir(parents=True)
    (profile / "memories/USER.md").write_text("Ada likes green tea.")
    told = {"baseUrl": house.url, "workspace": "agents", "peerName": "ada", "aiPeer": "hermes"}
    (profile / "honcho.json").write_text(json.dumps(told))

    called, tools, prompt = run_in_hermes(SESSION, tmp_path)

    assert "Ada prefers short answers" in json.dumps(called["listed"])
    assert called["profile"]["result"] == ["likes tea"]
    assert "Redis" in called["search"]["result"] and "Redis" in called["reasoning"]["result"]
    assert "Redis" in called["context"]["result"]
    assert not [name for name, answer in called.items() if "error" in answer]
    assert called["left"] == {"conclusions": []}
    assert set(tools) == {f"honcho_{name}" for name in ("profile", "search", "reasoning", "context", "conclude")}
    assert "Honcho" in prompt
    said = {message["content"]: message["peer_id"] for message in house.messages("talk", "agents")}
    assert said["The billing service depends on Redis."] == "ada" and said["Noted."] == "hermes"
    assert any("green tea" in content for content in said)


SESSION = """
import json, os, pathlib, time
from agent.memory_manager import MemoryManager
from plugins.memory import load_memory_provider
manager = MemoryManager()
provider = load_memory_provider("honcho")
manager.add_provider(provider)
manager.initialize_all(session_id="talk", hermes_home=os.environ["HERMES_HOME"], platform="cli", agent_context="primary",
                       gateway_session_key="talk")
def tool(name, **arguments):
    return json.loads(manager.handle_tool_call("honcho_" + name, arguments))
ends = time.monotonic() + 20
while not provider._session_initialized and time.monotonic() < ends:
    time.sleep(0.05)
provider.sync_turn("The billing service depends on Redis.", "Noted.", session_id="talk")
provider._sync_thread.join(20)
called = {
    "card": tool("profile", card=["likes tea"]),
    "profile": tool("profile"),
    "conclude": tool("conclude", conclusion="Ada prefers short answers"),
    "listed": tool("conclude", list=True),
    "search": tool("search", query="billing service"),
    "reasoning": tool("reasoning", query="What does the billing service depend on?"),
    "context": tool("context"),
}
for one in called["listed"]["conclusions"]:
    called["deleted"] = tool("conclude", delete_id=one["id"])
called["left"] = tool("conclude", list=True)
prompt = provider.system_prompt_block()
manager.on_session_end([])
manager.shutdown_all()
say(called)
say([schema["name"] for schema in provider.get_tool_schemas()])
say(prompt)
"""


def test_the_sdk_that_hermes_pins_finds_every_method_answered(house: House, tmp_path: Path):
    version, unanswered, found = run_in_hermes(WALK, tmp_path, {"HONCHO_URL": house.url})

    assert version == "2.2.0"
    assert unanswered == []
    assert found == {
        "peers": ["alice", "bob"],
        "messages": ["I planted tomatoes.", "Mine died."],
        "search": ["I planted tomatoes."],
        "metadata": {"b": 2},
        "conclusion": "alice likes tea",
        "card": ["likes tea"],
        "chat": True,
        "stream": True,
        "clone": ["I planted tomatoes.", "Mine died."],
        "uploaded": ["A note."],
        "status": True,
        "openai": ["alice", "bob"],
        "deleted": ["sdk-other"],
    }


WALK = """
import importlib.metadata, inspect, sys
from honcho import Honcho, client, conclusions, pagination, peer, session, session_context
from honcho.api_types import PeerConfig, SessionPeerConfig, SessionConfiguration, WorkspaceConfiguration

called = set()
def note(frame, event, _):
    if event == "call" and frame.f_globals.get("__name__", "").startswith("honcho."):
        called.add(frame.f_code.co_qualname)
sys.setprofile(note)

honcho = Honcho(workspace_id="sdk")
assert honcho.base_url.startswith("http://127.0.0.1")
honcho.set_metadata({"a": 1}); honcho.set_configuration(WorkspaceConfiguration())
honcho.refresh(); honcho.get_metadata(); honcho.get_configuration(); honcho.metadata; honcho.configuration
alice, bob = honcho.peer("alice", metadata={"a": 1}), honcho.peer("bob", metadata={})
alice.set_metadata({"b": 2}); alice.set_configuration(PeerConfig(observe_me=True))
alice.refresh(); alice.get_configuration(); alice.metadata; alice.configuration; alice.created_at
talk = honcho.session("talk", metadata={"c": 3})
talk.set_metadata({"d": 4}); talk.set_configuration(SessionConfiguration())
talk.refresh(); talk.get_metadata(); talk.get_configuration(); talk.metadata; talk.configuration; talk.created_at; talk.is_active
talk.add_peers([alice, "bob", "carol"]); talk.remove_peers("carol"); talk.set_peers([alice, bob])
talk.set_peer_configuration("bob", SessionPeerConfig(observe_others=True)); talk.get_peer_configuration(bob)
one, two = talk.add_messages([alice.message("I planted tomatoes."), bob.message("Mine died.")])
talk.update_message(one.id, {"e": 5})
assert talk.get_message(one.id).metadata == {"e": 5}
page = talk.messages(); page.total; page.page; page.size; page.pages; page.has_next_page(); page.get_next_page(); page.items
wrote = alice.conclusions.create([{"content": "alice likes tea"}])
bob.conclusions_of(alice).list(); alice.conclusions.query("tea"); alice.conclusions.representation()
told = [each.content for each in alice.conclusions.list()][0]
alice.conclusions.delete(wrote[0].id)
alice.set_card(["likes tea"]); alice.card()
context = talk.context(summary=True, tokens=1000, peer_target="alice")
context.to_anthropic(assistant="bob")
alice.representation(); alice.context(); talk.representation("alice"); talk.summaries()
copied = talk.clone()
uploaded = talk.upload_file(("note.txt", b"A note.", "text/plain"), peer="alice")
question = "Who planted tomatoes?"
found = {
    "peers": [each.id for each in talk.peers()],
    "messages": [each.content for each in page],
    "search": [each.content for each in honcho.search("planted", limit=1)],
    "metadata": alice.get_metadata(),
    "conclusion": told,
    "card": alice.get_card(),
    "chat": "tomatoes" in alice.chat(question),
    "stream": "tomatoes" in "".join(alice.chat_stream(question)),
    "clone": [each.content for each in copied.messages()],
    "uploaded": [each.content for each in uploaded],
    "status": honcho.queue_status().total_work_units >= 0 and talk.queue_status().total_work_units >= 0,
    "openai": [each["name"] for each in context.to_openai(assistant="bob") if "name" in each],
}
alice.search("planted"); talk.search("planted"); alice.sessions(); honcho.peers(); honcho.sessions(); honcho.workspaces()
honcho.schedule_dream("alice")
talk.delete(); copied.delete()
other = Honcho(workspace_id="sdk-other"); other.set_metadata({})
honcho.delete_workspace("sdk-other")
found["deleted"] = ["sdk-other"] if "sdk-other" not in list(honcho.workspaces()) else []
sys.setprofile(None)

def methods(kind):
    for name in dir(kind):
        attribute = inspect.getattr_static(kind, name)
        function = getattr(attribute, "fget", None) or getattr(attribute, "__func__", attribute)
        function = inspect.unwrap(function) if callable(function) else function
        own = inspect.isfunction(function) and function.__module__.startswith("honcho.")
        if own and not name.startswith("_") and name != "aio":
            yield function.__qualname__
kinds = [client.Honcho, peer.Peer, session.Session]
kinds += [conclusions.ConclusionScope, session_context.SessionContext, pagination.SyncPage]
every = {name for kind in kinds for name in methods(kind)}
say(importlib.metadata.version("honcho-ai"))
say(sorted(every - called))
say(found)
"""
