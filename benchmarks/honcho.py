"""The Honcho server on loopback, one keep-alive client, beside a bare FastAPI route that does the same with APSW."""

import os
import re
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import httpx
import psutil

from benchmarks.measuring import HOME, Figure
from benchmarks.worlds import Worlds

CALLS = 300
TOLD = 5_000
TEXT = "The worker of the billing service depends on Redis, and we prefer short answers to long ones, number {}."


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Medians of a call in milliseconds, and how many times the bare route's they are; memory when nothing is asked."""
    calls = max(20, min(CALLS, worlds.turns(CALLS)))
    with _served(worlds, "honcho") as ours, _bare(worlds) as bare:
        here = f"{ours[0]}/v3/workspaces/default/sessions/s"
        there = f"{bare}/sessions/s"
        with httpx.Client(timeout=60) as client:
            for name, most, call in (
                ("adding 1 message", 3.0, _adding(1)),
                ("adding 100 messages", 2.5, _adding(100)),
                ("listing 50 of them", None, _listing),
            ):
                took = [
                    _medians(client, call, (here, there), calls if "100" not in name else calls // 5)
                    for _ in range(runs)
                ]
                mine, other = (min(each[place] for each in took) for place in (0, 1))
                yield Figure(f"{name}: milliseconds", mine * 1000, "ms")
                yield Figure(f"{name}: milliseconds of the bare route", other * 1000, "ms")
                yield Figure(f"{name}: times the bare route", mine / other, "", most=most)
            yield from _context_figures(client, (here, there), worlds.turns(TOLD), runs, max(20, calls // 10))
        yield Figure("resident memory after that", psutil.Process(ours[1].pid).memory_info().rss / 1e6, "MB", most=150)


def _context_figures(client: httpx.Client, urls: tuple[str, str], told: int, runs: int, calls: int) -> Iterator[Figure]:
    """The context of a long session, as many of whose messages as fit, and a search of it, beside the bare route's."""
    here, there = (f"{url}-long" for url in urls)
    for url in (here, there):
        for turn in range(-(-told // 100)):
            _adding(100)(client, url, turn).raise_for_status()
    kept = len(client.get(f"{here}/context").raise_for_status().json()["messages"])

    def call(client: httpx.Client, url: str, turn: int) -> httpx.Response:
        return client.get(f"{url}/context", params={} if url == here else {"limit": kept})

    took = [_medians(client, call, (here, there), calls) for _ in range(runs)]
    mine, other = (min(each[place] for each in took) for place in (0, 1))
    name = f"the context of a session, {kept} messages of it"
    yield Figure(f"{name}: milliseconds", mine * 1000, "ms")
    yield Figure(f"{name}: milliseconds of the bare route", other * 1000, "ms")
    yield Figure("the context of a session: times the bare route", mine / other, "", most=3.0)
    took = [_medians(client, _searching, (here, there), max(5, calls // 10)) for _ in range(runs)]
    mine, other = (min(each[place] for each in took) for place in (0, 1))
    yield Figure(f"searching {told} messages: milliseconds", mine * 1000, "ms")
    yield Figure(f"searching {told} messages: milliseconds of the bare route", other * 1000, "ms")
    yield Figure("searching: times the bare route", mine / other, "", most=3.0)


def _adding(number: int) -> Callable[[httpx.Client, str, int], httpx.Response]:
    def call(client: httpx.Client, url: str, turn: int) -> httpx.Response:
        said = [
            {"peer_id": "ann", "content": TEXT.format(f"{turn}-{place}-{time.time_ns()}")} for place in range(number)
        ]
        return client.post(f"{url}/messages", json={"messages": said})

    return call


def _searching(client: httpx.Client, url: str, turn: int) -> httpx.Response:
    return client.post(f"{url}/search", json={"query": f"billing service number {turn}", "limit": 10})


def _listing(client: httpx.Client, url: str, turn: int) -> httpx.Response:
    return client.post(f"{url}/messages/list?size=50")


def _medians(
    client: httpx.Client, call: Callable[..., httpx.Response], urls: tuple[str, str], calls: int
) -> list[float]:
    """Both in turn, so that what else the machine does falls on both."""
    took: tuple[list[float], list[float]] = ([], [])
    for turn in range(calls):
        for place, url in enumerate(urls):
            began = time.perf_counter()
            call(client, url, turn).raise_for_status()
            took[place].append(time.perf_counter() - began)
    return [statistics.median(each) for each in took]


@contextmanager
def _served(worlds: Worlds, name: str) -> Iterator[tuple[str, Any]]:
    """The address and the process of a server whose first dream is over."""
    told = {
        "HYMEM_ROOT": str(worlds.folder / name),
        "HYMEM_LLM_MODEL": "rules",
        "HYMEM_DREAM_COOLDOWN_SECONDS": "86400",
    }
    with _started(["serving.cli", "serve", "honcho", "--port", "0"], told, "stderr") as (url, process):
        with httpx.Client(base_url=url) as client:
            body = {"messages": [{"peer_id": "ann", "content": "We use Redis."}]}
            client.post("/v3/workspaces/default/sessions/first/messages", json=body).raise_for_status()
            while client.get("/v3/workspaces/default/queue/status").json()["dreams"]["state"] != "idle":
                time.sleep(0.2)
        yield url, process


@contextmanager
def _bare(worlds: Worlds) -> Iterator[str]:
    root = worlds.folder / "bare-server"
    root.mkdir(parents=True, exist_ok=True)
    with _started(["benchmarks.bare_server", str(root)], {}, "stdout") as (url, _):
        yield url


@contextmanager
def _started(module: list[str], environment: dict[str, str], tells: str) -> Iterator[tuple[str, Any]]:
    streams = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, tells: subprocess.PIPE}
    held = {**os.environ, **environment}
    command = [sys.executable, "-m", *module]
    process = subprocess.Popen(command, cwd=HOME, env=held, stdin=subprocess.PIPE, text=True, **streams)
    stream = getattr(process, tells)
    told = threading.Thread(target=lambda: [None for _ in stream])  # so that nobody waits for a full pipe
    try:
        while not (found := re.search(r"http://[\d.:]+", stream.readline())):
            if process.poll() is not None:
                raise RuntimeError(f"{module} did not start")
        told.start()
        yield found[0], process
    finally:
        process.terminate()
        process.wait(30)
        if told.ident:
            told.join()
        for pipe in (process.stdin, stream):
            pipe.close()
