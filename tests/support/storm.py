"""Clients that write and read in turn for a while, in a process of their own, so that they take no time of the server's.

    python storm.py HOST PORT SECONDS CLIENTS

prints what became of it as JSON. The clients speak plain `http.client`: a heavier one would be measured with the server.
"""

import http.client
import json
import subprocess
import sys
import threading
import time
from collections import Counter
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Storm:
    """Answers by status, seconds that each took, and how many messages were told."""

    statuses: dict[str, int]
    durations: list[float]
    told: int


def storm(host: str, port: int, seconds: float, clients: int) -> Storm:
    """What becomes of so many clients at once, for so long."""
    command = [sys.executable, "-I", __file__, host, str(port), str(seconds), str(clients)]
    run = subprocess.run(command, capture_output=True, text=True, check=True, timeout=seconds + 120)
    return Storm(**json.loads(run.stdout))


def blow(host: str, port: int, seconds: float, clients: int) -> dict[str, Any]:
    ends = time.monotonic() + seconds
    answers = list[tuple[int, float, bool]]()  # a list takes what threads append

    def client(number: int) -> None:
        line = http.client.HTTPConnection(host, port, timeout=30)
        url = f"/v3/workspaces/w/sessions/s{number % 4}/messages"
        turn = 0
        while time.monotonic() < ends:
            written = turn % 2 == 0
            said = {"peer_id": f"p{number}", "content": f"The worker {number} uses tool {time.time_ns()}."}
            body = json.dumps({"messages": [said]}) if written else "{}"
            began = time.perf_counter()
            line.request(
                "POST",
                url if written else f"{url}/list?size=50&reverse=true",
                body,
                {"content-type": "application/json"},
            )
            answer = line.getresponse()
            answer.read()
            answers.append((answer.status, time.perf_counter() - began, written and answer.status == 201))
            turn += 1
        line.close()

    threads = [threading.Thread(target=client, args=(number,)) for number in range(clients)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    statuses = Counter(str(status) for status, _, _ in answers)
    return {
        "statuses": statuses,
        "durations": [took for _, took, _ in answers],
        "told": sum(told for _, _, told in answers),
    }


if __name__ == "__main__":
    print(json.dumps(blow(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))))  # noqa: T201 (what the process is for)
