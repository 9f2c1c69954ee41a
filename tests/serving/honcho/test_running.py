"""`hymem serve honcho` as a process: it starts, learns, tells of itself, and ends as it should."""

import json
import signal
import subprocess
import time
from pathlib import Path
from typing import Any

import httpx
import psutil

from hymem import HyMem
from tests.support.command_line import CommandLine
from tests.support.honcho_process import served

SECRET = "the secret of the tests, 32 bytes and more"


def ended(process: subprocess.Popen[str], sign: int) -> tuple[int, str]:
    process.send_signal(sign)
    _, log = process.communicate(timeout=30)
    return process.returncode, log


def say(client: httpx.Client, text: str, workspace: str = "default") -> httpx.Response:
    body = {"messages": [{"peer_id": "ann", "content": text}]}
    return client.post(f"/v3/workspaces/{workspace}/sessions/monday/messages", json=body)


def until_dreamt(client: httpx.Client, workspace: str = "default") -> dict[str, Any]:
    ends = time.monotonic() + 40
    while True:
        status = client.get(f"/v3/workspaces/{workspace}/queue/status").json()
        if status["completed_work_units"] and not status["pending_work_units"] and status["dreams"]["state"] == "idle":
            return status
        assert time.monotonic() < ends, status
        time.sleep(0.1)


def test_what_is_said_is_learnt_from_and_the_database_is_whole_in_the_end(tmp_path: Path):
    with served(tmp_path) as (client, process):
        assert say(client, "The API depends on PostgreSQL.").status_code == 201
        status = until_dreamt(client)
        health, figures = client.get("/health").json(), client.get("/metrics").text
        code, _ = ended(process, signal.SIGTERM)

    assert (status["total_work_units"], status["sessions"]["monday"]["completed_work_units"]) == (1, 1)
    assert (health["status"], health["ok"], health["trouble"]) == ("ok", True, [])
    assert 'hymem_dreams_total{outcome="done"} 1.0' in figures
    assert 'route="/v3/workspaces/{workspace_id}/sessions/{session_id}/messages",status="201"} 1.0' in figures
    assert "monday" not in figures
    assert code == 0
    assert not (tmp_path / "hymem.db-wal").exists()
    with HyMem(tmp_path) as memory:
        assert [edge.object for edge in memory.edges()] == ["postgresql"]


def test_an_idle_server_is_small_and_never_loads_frames(tmp_path: Path):
    with served(tmp_path) as (client, process):
        say(client, "The API depends on PostgreSQL.")
        until_dreamt(client)
        held = psutil.Process(process.pid)
        loaded = {Path(file.path).parts[-2] for file in held.memory_maps(grouped=True) if "site-packages" in file.path}

        assert held.memory_info().rss < 150_000_000
        assert not any(name.startswith(("pandas", "pyarrow")) for name in loaded)


def test_ctrl_c_ends_it_quietly(tmp_path: Path):
    with served(tmp_path) as (_, process):
        code, log = ended(process, signal.SIGINT)

    assert code == 0 and "Traceback" not in log


def test_a_dream_under_way_is_ended_with_the_server(tmp_path: Path):
    from tests.support.openai_server import OpenAIServer

    with (
        OpenAIServer(latency=20) as model,
        served(tmp_path, HYMEM_LLM_MODEL="m", HYMEM_LLM_BASE_URL=model.url) as (client, process),
    ):
        say(client, "The API depends on PostgreSQL.")
        ends = time.monotonic() + 30
        while not model.requests and time.monotonic() < ends:
            time.sleep(0.05)
        children = psutil.Process(process.pid).children(recursive=True)
        code, _ = ended(process, signal.SIGTERM)

        assert code == 0 and children and not any(child.is_running() for child in children)


def test_a_dream_that_fails_is_told_in_health_queue_and_figures(tmp_path: Path):
    from tests.support.openai_server import Answer, OpenAIServer

    refusing = OpenAIServer([Answer(status=401, error={"message": "no such key"})])
    with refusing as model, served(tmp_path, HYMEM_LLM_MODEL="m", HYMEM_LLM_BASE_URL=model.url) as (client, _):
        say(client, "The API depends on PostgreSQL.")
        ends = time.monotonic() + 40
        while client.get("/health").json()["status"] == "ok" and time.monotonic() < ends:
            time.sleep(0.1)
        health = client.get("/health").json()
        queue = client.get("/v3/workspaces/default/queue/status").json()

        assert (health["status"], health["dreams_failing"], len(health["trouble"])) == ("degraded", 1, 1)
        assert queue["pending_work_units"] == 1 and queue["dreams"]["failures"] == 1
        assert "hymem_dreams_failing 1.0" in client.get("/metrics").text


def test_messages_that_wait_since_an_earlier_life_are_dreamt_over(tmp_path: Path):
    with HyMem(tmp_path) as memory:
        memory.log_message("monday", "user", "The API depends on PostgreSQL.")
    with served(tmp_path) as (client, _):
        until_dreamt(client)


def test_without_a_key_it_does_not_start_and_says_what_to_set(tmp_path: Path):
    done = run(tmp_path, "serve", "honcho", HYMEM_LLM_MODEL="")

    assert done[0] == 2 and "HYMEM_LLM_API_KEY" in done[1] and "HYMEM_LLM_MODEL=rules" in done[1]


def test_another_address_than_this_machines_needs_tokens(tmp_path: Path):
    code, said = run(tmp_path, "serve", "honcho", "--host", "0.0.0.0")

    assert code == 2 and "HYMEM_HONCHO_AUTH_SECRET" in said


def test_an_address_that_is_taken_is_told(tmp_path: Path):
    with served(tmp_path / "a") as (client, _):
        code, said = run(tmp_path / "b", "serve", "honcho", "--port", str(client.base_url.port))

    assert code == 2 and "taken" in said and "Traceback" not in said


def test_a_token_from_the_command_line_opens_the_server(tmp_path: Path):
    line = CommandLine(tmp_path, HYMEM_HONCHO_AUTH_SECRET=SECRET)
    token = line("serve", "token").stdout.strip()
    with served(tmp_path, HYMEM_HONCHO_AUTH_SECRET=SECRET) as (client, _):
        refused = client.post("/v3/workspaces/list")
        client.headers["Authorization"] = f"Bearer {token}"

        assert (refused.status_code, client.post("/v3/workspaces/list").status_code) == (401, 200)
        key = client.post("/v3/keys", params={"workspace_id": "w", "expires_at": "2099-01-01"}).json()["key"]
        client.headers["Authorization"] = f"Bearer {key}"
        assert client.post("/v3/workspaces", json={"id": "w"}).status_code == 201
        assert client.post("/v3/workspaces", json={"id": "v"}).status_code == 401


def test_the_log_may_be_json(tmp_path: Path):
    with served(tmp_path, HYMEM_LOG="json") as (client, process):
        client.get("/health")
        _, log = ended(process, signal.SIGTERM)

    told = [json.loads(line) for line in log.splitlines() if line.startswith("{")]
    (event,) = [each for each in told if each.get("route") == "/health"]
    assert (event["status"], event["method"], event["level"]) == (200, "GET", "info")


def run(root: Path, *arguments: str, **environment: str) -> tuple[int, str]:
    process = CommandLine(root, **environment).process(*arguments)
    _, said = process.communicate(timeout=30)
    return process.returncode, said
