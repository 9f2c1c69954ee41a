"""One dream in a process of its own, with the made-up world's language model.

    python -m benchmarks.dreamer ROOT [--latency SECONDS] [--concurrency N]

prints as JSON what the dream did, and the seconds that it and each of its nodes took.
"""

import argparse
import json
import time
from pathlib import Path

from benchmarks import world
from hymem import HyMem
from hymem.settings import DATABASE
from hymem.store.database import Database
from hymem.store.runs import node_runs


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.dreamer")
    options.add_argument("root", type=Path)
    options.add_argument("--latency", type=float, default=0.0)
    options.add_argument("--concurrency", type=int, default=8)
    given = options.parse_args()
    with HyMem(given.root, llm=world.model(given.latency), concurrency=given.concurrency) as memory:
        began = time.perf_counter()
        run = memory.dream(budget=0, now=world.END)
        seconds = time.perf_counter() - began
    with Database.open(given.root / DATABASE).reading() as connection:
        nodes = node_runs(connection, run.run_id)
    told = {"outcome": run.outcome, "asked": run.asked, "waiting": run.waiting, "changed": dict(run.changed)}
    watched = {
        "milliseconds": {node.node: node.milliseconds for node in nodes},
        "rows": {node.node: node.rows for node in nodes},
    }
    print(json.dumps({**told, "seconds": seconds, **watched}))


if __name__ == "__main__":
    main()
