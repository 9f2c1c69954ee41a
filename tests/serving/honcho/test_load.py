"""Sixteen clients at once, writing and reading while a dream is under way: every one is answered."""

import statistics
import time
from pathlib import Path

import pytest

from hymem.settings import ServerSettings
from tests.support.honcho_house import honcho_house
from tests.support.openai_server import OpenAIServer
from tests.support.storm import storm

CLIENTS = 16


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
        here = house.client.base_url
        idle = storm(here.host, here.port or 80, 0.5, 1)
        house.say("The API depends on PostgreSQL.", "s0")
        ends = time.monotonic() + 30
        while not model.requests and time.monotonic() < ends:
            time.sleep(0.05)
        busy = storm(here.host, here.port or 80, seconds, CLIENTS)
        kept = sum(house.client.post(f"/v3/workspaces/w/sessions/s{n}/messages/list").json()["total"] for n in range(4))
        status = house.server.dream_status("w")

        p95, p50 = sorted(busy.durations)[-len(busy.durations) // 20], statistics.median(idle.durations)
        print(f"{len(busy.durations)} requests, p95 {p95 * 1000:.1f} ms, {p95 / p50:.1f} times the idle p50")  # noqa: T201 (what the long run is read for)
        assert set(busy.statuses) == {"200", "201"}
        assert kept == idle.told + busy.told + 1
        assert model.requests and status.ok, status


def test_nobody_is_turned_away_while_there_is_dreaming(tmp_path: Path):
    weather(tmp_path, 5)


@pytest.mark.soak
def test_nobody_is_turned_away_for_a_minute(tmp_path: Path):
    weather(tmp_path, 60)
