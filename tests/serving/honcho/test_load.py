"""Sixteen clients at once, writing and reading while a dream is under way: every one is answered."""

import statistics
import threading
import time
from collections import Counter
from pathlib import Path

import httpx
import pytest

from hymem.settings import ServerSettings
from tests.support.honcho_house import House, honcho_house
from tests.support.openai_server import OpenAIServer

CLIENTS = 16


def storm(house: House, seconds: float, clients: int = CLIENTS) -> tuple[Counter[int], list[float], int]:
    """Statuses, durations, and how many messages were told, of clients that write and read in turn for so long."""
    ends = time.monotonic() + seconds
    statuses, durations, told = Counter[int](), list[float](), 0
    noting = threading.Lock()

    def client(number: int) -> None:
        nonlocal told
        with httpx.Client(base_url=house.url, timeout=30) as http:
            turn = 0
            while time.monotonic() < ends:
                url = f"/v3/workspaces/w/sessions/s{number % 4}/messages"
                body = {
                    "messages": [
                        {"peer_id": f"p{number}", "content": f"The worker {number} uses tool {time.time_ns()}."}
                    ]
                }
                began = time.perf_counter()
                written = turn % 2 == 0
                answer = http.post(url, json=body) if written else http.post(f"{url}/list?size=50&reverse=true")
                with noting:
                    durations.append(time.perf_counter() - began)
                    statuses[answer.status_code] += 1
                    told += written and answer.status_code == 201
                turn += 1

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return statuses, durations, told


def weather(root: Path, seconds: float) -> None:
    """A storm while a dream waits for its model; what was told is there, once."""
    with (
        OpenAIServer(latency=0.05) as model,
        honcho_house(
            root,
            ServerSettings(dream_cooldown_seconds=0.5),
            HYMEM_LLM_MODEL="m",
            HYMEM_LLM_BASE_URL=model.url,
        ) as house,
    ):
        _, idle, before = storm(house, 0.5, clients=1)
        house.say("The API depends on PostgreSQL.", "s0")
        ends = time.monotonic() + 30
        while not model.requests and time.monotonic() < ends:
            time.sleep(0.05)
        statuses, durations, told = storm(house, seconds)
        kept = sum(house.client.post(f"/v3/workspaces/w/sessions/s{n}/messages/list").json()["total"] for n in range(4))
        status = house.server.dream_status("w")

        p95, p50 = sorted(durations)[-len(durations) // 20], statistics.median(idle)
        print(f"{len(durations)} requests, p95 {p95 * 1000:.1f} ms, {p95 / p50:.1f} times the idle p50")  # noqa: T201 (what the long run is read for)
        assert set(statuses) == {200, 201}
        assert kept == before + told + 1
        assert model.requests and status.ok, status


def test_nobody_is_turned_away_while_there_is_dreaming(tmp_path: Path):
    weather(tmp_path, 5)


@pytest.mark.soak
def test_nobody_is_turned_away_for_a_minute(tmp_path: Path):
    weather(tmp_path, 60)
