"""Several at once: one dreams at a time, the dead are noticed, and whatever happens during a dream counts afterwards."""

import subprocess
import sys
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from socket import gethostname

import pytest

from hymem.errors import BusyError
from serving.memory import HyMem
from tests.support.conversations import Turn, World, day

SAID = [Turn("m1", "monday", "user", "api uses Redis.", 1), Turn("m2", "monday", "user", "worker uses uv.", 2)]


def meanwhile(world: World, act: Callable[[HyMem], object]) -> None:
    """Let something happen, from another connection, while the next dream waits for its model."""

    def happen() -> None:
        with world.memory.fork() as other:
            act(other)

    world.listener.during = happen


def test_of_two_dreams_at_once_the_second_is_turned_away_and_noted():
    with World.of(SAID) as world:
        refused: list[str] = []

        def dream_too(other: HyMem) -> None:
            with pytest.raises(BusyError, match="another dream is running") as told:
                other.dream()
            refused.append(str(told.value))

        meanwhile(world, dream_too)
        run = world.dream()

        assert (run.outcome, len(refused)) == ("done", 1)
        assert sorted(run.outcome for run in world.memory.runs()) == ["done", "locked"]


def test_opening_a_memory_leaves_a_running_dreams_lock_alone():
    with World.of(SAID) as world:
        meanwhile(world, lambda other: HyMem(other.root, llm=other.llm).close())

        assert world.dream().outcome == "done"


@pytest.mark.parametrize(
    ("host", "silent_days", "outcome"),
    [(gethostname(), 0, "done"), ("elsewhere", 5 / 1440, "done"), ("elsewhere", 4.9 / 1440, "busy")],
    ids=["dead here", "silent elsewhere", "alive elsewhere"],
)
def test_a_dead_dreamers_lock_is_taken_over(host: str, silent_days: float, outcome: str):
    dead = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    with World.of(SAID) as world:
        at = day(366 - silent_days)
        world.write(f"insert into run_lock values ('dream', 'x', '{host}', {int(dead.stdout)}, '{at}', '{at}')")

        assert outcome_of(world) == outcome
        assert bool(world.edges()) == (outcome == "done")


def test_a_dream_whose_lock_was_taken_over_writes_nothing():
    with World.of(SAID) as world:
        world.dream()
        remembered = world.remembered()
        world.say("billing uses pip.", on=3)
        meanwhile(world, lambda other: world.write("update run_lock set holder = 'another'"))

        with pytest.raises(BusyError, match="another one took over"):
            world.dream()

        assert world.remembered() == remembered
        assert world.rows("select holder from run_lock") == [("another",)]
        assert len(world.rows("select 1 from processed_chunks where kind = 'extraction'")) == 2
        assert sorted(run.outcome for run in world.memory.runs()) == ["done", "failed"]


def test_what_is_logged_during_a_dream_is_for_the_next():
    with World.of(SAID) as world:
        meanwhile(world, lambda other: other.log_message("monday", "user", "billing uses pip.", created_at=day(3)))
        world.dream()
        first = set(world.edges())

        world.dream()

        assert set(world.edges()) - first == {"billing uses pip"}
        assert len(world.listener.asked) == 3
        assert world.tables() == world.recomputed()


@pytest.mark.parametrize(
    ("act", "edges"),
    [
        (lambda m: m.alias("worker", "api"), {"api uses redis": "active", "api uses uv": "active"}),
        (lambda m: m.erase_message("m1"), {"worker uses uv": "active"}),
        (lambda m: m.erase_session("monday"), {}),
        (lambda m: m.retract_edge("api", "uses", "redis"), {"api uses redis": "retracted", "worker uses uv": "active"}),
    ],
    ids=["alias", "erase a message", "erase a session", "retract"],
)
def test_what_someone_does_during_a_dream_is_done_when_it_ends(act: Callable[[HyMem], object], edges: dict[str, str]):
    with World.of(SAID) as world:
        world.dream()
        world.listener.model = "successor"
        meanwhile(world, act)

        world.dream()

        assert {edge: status for edge, (_, _, status) in world.edges().items()} == edges
        assert world.tables() == world.recomputed()
        world.check()


def test_a_ledger_that_is_never_quiet_ends_the_dream_and_the_next_one_catches_up():
    with World.of(SAID) as world:
        names = iter(f"name{n}" for n in range(100))

        def act_again_and_again(other: HyMem) -> None:
            other.alias(next(names), "api")
            world.listener.model = next(names)
            meanwhile(world, act_again_and_again)

        meanwhile(world, act_again_and_again)
        with pytest.raises(BusyError, match="dream again when it is quiet"):
            world.dream()
        world.listener.during = None
        world.dream()

        assert [run.outcome for run in world.memory.runs()].count("failed") == 1
        assert set(world.edges()) == {"api uses redis", "worker uses uv"}
        assert world.tables() == world.recomputed()


def test_sixteen_threads_that_log_at_once_lose_nothing():
    with World.of() as world:
        ready = threading.Barrier(16)

        def talk(number: int) -> None:
            ready.wait()
            for turn in range(20):
                world.memory.log_message(f"s{number}", "user", f"turn {turn}", message_id=f"{number}.{turn}")

        with ThreadPoolExecutor(16) as pool:
            list(pool.map(talk, range(16)))

        assert len({message.message_id for message in world.memory.messages()}) == 320
        assert {session.messages for session in world.memory.sessions()} == {20}
        world.check()


def outcome_of(world: World) -> str:
    try:
        return world.dream().outcome
    except BusyError:
        return "busy"
