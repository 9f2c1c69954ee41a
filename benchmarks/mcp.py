"""Recall through the MCP server, by a client in the same process and over stdio, beside `augment` alone."""

import os
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from statistics import median

import anyio
from mcp import Client, StdioServerParameters

from benchmarks.measuring import HOME, Figure
from benchmarks.world import MODEL
from benchmarks.worlds import Worlds
from hymem import HyMem
from serving.mcp.server import build_server

TURNS = 2000
CALLS = 100
SERVER = "from serving.cli.main import server; server()"


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Milliseconds a call, the median of many; each kind is asked in turn, so that all see the same machine."""
    root = worlds.dreamt(worlds.turns(TURNS))
    bare, in_memory, over_stdio = anyio.run(_measured, root, _messages(root, CALLS * runs))
    yield Figure("recall: augment alone", bare * 1000, "ms")
    yield Figure("recall: an MCP client in memory", in_memory * 1000, "ms")
    yield Figure("recall: an MCP client in memory, times augment alone", in_memory / bare, "", most=2.0)
    yield Figure("recall: over stdio", over_stdio * 1000, "ms")


def _messages(root: Path, count: int) -> list[str]:
    with HyMem(root) as memory:
        names = [entity.entity for entity in memory.entities()] or ["redis"]
    return [f"What does {names[number % len(names)]} depend on, and why?" for number in range(count)]


async def _measured(root: Path, messages: list[str]) -> tuple[float, float, float]:
    environment = {**os.environ, "HYMEM_ROOT": str(root), "HYMEM_LLM_MODEL": MODEL, "PYTHONPATH": str(HOME)}
    environment["HYMEM_LLM_BASE_URL"] = "http://127.0.0.1:9/v1"
    started = StdioServerParameters(command=sys.executable, args=["-c", SERVER], env=environment)
    with HyMem(root) as memory:

        async def augment(message: str) -> None:
            memory.augment(message)

        async with Client(build_server(memory)) as near, Client(started) as far:
            asked = [augment, _asking(near), _asking(far)]
            seconds = [[await _seconds(ask, message) for ask in asked] for message in messages]
    bare, in_memory, over_stdio = (median(kind) for kind in zip(*seconds[len(seconds) // 10 :], strict=True))
    return bare, in_memory, over_stdio


def _asking(client: Client) -> Callable[[str], Awaitable[None]]:
    async def ask(message: str) -> None:
        answer = await client.call_tool("hymem_augment", {"message": message})
        assert not answer.is_error, answer

    return ask


async def _seconds(ask: Callable[[str], Awaitable[None]], message: str) -> float:
    began = time.perf_counter()
    await ask(message)
    return time.perf_counter() - began
