"""The scheduler: real child processes, which end well, fail, are killed, hang, or find another one dreaming."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from hymem import HyMem
from hymem.store.lock import dream_lock
from serving.scheduler import COMMAND, NICENESS, DreamStatus, Scheduler
from tests.support.openai_server import Answer, OpenAIServer

SAID = {"session_id": "monday", "role": "user", "content": "The API depends on PostgreSQL."}


def environment(**more: str) -> dict[str, str]:
    held = {name: value for name, value in os.environ.items() if not name.startswith(("HYMEM_", "DEEPSEEK_"))}
    return {**held, "HYMEM_LLM_MODEL": "rules", **more}


def program(source: str) -> list[str]:
    """A child that does something else than dreaming."""
    return [sys.executable, "-c", source]


def until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not come to that"
        time.sleep(0.02)


def ended(scheduler: Scheduler, root: Path, dreams: int = 1) -> DreamStatus:
    """The status once so many dreams have ended."""
    until(lambda: scheduler.status(root).dreams >= dreams)
    return scheduler.status(root)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[HyMem]:
    with HyMem(tmp_path) as memory:
        memory.log_messages([SAID])
        yield memory


def test_what_was_said_is_dreamt_over_beside_the_server(memory: HyMem):
    with Scheduler(environment=environment()) as scheduler:
        before = time.monotonic()
        scheduler.kick(memory.root)
        took = time.monotonic() - before
        status = ended(scheduler, memory.root)

    assert took < 0.5
    assert (status.state, status.ok, status.last["outcome"]) == ("idle", True, "done")
    assert [edge.object for edge in memory.edges()] == ["postgresql"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no niceness")
def test_a_dream_stands_back_from_those_who_wait_for_an_answer(tmp_path: Path):
    tells = "import json, os, time; time.sleep(0.2); print(json.dumps({'nice': os.nice(0)}))"
    with Scheduler(command=program(tells)) as scheduler:
        scheduler.kick(tmp_path)
        status = ended(scheduler, tmp_path)

    assert status.last["nice"] == min(19, os.nice(0) + NICENESS)


def test_kicks_within_the_cooldown_are_one_dream(tmp_path: Path):
    with Scheduler(command=program("print('{}')"), cooldown_seconds=1.0) as scheduler:
        for _ in range(50):
            scheduler.kick(tmp_path)
        ended(scheduler, tmp_path)
        for _ in range(50):
            scheduler.kick(tmp_path)
        waiting = scheduler.status(tmp_path)
        ended(scheduler, tmp_path, 2)
        time.sleep(0.3)

        assert waiting.state == "due" and waiting.due_in is not None and waiting.due_in > 0.2
        assert (scheduler.status(tmp_path).dreams, scheduler.status(tmp_path).state) == (2, "idle")


def test_a_dream_that_is_asked_for_at_once_waits_for_no_cooldown(tmp_path: Path):
    with Scheduler(command=program("print('{}')"), cooldown_seconds=3600) as scheduler:
        scheduler.kick(tmp_path)
        ended(scheduler, tmp_path)
        scheduler.kick(tmp_path)
        scheduler.kick(tmp_path, at_once=True)

        assert ended(scheduler, tmp_path, 2).state == "idle"


def test_one_workspace_dreams_one_dream_at_a_time_and_others_beside_it(tmp_path: Path):
    marks = """
import pathlib, sys, time
root = pathlib.Path(sys.argv[-1])
mark = root / "dreaming"
mark.touch(exist_ok=False)
time.sleep(0.3)
mark.unlink()
print('{}')
"""
    roots = [tmp_path / name for name in "abc"]
    for root in roots:
        root.mkdir()
    with Scheduler(command=program(marks), cooldown_seconds=0, at_once=2) as scheduler:
        most = 0
        for root in roots * 2:
            scheduler.kick(root)
        until(lambda: len(scheduler.statuses()) == 3)
        while any(status.state != "idle" for status in scheduler.statuses().values()):
            most = max(most, sum(status.state == "dreaming" for status in scheduler.statuses().values()))
            scheduler.kick(roots[0]) if scheduler.status(roots[0]).dreams == 0 else None
            time.sleep(0.02)

        assert most == 2
        assert all(status.ok for status in scheduler.statuses().values())


def test_what_the_budget_left_over_is_dreamt_over_after_the_cooldown(tmp_path: Path):
    counts = """
