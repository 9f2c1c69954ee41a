"""A bare FastAPI route that inserts or reads the same rows with APSW: what the Honcho server is measured beside.

    python -m benchmarks.bare_server ROOT

prints its address and serves until its input is closed.
"""

import json
import secrets
import socket
import sys
import threading
from functools import cache
from pathlib import Path
from typing import Any

import apsw
import uvicorn
from fastapi import FastAPI

from hymem.store.database import Database
from hymem.times import wall_clock

COLUMNS = "message_id, session_id, peer_id, role, content, created_at, logged_at, metadata"
app = FastAPI()
local = threading.local()
root = Path()


def connection() -> apsw.Connection:
    if not hasattr(local, "connection"):
        local.connection = apsw.Connection(str(root / "hymem.db"))
        local.connection.pragma("synchronous", "normal")
        local.connection.set_busy_timeout(10_000)
    return local.connection


@app.post("/sessions/{session_id}/messages", status_code=201)
def add(session_id: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    now = wall_clock()
    rows = [
        (secrets.token_hex(10), session_id, turn["peer_id"], "user", turn["content"], now, now, "{}")
        for turn in body["messages"]
    ]
    writer = connection()
    writer.execute("begin immediate")
    session, peers = (session_id, now, now), {(row[2], now) for row in rows}
    writer.execute("insert or ignore into sessions (session_id, started_at, created_at) values (?, ?, ?)", session)
    writer.executemany("insert or ignore into peers (peer_id, role, created_at) values (?, 'user', ?)", peers)
    writer.executemany(f"insert into messages ({COLUMNS}) values (?, ?, ?, ?, ?, ?, ?, ?)", rows)
    writer.execute("commit")
    return [shape(row) for row in rows]


@app.post("/sessions/{session_id}/messages/list")
def listed(session_id: str, page: int = 1, size: int = 50) -> dict[str, Any]:
    reader = connection()
    total = reader.execute("select count(*) from messages where session_id = ?", (session_id,)).get
    rows = reader.execute(
        f"select {COLUMNS} from messages where session_id = ? order by seq limit ? offset ?",
        (session_id, size, (page - 1) * size),
    ).fetchall()
    return {"items": [shape(row) for row in rows], "total": total, "page": page, "size": size}


@app.get("/sessions/{session_id}/context")
def context(session_id: str, limit: int) -> dict[str, Any]:
    rows = connection().execute(
        f"select {COLUMNS} from messages where session_id = ? order by seq desc limit ?", (session_id, limit)
    )
    return {"id": session_id, "messages": [shape(row) for row in rows][::-1]}


@app.post("/sessions/{session_id}/search")
def search(session_id: str, body: dict[str, Any]) -> list[dict[str, Any]]:
    indexed()
    columns = ", ".join(f"m.{name}" for name in COLUMNS.split(", "))
    rows = connection().execute(
        f"""
        select {columns}
        from said join messages m on m.seq = said.rowid
        where said match ? and m.session_id = ?
        order by said.rank
        limit ?
        """,
        (" OR ".join(f'"{word}"' for word in body["query"].split()), session_id, body["limit"]),
    )
    return [shape(row) for row in rows]


@cache
def indexed() -> None:
    """Index the messages by their words, once: adding them is not to take longer for it."""
    writer = connection()
    writer.execute("create virtual table said using fts5 (content, content = 'messages', content_rowid = 'seq')")
    writer.execute("insert into said (said) values ('rebuild')")


def shape(row: tuple[Any, ...]) -> dict[str, Any]:
    return {
        "id": row[0],
        "session_id": row[1],
        "peer_id": row[2],
        "content": row[4],
        "created_at": row[5],
        "metadata": json.loads(row[7]),
    }


def main() -> None:
    global root
    root = Path(sys.argv[1])
    Database.open(root / "hymem.db").close()
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP) as ear:
        ear.bind(("127.0.0.1", 0))
        ear.listen(512)
        print(f"http://127.0.0.1:{ear.getsockname()[1]}", flush=True)
        server = uvicorn.Server(uvicorn.Config(app, log_level="warning", access_log=False, lifespan="off"))
        threading.Thread(target=lambda: (sys.stdin.read(), setattr(server, "should_exit", True)), daemon=True).start()
        server.run([ear])


if __name__ == "__main__":
    main()
