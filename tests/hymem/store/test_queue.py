"""What waits to be dreamt over: until it is dreamt over, whatever came between."""

from hymem.config import HyMemConfig
from hymem.store.queue import Backlog
from tests.support.talk import day
from tests.support.world import World


def test_messages_wait_until_they_are_dreamt_over():
    with World.of() as world:
        world.say("We use Redis.", 0)
        world.say("Noted.", 0, role="assistant")
        world.say("api uses Kafka.", 1, session="offsite")
        before = world.memory.backlogs()
        world.dream()
        after = world.memory.backlogs()

    assert before == [
        Backlog("monday", "assistant", 0, 0, 1),
        Backlog("monday", "user", 0, 0, 1),
        Backlog("offsite", "user", 0, 0, 1),
    ]
    assert [(each.completed, each.in_progress, each.pending) for each in after] == [(1, 0, 0)] * 3


def test_only_what_is_new_waits_in_a_session_that_goes_on():
    with World.of() as world:
        world.say("We use Redis.")
        world.dream()
        world.clock.now = day(367)
        world.say("api uses Kafka.", 367)

        assert world.memory.backlogs() == [Backlog("monday", "user", 1, 0, 1)]


def test_what_a_budget_left_over_waits():
    with World.of(config=HyMemConfig(dream_budget=1)) as world:
        for number in range(4):
            world.say(f"We use tool{number}.", number, session=f"s{number}")
        world.clock.now = day(367)
        run = world.dream(budget=None)
        left = sum(each.pending for each in world.memory.backlogs())
        world.dream()

        assert run.waiting > 0 and left == 3
        assert sum(each.pending for each in world.memory.backlogs()) == 0


LOCKED = "insert into run_lock values ('dream', 'me', 'another-machine', 1, '{since}', '{heartbeat}')"


def test_what_had_been_said_when_a_dream_began_is_in_progress():
    with World.of() as world:
        world.say("We use Redis.")
        world.write(LOCKED.format(since=world.clock(), heartbeat=world.clock()))

        assert world.memory.backlogs() == [Backlog("monday", "user", 0, 1, 0)]


def test_nothing_is_in_progress_for_a_dreamer_that_died():
    with World.of() as world:
        world.say("We use Redis.")
        world.write(LOCKED.format(since=world.clock(), heartbeat=day(1)))

        assert world.memory.backlogs() == [Backlog("monday", "user", 0, 0, 1)]
