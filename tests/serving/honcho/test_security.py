"""The rules for tokens, one by one; the matrix of all routes walks the server itself."""

from typing import Any

import jwt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import InputError
from serving.honcho.security import Asked, Claims, Unauthorized, authorize, claims_of, token

SECRET = "the secret of the tests, 32 bytes and more"
NOW = "2026-06-01T00:00:00.000000Z"

ADMIN, WORKSPACE = Claims(admin=True), Claims(workspace="w")
PEER, SESSION = Claims(workspace="w", peer="ann"), Claims(workspace="w", session="s1")
names = st.none() | st.text("abc-_0", min_size=1, max_size=9)


def let_through(claims: Claims, request: str, **parameters: Any) -> bool:
    """Whether claims reach as far as `METHOD path`; ann is a member of s1 and s2, nobody of s3."""
    method, path = request.split()
    body = parameters if method != "GET" else {}
    query = {name: [str(value)] for name, value in parameters.items()} if method == "GET" else {}
    try:
        authorize(
            claims, Asked(method, path, query, body), lambda w, s, p: (w, p) == ("w", "ann") and s in ("s1", "s2")
        )
    except Unauthorized:
        return False
    return True


@given(workspace=names, peer=names, session=names, admin=st.booleans())
def test_a_token_says_what_it_was_made_for(workspace: str | None, peer: str | None, session: str | None, admin: bool):
    claims = Claims(admin, workspace, peer, session)
    if workspace is None and (not admin or peer or session):
        with pytest.raises((InputError, Unauthorized)):
            claims_of(SECRET, f"Bearer {token(SECRET, claims, NOW)}", NOW)
    else:
        assert claims_of(SECRET, f"Bearer {token(SECRET, claims, NOW)}", NOW) == claims


def test_a_token_ends_when_it_was_said_to_and_not_before():
    bearer = f"Bearer {token(SECRET, WORKSPACE, NOW, '2026-06-02T02:00:00+02:00')}"

    assert claims_of(SECRET, bearer, "2026-06-01T23:59:59.000000Z") == WORKSPACE
    with pytest.raises(Unauthorized, match="JWT expired"):
        claims_of(SECRET, bearer, "2026-06-02T00:00:00.000000Z")


def test_a_token_whose_end_is_text_as_honcho_writes_it_is_read():
    bearer = f"Bearer {jwt.encode({'w': 'w', 'exp': '2026-06-02T00:00:00+00:00'}, SECRET, 'HS256')}"

    assert claims_of(SECRET, bearer, NOW) == WORKSPACE
    with pytest.raises(Unauthorized, match="JWT expired"):
        claims_of(SECRET, bearer, "2027-01-01T00:00:00.000000Z")


@pytest.mark.parametrize("authorization", [None, "", "Bearer", "Bearer ", "Basic dXNlcjpwYXNz"])
def test_whoever_brings_no_token_is_told_so(authorization: str | None):
    with pytest.raises(Unauthorized, match="No access token provided"):
        claims_of(SECRET, authorization, NOW)


@pytest.mark.parametrize(
    "encoded",
    [
        "nonsense",
        "é.é.é",
        jwt.encode({"ad": True}, "another secret of 32 bytes or more", "HS256"),
        "a.b.c",
        jwt.encode({"ad": True}, None, "none"),
        jwt.encode({"p": "ann"}, SECRET, "HS256"),
        jwt.encode({"s": "s1"}, SECRET, "HS256"),
        jwt.encode({"w": 1}, SECRET, "HS256"),
        jwt.encode({"w": ""}, SECRET, "HS256"),
        jwt.encode({"w": "w", "exp": "soon"}, SECRET, "HS256"),
        jwt.encode({"w": "w", "exp": 1e300}, SECRET, "HS256"),
    ],
    ids=range(11),
)
def test_what_is_no_token_of_ours_is_invalid(encoded: str):
    with pytest.raises(Unauthorized, match="Invalid JWT"):
        claims_of(SECRET, f"Bearer {encoded}", NOW)


def test_only_true_makes_an_admin():
    assert claims_of(SECRET, f"Bearer {jwt.encode({'ad': 'yes', 'w': 'w'}, SECRET, 'HS256')}", NOW) == WORKSPACE


def test_a_token_for_nothing_is_not_made():
    with pytest.raises(InputError, match="workspace_id"):
        token(SECRET, Claims(peer="ann"), NOW)
    with pytest.raises(InputError, match="past"):
        token(SECRET, WORKSPACE, NOW, "2020-01-01T00:00:00Z")


