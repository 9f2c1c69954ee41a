"""Every public method of honcho-ai, with what it gives: two walks, sync and async, and a list that must leave nothing out."""

import asyncio
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from honcho import Honcho
from honcho.api_types import PeerConfig, SessionConfiguration, SessionPeerConfig, WorkspaceConfiguration

from hymem.settings import ServerSettings
from tests.support.honcho_house import House, honcho_house
from tests.support.sdk_methods import calls, public_methods

NO_DREAM = [sys.executable, "-I", "-S", "-c", "print('{}')"]


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    settings = ServerSettings(dream_cooldown_seconds=3600)
    with honcho_house(tmp_path_factory.mktemp("methods"), settings, NO_DREAM) as house:
        yield house


def test_every_method_is_called(house: House):
    with calls() as called:
        walk(house, "sync")
        asyncio.run(walk_async(house, "async"))

    assert public_methods() - called == set()


WORKSPACE: Any = WorkspaceConfiguration.model_validate({"reasoning": {"enabled": True}})
SESSION: Any = SessionConfiguration.model_validate({"summary": {"enabled": False}})
SHY = PeerConfig(observe_me=False)
SEES = SessionPeerConfig(observe_others=True)
TURNS = [f"turn {n}" for n in range(60)]


def walk(house: House, workspace: str) -> None:
    honcho = Honcho(base_url=house.url, workspace_id=workspace)
    try:
        assert honcho.base_url == house.url
        walk_workspace(honcho)
        walk_peers_and_sessions(honcho)
        walk_messages(honcho)
        walk_conclusions(honcho)
        walk_meaning(honcho)
        walk_scopes(honcho)
        walk_deletion(honcho)
    finally:
        honcho._http.close()


def walk_workspace(honcho: Honcho) -> None:
    honcho.set_metadata({"team": "blue"})
    honcho.set_configuration(WORKSPACE)
    honcho.refresh()
    assert honcho.get_metadata() == honcho.metadata == {"team": "blue"}
    assert honcho.get_configuration().reasoning.enabled is honcho.configuration.reasoning.enabled is True
    assert honcho.uid is None
    page = honcho.workspaces(filters={"id": honcho.workspace_id})
    assert (page.items, page.total, page.page, page.size, page.pages) == ([honcho.workspace_id], 1, 1, 50, 1)


def walk_peers_and_sessions(honcho: Honcho) -> None:
    alice = honcho.peer("alice", metadata={"a": 1})
    alice.set_metadata({"b": 2})
    alice.set_configuration(SHY)
    alice.refresh()
    assert alice.get_metadata() == alice.metadata == {"b": 2}
    assert alice.get_configuration() == alice.configuration == SHY
    assert (alice.created_at is not None, alice.uid) == (True, None)
    session = honcho.session("monday", metadata={"topic": "tea"})
    session.add_peers([("alice", SEES), "bob"])
    session.set_peers(["alice", "carol"])
    session.remove_peers("carol")
    session.set_peer_configuration("alice", SessionPeerConfig(observe_me=True, observe_others=False))
    session.set_metadata({"topic": "cake"})
    session.set_configuration(SESSION)
    session.refresh()
    assert [peer.id for peer in session.peers()] == ["alice"]
    assert session.get_peer_configuration("alice").observe_others is False
    assert session.get_metadata() == session.metadata == {"topic": "cake"}
    assert session.get_configuration().summary.enabled is session.configuration.summary.enabled is False
    assert (session.is_active, session.created_at is not None, session.uid) == (True, True, None)
    assert [found.id for found in alice.sessions()] == [found.id for found in honcho.sessions()] == ["monday"]
    assert [peer.id for peer in honcho.peers()] == ["alice", "bob", "carol"]


def walk_messages(honcho: Honcho) -> None:
    session, alice = honcho.session("monday"), honcho.peer("alice")
    told = session.add_messages([alice.message(content) for content in TURNS])
    page = session.messages()
    following = page.get_next_page()
    assert (page.has_next_page(), following is not None and following.has_next_page()) == (True, False)
    assert [message.content for message in page] == TURNS
    assert session.get_message(told[0].id).content == "turn 0"
    assert session.update_message(told[0], {"seen": True}).metadata == {"seen": True}
    uploaded = session.upload_file(("notes.txt", b"We use uv.", "text/plain"), "alice")
    assert [message.content for message in uploaded] == ["We use uv."]
    for found in (honcho.search("uv"), alice.search("uv"), session.search("uv")):
        assert found[0].content == "We use uv."
    assert honcho.queue_status().pending_work_units == session.queue_status().pending_work_units > 0
    asked = "which tools do you use"
    assert (alice.chat(asked) or "").endswith("“We use uv.”")
    assert (honcho.chat(asked) or "").endswith("“We use uv.”")
    assert "".join(alice.chat_stream(asked)) == alice.chat(asked)
    assert "".join(honcho.chat_stream(asked)) == honcho.chat(asked)
    honcho.schedule_dream("alice")
    assert len(list(session.clone().messages())) == len(TURNS) + 1


