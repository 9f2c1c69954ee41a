"""The third law: a process that is killed at any instant loses no reply that had arrived, and leaves nothing half written.

Real processes dream over a real HTTP server, and log into a real file, and are killed with SIGKILL at random moments.
"""

import json
import os
import random
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from signal import SIGKILL
from typing import IO

import pytest

import hymem
from tests.support.conversations import Turn, World, day, noted, understood
from tests.support.openai_server import OpenAIServer

AT_ONCE = 4
PREPARATION = """
import sys
from dataflows import dreaming
from hymem.models.openai_chat import OpenAIChat
from serving.memory import HyMem

root, url, now, at_once = sys.argv[1:]
model = OpenAIChat(url, None, "listener", concurrency=int(at_once))
memory = HyMem(root, llm=model, concurrency=int(at_once), clock=lambda: now)
print("ready", flush=True)
"""
DREAMING = f"{PREPARATION}memory.dream(budget=0)"
DYING = (
    """
import os, signal, sys
import apsw

left = int(sys.argv.pop())

def count(*_):
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

apsw.connection_hooks.append(lambda connection: connection.set_update_hook(count))
"""
    + DREAMING
)
LOGGING = f"""{PREPARATION}
from itertools import count
for batch in count():
    names = [f"{{batch}}.{{n}}" for n in range(5)]
    memory.log_messages(dict(session_id="monday", role="user", content=name, message_id=name) for name in names)
    print(batch, flush=True)
"""
SAID = [
    Turn(f"m{n}", f"s{n % 3}", "user", f"api{n % 7} depends on worker{n % 5}. I prefer tabs. Point {n}.", n * 9)
    for n in range(24)
]
QUESTIONS = 24 + 3
"""One for each chunk, one for each session."""


def answered(body: dict) -> dict:
    """What the model on the other side of the wire understands."""
    material = json.loads(body["messages"][-1]["content"])
    return noted(material["turns"]) if "turns" in material else understood(f"{material['context']}\n{material['text']}")


@contextmanager
def process(program: str, root: Path, url: str, *more: str) -> Iterator[tuple[subprocess.Popen[str], IO[str]]]:
    """A process that runs the program on this memory and is past its imports; killed at the end of the block."""
    command = [sys.executable, "-c", program, str(root), url, day(366), str(AT_ONCE), *more]
    environment = {**os.environ, "PYTHONPATH": str(Path(hymem.__file__).parents[1])}
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            yield child, child.stdout
        finally:
            child.kill()


def kept(world: World) -> set[str]:
    """The questions whose replies are in the ledger: the last turn of each chunk, the first of each window."""
    return {
        f"{kind}: {content}"
        for kind, content in world.rows("""
            select kind, content
            from processed_chunks join messages on seq = iif(kind = 'session', first_seq, last_seq)""")
    }


def asked(server: OpenAIServer, since: int = 0) -> list[str]:
    """The questions that reached the server, named as `kept` names them."""
    materials = [json.loads(body["messages"][-1]["content"]) for body in server.asked[since:]]
    return [f"session: {m['turns'][0]['text']}" if "turns" in m else f"extraction: {m['text']}" for m in materials]


def wait_until_asked(server: OpenAIServer, questions: int, child: subprocess.Popen[str]) -> None:
    """Wait until so many questions came, or the child is gone."""
    while len(server.asked) < questions and child.poll() is None:
        time.sleep(0.001)


def killed_dreams(kills: int, seed: int) -> None:
    """Kill so many dreams, most while they ask, the last while it computes and writes; then let one live."""
    randomly = random.Random(seed)
    with World.of(SAID) as world, World.of(SAID) as undisturbed, OpenAIServer(answered, latency=0.04) as server:
        undisturbed.dream()
        for kill in range(kills):
            before, so_far = kept(world), len(server.asked)
            waiting = QUESTIONS - len(before)
            questions = randomly.randint(0, waiting // 2) if kill < kills - 1 else waiting
            with process(DREAMING, world.root, server.url) as (child, _output):
                wait_until_asked(server, so_far + questions, child)
                time.sleep(randomly.uniform(0, 0.5 if questions == waiting else 0.05))
                child.kill()
                child.wait()
            new = asked(server, since=so_far)
            assert before.isdisjoint(new)
            assert len(set(new) - kept(world)) <= AT_ONCE
            assert is_whole_or_empty(world, undisturbed)
        with process(DREAMING, world.root, server.url) as (child, _output):
            assert child.wait(timeout=60) == 0
        assert world.remembered() == undisturbed.remembered()
        counted = Counter(asked(server))
        assert set(counted) == kept(world)
        assert len(counted) == QUESTIONS
        assert counted.total() <= QUESTIONS + kills * AT_ONCE


def dying_dreams(rows: Sequence[int]) -> list[int]:
    """Let dreams die as they write one of their rows, the given one; how many of them left nothing."""
    empty = []
    with World.of(SAID) as world, World.of(SAID) as undisturbed, OpenAIServer(answered) as server:
        undisturbed.dream()
        for row in rows:
            with process(DYING, world.root, server.url, str(row)) as (child, _output):
                assert child.wait(timeout=60) == -SIGKILL
            assert is_whole_or_empty(world, undisturbed)
            empty += [row] if world.rows("select 1 from dream_state") == [] else []
        world.dream()
        assert world.remembered() == undisturbed.remembered()
    return empty


def is_whole_or_empty(world: World, undisturbed: World) -> bool:
    """Whether the tables are those of a whole dream, or of none."""
    world.check()
    nothing = {name: [] for name in world.tables()}
    return world.tables() == (undisturbed.tables() if world.rows("select 1 from dream_state") else nothing)


def killed_writers(kills: int, seed: int) -> None:
    """Kill who logs messages: every batch is there whole or not at all, and every batch that was confirmed is there."""
    randomly = random.Random(seed)
    for _ in range(kills):
        with World.of() as world:
            with process(LOGGING, world.root, "http://127.0.0.1:9/v1") as (child, output):
                time.sleep(randomly.uniform(0, 0.3))
                child.kill()
                confirmed = {int(line) for line in output if line.endswith("\n")}
            batches = Counter(int(message.message_id.partition(".")[0]) for message in world.memory.messages())
            assert set(batches.values()) <= {5}
            assert confirmed <= batches.keys()
            assert len(batches) <= len(confirmed) + 1
            assert world.rows("select revision from ledger_state") == [(len(batches),)]
            world.check()


def test_a_dream_that_is_killed_loses_no_reply_and_leaves_no_half():
    killed_dreams(kills=3, seed=1)


def test_a_dream_that_dies_while_it_writes_leaves_all_or_nothing():
    rows = [20, 60, 150, 250]

    assert dying_dreams(rows) == rows


def test_a_writer_that_is_killed_leaves_whole_batches():
    killed_writers(kills=3, seed=1)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(2, 52))
def test_hundreds_of_killed_dreams(seed: int):
    killed_dreams(kills=6, seed=seed)


@pytest.mark.soak
@pytest.mark.timeout(0)
@pytest.mark.parametrize("seed", range(10))
def test_hundreds_of_dreams_that_die_while_they_write(seed: int):
    rows = random.Random(seed).sample(range(1, 200), 20)

    assert dying_dreams(rows) == rows


@pytest.mark.soak
@pytest.mark.timeout(0)
def test_hundreds_of_killed_writers():
    killed_writers(kills=200, seed=2)
