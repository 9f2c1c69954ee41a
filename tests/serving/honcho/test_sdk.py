"""The real SDK against a real server on loopback."""

from collections.abc import Iterator

import pytest
from honcho import Honcho
from honcho.api_types import PeerConfig, SessionConfiguration, SessionPeerConfig, WorkspaceConfiguration
from honcho.http.exceptions import BadRequestError, ConflictError, NotFoundError

from tests.support.honcho_server import Served, honcho_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with honcho_server(tmp_path_factory.mktemp("honcho")) as served:
        yield served


@pytest.fixture
def honcho(server: Served, request: pytest.FixtureRequest) -> Iterator[Honcho]:
    """The SDK on a workspace that this test alone uses."""
    client = server.client(request.node.name[:100].replace("[", "-").replace("]", ""))
    yield client
    client._http.close()


def test_a_workspace_keeps_metadata_and_configuration_through_its_life(honcho: Honcho):
    honcho.set_metadata({"team": "blue"})
    honcho.set_configuration(WorkspaceConfiguration.model_validate({"reasoning": {"enabled": True}}))
    honcho.set_configuration(WorkspaceConfiguration.model_validate({"summary": {"enabled": False}}))

    configuration = honcho.get_configuration()
    assert honcho.get_metadata() == {"team": "blue"}
    assert (configuration.reasoning.enabled, configuration.summary.enabled) == (True, False)
    assert honcho.workspace_id in honcho.workspaces(filters={"metadata": {"team": "blue"}}).items


def test_a_workspace_is_deleted_once_its_sessions_are(server: Served, honcho: Honcho):
    session = honcho.session("monday")
    session.add_messages([honcho.peer("alice").message("hello")])
    folder = server.workspaces.folder(honcho.workspace_id)
    with pytest.raises(ConflictError):
        honcho.delete_workspace(honcho.workspace_id)

    session.delete()
    honcho.delete_workspace(honcho.workspace_id)

    assert not folder.exists()
    with pytest.raises(NotFoundError):
        honcho.delete_workspace(honcho.workspace_id)


def test_peers_are_made_once_and_what_is_attached_to_them_is_replaced(honcho: Honcho):
    honcho.peer("alice", metadata={"a": 1}, configuration=PeerConfig(observe_me=False))
    alice = honcho.peer("alice", metadata={"b": 2})
    honcho.peer("bob", metadata={})

    assert alice.get_metadata() == {"b": 2}
    assert alice.get_configuration().observe_me is False
    assert [peer.id for peer in honcho.peers()] == ["alice", "bob"]
    assert [peer.id for peer in honcho.peers(reverse=True)] == ["bob", "alice"]
    assert [peer.id for peer in honcho.peers(filters={"metadata": {"b": 2}})] == ["alice"]


def test_a_session_keeps_its_peers_and_what_holds_for_them(honcho: Honcho):
    session = honcho.session("monday", metadata={"topic": "tea"})
    session.add_peers([("alice", SessionPeerConfig(observe_others=True)), "bob"])
    session.set_peers(["alice", "carol"])
    session.remove_peers("carol")
    session.set_peer_configuration("alice", SessionPeerConfig(observe_me=False))

    assert [peer.id for peer in session.peers()] == ["alice"]
    assert session.get_peer_configuration("alice").observe_me is False
    assert [found.id for found in honcho.peer("alice").sessions()] == ["monday"]
    assert session.get_metadata() == {"topic": "tea"}


def test_a_sessions_configuration_is_merged_and_its_metadata_replaced(honcho: Honcho):
    session = honcho.session("monday", configuration=SessionConfiguration.model_validate({"dream": {"enabled": False}}))
    session.set_metadata({"a": 1})
    session.set_configuration(SessionConfiguration.model_validate({"reasoning": {"enabled": False}}))

    configuration = session.get_configuration()
    assert (configuration.dream.enabled, configuration.reasoning.enabled) == (False, False)
    assert session.get_metadata() == {"a": 1}


def test_messages_come_back_in_the_order_of_their_telling(honcho: Honcho):
    session, alice, bob = honcho.session("monday"), honcho.peer("alice"), honcho.peer("hermes-agent")
    told = session.add_messages(
        [
            alice.message("I use PostgreSQL.", created_at="2025-03-02T10:00:00Z", metadata={"n": 1}),
            bob.message("Noted.", created_at="2025-03-01"),
        ]
    )

    listed = session.messages().items
    assert [message.content for message in listed] == ["I use PostgreSQL.", "Noted."]
    assert [message.id for message in listed] == [message.id for message in told]
    assert [message.token_count for message in listed] == [5, 3]
    assert [len(message.id) for message in told] == [21, 21]
    assert [m.content for m in session.messages(filters={"peer_id": "alice"}).items] == ["I use PostgreSQL."]
    assert session.get_message(told[0].id).metadata == {"n": 1}
    assert session.update_message(told[1], {"seen": True}).metadata == {"seen": True}


