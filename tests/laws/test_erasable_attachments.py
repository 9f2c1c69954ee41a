"""The fifth law for what clients attach: no byte of it remains once its session, its peer or it itself is erased."""

from collections.abc import Callable

import pytest

from hymem.store import cards, conclusions, session_peers, sessions
from hymem.store.connection import Connection
from hymem.store.peers import ensure_peer
from tests.support.conversations import World, day

SECRET = "Zanzibar"
NOW = day(0)


def attach(connection: Connection) -> None:
    """A session and a peer with everything that can be attached to them."""
    for peer in ("alice", "bob"):
        ensure_peer(connection, peer, NOW, metadata={"note": SECRET if peer == "alice" else ""})
    sessions.ensure_session(connection, "offsite", NOW, metadata={"note": SECRET}, configuration={"note": SECRET})
    session_peers.join(connection, "offsite", {"alice": session_peers.Attention()}, NOW)
    told = conclusions.NewConclusion(f"likes {SECRET}", "alice", "bob", "offsite")
    conclusions.add_conclusions(connection, [told], NOW)
    cards.write_card(connection, "bob", "alice", [f"Lives in {SECRET}"], NOW)


def forget_session_and_peer(world: World) -> None:
    world.memory.erase_session("offsite")
    world.memory.forget(peer="alice")


def wipe(world: World) -> None:
    world.memory.wipe()


@pytest.mark.parametrize("erase", [forget_session_and_peer, wipe])
def test_no_byte_of_what_was_attached_remains(erase: Callable[[World], None]):
    with World.of() as world:
        with world.database.writing() as connection:
            attach(connection)
        world.memory.log_message("offsite", "user", f"I moved to {SECRET}.", peer_id="alice")
        assert SECRET.encode() in world.bytes_on_disk()

        erase(world)

        assert SECRET.encode() not in world.bytes_on_disk()
        assert world.rows("select count(*) from conclusions") == [(0,)]
        world.dream()
        world.check()


def test_conclusions_and_cards_survive_a_dream():
    with World.of() as world:
        with world.database.writing() as connection:
            attach(connection)
        world.dream()

        with world.database.reading() as connection:
            assert cards.read_card(connection, "bob", "alice") == [f"Lives in {SECRET}"]
        assert world.rows("select content from conclusions") == [(f"likes {SECRET}",)]
