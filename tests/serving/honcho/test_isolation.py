"""Two workspaces, three peers, every route that reads: nobody is told what was said where they were not."""

import sys
from collections.abc import Iterator

import pytest

from hymem.models.rules import RulesExtractor
from hymem.settings import ServerSettings
from serving.honcho.security import Claims
from serving.memory import HyMem
from tests.support.honcho_house import SECRET, House, honcho_house

NO_DREAM = [sys.executable, "-I", "-S", "-c", "print('{}')"]
PEERS = ("ann", "bob", "cat")
SAID = {
    "w": {"ab": [("ann", "We use Redis.")], "bc": [("cat", "We use Postgres.")], "a": [("ann", "We use Kafka.")]},
    "v": {"ab": [("ann", "We use Oracle.")], "bc": [("cat", "We use Cassandra.")]},
}
TAKE_PART = {"ab": ("ann", "bob"), "bc": ("bob", "cat"), "a": ("ann",)}
WORDS = {"redis", "postgres", "kafka", "oracle", "cassandra"}
QUESTION = "Do we use Redis, Postgres, Kafka, Oracle or Cassandra?"


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    settings = ServerSettings(dream_cooldown_seconds=3600, auth_secret=SECRET)
    with honcho_house(tmp_path_factory.mktemp("house"), settings, NO_DREAM) as house:
        for workspace, sessions in SAID.items():
            for session, turns in sessions.items():
                at = f"/v3/workspaces/{workspace}/sessions/{session}"
                house.client.post(f"{at}/peers", json={peer: {} for peer in TAKE_PART[session]}).raise_for_status()
                body = {"messages": [{"peer_id": peer, "content": content} for peer, content in turns]}
                house.client.post(f"{at}/messages", json=body).raise_for_status()
            with HyMem(house.server.workspaces.folder(workspace), llm=RulesExtractor()) as memory:
                memory.dream()
        yield house


def reads(workspace: str) -> Iterator[tuple[str, str, object]]:
    """Every route that tells something, of every peer and session, through every peer's eyes."""
    at = f"/v3/workspaces/{workspace}"
    yield "GET", f"{at}/conflicts", None
    yield "POST", f"{at}/chat", {"query": QUESTION}
    yield from (("POST", f"{at}/{what}/list", {}) for what in ("peers", "sessions", "conclusions", "scopes"))
    yield "POST", f"{at}/search", {"query": "Redis Postgres Kafka Oracle Cassandra"}
    for peer in PEERS:
        here = f"{at}/peers/{peer}"
        yield "POST", f"{here}/search", {"query": "Redis Postgres Kafka Oracle Cassandra"}
        yield "POST", f"{here}/sessions", {}
        for target in PEERS:
            yield "GET", f"{here}/card?target={target}", None
            yield "GET", f"{here}/context?target={target}&search_query=Redis", None
            yield "POST", f"{here}/representation", {"target": target}
            yield "POST", f"{here}/chat", {"query": QUESTION, "target": target, "include_evidence": True}
    for session in TAKE_PART:
        here = f"{at}/sessions/{session}"
        yield from (("GET", f"{here}{what}", None) for what in ("", "/summaries", "/peers", "/context"))
        yield "POST", f"{here}/search", {"query": "Redis Postgres Kafka Oracle Cassandra"}
        yield "POST", f"{here}/messages/list", {}
        for target in PEERS:
            yield "GET", f"{here}/context?peer_target={target}", None
            yield from (("GET", f"{here}/context?peer_target={target}&peer_perspective={peer}", None) for peer in PEERS)


def told(house: House, claims: Claims, workspaces: str = "wv") -> set[str]:
    """The words that any answer to these claims holds."""
    found = set[str]()
    for workspace in workspaces:
        for method, path, body in reads(workspace):
            bearer = {"Authorization": house.bearer(claims)}
            answer = house.client.request(method, path, json=body, headers=bearer, timeout=120)
            assert answer.status_code in (200, 401, 404), (method, path, answer.text)
            if answer.status_code == 200:
                found |= {word for word in WORDS if word in answer.text.replace(QUESTION, "").lower()}
    return found


@pytest.mark.parametrize(
    ("claims", "words"),
    [
        (Claims(workspace="w", peer="ann"), {"redis", "kafka"}),
        (Claims(workspace="w", peer="bob"), {"redis", "postgres"}),
        (Claims(workspace="w", peer="cat"), {"postgres"}),
        (Claims(workspace="w", session="ab"), {"redis"}),
        (Claims(workspace="v"), {"oracle", "cassandra"}),
        (Claims(workspace="v", peer="cat"), {"cassandra"}),
    ],
    ids=["ann", "bob", "cat", "session", "workspace", "cat elsewhere"],
)
def test_everybody_is_told_what_they_heard_and_no_more(house: House, claims: Claims, words: set[str]):
    assert told(house, claims) == words