import pathlib, sys, json
seen = pathlib.Path(sys.argv[-1]) / "seen"
seen.write_text((seen.read_text() if seen.exists() else "") + ".")
print(json.dumps({"outcome": "done", "waiting": 3 - len(seen.read_text())}))
"""
    with Scheduler(command=program(counts), cooldown_seconds=0.2) as scheduler:
        scheduler.kick(tmp_path)
        ended(scheduler, tmp_path, 3)
        time.sleep(0.5)

        assert scheduler.status(tmp_path).dreams == 3


def test_a_dream_that_fails_says_why_and_is_tried_again_after_a_rest_that_grows(tmp_path: Path):
    fails = program("import sys; print('a word'); sys.exit('error: the disk is full')")
    with Scheduler(command=fails, cooldown_seconds=0.0) as scheduler:
        scheduler.kick(tmp_path)
        first = ended(scheduler, tmp_path)
        scheduler.kick(tmp_path)
        second = ended(scheduler, tmp_path, 2)

    assert (first.ok, first.trouble, first.failures, first.state) == (False, "the disk is full", 1, "due")
    assert first.due_in is not None and 1 < first.due_in <= 2
    assert second.failures == 2 and second.due_in is not None and 3 < second.due_in <= 4


def test_an_endpoint_that_is_down_is_told_as_the_dream_tells_it(memory: HyMem):
    with (
        OpenAIServer([Answer(status=401, error={"message": "no such key"})]) as server,
        Scheduler(
            environment=environment(
                HYMEM_LLM_BASE_URL=server.url, HYMEM_LLM_MODEL="m", HYMEM_LLM_API_KEY="sk-0123456789"
            )
        ) as scheduler,
    ):
        scheduler.kick(memory.root)
        status = ended(scheduler, memory.root)

    assert status.failures == 1 and status.trouble is not None
    assert "401" in status.trouble or "no such key" in status.trouble
    assert "sk-0123456789" not in status.trouble


def test_a_key_is_never_on_a_command_line():
    assert not any("key" in word.lower() for word in COMMAND)


def test_trouble_is_over_when_a_dream_succeeds(tmp_path: Path):
    mends = """
import pathlib, sys
tried = pathlib.Path(sys.argv[-1]) / "tried"
if not tried.exists():
    tried.touch()
    sys.exit("error: not yet")
print('{"outcome": "done"}')
"""
    with Scheduler(command=program(mends), cooldown_seconds=0.0) as scheduler:
        scheduler.kick(tmp_path)
        ended(scheduler, tmp_path)
        scheduler.kick(tmp_path, at_once=True)

        assert (ended(scheduler, tmp_path, 2).trouble, scheduler.status(tmp_path).failures) == (None, 0)


def test_a_killed_dream_is_no_secret(tmp_path: Path):
    with Scheduler(command=program("import os; os.kill(os.getpid(), 9)")) as scheduler:
        scheduler.kick(tmp_path)

        assert "killed by signal 9" in str(ended(scheduler, tmp_path).trouble)


def test_a_hanging_dream_is_ended_even_where_it_will_not_listen(tmp_path: Path):
    deaf = program("import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(60)")
    with Scheduler(command=deaf, limit_seconds=0.5, grace_seconds=0.3) as scheduler:
        scheduler.kick(tmp_path)
        status = ended(scheduler, tmp_path)

    assert "lasted longer than 0.5 s" in str(status.trouble)


def test_a_dream_that_cannot_be_started_is_trouble(tmp_path: Path):
    with Scheduler(command=[str(tmp_path / "nothing")]) as scheduler:
        scheduler.kick(tmp_path)
        until(lambda: not scheduler.status(tmp_path).ok)

        assert "could not be started" in str(scheduler.status(tmp_path).trouble)


def test_what_another_process_dreams_is_waited_for_and_is_no_failure(memory: HyMem):
    with Scheduler(environment=environment(), cooldown_seconds=0.0) as scheduler:
        with dream_lock(memory._database):
            scheduler.kick(memory.root)
            busy = ended(scheduler, memory.root)
        done = ended(scheduler, memory.root, 2)

    assert (busy.ok, busy.failures, busy.state) == (True, 0, "due")
    assert done.last["outcome"] == "done"


def test_closing_ends_the_dream_and_keeps_what_was_paid_for(memory: HyMem):
    memory.log_messages(
        [{**SAID, "content": f"The worker depends on tool{n}.", "session_id": f"s{n}"} for n in range(9)]
    )
    with OpenAIServer(latency=0.3) as server:
        scheduler = Scheduler(
            environment=environment(HYMEM_LLM_BASE_URL=server.url, HYMEM_LLM_MODEL="m", HYMEM_LLM_CONCURRENCY="1")
        )
        scheduler.kick(memory.root)
        until(lambda: len(server.asked) >= 3)
        scheduler.close()

    (run,) = memory.runs()
    assert run.outcome == "interrupted" and run.answered >= 2
    assert memory.query("select count(*) as n from processed_chunks").n[0] >= 2


def test_a_workspace_that_is_forgotten_dreams_no_more(tmp_path: Path):
    with Scheduler(command=program("import time; time.sleep(60)")) as scheduler:
        scheduler.kick(tmp_path)
        until(lambda: scheduler.status(tmp_path).state == "dreaming")
        scheduler.forget(tmp_path)

        assert scheduler.statuses() == {}


def test_how_each_dream_ended_is_told(tmp_path: Path):
    told = []
    with Scheduler(
        command=program("print('{}')"), on_end=lambda root, status: told.append((root, status.ok))
    ) as scheduler:
        scheduler.kick(tmp_path)
        until(lambda: bool(told))

    assert told == [(tmp_path, True)]


def test_a_dream_ended_by_a_service_manager_keeps_what_it_had(memory: HyMem):
    with OpenAIServer(latency=0.3) as server:
        held = environment(HYMEM_LLM_BASE_URL=server.url, HYMEM_LLM_MODEL="m", HYMEM_LLM_CONCURRENCY="1")
        process = subprocess.Popen([*COMMAND, "--root", str(memory.root)], env=held, stderr=subprocess.DEVNULL)
        until(lambda: len(server.asked) >= 1)
        process.send_signal(signal.SIGTERM)

        assert process.wait(30) == 130
    assert memory.runs()[0].outcome == "interrupted"
