import os
import pickle
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from dataflows.scaling import BatchKeeper, SharingAsker
from dataflows.workers import workforce
from hymem.config import HyMemConfig
from hymem.errors import ConfigError, InputError
from hymem.models.openai_chat import OpenAIChat
from hymem.models.rules.client import RulesExtractor
from hymem.records import DreamRun
from tests.support.command_line import CommandLine, said
from tests.support.openai_server import OpenAIServer
from tests.support.talk import Turn
from tests.support.world import World

TURNS = [
    Turn(
        f"m{number}", f"session-{number % 3}", "user", f"Service{number} depends on PostgreSQL. I prefer tabs.", number
    )
    for number in range(20)
]


@contextmanager
def dreamt(config: HyMemConfig | None = None, **how: Any) -> Iterator[tuple[World, DreamRun]]:
    with World.of(TURNS, config) as world:
        yield world, world.memory.dream(budget=0, **how)


DREAMING = """
import sys
from pathlib import Path
from hymem import HyMem
from hymem.models.openai_chat import OpenAIChat
from hymem.models.rules.client import RulesExtractor
from tests.support.world import Clock

if __name__ == "__main__":
    root, now, executor, url = sys.argv[1:]
    llm = OpenAIChat(url, "secret", "some-model") if url else RulesExtractor()
    with HyMem(Path(root), llm=llm, clock=Clock(now)) as memory:
        memory.dream(budget=0, executor=executor or None)
"""


def dreamt_apart(world: World, executor: str = "", url: str = "") -> World:
    """The world after a dream in a process of its own, which is what a cluster's library leaves its loose ends in."""
    arguments = [str(world.root), world.clock.now, executor, url]
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    subprocess.run([sys.executable, "-c", DREAMING, *arguments], env=environment, check=True, timeout=110)
    return world


def assert_equal_on(executor: str) -> None:
    with World.of(TURNS) as alone, World.of(TURNS) as together:
        assert dreamt_apart(together, executor).remembered() == dreamt_apart(alone).remembered()
        assert len(together.edges()) == len(TURNS) + 1


def test_memory_is_the_same_where_the_model_was_asked_on_threads():
    with World.of(TURNS) as alone, World.of(TURNS) as together:
        alone.memory.llm = together.memory.llm = RulesExtractor()
        alone.dream()
        together.memory.dream(budget=0, executor="threads")

        assert together.remembered() == alone.remembered()


def test_memory_is_the_same_where_the_model_was_asked_on_dask():
    assert_equal_on("dask")


@pytest.mark.soak
def test_memory_is_the_same_where_the_model_was_asked_on_ray():
    pytest.importorskip("ray", reason="Ray is not installed: pip install 'hymem[ray]'")

    assert_equal_on("ray")


@pytest.mark.soak
def test_an_endpoint_is_asked_from_the_workers_of_a_cluster():
    with OpenAIServer() as server, World.of(TURNS) as world:
        dreamt_apart(world, "dask", server.url)

        assert len(server.requests) == len(TURNS) + 3
        assert {request.headers["authorization"] for request in server.requests} == {"Bearer secret"}


def test_what_cannot_be_read_is_a_failure_of_its_question_alone():
    with World.of(TURNS) as world:
        world.listener.script[TURNS[7].content] = "I am not sure."
        run = world.memory.dream(budget=0, executor="threads")

        assert (run.failed, run.answered) == (1, len(TURNS) - 1 + 3)


def test_a_budget_of_calls_holds_over_all_batches():
    with dreamt(config=HyMemConfig(dream_call_budget=5), executor="threads") as (world, run):
        assert (run.asked, len(world.listener.requests)) == (5, 5)
        assert run.waiting > 0


def test_a_node_of_the_pair_is_in_the_log_of_the_run():
    with dreamt(executor="threads") as (world, run):
        nodes = {node.node for node in world.memory.run(run.run_id)[1]}

    assert {"question_batches", "extraction_replies"} <= nodes


def test_a_clients_copy_is_the_same_client_with_connections_of_its_own():
    client = OpenAIChat("http://127.0.0.1:1/v1", "secret", "m", timeout=3, retries=1, concurrency=2)

    copy = pickle.loads(pickle.dumps(client))

    assert (copy.base_url, copy.model, copy.timeout, copy.retries, copy.concurrency) == (
        *("http://127.0.0.1:1/v1", "m", 3),
        *(1, 2),
    )
    assert "secret" not in repr(client)


def test_a_workers_copy_of_the_keeper_keeps_nothing():
    keeper = BatchKeeper(object.__new__(SharingAsker))

    assert pickle.loads(pickle.dumps(keeper))._asker is None


@pytest.mark.parametrize(("name", "address"), [("spark", None), ("threads", "tcp://127.0.0.1:1")])
def test_an_executor_that_there_is_not_is_refused(name: str, address: str | None):
    with pytest.raises(InputError, match=r"executor|address"):
        workforce(name, address)


def test_a_cluster_that_does_not_answer_is_said_before_anything_is_asked(tmp_path: Path):
    line = CommandLine(tmp_path / "hymem")
    line("ingest", line.file("said.jsonl", said()))
    dream = line.process("dream", "--executor", "dask", "--address", "tcp://127.0.0.1:9")
    _, words = dream.communicate(timeout=60)

    assert (dream.returncode, words.count("Traceback")) == (ConfigError.exit_code, 0)
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in words
