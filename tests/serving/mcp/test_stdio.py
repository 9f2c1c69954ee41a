import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import anyio
import pytest
from mcp import Client

from hymem import HyMem
from hymem.models.rules import RulesExtractor
from tests.support.mcp_server import (
    PROGRAM,
    captured,
    environment,
    living,
    started_by_client,
    text_of,
    turn,
    until,
)
from tests.support.openai_server import NOTHING, Answer, OpenAIServer

pytestmark = pytest.mark.anyio
ENDED = 15
"""Seconds by which a server must have ended by itself."""


@pytest.fixture
def anyio_backend():
    return "asyncio"


class RawClient:
    """A client that speaks the protocol by hand, so that it sees every byte, and may die badly."""

    def __init__(self, root: Path, *program: str, **more: str) -> None:
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        self.process = subprocess.Popen(
            [*(program or PROGRAM)], env=environment(root, **more), start_new_session=True, **pipes
        )
        hello = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        self.ask(0, "initialize", hello)
        self.tell({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tell(self, message: dict[str, Any]) -> None:
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def begin(self, number: int, method: str, params: dict[str, Any]) -> None:
        self.tell({"jsonrpc": "2.0", "id": number, "method": method, "params": params})

    def answer(self, number: int) -> dict[str, Any]:
        """The next answer of that number; what is no protocol is a failure."""
        while True:
            message = json.loads(self.process.stdout.readline())
            if message.get("id") == number:
                return message["result"]

    def ask(self, number: int, method: str, params: dict[str, Any]) -> dict[str, Any]:
        self.begin(number, method, params)
        return self.answer(number)

    def leave(self) -> tuple[str, str]:
        """Close the server's input and wait for its end; what it still said on both channels."""
        out, err = self.process.communicate(timeout=ENDED)
        assert self.process.returncode == 0, err
        return out.decode(), err.decode()


@pytest.fixture
def slow():
    """An endpoint that lets one wait longer than any test does."""
    with OpenAIServer(lambda body: Answer(json.dumps(NOTHING), delay=20)) as server:
        yield server


def at(server: OpenAIServer) -> dict[str, str]:
    return {"HYMEM_LLM_MODEL": "slow", "HYMEM_LLM_BASE_URL": server.url}


def say(root: Path, words: str = "Billing depends on Redis.") -> None:
    with HyMem(root) as memory:
        memory.log_message("monday", "user", words)


async def test_a_client_logs_dreams_and_recalls_over_stdio(tmp_path: Path):
    async with Client(started_by_client(tmp_path)) as client:
        await captured(client, "Billing depends on Redis.", dream=True)
        recalled = await client.call_tool("hymem_augment", {"message": "What does billing depend on?"})
        profile = (await client.read_resource("hymem://memory")).contents[0].text

    assert "billing depends on redis" in text_of(recalled)
    assert "What is known" in profile


async def test_three_servers_and_a_dream_share_one_memory(tmp_path: Path):
    async def talk(name: str) -> None:
        async with Client(started_by_client(tmp_path)) as client:
            for number in range(10):
                await captured(client, f"{name}{number} depends on Redis.", session=f"{name}-{number}")
                await client.call_tool("hymem_augment", {"message": "What depends on Redis?"})

    async with Client(started_by_client(tmp_path)) as dreamer:
        await captured(dreamer, "Billing depends on Redis.")
        async with anyio.create_task_group() as clients:
            for name in ("a", "b", "c"):
                clients.start_soon(talk, name)
            first = await dreamer.call_tool("hymem_dream", {"budget": 0})
        last = await dreamer.call_tool("hymem_dream", {"budget": 0})
        assert not (first.is_error or last.is_error), (first, last)

    with HyMem(tmp_path) as memory:
        assert len(memory.messages()) == 31
        assert len([edge for edge in memory.edges() if edge.object == "redis"]) == 31


async def test_a_dream_keeps_no_other_call_waiting(tmp_path: Path, slow: OpenAIServer):
    async with Client(started_by_client(tmp_path, **at(slow))) as client:
        await captured(client, "Billing depends on Redis.")
        async with anyio.create_task_group() as dreaming:
            dreaming.start_soon(client.call_tool, "hymem_dream", {})
            await until(lambda: slow.asked)
            with anyio.fail_after(5):
                assert (await captured(client, "And on Postgres."))["added"] == 1
                found = await client.call_tool("hymem_augment", {"message": "What does billing depend on?"})
            dreaming.cancel_scope.cancel()

    assert "nothing is remembered" in text_of(found).lower() or "Redis" in text_of(found)


def test_standard_output_holds_nothing_but_protocol(tmp_path: Path):
    client = RawClient(tmp_path)
    messages = [turn("Billing depends on Redis.")]
    client.ask(
        1,
        "tools/call",
        {"name": "hymem_capture", "arguments": {"messages": messages, "session_id": "s", "dream": True}},
    )
    client.ask(
        2, "tools/call", {"name": "hymem_why", "arguments": {"subject": "x", "predicate": "uses", "object": "y"}}
    )

    out, err = client.leave()

    assert (out, "Traceback" in err) == ("", False)


LOUD = """
import os, warnings
from serving.memory import HyMem
from serving.mcp.transports import serve_stdio

class Loud(HyMem):
    def augment(self, message, **how):
        print("a library's print")
        os.write(1, b"a library's write\\n")
        warnings.warn("a library's warning", stacklevel=1)
        return super().augment(message, **how)

serve_stdio(Loud(os.environ["HYMEM_ROOT"]))
"""


def test_what_a_library_prints_goes_to_the_log(tmp_path: Path):
    client = RawClient(tmp_path, sys.executable, "-c", LOUD)
    client.ask(1, "tools/call", {"name": "hymem_augment", "arguments": {"message": "redis"}})

    out, err = client.leave()

    assert out == ""
    assert all(f"a library's {noise}" in err for noise in ("print", "write", "warning"))


def test_without_a_model_it_does_not_start_and_says_what_to_set(tmp_path: Path):
    held = {**environment(tmp_path), "HYMEM_LLM_MODEL": ""}
    ended = subprocess.run(PROGRAM, env=held, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ENDED)

    assert (ended.returncode, ended.stdout) == (2, "")
    assert "set HYMEM_LLM_API_KEY, or HYMEM_LLM_MODEL=rules to work without one" in ended.stderr


HYMEM_SERVE = [sys.executable, "-m", "serving.cli", "serve", "mcp"]


@pytest.mark.parametrize("program", [PROGRAM, HYMEM_SERVE], ids=["hymem-server", "hymem serve mcp"])
def test_it_ends_with_its_client(tmp_path: Path, program: list[str]):
    assert RawClient(tmp_path, *program).leave() == ("", "")


def dreaming(root: Path, slow: OpenAIServer) -> RawClient:
    """A client whose server is in the midst of a dream."""
    say(root)
    client = RawClient(root, **at(slow))
    client.begin(1, "tools/call", {"name": "hymem_dream", "arguments": {}})
    anyio.run(until, lambda: slow.asked)
    assert len(living(client.process.pid)) == 2
    return client


def dreams_now(root: Path) -> list[str]:
    with HyMem(root, llm=RulesExtractor()) as memory:
        memory.dream()
        return [edge.object for edge in memory.edges()]


def test_it_ends_with_its_client_in_the_midst_of_a_dream(tmp_path: Path, slow: OpenAIServer):
    client = dreaming(tmp_path, slow)

    client.leave()

    assert living(client.process.pid) == []
    assert dreams_now(tmp_path) == ["redis"]


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGINT])
def test_a_server_that_is_killed_leaves_no_process_and_no_half_dream(
    tmp_path: Path, slow: OpenAIServer, end: signal.Signals
):
    client = dreaming(tmp_path, slow)

    os.kill(client.process.pid, end)
    client.process.communicate(timeout=ENDED)

    anyio.run(until, lambda: living(client.process.pid) == [])
    assert dreams_now(tmp_path) == ["redis"]


def test_a_client_that_is_gone_in_the_midst_of_a_conversation_leaves_all_of_it_or_nothing(tmp_path: Path):
    client = RawClient(tmp_path)
    messages = [turn(f"Service {number} depends on Redis.") for number in range(5000)]
    client.begin(1, "tools/call", {"name": "hymem_capture", "arguments": {"messages": messages, "session_id": "s"}})
    client.process.kill()
    client.process.communicate(timeout=ENDED)

    with HyMem(tmp_path) as memory:
        assert len(memory.messages()) in (0, 5000)


def test_the_server_does_without_pandas_and_hamilton(tmp_path: Path):
    look = "import sys, serving.mcp.server as s; print(sorted({'pandas', 'hamilton', 'pyarrow', 'dataflows'} & set(sys.modules)))"

    ended = subprocess.run(
        [sys.executable, "-c", look], env=environment(tmp_path), capture_output=True, text=True, check=True
    )

    assert ended.stdout.strip() == "[]"
