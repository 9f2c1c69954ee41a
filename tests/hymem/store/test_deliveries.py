"""What is delivered twice is stored once, and what is said twice is kept."""

import threading

import pytest

from hymem.errors import ConflictError
from hymem.store.deliveries import Delivery
from tests.support.world import World

SAID = {"session_id": "monday", "role": "user", "content": "yes"}


def send(
    world: World, body: bytes = b"yes", key: str | None = None, session: str = "monday"
) -> tuple[tuple[str, ...], int]:
    logged = world.memory.log_messages([SAID | {"session_id": session}], delivery=Delivery(session, body, key))
    return logged.message_ids, logged.added


def test_a_body_that_comes_again_at_once_is_stored_once():
    with World.of(now="2026-06-01T00:00:00.000000Z") as world:
        first = send(world)
        world.clock.now = "2026-06-01T00:00:04.900000Z"

        assert send(world) == (first[0], 0)
        assert len(world.memory.messages()) == 1


def test_a_short_word_said_again_later_or_elsewhere_is_kept():
    with World.of(now="2026-06-01T00:00:00.000000Z") as world:
        send(world)
        send(world, session="tuesday")
        world.clock.now = "2026-06-01T00:00:05.100000Z"
        send(world)

        assert len(world.memory.messages()) == 3


def test_a_key_is_good_for_a_day():
    with World.of(now="2026-06-01T00:00:00.000000Z") as world:
        first = send(world, key="k")
        world.clock.now = "2026-06-01T23:59:00.000000Z"
        again = send(world, key="k")
        world.clock.now = "2026-06-02T00:00:01.000000Z"

        assert again == (first[0], 0)
        assert send(world, key="k")[1] == 1


def test_a_key_stands_for_one_body():
    with World.of() as world:
        send(world, key="k")

        with pytest.raises(ConflictError, match="use a new key"):
            send(world, b"no", key="k")
        assert (send(world, key="another")[1], len(world.memory.messages())) == (1, 2)


def test_a_delivery_that_comes_twice_at_the_same_time_is_stored_once():
    with World.of() as world:
        together = threading.Barrier(8)

        def deliver() -> None:
            together.wait()
            send(world)

        threads = [threading.Thread(target=deliver) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()

        assert len(world.memory.messages()) == 1


def test_nothing_is_remembered_of_deliveries_longer_than_needed():
    with World.of(now="2026-06-01T00:00:00.000000Z") as world:
        for number in range(20):
            world.clock.now = f"2026-06-01T00:01:{number:02}.000000Z"
            send(world, body=b"%d" % number)

        assert world.rows("select count(*) from deliveries") == [(6,)]


def test_what_is_erased_takes_its_deliveries_along():
    with World.of() as world:
        (message_id,), _ = send(world, key="k")
        world.memory.erase_message(message_id)
        assert world.rows("select * from deliveries") == []
        send(world, key="k")
        world.memory.erase_session("monday")

        assert world.rows("select * from deliveries") == []
