"""The doorkeeper before a small house: a real server on loopback, real clients, some of them rude."""

import socket
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, UploadFile
from starlette.requests import Request

from hymem.errors import ConfigError
from serving.honcho import doorkeeper
from serving.honcho.doorkeeper import Doorkeeper, check_address
from serving.honcho.security import Claims, token
from tests.support.http_server import HttpServer

SECRET = "the secret of the tests, 32 bytes and more"
NOW = "2026-06-01T00:00:00.000000Z"


def house() -> FastAPI:
    app = FastAPI()

    @app.get("/health")
    def health() -> dict[str, bool]:
        return {"ok": True}

    @app.post("/v3/workspaces/{workspace}/sessions")
    def session(workspace: str, said: dict[str, Any]) -> dict[str, Any]:
        return said

    @app.post("/v3/workspaces/{workspace}/sessions/{session}/messages/upload")
    async def upload(workspace: str, session: str, file: UploadFile) -> int:
        return len(await file.read())

    @app.post("/v3/workspaces/{workspace}/echo")
    async def echo(request: Request) -> int:
        return len(await request.body())

    return app


@pytest.fixture
def open_house() -> Iterator[HttpServer]:
    with HttpServer(Doorkeeper(house(), secret=None, is_member=lambda *_: False)) as server:
        yield server


@pytest.fixture
def guarded_house() -> Iterator[HttpServer]:
    app = Doorkeeper(house(), secret=SECRET, is_member=lambda *_: False, clock=lambda: NOW)
    with HttpServer(app) as server:
        yield server


def bearer(claims: Claims) -> dict[str, str]:
    return {"Authorization": f"Bearer {token(SECRET, claims, NOW)}"}


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.168.1.4", "memory.example.org", ""])
def test_other_addresses_than_this_machine_need_a_secret(host: str):
    with pytest.raises(ConfigError, match="HYMEM_HONCHO_AUTH_SECRET"):
        check_address(host, None)
    check_address(host, SECRET)


@pytest.mark.parametrize("host", ["127.0.0.1", "127.8.9.1", "::1", "localhost", "LOCALHOST"])
def test_this_machine_needs_none(host: str):
    check_address(host, None)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "localhost:1"}, 200),
        ({"Host": "[::1]:8765"}, 200),
        ({"Host": "evil.example.org"}, 403),
        ({"Host": "127.0.0.1.evil.example.org"}, 403),
        ({"Host": "localhost@evil.example.org"}, 403),
        ({"Origin": "https://evil.example.org"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:3000"}, 200),
    ],
)
def test_without_tokens_only_this_machine_is_answered(open_house: HttpServer, headers: dict[str, str], status: int):
    answer = httpx.get(f"{open_house.url}/health", headers=headers)

    assert answer.status_code == status
    assert "access-control-allow-origin" not in answer.headers


def test_health_asks_nobody_who_they_are(guarded_house: HttpServer):
    assert httpx.get(f"{guarded_house.url}/health").json() == {"ok": True}


def test_a_body_is_not_read_for_whoever_has_no_token(guarded_house: HttpServer):
    answer = httpx.post(f"{guarded_house.url}/v3/workspaces/w/sessions", content=b"{ no json")

    assert (answer.status_code, answer.json()) == (401, {"detail": "No access token provided"})
    assert answer.headers["www-authenticate"] == "Bearer"


def test_a_narrow_token_is_held_to_what_the_body_says_and_the_route_reads_it_too(guarded_house: HttpServer):
    url, headers = f"{guarded_house.url}/v3/workspaces/w/sessions", bearer(Claims(workspace="w", session="s1"))

    assert httpx.post(url, headers=headers, json={"id": "s1", "metadata": {"a": 1}}).json()["metadata"] == {"a": 1}
    assert httpx.post(url, headers=headers, json={"id": "s2"}).status_code == 401
    assert httpx.post(url, headers=headers, content=b"{").status_code == 401


@pytest.mark.parametrize(
    "kind", ["application/json; x=multipart/", "Application/JSON;multipart/form-data", ""], ids=repr
)
def test_no_content_type_hides_from_the_doorkeeper_what_the_route_reads(guarded_house: HttpServer, kind: str):
    url = f"{guarded_house.url}/v3/workspaces/w/sessions/s1/messages/search"
    headers = bearer(Claims(workspace="w", session="s1")) | {"Content-Type": kind}

    assert httpx.post(url, headers=headers, content=b'{"scope": "everything"}').status_code == 401


@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_that_is_too_large_is_refused(open_house: HttpServer, monkeypatch: pytest.MonkeyPatch, chunked: bool):
    monkeypatch.setattr(doorkeeper, "LARGEST_BODY", 1024 * 1024)
    url, body = f"{open_house.url}/v3/workspaces/w/echo", b"x" * (1024 * 1024)
    pieces = (lambda whole: iter([whole])) if chunked else (lambda whole: whole)

    assert httpx.post(url, content=pieces(body)).json() == len(body)
    too_much = httpx.post(url, content=pieces(body + b"x"))
    assert (too_much.status_code, too_much.json()["detail"]) == (
        413,
        "the body is larger than 1 MiB: send it in parts",
    )


def test_an_upload_that_is_too_large_is_refused(open_house: HttpServer):
    url = f"{open_house.url}/v3/workspaces/w/sessions/s/messages/upload"

    assert httpx.post(url, files={"file": ("a.txt", b"x" * 1000)}).json() == 1000
    assert httpx.post(url, files={"file": ("a.txt", b"x" * (7 * 1024 * 1024))}).status_code == 413


def test_whoever_stops_in_the_middle_of_a_body_is_not_waited_for(
    open_house: HttpServer, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(doorkeeper, "BODY_SECONDS", 0.3)
    with socket.create_connection(("127.0.0.1", open_house.port), timeout=10) as slow:
        slow.sendall(b"POST /v3/workspaces/w/echo HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nab")

        assert b"408" in slow.recv(1000).split(b"\r\n")[0]
