import socket
import subprocess
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import anyio
import httpx
import pytest
from mcp import Client

from tests.support.mcp_server import PROGRAM, captured, environment, text_of

pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"


@pytest.fixture
def address(tmp_path: Path):
    with served(tmp_path) as address:
        yield address


@contextmanager
def served(root: Path) -> Iterator[str]:
    port = free_port()
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([*PROGRAM, "--http", "--port", str(port)], env=environment(root), **pipes)
    try:
        anyio.run(answering, port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        out, _ = process.communicate(timeout=15)
    assert out == b""


async def answering(port: int) -> None:
    with anyio.fail_after(20):
        while True:
            try:
                await (await anyio.connect_tcp("127.0.0.1", port)).aclose()
                return
            except OSError:
                await anyio.sleep(0.05)


def free_port() -> int:
    with closing(socket.socket()) as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


async def test_several_clients_share_a_server_over_http(address: str):
    async with Client(address) as one, Client(address) as other:
        await captured(one, "Billing depends on Redis.", dream=True)
        recalled = await other.call_tool("hymem_augment", {"message": "What does billing depend on?"})

    assert "billing depends on redis" in text_of(recalled)


async def test_a_page_that_takes_this_machines_name_is_refused(address: str):
    hello = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    kind = {"Accept": "application/json, text/event-stream"}
    async with httpx.AsyncClient(headers=kind, trust_env=False) as client:
        foreign_host = await client.post(address, json=hello, headers={"Host": "evil.example"})
        foreign_page = await client.post(address, json=hello, headers={"Origin": "https://evil.example"})

    assert (foreign_host.status_code, foreign_page.status_code) == (421, 403)


def test_it_listens_on_this_machine_only(tmp_path: Path):
    command = [*PROGRAM, "--http", "--host", "0.0.0.0"]
    ended = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=15)

    assert (ended.returncode, "listens on this machine only" in ended.stderr) == (2, True)
