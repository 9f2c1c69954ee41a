"""What is said in one workspace, or where a peer was not, shows in no answer about another: every read route, each asked."""

from collections.abc import Iterator
from itertools import product
from typing import Any

import httpx
import pytest

from tests.support.honcho_server import Served, honcho_server

QUESTIONS = ("Who is this?", "What does the service depend on?")
SESSIONS = {"monday": ("ann", "bob"), "tuesday": ("ann", "carol"), "wednesday": ("bob",)}
SECRETS = {
    "v": {"monday": "velociraptor", "tuesday": "vuvuzela", "wednesday": "vermouth"},
    "w": {"monday": "walrus", "tuesday": "wombat", "wednesday": "walnut"},
}
PEERS = ("ann", "bob", "carol")
TELLING = {("bob", "ann"), ("carol", "bob")}
"""The pairs that are asked always: one that shares a session of several, one that shares none. The rest are asked in the soak."""


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with honcho_server(tmp_path_factory.mktemp("isolation")) as served:
        for workspace in SECRETS:
            tell(served, workspace)
            served.dream(workspace)
        yield served


def tell(server: Served, workspace: str) -> None:
    """In each session, its first peer says something of that session's secret, and a client concludes it."""
    honcho = server.client(workspace)
    for session, peers in SESSIONS.items():
        secret = SECRETS[workspace][session]
        there = honcho.session(session)
        there.add_peers(list(peers))
        there.add_messages([honcho.peer(peers[0]).message(f"The {secret} service depends on {secret}db.")])
        observer = honcho.peer(peers[-1])
        observer.conclusions_of(peers[0]).create([{"content": f"knows the {secret}", "session_id": session}])
    honcho._http.close()


def asked(server: Served, workspace: str, method: str, path: str, **body: Any) -> str:
    url = f"{server.url}/v3/workspaces/{workspace}{path}"
    told: dict[str, Any] = {"params": body} if method == "GET" else {"json": body}
    answer = httpx.request(method, url, timeout=60, **told)
    assert answer.status_code in (200, 404), (path, answer.text)
    return answer.text.lower()


def of_peer(server: Served, workspace: str, observer: str, target: str) -> dict[str, str]:
    """Every read route that shows the view of one peer."""
    pair = {"observer_id": observer, "observed_id": target}
    one, found = f"/peers/{observer}", dict[str, str]()
    for n, question in enumerate(QUESTIONS):
        calls: dict[str, tuple[str, str, dict[str, Any]]] = {
            "chat": ("POST", f"{one}/chat", {"query": question, "target": target, "include_evidence": True}),
            "stream": ("POST", f"{one}/chat", {"query": question, "target": target, "stream": True}),
            "representation": ("POST", f"{one}/representation", {"target": target, "search_query": question}),
            "context": ("GET", f"{one}/context", {"target": target, "search_query": question}),
            "card": ("GET", f"{one}/card", {"target": target}),
            "query": ("POST", "/conclusions/query", {"query": question, "filters": pair}),
            "list": ("POST", "/conclusions/list", {"filters": pair}),
            "search": ("POST", "/search", {"query": f"{question} service", "filters": {"peer_perspective": observer}}),
            "session-context": (
                "GET",
                "/sessions/monday/context",
                {"peer_target": target, "peer_perspective": observer, "search_query": question, "tokens": 0},
            ),
        }
        for name, (method, path, body) in calls.items():
            found[f"{name}-{n}"] = asked(server, workspace, method, path, **body)
    return found


def of_workspace(server: Served, workspace: str) -> dict[str, str]:
    """Every read route that shows a workspace, and its sessions."""
    found = {path: asked(server, workspace, "GET", path) for path in ("", "/conflicts", "/queue/status")}
    for path in ("/peers/list", "/sessions/list", "/conclusions/list", "/scopes/list"):
        found[path] = asked(server, workspace, "POST", path)
    for question in QUESTIONS:
        found[f"search {question}"] = asked(server, workspace, "POST", "/search", query=question)
        found[f"chat {question}"] = asked(server, workspace, "POST", "/chat", query=question, include_evidence=True)
    for session in SESSIONS:
        for path in ("", "/context", "/summaries", "/peers"):
            found[f"{session}{path}"] = asked(server, workspace, "GET", f"/sessions/{session}{path}")
        found[f"{session} list"] = asked(server, workspace, "POST", f"/sessions/{session}/messages/list")
        found[f"{session} search"] = asked(server, workspace, "POST", f"/sessions/{session}/search", query="service")
    return found


def leaks(answers: dict[str, str], secrets: set[str]) -> list[tuple[str, str]]:
    return [(name, secret) for name, text in answers.items() for secret in secrets if secret in text]


@pytest.mark.parametrize(("workspace", "other"), [("v", "w"), ("w", "v")])
def test_nothing_crosses_from_one_workspace_to_another(server: Served, workspace: str, other: str):
    answers = of_workspace(server, workspace)

    assert leaks(answers, set(SECRETS[other].values())) == []
    for secret in SECRETS[workspace].values():
        assert secret in answers["/conclusions/list"]


@pytest.mark.parametrize(
    ("observer", "target"),
    [
        pytest.param(*pair, marks=() if pair in TELLING else pytest.mark.soak, id="-".join(pair))
        for pair in product(PEERS, PEERS)
    ],
)
def test_a_peer_is_told_of_another_only_what_was_said_where_both_were(server: Served, observer: str, target: str):
    shared = {day for day, peers in SESSIONS.items() if observer in peers and target in peers}
    heard = {day for day, peers in SESSIONS.items() if observer in peers}
    foreign = set(SECRETS["v"].values())

    answers = of_peer(server, "w", observer, target)
    searched = {name: text for name, text in answers.items() if name.startswith("search")}
    viewed = {name: text for name, text in answers.items() if name not in searched}

    assert leaks(viewed, foreign | {SECRETS["w"][day] for day in SESSIONS if day not in shared}) == []
    assert leaks(searched, foreign | {SECRETS["w"][day] for day in SESSIONS if day not in heard}) == []
    for day in (day for day in shared if SESSIONS[day][0] == target):
        assert SECRETS["w"][day] in answers["list-0"]


@pytest.mark.parametrize(
    "session", ["monday", *(pytest.param(day, marks=pytest.mark.soak) for day in SESSIONS if day != "monday")]
)
def test_a_session_shows_nothing_of_the_others(server: Served, session: str):
    others = {secret for day, secret in SECRETS["w"].items() if day != session}
    path = f"/sessions/{session}"
    answers = {
        "search": asked(server, "w", "POST", f"{path}/search", query="service depends"),
        "list": asked(server, "w", "POST", f"{path}/messages/list"),
        "context": asked(server, "w", "GET", f"{path}/context"),
        "summaries": asked(server, "w", "GET", f"{path}/summaries"),
        "chat": asked(server, "w", "POST", "/chat", query=QUESTIONS[1], session_id=session),
        "conclusions": asked(server, "w", "POST", "/conclusions/list", filters={"session_id": session}),
    }

    assert leaks(answers, others) == []
    assert SECRETS["w"][session] in answers["chat"]
