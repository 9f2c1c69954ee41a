"""The server as clients meet it: what they send twice, files, webhooks, dreams, and what they get when they send nonsense."""

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from honcho import Honcho

from hymem.settings import ServerSettings
from tests.support.honcho_house import House, honcho_house
from tests.support.webhook_receiver import receiving

QUIET = ServerSettings(dream_cooldown_seconds=3600, local_webhooks=True)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    with honcho_house(tmp_path_factory.mktemp("house"), QUIET) as house:
        yield house


def until(holds: Callable[[], object], seconds: float = 40.0) -> None:
    ends = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < ends, "it did not come to that"
        time.sleep(0.05)


# ---------------------------------------------------------------------------------------------------- said twice


@contextmanager
def deaf_once(port: int, word: bytes) -> Iterator[int]:
    """A port that leads to another one, and once hangs up on an answer: the first to a request that holds the word."""
    ear = socket.create_server(("127.0.0.1", 0))
    dropped = threading.Event()

    def carry(client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", port)) as server:
            while request := _whole(client):
                server.sendall(request)
                answer = _whole(server)
                if word in request and not dropped.is_set():
                    dropped.set()
                    return
                client.sendall(answer)

    def listen() -> None:
        while True:
            try:
                client, _ = ear.accept()
            except OSError:
                return
            threading.Thread(target=carry, args=(client,), daemon=True).start()

    threading.Thread(target=listen, daemon=True).start()
    yield ear.getsockname()[1]
    assert dropped.is_set()
    ear.shutdown(socket.SHUT_RDWR)
    ear.close()


def _whole(peer: socket.socket) -> bytes:
    """A request or an answer, with its body."""
    held = b""
    while True:
        piece = peer.recv(65536)
        if not piece:
            return b""
        held += piece
        head, found, body = held.partition(b"\r\n\r\n")
        sizes = [line.split(b":")[1] for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
        if found and len(body) >= int(sizes[0] if sizes else 0):
            return held


def test_the_sdk_that_heard_no_answer_sends_again_and_nothing_is_stored_twice(house: House):
    with deaf_once(int(house.url.rsplit(":", 1)[1]), b"I drink tea") as port:
        honcho = Honcho(base_url=f"http://127.0.0.1:{port}", workspace_id="twice", api_key="none")
        ann = honcho.peer("ann")
        sent = honcho.session("s1").add_messages([ann.message("I drink tea"), ann.message("yes")])
        honcho._http.close()

    kept = house.messages(workspace="twice")
    assert [message["content"] for message in kept] == ["I drink tea", "yes"]
    assert [message.id for message in sent] == [message["id"] for message in kept]


def test_a_key_stands_for_one_request(house: House):
    url, key = "/v3/workspaces/keyed/sessions/s1/messages", {"Idempotency-Key": "k"}
    first, again, other = (
        house.client.post(url, json={"messages": [{"peer_id": "ann", "content": text}]}, headers=key)
        for text in ("yes", "yes", "no")
    )

    assert (first.status_code, again.status_code, other.status_code) == (201, 201, 409)
    assert first.json() == again.json() and "new key" in other.json()["detail"]
    assert len(house.messages(workspace="keyed")) == 1


# ------------------------------------------------------------------------------------------------------- files


def upload(house: House, data: bytes, name: str, kind: str, session: str = "s1", **form: str) -> httpx.Response:
    url = f"/v3/workspaces/files/sessions/{session}/messages/upload"
    return house.client.post(url, files={"file": (name, data, kind)}, data={"peer_id": "ann", **form})


def test_a_file_becomes_messages_of_its_time(house: House):
    form = {"metadata": '{"from": "desk"}', "created_at": "2020-02-02T02:02:02+09:00"}
    answer = upload(house, b"We use Redis.\n\n" + b"x " * 20_000, "notes.txt", "text/plain", "notes", **form)

    first, second = answer.json()
    assert answer.status_code == 201 and first["content"].startswith("We use Redis.")
    assert (first["metadata"], first["created_at"]) == ({"from": "desk"}, "2020-02-01T17:02:02.000000Z")
    assert len(first["content"]) <= 25_000 and second["peer_id"] == "ann"


def test_what_cannot_be_read_beside_a_file_is_left_aside(house: House):
    answer = upload(
        house, b"tea", "a.txt", "text/plain", "aside", metadata="{", created_at="tomorrow", configuration="["
    )

    assert (answer.status_code, answer.json()[0]["metadata"]) == (201, {})


@pytest.mark.parametrize("name", ["MEMORY.md", "USER.md"])
def test_an_agents_memory_file_adds_nothing_when_it_comes_again(house: House, name: str):
    file = f"- likes tea, says {name}\n<!-- HyMem:auto:insights:start -->\nredis\n<!-- HyMem:auto:insights:end -->\n".encode()
    first, again, elsewhere = (
        upload(house, file, name, "text/markdown", session).json() for session in ("m1", "m1", "m2")
    )

    assert first == again == elsewhere and [message["content"] for message in first] == [f"- likes tea, says {name}"]


@pytest.mark.parametrize(
    ("data", "kind", "status"),
    [
        (b"x" * (5 * 1024 * 1024 + 1), "text/plain", 413),
        (b"PK", "application/zip", 415),
        (b"{", "application/json", 422),
        (b"%PDF-", "application/pdf", 422),
    ],
    ids=["large", "zip", "json", "pdf"],
)
def test_a_file_that_cannot_be_taken_is_refused(house: House, data: bytes, kind: str, status: int):
    answer = upload(house, data, "file", kind)

    assert answer.status_code == status and isinstance(answer.json()["detail"], str)


def test_the_sdk_uploads_a_file(house: House, tmp_path: Path):
    path = tmp_path / "notes.md"
    path.write_text("We use Redis.")
    honcho = Honcho(base_url=house.url, workspace_id="files", api_key="none")

    (message,) = honcho.session("sdk").upload_file(("notes.md", path.read_bytes(), "text/markdown"), peer="ann")
    honcho._http.close()

    assert (message.content, message.peer_id) == ("We use Redis.", "ann")


# ------------------------------------------------------------------------------------------- dreams and webhooks


def test_a_webhook_is_called_when_there_is_nothing_left_to_dream_about(tmp_path: Path):
    settings = ServerSettings(dream_cooldown_seconds=0.2, local_webhooks=True, webhook_secret="s" * 32)
    with receiving() as hook, honcho_house(tmp_path, settings) as house:
        made = house.client.post("/v3/workspaces/w/webhooks", json={"url": hook.url})
        again = house.client.post("/v3/workspaces/w/webhooks", json={"url": hook.url})
        house.client.get("/v3/workspaces/w/webhooks/test")
        house.say("The API depends on PostgreSQL.")
        until(lambda: len(hook.came) >= 2)
        listed = house.client.get("/v3/workspaces/w/webhooks").json()
        gone = house.client.delete(f"/v3/workspaces/w/webhooks/{made.json()['id']}")

        assert (made.status_code, again.status_code, gone.status_code) == (201, 200, 204)
        assert listed["items"] == [made.json()] and listed["total"] == 1
        told = [json.loads(body) for _, _, body in hook.came]
        assert [(each["type"], each["data"]["workspace_id"]) for each in told] == [
            ("test.event", "w"),
            ("queue.empty", "w"),
        ]


def test_a_private_address_is_no_webhook(tmp_path: Path):
    with honcho_house(tmp_path) as house:
        answer = house.client.post("/v3/workspaces/w/webhooks", json={"url": "http://169.254.169.254/"})

    assert answer.status_code == 422 and "private" in answer.json()["detail"]


def test_a_dream_that_is_asked_for_comes_at_once(tmp_path: Path):
    with honcho_house(tmp_path, QUIET) as house:
        house.say("The API depends on PostgreSQL.")
        until(lambda: house.server.dream_status("w").dreams >= 1)
        house.say("The worker depends on Redis.")
        honcho = Honcho(base_url=house.url, workspace_id="w", api_key="none")
        waiting = honcho.queue_status()
        honcho.schedule_dream(honcho.peer("ann"))
        until(lambda: honcho.queue_status().completed_work_units == 2)
        done = honcho.queue_status()
        honcho._http.close()

        assert (waiting.pending_work_units, waiting.total_work_units) == (1, 2)
        assert (done.pending_work_units, done.in_progress_work_units) == (0, 0)
        unknown = house.client.post(
            "/v3/workspaces/nobody/schedule_dream", json={"observer": "a", "dream_type": "omni"}
        )
        assert unknown.status_code == 404


def test_the_queue_is_told_by_sender_and_by_observer(house: House):
    body = {"messages": [{"peer_id": peer, "content": f"We use tool {peer}."} for peer in ("ann", "bob")]}
    house.client.post("/v3/workspaces/queue/sessions/s1/messages", json=body)
    house.client.post("/v3/workspaces/queue/sessions/s2/messages", json={"messages": body["messages"][:1]})

    def units(**query: str) -> int:
        return house.client.get("/v3/workspaces/queue/queue/status", params=query).json()["total_work_units"]

    assert (units(), units(sender_id="ann"), units(observer_id="bob"), units(session_id="s2")) == (3, 2, 2, 1)
    assert units(sender_id="ann", observer_id="bob") == 3


def test_keys_are_off_where_nobody_is_asked_for_them(house: House):
    answer = house.client.post("/v3/keys", params={"workspace_id": "w"})

    assert (answer.status_code, answer.json()) == (405, {"detail": "Feature is disabled"})


def test_a_deleted_workspace_dreams_no_more(tmp_path: Path):
    with honcho_house(tmp_path, QUIET, HYMEM_LLM_MODEL="rules") as house:
        house.say("The API depends on PostgreSQL.")
        until(lambda: house.server.dream_status("w").dreams >= 1)
        house.client.delete("/v3/workspaces/w/sessions/s1")
        deleted = house.client.delete("/v3/workspaces/w")

        assert deleted.status_code == 202
        assert house.server.workspaces.folder("w") not in house.server.scheduler.statuses()
        assert not house.server.workspaces.folder("w").exists()


@pytest.mark.parametrize("name", ["a%2e%2e", "..%2f..", "a" * 600, "w%00", "é"], ids=range(5))
def test_a_workspace_that_can_have_no_such_name_is_not_deleted(house: House, name: str):
    assert house.client.delete(f"/v3/workspaces/{name}").status_code in (404, 405, 422)
