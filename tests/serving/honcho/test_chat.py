"""Questions to a peer and to a workspace, with the SDK: answered from what each heard, whole or in a stream."""

import asyncio
from collections.abc import Iterator

import httpx
import pytest
from honcho import Honcho
from honcho.api_types import PeerConfig
from pydantic import BaseModel

from hymem.errors import ModelUnavailableError
from hymem.testing import ScriptedModel
from tests.support.honcho_server import Served, honcho_server

QUESTION = "What does the billing service depend on?"
SAID = "Billing service depends on redis."


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with honcho_server(tmp_path_factory.mktemp("honcho")) as served:
        client = served.client("w")
        tell(client)
        client._http.close()
        served.dream("w")
        yield served


def tell(honcho: Honcho) -> None:
    """Ann and bob talk on monday; on friday ann talks to herself."""
    ann, bob = honcho.peer("ann"), honcho.peer("bob")
    monday, friday = honcho.session("monday"), honcho.session("friday")
    monday.add_peers(["ann", "bob"])
    monday.add_messages([ann.message("The billing service depends on Redis."), ann.message("I prefer short answers.")])
    monday.add_messages([ann.message("We use Docker."), bob.message("I prefer long walks.")])
    friday.add_messages([ann.message("Redis depends on jemalloc."), ann.message("We don't use Docker.")])
    ann.conclusions.create([{"content": "ann likes tea"}])
    honcho.scope("week").add_sessions(["monday"])


@pytest.fixture
def honcho(server: Served) -> Iterator[Honcho]:
    client = server.client("w")
    yield client
    client._http.close()


def post(server: Served, path: str, **body: object) -> httpx.Response:
    return httpx.post(f"{server.url}/v3/workspaces/w/{path}", json={"query": QUESTION, **body}, timeout=60)


def test_a_peer_answers_from_all_that_it_heard_and_another_from_what_it_heard(honcho: Honcho):
    own, bobs = honcho.peer("ann").chat(QUESTION), honcho.peer("bob").chat(QUESTION, target="ann")

    assert own is not None and "depends on jemalloc" in own and SAID in own
    assert bobs is not None and bobs.startswith(SAID) and "jemalloc" not in bobs
    assert honcho.peer("carol").chat(QUESTION, target="ann") is None


def test_a_question_may_be_kept_to_sessions_or_to_a_scope(honcho: Honcho):
    ann = honcho.peer("ann")
    answers = [
        ann.chat(QUESTION, session="monday"),
        ann.chat(QUESTION, sessions=["monday"]),
        ann.chat(QUESTION, scope="week"),
        honcho.chat(QUESTION, session="monday"),
        honcho.chat(QUESTION, scope="week"),
    ]

    assert all(answer is not None and SAID in answer and "jemalloc" not in answer for answer in answers)
    assert ann.chat(QUESTION, sessions=["never"]) is None


def test_what_a_client_concluded_is_answered_and_nothing_to_a_greeting(honcho: Honcho):
    ann = honcho.peer("ann")

    assert "Ann likes tea." in str(ann.chat("does she like tea?"))
    assert ann.chat("hi") is None
    assert str(ann.chat("Who is this person?")).startswith("What was learnt last: ")


def test_facts_tell_why_they_were_found_and_prose_does_not(server: Served):
    told = post(server, "peers/bob/chat", target="ann").json()

    (fact,) = told["facts"]
    assert (fact["fact"], fact["why"][0]) == ("billing service depends on redis", "predicate:depends_on")
    assert "predicate" not in told["content"]
    assert "evidence" not in told


def test_turns_that_nothing_may_be_learnt_from_are_found_by_searching_and_never_quoted(server: Served):
    honcho = server.client("shy")
    shy = honcho.peer("shy", configuration=PeerConfig(observe_me=False))
    talk = honcho.session("talk")
    talk.add_peers(["shy", "ann"])
    question = "Which tulips were planted?"
    talk.add_messages([shy.message("I planted tulips."), shy.message("The tulips depend on rain.")])
    asked = {"query": question, "include_evidence": True}
    unheard = [
        httpx.post(f"{server.url}/v3/workspaces/shy{path}/chat", json={**asked, **more}, timeout=60).json()
        for path, more in (("", {}), ("/peers/shy", {}), ("/peers/ann", {"target": "shy"}))
    ]
    talk.add_messages([honcho.peer("ann").message("I planted roses and no tulips.")])
    heard, found = honcho.peer("ann").chat(question), honcho.search("tulips")
    honcho._http.close()

    assert [(answer["content"], answer["facts"], answer["evidence"]["messages"]) for answer in unheard] == [
        (None, [], [])
    ] * 3
    assert heard is not None and "roses" in heard and "rain" not in heard
    assert {message.peer_id for message in found} == {"shy", "ann"}


