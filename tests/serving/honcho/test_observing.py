"""Who does not want to be observed is not: told through the server, decided when the turn is told."""

from collections.abc import Iterator

import pytest
from honcho import Honcho
from honcho.api_types import PeerConfig, SessionConfiguration, SessionPeerConfig, WorkspaceConfiguration

from tests.support.honcho_server import Served, honcho_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with honcho_server(tmp_path_factory.mktemp("honcho")) as served:
        yield served


@pytest.fixture
def honcho(server: Served, request: pytest.FixtureRequest) -> Iterator[Honcho]:
    client = server.client(request.node.name)
    yield client
    client._http.close()


def observed(server: Served, honcho: Honcho) -> dict[str, bool]:
    """By what was said, whether it may be learnt from."""
    with server.workspaces.use(honcho.workspace_id) as memory, memory.reading() as connection:
        found = connection.execute("select content, observed from messages order by seq").fetchall()
    return {content: bool(may) for content, may in found}


REASONING = {"reasoning": {"enabled": False}}


def test_what_holds_for_a_peer_in_a_session_holds_before_what_holds_for_the_peer(server: Served, honcho: Honcho):
    shy = honcho.peer("shy", configuration=PeerConfig(observe_me=False))
    monday, tuesday = honcho.session("monday"), honcho.session("tuesday")
    tuesday.add_peers([("shy", SessionPeerConfig(observe_me=True))])
    monday.add_messages([shy.message("one"), honcho.peer("bold").message("two")])
    tuesday.add_messages([shy.message("three")])

    assert observed(server, honcho) == {"one": False, "two": True, "three": True}


def test_a_message_decides_before_its_session_and_that_before_the_workspace(server: Served, honcho: Honcho):
    honcho.set_configuration(WorkspaceConfiguration.model_validate(REASONING))
    alice = honcho.peer("alice")
    quiet = honcho.session("quiet", metadata={})
    open_one = honcho.session(
        "open", configuration=SessionConfiguration.model_validate({"reasoning": {"enabled": True}})
    )
    quiet.add_messages([alice.message("one"), alice.message("two", configuration={"reasoning": {"enabled": True}})])
    open_one.add_messages([alice.message("three"), alice.message("four", configuration=REASONING)])

    assert observed(server, honcho) == {"one": False, "two": True, "three": True, "four": False}


def test_a_change_holds_for_what_is_said_from_then_on(server: Served, honcho: Honcho):
    alice, session = honcho.peer("alice"), honcho.session("monday")
    session.add_messages([alice.message("one")])
    alice.set_configuration(PeerConfig(observe_me=False))
    session.add_messages([alice.message("two")])

    assert observed(server, honcho) == {"one": True, "two": False}