def walk_conclusions(honcho: Honcho) -> None:
    alice = honcho.peer("alice")
    of_bob = alice.conclusions_of("bob")
    (kept,) = of_bob.create([{"content": "likes cake", "session_id": "monday"}])
    (lost,) = alice.conclusions.create([{"content": "likes tea"}])
    assert [one.content for one in of_bob.list()] == ["likes cake"]
    assert (alice.conclusions.get(lost.id).content, of_bob.get_many([kept.id])[0].id) == ("likes tea", kept.id)
    assert honcho.conclusions.get(kept.id).observed_id == "bob"
    assert [one.id for one in honcho.conclusions.get_many([kept.id])] == [kept.id]
    assert [one.content for one in alice.conclusions.query("tea")] == ["likes tea"]
    assert list(alice.conclusions.derived(lost.id)) == []
    alice.conclusions.delete(lost.id)
    assert [one.id for one in honcho.conclusions.list()] == [kept.id]


def walk_meaning(honcho: Honcho) -> None:
    alice, session = honcho.peer("alice"), honcho.session("monday")
    known = alice.representation(target="bob")
    assert known.startswith("## Explicit Observations") and known.endswith("likes cake\n")
    assert session.representation("alice", target="bob") == alice.conclusions_of("bob").representation() == known
    assert alice.set_card(["Bakes."], target="bob") == alice.get_card(target="bob") == ["Bakes."]
    with pytest.warns(DeprecationWarning, match="get_card"):
        assert alice.card() is None
    own = alice.context(target="bob")
    assert (own.representation, own.peer_card) == (known, ["Bakes."])
    told = session.context(tokens=400, peer_target="bob", peer_perspective="alice")
    assert (told.peer_representation, told.peer_card, told.messages[-1].content) == (known, ["Bakes."], "We use uv.")
    assert told.to_openai(assistant="alice")[-1] == {"role": "assistant", "name": "alice", "content": "We use uv."}
    assert told.to_anthropic(assistant="alice")[-1] == {"role": "assistant", "content": "We use uv."}
    assert (session.summaries().short_summary, session.summaries().long_summary) == (None, None)


def walk_scopes(honcho: Honcho) -> None:
    scope = honcho.scope("work", metadata={"a": 1})
    scope.add_sessions(["monday"])
    assert (scope.metadata, scope.created_at is not None, list(scope.status())) == ({"a": 1}, True, ["monday"])
    assert [session.id for session in scope.sessions()] == ["monday"]
    scope.remove_session("monday")
    assert list(honcho.get_scope("work").sessions()) == []
    assert [found.id for found in honcho.scopes()] == ["work"]


def walk_deletion(honcho: Honcho) -> None:
    for session in list(honcho.sessions()):
        session.delete()
    assert honcho.sessions().items == []
    honcho.delete_workspace(honcho.workspace_id)
    assert honcho.workspaces(filters={"id": honcho.workspace_id}).items == []


async def walk_async(house: House, workspace: str) -> None:
    honcho = Honcho(base_url=house.url, workspace_id=workspace)
    try:
        await walk_workspace_async(honcho)
        await walk_peers_and_sessions_async(honcho)
        await walk_messages_async(honcho)
        await walk_conclusions_async(honcho)
        await walk_meaning_async(honcho)
        await walk_scopes_async(honcho)
        await walk_deletion_async(honcho)
    finally:
        await honcho._async_http_client.close()
        honcho._http.close()


async def walk_workspace_async(honcho: Honcho) -> None:
    aio = honcho.aio
    await aio.set_metadata({"team": "blue"})
    await aio.set_configuration(WORKSPACE)
    await aio.refresh()
    assert await aio.get_metadata() == {"team": "blue"}
    assert (await aio.get_configuration()).reasoning.enabled is True
    page = await aio.workspaces(filters={"id": honcho.workspace_id})
    assert (page.items, page.total, page.page, page.size, page.pages) == ([honcho.workspace_id], 1, 1, 50, 1)


async def walk_peers_and_sessions_async(honcho: Honcho) -> None:
    alice = (await honcho.aio.peer("alice", metadata={"a": 1})).aio
    await alice.set_metadata({"b": 2})
    await alice.set_configuration(SHY)
    await alice.refresh()
    assert (await alice.get_metadata(), await alice.get_configuration()) == ({"b": 2}, SHY)
    session = (await honcho.aio.session("monday", metadata={"topic": "tea"})).aio
    await session.add_peers([("alice", SEES), "bob"])
    await session.set_peers(["alice", "carol"])
    await session.remove_peers("carol")
    await session.set_peer_configuration("alice", SessionPeerConfig(observe_me=True, observe_others=False))
    await session.set_metadata({"topic": "cake"})
    await session.set_configuration(SESSION)
    await session.refresh()
    assert [peer.id for peer in await session.peers()] == ["alice"]
    assert (await session.get_peer_configuration("alice")).observe_others is False
    assert await session.get_metadata() == {"topic": "cake"}
    assert (await session.get_configuration()).summary.enabled is False
    assert [found.id async for found in await alice.sessions()] == ["monday"]
    assert [found.id async for found in await honcho.aio.sessions()] == ["monday"]
    assert [peer.id async for peer in await honcho.aio.peers()] == ["alice", "bob", "carol"]


