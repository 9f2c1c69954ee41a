"""Logging messages, beside what SQLite does at best with the same rows: `executemany` into the same table.

    python -m benchmarks.ingestion ROOT MESSAGES BATCH [--bare | --lines | --export]

logs so many messages in batches, or imports them from a file of JSON Lines or from an export of ChatGPT's, and prints how many a
second.
"""

import argparse
import json
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import apsw

from benchmarks import world
from benchmarks.measuring import Figure, python
from benchmarks.worlds import Worlds
from hymem import HyMem
from hymem.settings import DATABASE
from serving.exchange.ingest import BATCH, ingest

MESSAGES = 10_000
IMPORTED = 100_000


def figures(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """Messages a second in batches of a hundred, in one batch and one by one: the best of some runs, as others only slow."""
    messages = worlds.turns(MESSAGES)
    for batch, name, least in (
        (100, "in batches of 100", 0.5),
        (messages, "in one batch", 0.5),
        (1, "one by one", None),
    ):
        ours = max(_rate(worlds, f"ours-{batch}-{run}", messages, batch) for run in range(3 * runs))
        bare = max(_rate(worlds, f"bare-{batch}-{run}", messages, batch, "--bare") for run in range(3 * runs))
        yield Figure(f"{name}: messages a second", ours, "/s")
        yield Figure(f"{name}: rows a second by executemany alone", bare, "/s")
        yield Figure(f"{name}: share of what executemany does", ours / bare, "", least=least)
    yield from _imports(worlds, runs)


def _imports(worlds: Worlds, runs: int) -> Iterator[Figure]:
    """What reading a file costs on top: a hundred thousand messages, beside their bare insertion."""
    messages = worlds.turns(IMPORTED)
    bare = max(_rate(worlds, f"unread-{run}", messages, BATCH, "--bare") for run in range(runs))
    for option, name in (("--lines", "JSON Lines"), ("--export", "an export of ChatGPT's")):
        ours = max(_rate(worlds, f"read{option}-{run}", messages, BATCH, option) for run in range(runs))
        yield Figure(f"import of {name}: messages a second", ours, "/s")
        yield Figure(f"import of {name}: times their bare insertion", bare / ours, "", most=2.5)


def _rate(worlds: Worlds, name: str, messages: int, batch: int, *options: str) -> float:
    root = worlds.folder / "copies" / name
    return float(python("-m", "benchmarks.ingestion", str(root), str(messages), str(batch), *options).out)


def log(root: Path, batches: Sequence[list[dict[str, Any]]]) -> float:
    """Log the batches through `HyMem`, each in its transaction; the seconds that it took."""
    with HyMem(root) as memory:
        began = time.perf_counter()
        for batch in batches:
            memory.log_messages(batch)
        return time.perf_counter() - began


def insert(root: Path, batches: Sequence[list[dict[str, Any]]]) -> float:
    """Put the same rows into the same table by nothing but `executemany`; the seconds that it took."""
    HyMem(root).close()
    connection = apsw.Connection(str(root / DATABASE))
    connection.pragma("synchronous", "normal")
    _know_all(connection, [spoken for batch in batches for spoken in batch])
    rows = [
        [(m["message_id"], m["session_id"], m["role"], m["role"], m["content"], *[m["created_at"]] * 2) for m in batch]
        for batch in batches
    ]
    began = time.perf_counter()
    for batch in rows:
        connection.execute("begin immediate")
        connection.executemany(
            """insert into messages (message_id, session_id, peer_id, role, content, created_at, logged_at)
               values (?, ?, ?, ?, ?, ?, ?)""",
            batch,
        )
        connection.execute("commit")
    seconds = time.perf_counter() - began
    connection.close()
    return seconds


def read_in(root: Path, spoken: Sequence[dict[str, Any]], export: bool) -> float:
    """Import the messages from a file; the seconds that it took."""
    path = root / ("conversations.json" if export else "messages.jsonl")
    path.write_text(
        _exported(spoken) if export else "".join(json.dumps(one) + "\n" for one in spoken), encoding="utf-8"
    )
    with HyMem(root) as memory, path.open("rb") as file:
        began = time.perf_counter()
        done = ingest(memory, file, path.name)
        assert done.added == len(spoken), done
        return time.perf_counter() - began


def _exported(spoken: Sequence[dict[str, Any]]) -> str:
    """The messages as conversations of a hundred, each message the child of the one before."""
    conversations = list[dict[str, Any]]()
    for start in range(0, len(spoken), 100):
        said, nodes = spoken[start : start + 100], dict[str, Any]()
        for number, one in enumerate(said):
            content = {"content_type": "text", "parts": [one["content"]]}
            message = {
                "id": str(number),
                "author": {"role": one["role"]},
                "content": content,
                "create_time": start + number,
            }
            nodes[str(number)] = {"message": message, "parent": str(number - 1), "children": []}
        conversations.append({"id": f"c-{start}", "mapping": nodes, "current_node": str(len(said) - 1)})
    return json.dumps(conversations)


def _know_all(connection: apsw.Connection, spoken: Sequence[dict[str, Any]]) -> None:
    """Peers and sessions that the rows refer to."""
    for role in {message["role"] for message in spoken}:
        connection.execute("insert into peers (peer_id, role, created_at) values (?, ?, '')", (role, role))
    for session in {message["session_id"] for message in spoken}:
        connection.execute("insert into sessions (session_id, started_at, created_at) values (?, '', '')", (session,))


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.ingestion")
    options.add_argument("root", type=Path)
    options.add_argument("messages", type=int)
    options.add_argument("batch", type=int)
    options.add_argument("--bare", action="store_true")
    options.add_argument("--lines", action="store_true")
    options.add_argument("--export", action="store_true")
    given = options.parse_args()
    turns = world.turns(0, given.messages // 2, given.messages // 2)
    spoken = [message for turn in turns for message in world.messages(turn)]
    batches = [spoken[start : start + given.batch] for start in range(0, len(spoken), given.batch)]
    given.root.mkdir(parents=True)
    if given.lines or given.export:
        print(len(spoken) / read_in(given.root, spoken, given.export))
    else:
        print(len(spoken) / (insert if given.bare else log)(given.root, batches))


if __name__ == "__main__":
    main()