def test_pages_run_through_all_of_a_list(honcho: Honcho):
    session, alice = honcho.session("monday"), honcho.peer("alice")
    session.add_messages([alice.message(f"turn {n}") for n in range(100)])
    session.add_messages(alice.message("turn 100"))

    assert [message.content for message in session.messages()] == [f"turn {n}" for n in range(101)]


def test_a_deleted_session_is_gone_and_its_name_is_not_taken_up_again(honcho: Honcho):
    session = honcho.session("monday")
    session.add_messages([honcho.peer("alice").message("hello")])

    session.delete()

    assert honcho.sessions().items == []
    with pytest.raises(NotFoundError):
        honcho.session("monday", metadata={})
    with pytest.raises(NotFoundError):
        session.add_messages([honcho.peer("alice").message("hello again")])


@pytest.mark.parametrize("cut", [None, 0])
def test_a_clone_has_the_same_messages_and_peers(honcho: Honcho, cut: int | None):
    session, alice = honcho.session("monday", metadata={"topic": "tea"}), honcho.peer("alice")
    session.add_peers([("bob", SessionPeerConfig(observe_me=False))])
    told = session.add_messages([alice.message("one", created_at="2025-03-01"), alice.message("two")])

    copy = session.clone(message_id=None if cut is None else told[cut].id)

    kept = told if cut is None else told[: cut + 1]
    assert [(m.content, m.created_at, m.token_count) for m in copy.messages()] == [
        (m.content, m.created_at, m.token_count) for m in kept
    ]
    assert [peer.id for peer in copy.peers()] == ["bob", "alice"]
    assert copy.get_peer_configuration("bob").observe_me is False
    assert copy.get_metadata() == {"topic": "tea"}


def test_a_clone_of_an_empty_session_is_there_afterwards(honcho: Honcho):
    copy = honcho.session("monday", metadata={}).clone()

    assert {session.id for session in honcho.sessions()} == {"monday", copy.id}


def test_conclusions_that_a_client_wrote_are_kept_until_they_are_deleted(honcho: Honcho):
    alice = honcho.peer("alice", metadata={})
    honcho.session("monday", metadata={})
    first, second = alice.conclusions.create(
        [{"content": "likes tea", "session_id": "monday"}, {"content": "likes cake"}]
    )

    assert [found.content for found in alice.conclusions.list()] == ["likes cake", "likes tea"]
    assert [found.content for found in alice.conclusions.list(session="monday")] == ["likes tea"]
    assert [found.content for found in alice.conclusions.get_many([first.id])] == ["likes tea"]
    assert alice.conclusions.get(second.id).session_id is None
    alice.conclusions.delete(first.id)
    assert [found.content for found in alice.conclusions.list()] == ["likes cake"]


def test_a_scope_looks_at_the_sessions_that_it_is_given(honcho: Honcho):
    honcho.session("monday", metadata={}), honcho.session("tuesday", metadata={})
    scope = honcho.scope("work", metadata={"a": 1})
    scope.add_sessions(["monday", "tuesday"])
    scope.remove_session("monday")

    assert [session.id for session in scope.sessions()] == ["tuesday"]
    assert scope.status()["tuesday"].state == "completed"
    assert [found.id for found in honcho.scopes()] == ["work"]
    assert list(honcho.peers()) == []


def test_more_than_ten_observers_are_refused_and_nothing_is_kept(honcho: Honcho):
    session = honcho.session("monday", metadata={})
    with pytest.raises(BadRequestError):
        session.add_peers([(f"peer{n}", SessionPeerConfig(observe_others=True)) for n in range(11)])

    assert session.peers() == []


def test_two_workspaces_share_nothing(server: Served, honcho: Honcho):
    one = honcho
    other = Honcho(base_url=server.url, workspace_id="Two", http_client=one._http._client)
    one.session("monday").add_messages([one.peer("alice").message("hello")])
    other.session("tuesday", metadata={})

    assert [peer.id for peer in one.peers()] == ["alice"]
    assert list(other.peers()) == []
    assert [session.id for session in other.sessions()] == ["tuesday"]