async def walk_messages_async(honcho: Honcho) -> None:
    alice, session = honcho.peer("alice"), (await honcho.aio.session("monday")).aio
    told = await session.add_messages([alice.message(content) for content in TURNS])
    page = await session.messages()
    following = await page.get_next_page()
    assert (page.has_next_page(), following is not None and following.has_next_page()) == (True, False)
    assert [message.content async for message in page] == TURNS
    assert (await session.get_message(told[0].id)).content == "turn 0"
    assert (await session.update_message(told[0], {"seen": True})).metadata == {"seen": True}
    uploaded = await session.upload_file(("notes.txt", b"We use uv.", "text/plain"), "alice")
    assert [message.content for message in uploaded] == ["We use uv."]
    for found in (await honcho.aio.search("uv"), await alice.aio.search("uv"), await session.search("uv")):
        assert found[0].content == "We use uv."
    everywhere, here = await honcho.aio.queue_status(), await session.queue_status()
    assert everywhere.pending_work_units == here.pending_work_units > 0
    asked = "which tools do you use"
    assert (await alice.aio.chat(asked) or "").endswith("“We use uv.”")
    assert (await honcho.aio.chat(asked) or "").endswith("“We use uv.”")
    assert "".join([piece async for piece in await alice.aio.chat_stream(asked)]) == await alice.aio.chat(asked)
    assert "".join([piece async for piece in await honcho.aio.chat_stream(asked)]) == await honcho.aio.chat(asked)
    await honcho.aio.schedule_dream("alice")
    assert len([message async for message in await (await session.clone()).aio.messages()]) == len(TURNS) + 1


async def walk_conclusions_async(honcho: Honcho) -> None:
    mine, of_bob = honcho.peer("alice").conclusions.aio, honcho.peer("alice").conclusions_of("bob").aio
    (kept,) = await of_bob.create([{"content": "likes cake", "session_id": "monday"}])
    (lost,) = await mine.create([{"content": "likes tea"}])
    assert [one.content async for one in await of_bob.list()] == ["likes cake"]
    assert ((await mine.get(lost.id)).content, (await of_bob.get_many([kept.id]))[0].id) == ("likes tea", kept.id)
    assert (await honcho.aio.conclusions.get(kept.id)).observed_id == "bob"
    assert (await honcho.conclusions.aio.get_many([kept.id]))[0].id == kept.id
    assert [one.content for one in await mine.query("tea")] == ["likes tea"]
    assert (await mine.derived(lost.id)).items == []
    await mine.delete(lost.id)
    assert [one.id async for one in await honcho.aio.conclusions.list()] == [kept.id]


async def walk_meaning_async(honcho: Honcho) -> None:
    alice, session = honcho.peer("alice"), honcho.session("monday").aio
    known = await alice.aio.representation(target="bob")
    assert known.startswith("## Explicit Observations") and known.endswith("likes cake\n")
    assert await session.representation("alice", target="bob") == known
    assert await alice.conclusions_of("bob").aio.representation() == known
    assert await alice.aio.set_card(["Bakes."], target="bob") == await alice.aio.get_card(target="bob") == ["Bakes."]
    with pytest.warns(DeprecationWarning, match="get_card"):
        assert await alice.aio.card() is None
    own = await alice.aio.context(target="bob")
    assert (own.representation, own.peer_card) == (known, ["Bakes."])
    told = await session.context(tokens=400, peer_target="bob", peer_perspective="alice")
    assert (told.peer_representation, told.peer_card, told.messages[-1].content) == (known, ["Bakes."], "We use uv.")
    assert await session.summaries() == honcho.session("monday").summaries()


async def walk_scopes_async(honcho: Honcho) -> None:
    scope = (await honcho.aio.scope("work")).aio
    await scope.add_sessions(["monday"])
    assert list(await scope.status()) == ["monday"]
    assert [session.id async for session in await scope.sessions()] == ["monday"]
    await scope.remove_session("monday")
    assert (await (await honcho.aio.get_scope("work")).aio.sessions()).items == []
    assert [found.id async for found in await honcho.aio.scopes()] == ["work"]


async def walk_deletion_async(honcho: Honcho) -> None:
    for session in [session async for session in await honcho.aio.sessions()]:
        await session.aio.delete()
    await honcho.aio.delete_workspace(honcho.workspace_id)
    assert (await honcho.aio.workspaces(filters={"id": honcho.workspace_id})).items == []
