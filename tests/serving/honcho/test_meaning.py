"""What the SDK is told of a peer and of a session, from what was dreamt: representation, card, context, summaries."""

import asyncio
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from honcho import Honcho
from honcho.api_types import WorkspaceConfiguration

from hymem.models.rules import RulesExtractor
from hymem.testing import HashedWordsEmbedder
from hymem.tokens import count_tokens
from serving.honcho.perspective import perspective
from serving.honcho.representation import Choice, representation
from serving.memory import HyMem
from serving.workspaces import Workspaces
from tests.support.honcho_server import Served, honcho_server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with honcho_server(tmp_path_factory.mktemp("honcho")) as served:
        client = served.client("w")
        tell(client)
        client._http.close()
        served.dream("w")
        yield served


@pytest.fixture
def honcho(server: Served) -> Iterator[Honcho]:
    client = server.client("w")
    yield client
    client._http.close()


def tell(honcho: Honcho) -> None:
    """Ann and her agent on monday; ann and bob on tuesday; bob wrote down what he thinks of ann."""
    ann, agent, bob = honcho.peer("ann"), honcho.peer("agent"), honcho.peer("bob")
    monday, tuesday = honcho.session("monday"), honcho.session("tuesday")
    monday.add_peers(["ann", "agent"])
    tuesday.add_peers(["ann", "bob"])
    monday.add_messages([at(ann, 1, "We use Redis."), at(agent, 2, "Noted."), at(ann, 3, "I prefer short answers.")])
    monday.add_messages([at(ann, 4, "We decided to deploy to fly.io.")])
    tuesday.add_messages([at(ann, 5, "The billing service depends on Kafka."), at(ann, 6, "Kafka depends on Java.")])
    tuesday.add_messages([at(ann, 7, "The billing service depends on Kafka.")])
    bob.conclusions_of("ann").create([{"content": "ann knows Kafka well", "session_id": "tuesday"}])


def at(peer, minute: int, content: str):
    return peer.message(content, created_at=f"2026-03-01T10:{minute:02}:00Z")


def lines(representation: str) -> list[str]:
    """What a representation says, without the moments."""
    return [line.partition("] ")[2] or line for line in representation.splitlines() if line]


OF_TUESDAY = [
    "## Explicit Observations",
    "billing service depends on kafka",
    "kafka depends on java",
]
FOLLOWS = [
    "## Deductive Observations",
    "billing service depends on java",
    "   - billing service depends on kafka",
    "   - kafka depends on java",
]


def test_a_representation_is_what_is_concluded_by_level_and_under_its_moment(honcho: Honcho):
    told = honcho.peer("ann").representation(session="tuesday")

    assert told == (
        "## Explicit Observations\n\n"
        "[2026-03-01 10:05:00] billing service depends on kafka\n"
        "[2026-03-01 10:06:00] kafka depends on java\n"
        "\n## Deductive Observations\n\n"
        "[2026-03-01 10:06:00] billing service depends on java\n"
        "   - billing service depends on kafka\n"
        "   - kafka depends on java\n"
    )


def test_another_peer_is_represented_by_what_was_heard_of_it_and_what_clients_wrote(honcho: Honcho):
    told = honcho.peer("bob").representation(target="ann")

    assert lines(told) == [*OF_TUESDAY, "ann knows Kafka well", *FOLLOWS]
    assert honcho.peer("ann").conclusions_of("bob").representation() == ""
    assert honcho.peer("bob").conclusions_of("ann").representation() == told
    assert honcho.session("tuesday").representation("bob", target="ann") == told
    assert lines(honcho.peer("agent").representation(target="ann"))[1:] == [
        "ann uses redis",
        "ann prefers short answers",
        "ann deploys to fly io",
    ]


def test_a_search_brings_what_bears_on_it_and_the_frequent_come_before_the_rest(honcho: Honcho):
    ann = honcho.peer("ann")

    searched = ann.representation(search_query="which database cache?", search_top_k=1, max_conclusions=1)
    named = ann.representation(search_query="what about Redis?", max_conclusions=1)
    frequent = ann.representation(include_most_frequent=True, max_conclusions=1)

    assert len(lines(searched)) == 2
    assert lines(named) == ["## Explicit Observations", "ann uses redis"]
    assert lines(frequent) == ["## Explicit Observations", "billing service depends on kafka"]