@pytest.mark.parametrize(
    ("request_", "parameters", "reach"),
    [
        ("POST /v3/workspaces/list", {}, "a"),
        ("POST /v3/keys", {}, "a"),
        ("POST /v3/workspaces", {"id": "w"}, "awps"),
        ("POST /v3/workspaces", {"id": "other"}, "a"),
        ("POST /v3/workspaces", {}, "a"),
        ("PUT /v3/workspaces/w", {}, "aw"),
        ("DELETE /v3/workspaces/w", {}, "aw"),
        ("PUT /v3/workspaces/other", {}, "a"),
        ("POST /v3/workspaces/w/search", {}, "aw"),
        ("GET /v3/workspaces/w/a-route-to-come", {}, "aw"),
        ("GET /another/door", {}, "a"),
        ("POST /v3/workspaces/w/peers", {"id": "ann"}, "awp"),
        ("POST /v3/workspaces/w/peers", {"id": "bob"}, "aw"),
        ("POST /v3/workspaces/w/peers/list", {}, "aw"),
        ("PUT /v3/workspaces/w/peers/ann", {}, "awp"),
        ("POST /v3/workspaces/w/peers/ann/chat", {"target": "bob"}, "awp"),
        ("POST /v3/workspaces/w/peers/ann/chat", {"session_id": "s2"}, "awp"),
        ("POST /v3/workspaces/w/peers/ann/chat", {"session_id": "s3"}, "aw"),
        ("POST /v3/workspaces/w/peers/ann/chat", {"scope": "team"}, "aw"),
        ("POST /v3/workspaces/w/peers/bob/chat", {}, "aw"),
        ("GET /v3/workspaces/w/peers/ann/card", {}, "awp"),
        ("GET /v3/workspaces/w/peers/bob/card", {}, "aw"),
        ("POST /v3/workspaces/w/sessions", {"id": "s1"}, "aws"),
        ("POST /v3/workspaces/w/sessions", {"id": "s2"}, "aw"),
        ("POST /v3/workspaces/w/sessions", {"id": "s1", "scopes": ["team"]}, "aw"),
        ("POST /v3/workspaces/w/sessions/list", {}, "aw"),
        ("POST /v3/workspaces/w/sessions/s1/messages", {}, "aws"),
        ("POST /v3/workspaces/w/sessions/s1/messages/list", {}, "awps"),
        ("POST /v3/workspaces/w/sessions/s2/messages/list", {}, "awp"),
        ("POST /v3/workspaces/w/sessions/s3/messages/list", {}, "aw"),
        ("GET /v3/workspaces/w/sessions/s1/messages/m", {}, "awps"),
        ("DELETE /v3/workspaces/w/sessions/s1/messages/m", {}, "aws"),
        ("GET /v3/workspaces/w/sessions/s1/context", {}, "awps"),
        ("GET /v3/workspaces/w/sessions/s1/context", {"peer_target": "bob"}, "aws"),
        ("GET /v3/workspaces/w/sessions/s1/context", {"peer_target": "bob", "peer_perspective": "ann"}, "awps"),
        ("GET /v3/workspaces/w/sessions/s1/context", {"peer_target": "ann", "peer_perspective": "bob"}, "aws"),
        ("GET /v3/workspaces/w/sessions/s1/context", {"peer_target": "ann", "sessions": "s2"}, "awp"),
        ("GET /v3/workspaces/w/sessions/s1/summaries", {}, "awps"),
        ("POST /v3/workspaces/w/sessions/s1/search", {}, "awps"),
        ("GET /v3/workspaces/w/sessions/s1/peers", {}, "awps"),
        ("DELETE /v3/workspaces/w/sessions/s1/peers", {}, "aws"),
        ("GET /v3/workspaces/w/sessions/s1/peers/ann/config", {}, "awps"),
        ("GET /v3/workspaces/w/sessions/s1/peers/bob/config", {}, "aws"),
        ("PUT /v3/workspaces/w/sessions/s1/peers/ann/config", {}, "aws"),
        ("DELETE /v3/workspaces/w/sessions/s1", {}, "aws"),
    ],
)
def test_each_token_reaches_as_far_as_it_says(request_: str, parameters: dict[str, Any], reach: str):
    tokens = {"a": ADMIN, "w": WORKSPACE, "p": PEER, "s": SESSION}

    assert "".join(each for each, claims in tokens.items() if let_through(claims, request_, **parameters)) == reach


def test_a_session_that_is_called_list_opens_no_list():
    assert not let_through(Claims(workspace="w", session="list"), "POST /v3/workspaces/w/sessions/list")
    assert not let_through(Claims(workspace="w", peer="list"), "POST /v3/workspaces/w/peers/list")
