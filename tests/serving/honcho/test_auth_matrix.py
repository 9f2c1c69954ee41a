"""Every route of the server, with no token, wrong ones, and one of each reach. The routes are those that the server has."""

from collections.abc import Iterator
from typing import Any

import jwt
import pytest

from hymem.settings import ServerSettings
from serving.honcho.doorkeeper import OPEN
from serving.honcho.security import Claims
from tests.support.honcho_house import SECRET, House, honcho_house

W, PEER, SESSION = "/v3/workspaces/{workspace_id}", "/peers/{peer_id}", "/sessions/{session_id}"
ADMIN_ONLY = {"POST /v3/workspaces/list", "POST /v3/keys"}
PEERS = {
    "POST /v3/workspaces",
    f"POST {W}/peers",
    *(f"{method} {W}{PEER}" for method in ("GET", "PUT")),
    *(f"POST {W}{PEER}/{verb}" for verb in ("chat", "representation", "search", "sessions")),
    *(f"{method} {W}{PEER}/card" for method in ("GET", "PUT")),
    f"GET {W}{PEER}/context",
    f"GET {W}{SESSION}",
    *(f"GET {W}{SESSION}/{what}" for what in ("context", "summaries", "peers", "peers/{peer_id}/config")),
    f"GET {W}{SESSION}/messages/{{message_id}}",
    *(f"POST {W}{SESSION}/{what}" for what in ("messages/list", "search")),
}
"""What the token of ann, a member of s1, opens."""

BODIES: dict[str, Any] = {
    "POST /v3/workspaces": {"id": "w"},
    f"POST {W}/peers": {"id": "ann"},
    f"POST {W}/sessions": {"id": "s1"},
    f"PUT {W}{SESSION}/peers": {"ann": {}},
    f"DELETE {W}{SESSION}/peers": ["nobody"],
}
NAMES = {"workspace_id": "w", "peer_id": "ann", "session_id": "s1", "message_id": "m", "conclusion_id": "c"}


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    settings = ServerSettings(dream_cooldown_seconds=3600, auth_secret=SECRET)
    with honcho_house(tmp_path_factory.mktemp("house"), settings) as house:
        house.say("hello")
        yield house


def routes(house: House) -> list[str]:
    """`METHOD template` of every route, those that take away last and the widest of them last of all."""
    document = house.server.api.openapi()["paths"]
    found = [(method.upper(), path) for path, methods in document.items() for method in methods]
    return [f"{method} {path}" for method, path in sorted(found, key=lambda r: (r[0] == "DELETE", -len(r[1])))]


def tried(house: House, route: str, authorization: str | None) -> tuple[int, Any]:
    method, template = route.split()
    path = template.format_map({"scope_id": "x", "webhook_id": "h", **NAMES})
    headers = {"Authorization": authorization} if authorization else {"Authorization": ""}
    answer = house.client.request(
        method, path, headers=headers, json=BODIES.get(route, {}) if method != "GET" else None
    )
    assert answer.status_code < 500, (route, answer.text)
    return answer.status_code, answer.json().get("detail") if answer.status_code == 401 else None


def reach(house: House, route: str, tokens: dict[str, str]) -> str:
    return "".join(name for name, bearer in tokens.items() if tried(house, route, bearer)[0] != 401)


def test_every_route_opens_to_the_tokens_that_reach_so_far_and_to_no_others(house: House):
    session = "/v3/workspaces/{workspace_id}/sessions/{session_id}"
    tokens = {
        "p": house.bearer(Claims(workspace="w", peer="ann")),
        "o": house.bearer(Claims(workspace="w", peer="bob")),
        "s": house.bearer(Claims(workspace="w", session="s1")),
        "v": house.bearer(Claims(workspace="v")),
        "w": house.bearer(Claims(workspace="w")),
        "a": house.bearer(Claims(admin=True)),
    }
    found, wanted = {}, {}
    for route in routes(house):
        path = route.split()[1]
        if path in OPEN:
            continue
        of_session = path.startswith(session) or route in (f"POST {W}/sessions", "POST /v3/workspaces")
        narrow = ("p" if route in PEERS else "") + ("o" if route == "POST /v3/workspaces" else "")
        wide = "a" if route in ADMIN_ONLY else "wa"
        wanted[route] = narrow + ("s" if of_session and route not in ADMIN_ONLY else "") + wide
        found[route] = reach(house, route, tokens)

    assert found == wanted
    assert len(found) > 40


@pytest.mark.parametrize(
    ("authorization", "detail"),
    [
        (None, "No access token provided"),
        ("Bearer nonsense", "Invalid JWT"),
        (f"Bearer {jwt.encode({'ad': True}, 'another secret of thirty-two bytes', 'HS256')}", "Invalid JWT"),
        (f"Bearer {jwt.encode({'ad': True, 'exp': 1_700_000_000}, SECRET, 'HS256')}", "JWT expired"),
    ],
    ids=["none", "nonsense", "forged", "expired"],
)
def test_no_route_opens_without_a_token_that_holds(house: House, authorization: str | None, detail: str):
    answers = {route: tried(house, route, authorization) for route in routes(house) if route.split()[1] not in OPEN}

    assert set(answers.values()) == {(401, detail)}
