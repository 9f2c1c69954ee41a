import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from serving.honcho.security import Claims, token
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
def served(root: Path, **more: str) -> Iterator[str]:
    port = free_port()
    pipes = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    process = subprocess.Popen([*PROGRAM, "--http", "--port", str(port)], env=environment(root, **more), **pipes)
    try:
        wait_for(port)
        yield f"http://127.0.0.1:{port}/mcp"
    finally:
        process.terminate()
        out, _ = process.communicate(timeout=15)
    assert out == b""


def wait_for(port: int) -> None:
    """Wait until somebody answers there, for twenty seconds at most."""
    for _ in range(400):
        with closing(socket.socket()) as tried:
            if tried.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("the server does not answer")


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

    assert (foreign_host.status_code, foreign_page.status_code) == (403, 403)


async def test_with_a_secret_an_admins_token_opens_it_and_no_narrower_one(tmp_path: Path):
    secret, now = "s" * 32, "2025-01-01T00:00:00.000000Z"
    kinds = {"none": None, "peer": Claims(workspace="w", peer="ann"), "admin": Claims(admin=True)}
    codes = dict[str, int]()
    with served(tmp_path, HYMEM_HONCHO_AUTH_SECRET=secret) as address:
        for kind, claims in kinds.items():
            head = {"Authorization": f"Bearer {token(secret, claims, now)}"} if claims else {}
            async with httpx.AsyncClient(headers=head, trust_env=False) as http:
                codes[kind] = (await http.post(address, json={"jsonrpc": "2.0", "id": 1, "method": "ping"})).status_code
        async with (
            httpx.AsyncClient(headers={"Authorization": f"Bearer {token(secret, kinds['admin'], now)}"}) as http,
            Client(streamable_http_client(address, http_client=http)) as client,
        ):
            assert (await captured(client, "hello"))["added"] == 1

    assert (codes["none"], codes["peer"], codes["admin"] != 401) == (401, 401, True)


def test_it_listens_on_this_machine_only(tmp_path: Path):
    command = [*PROGRAM, "--http", "--host", "0.0.0.0"]
    ended = subprocess.run(command, env=environment(tmp_path), capture_output=True, text=True, timeout=15)

    assert (ended.returncode, "listens on this machine only" in ended.stderr) == (2, True)