def test_evidence_is_what_was_read(honcho: Honcho):
    read = honcho.peer("bob").chat(QUESTION, target="ann", include_evidence=True).evidence

    assert read is not None
    assert [(one.content, one.observer_id, one.observed_id) for one in read.conclusions] == [
        ("billing service depends on redis", "bob", "ann")
    ]
    assert {message.session_id for message in read.messages} == {"monday"}
    assert honcho.session("monday").get_message(read.messages[0].id).peer_id == read.messages[0].peer_id
    assert honcho.chat(QUESTION, include_evidence=True).evidence is not None


def test_a_stream_brings_the_same_answer_in_pieces_and_then_the_evidence(server: Served, honcho: Honcho):
    bob = honcho.peer("bob")
    stream = bob.chat_stream(QUESTION, target="ann", include_evidence=True)
    pieces = list(stream)

    assert len(pieces) > 3
    assert "".join(pieces) == bob.chat(QUESTION, target="ann")
    assert stream.evidence == bob.chat(QUESTION, target="ann", include_evidence=True).evidence
    assert "".join(honcho.chat_stream(QUESTION)) == honcho.chat(QUESTION)
    assert list(bob.chat_stream("hi")) == []
    assert post(server, "chat", stream=True).headers["content-type"].startswith("text/event-stream")


def test_the_asynchronous_client_is_answered_alike(honcho: Honcho):
    async def ask() -> list[str | None]:
        ann = honcho.peer("ann").aio
        streamed = await ann.chat_stream(QUESTION)
        whole = await honcho.aio.chat_stream(QUESTION)
        told = [
            await ann.chat(QUESTION),
            "".join([piece async for piece in streamed]),
            await honcho.aio.chat(QUESTION),
            "".join([piece async for piece in whole]),
        ]
        await honcho._async_http_client.close()
        return told

    own, of_all = honcho.peer("ann").chat(QUESTION), honcho.chat(QUESTION)
    assert asyncio.run(ask()) == [own, own, of_all, of_all]


class Answer(BaseModel):
    """A form that a client may prescribe."""

    service: str


def test_a_model_composes_only_where_reasoning_is_asked_for_and_of_what_was_found(server: Served, honcho: Honcho):
    bob, model = honcho.peer("bob"), ScriptedModel(lambda _: "It needs Redis.")
    with server.workspaces.use("w") as memory:
        memory.llm = model
        answers = [bob.chat(QUESTION, target="ann", reasoning_level=level) for level in ("minimal", "high")]
        unsaid = bob.chat(QUESTION, target="ann")
        memory.llm = ScriptedModel({}, others=ModelUnavailableError("away"))
        without = bob.chat(QUESTION, target="ann", reasoning_level="max")
        memory.llm = ScriptedModel({}, others={"service": "redis"})
        formed = bob.chat(QUESTION, target="ann", response_format=Answer)
        memory.llm = None

    assert answers == [unsaid, "It needs Redis."]
    assert without == unsaid
    assert formed == Answer(service="redis")
    (asked,) = model.requests
    assert "jemalloc" not in asked.user and "billing service depends on redis" in asked.user


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("peers/ann/chat", {"query": ""}, 422),
        ("peers/ann/chat", {"query": "a" * 10_001}, 422),
        ("peers/ann/chat", {"reasoning_level": "deep"}, 422),
        ("peers/ann/chat", {"filters": {"peer_id": "bob"}}, 422),
        ("peers/ann/chat", {"filters": {"session_id": 1}}, 422),
        ("peers/ann/chat", {"scope": "week", "session_id": "monday"}, 422),
        ("peers/ann/chat", {"scope": "none"}, 404),
        ("peers/ann/chat", {"response_format": {"type": "array"}}, 422),
        ("peers/ann/chat", {"response_format": {"type": "object"}}, 422),
        ("peers/scope.week/chat", {}, 422),
        ("chat", {"scope": "week", "session_id": "monday"}, 422),
        ("chat", {"scope": "none"}, 404),
        ("chat", {"session_id": "none"}, 404),
    ],
    ids=lambda value: str(value)[:30] if isinstance(value, str) else None,
)
def test_what_cannot_be_answered_is_refused(server: Served, path: str, body: dict, status: int):
    assert post(server, path, **body).status_code == status


def test_conflicts_are_told_with_both_sides_and_the_reason(server: Served):
    honcho = server.client("torn")
    ann = honcho.peer("ann")
    honcho.session("s").add_messages(
        [ann.message("The api runs on Kubernetes."), ann.message("The api runs on Nomad.")]
    )
    honcho._http.close()
    server.dream("torn")

    (told,) = httpx.get(f"{server.url}/v3/workspaces/torn/conflicts").json()["conflicts"]

    assert (told["kind"], told["subject"]) == ("competing_object", "api")
    assert {told["first"]["object"], told["second"]["object"]} == {"kubernetes", "nomad"}
    assert told["reason"] == "api runs on one thing, not both kubernetes and nomad"
    assert httpx.get(f"{server.url}/v3/workspaces/none/conflicts").status_code == 404