def test_sessions_and_scopes_limit_what_is_represented(honcho: Honcho):
    honcho.scope("work").add_sessions(["tuesday"])
    ann = honcho.peer("ann")

    assert lines(ann.representation(sessions=["tuesday", "none such"])) == [*OF_TUESDAY, *FOLLOWS]
    assert lines(ann.representation(scope="work")) == [*OF_TUESDAY, *FOLLOWS]
    assert ann.representation(session="none such") == honcho.peer("nobody").representation() == ""


def test_a_card_is_made_of_the_profile_until_somebody_writes_one(honcho: Honcho):
    ann, agent, bob = honcho.peer("ann"), honcho.peer("agent"), honcho.peer("bob")

    assert ann.get_card() == agent.get_card(target="ann") == ["ann prefers short answers"]
    assert (bob.get_card(), bob.get_card(target="ann")) == (None, None)
    assert agent.set_card(["Name: Ann", "Likes brevity"], target="ann") == ["Name: Ann", "Likes brevity"]
    assert agent.get_card(target="ann") == ["Name: Ann", "Likes brevity"]
    assert ann.get_card() == ["ann prefers short answers"]
    assert honcho.peer("newcomer").set_card([]) == []


def test_a_peers_context_is_its_representation_and_its_card(honcho: Honcho):
    ann, bob = honcho.peer("ann"), honcho.peer("bob")
    own, of_ann = ann.context(), bob.context(target="ann", max_conclusions=1, search_query="Java")

    assert (own.representation, own.peer_card) == (ann.representation(), ["ann prefers short answers"])
    assert (of_ann.peer_id, of_ann.target_id, of_ann.peer_card) == ("bob", "ann", None)
    assert "java" in (of_ann.representation or "")


def test_a_sessions_context_has_its_newest_messages_a_summary_and_what_is_known(honcho: Honcho):
    monday = honcho.session("monday")
    whole = monday.context(peer_target="ann", peer_perspective="agent")

    assert [message.content for message in whole.messages][::3] == ["We use Redis.", "We decided to deploy to fly.io."]
    assert (whole.summary and whole.summary.content) == "We decided to deploy to fly.io."
    assert whole.peer_representation == honcho.peer("agent").representation(target="ann")
    assert whole.peer_card == honcho.peer("agent").get_card(target="ann")
    assert [turn["role"] for turn in whole.to_openai(assistant="agent")][-4:] == ["user", "assistant", "user", "user"]
    assert whole.to_anthropic(assistant="agent")[-1]["content"].endswith("We decided to deploy to fly.io.")


def test_a_context_of_this_session_alone_knows_nothing_of_others_and_has_no_card(honcho: Honcho):
    tuesday = honcho.session("tuesday")
    limited = tuesday.context(peer_target="ann", limit_to_session=True)
    listed = tuesday.context(peer_target="ann", sessions=["tuesday"])
    through = tuesday.context(peer_target="ann", scope=honcho.scope("tuesdays"))

    assert lines(limited.peer_representation or "") == [*OF_TUESDAY, *FOLLOWS]
    assert (listed.peer_representation, listed.peer_card, limited.peer_card) == (
        limited.peer_representation,
        None,
        None,
    )
    assert through.peer_representation is None


def test_a_context_keeps_to_its_tokens(honcho: Honcho):
    monday = honcho.session("monday")
    last, before = "We decided to deploy to fly.io.", "I prefer short answers."
    enough = count_tokens(last) + count_tokens(before)

    def said(tokens: int) -> list[str]:
        return [message.content for message in monday.context(tokens=tokens, summary=False).messages]

    assert said(enough) == [before, last]
    assert said(enough - 1) == [last]
    assert said(1) == []
    summed = monday.context(tokens=30)
    assert summed.summary is not None
    assert summed.summary.token_count <= 12
    assert sum(count_tokens(message.content) for message in summed.messages) + summed.summary.token_count <= 30
    assert monday.context(tokens=19).summary is None


def test_summaries_are_what_dreams_noted(honcho: Honcho):
    told = honcho.session("monday").summaries()

    assert told.short_summary is not None
    assert told.long_summary is not None
    assert (told.id, told.short_summary.content) == ("monday", "We decided to deploy to fly.io.")
    assert (told.short_summary.summary_type, told.long_summary.summary_type) == ("short", "long")
    assert told.short_summary.message_id == list(honcho.session("monday").messages())[-1].id
    assert honcho.session("wednesday", metadata={}).summaries().short_summary is None


def test_no_summary_and_no_card_is_made_where_the_workspace_wants_none(server: Served):
    honcho = server.client("quiet")
    honcho.set_configuration(
        WorkspaceConfiguration.model_validate({"summary": {"enabled": False}, "peer_card": {"create": False}})
    )
    honcho.session("s").add_messages([honcho.peer("ann").message("I prefer short answers. We decided to use Redis.")])
    server.dream("quiet")
    context = honcho.session("s").context(peer_target="ann")

    assert (context.summary, context.peer_card, honcho.peer("ann").get_card()) == (None, None, None)
    assert "redis" in (context.peer_representation or "")
    honcho._http.close()


def test_the_async_sdk_is_told_the_same(honcho: Honcho):
    async def told() -> tuple[object, ...]:
        ann, monday = honcho.peer("ann").aio, honcho.session("monday").aio
        try:
            return (
                await ann.representation(),
                await ann.get_card(),
                await ann.context(),
                (await monday.context(peer_target="ann")).peer_representation,
                await monday.summaries(),
                await honcho.peer("bob").conclusions_of("ann").aio.representation(),
            )
        finally:
            await honcho._async_http_client.close()

    ann, monday = honcho.peer("ann"), honcho.session("monday")
    assert asyncio.run(told()) == (
        ann.representation(),
        ann.get_card(),
        ann.context(),
        ann.representation(),
        monday.summaries(),
        honcho.peer("bob").representation(target="ann"),
    )


W = "/v3/workspaces/w"


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("GET", "/peers/absent/card", None, 404),
        ("GET", "/peers/absent/context", None, 404),
        ("GET", "/peers/scope.work/card", None, 422),
        ("PUT", "/peers/ann/card", {"peer_card": "Name: Ann"}, 422),
        ("PUT", "/peers/no!name/card", {"peer_card": []}, 422),
        ("POST", "/peers/ann/representation", {"max_conclusions": 0}, 422),
        ("POST", "/peers/ann/representation", {"scope": "none"}, 404),
        ("POST", "/peers/ann/representation", {"scope": "work", "session_id": "monday"}, 422),
        ("POST", "/peers/ann/representation", {"filters": {"peer_id": "bob"}}, 422),
        ("POST", "/peers/ann/representation", {"filters": {"session_id": {"in": ["monday"]}}}, 200),
        ("GET", "/sessions/monday/context?peer_perspective=bob", None, 422),
        ("GET", "/sessions/monday/context?peer_target=ann&sessions=tuesday", None, 422),
        ("GET", "/sessions/monday/context?peer_target=ann&scope=a&peer_perspective=bob", None, 422),
        ("GET", "/sessions/monday/context?tokens=100001", None, 422),
        ("GET", "/sessions/none/summaries", None, 404),
    ],
    ids=str,
)
def test_what_cannot_be_asked_is_refused(server: Served, method: str, path: str, body: object, status: int):
    assert httpx.request(method, f"{server.url}{W}{path}", json=body, timeout=60).status_code == status


@pytest.mark.parametrize("path", ["w/sessions/none", "none/sessions/s"], ids=["session", "workspace"])
def test_the_context_of_what_is_not_there_is_empty(server: Served, path: str):
    told = httpx.get(
        f"{server.url}/v3/workspaces/{path}/context?peer_target=ann&limit_to_session=true", timeout=60
    ).json()

    assert (told["messages"], told["summary"], told["peer_card"]) == ([], None, None)


def test_what_lies_too_far_from_a_search_is_not_put_first(tmp_path: Path):
    workspaces = Workspaces(
        tmp_path, lambda folder: HyMem(folder, llm=RulesExtractor(), embedder=HashedWordsEmbedder())
    )
    with workspaces.use("w", create=True) as memory:
        memory.log_messages(
            [
                {"session_id": "s", "role": "user", "peer_id": "ann", "content": content}
                for content in ("We use Redis.", "We use Kafka.")
            ]
        )
        memory.dream()
    with perspective(workspaces, "w", "ann") as seen:
        told = [representation(seen, Choice(query="redis", most=1, max_distance=distance)) for distance in (1.0, 0.0)]
    workspaces.close()

    assert ["redis" in each for each in told] == [True, False]
