import math
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem import HyMem
from hymem.errors import ModelUnavailableError
from hymem.records import Edge
from hymem.store.sign_blocks import drop_blocks
from hymem.store.vec_tables import load_vec
from hymem.testing import HashedWordsEmbedder
from serving.recall.facts import sentence
from tests.support.conversations import World, day, examples
from tests.support.graphs import edge, facts, graph_of, reasons

HALF_LIFE = 30.0


def cosine(one: str, other: str, dimension: int = 256) -> float:
    first, second = HashedWordsEmbedder(dimension).embed([one, other])
    return float(first @ second)


# --------------------------------------------------------------------------------------------- without a predicate


def test_at_a_named_entity_confidence_and_recency_decide():
    old = edge("api uses redis", last_seen=day(70), confidence=0.75)
    with graph_of(old, "api contains handlers") as memory:
        found = facts(memory, "the api")

    assert list(found.items()) == [
        ("api contains handlers", (2 / 3, ("fallback:entity_anchored", "recency_0d", "entity_match"))),
        ("api uses redis", (0.75 * math.exp(-1), ("fallback:entity_anchored", "entity_match"))),
    ]


@pytest.mark.parametrize(("days", "code"), [(0.5, "recency_0d"), (6.9, "recency_6d"), (-400, "recency_0d")])
def test_what_was_seen_lately_says_how_lately(days: float, code: str):
    with graph_of(edge("api uses redis", last_seen=day(100 - days))) as memory:
        assert code in reasons(memory, "the api")["api uses redis"]


def test_without_a_name_meaning_decides_where_there_is_an_embedder():
    with graph_of("api uses redis", "worker prefers tabs", embedder=HashedWordsEmbedder()) as memory:
        found = facts(memory, "tell me of tabs")

    near = cosine("tell me of tabs", "worker prefers tabs")
    assert list(found) == ["worker prefers tabs"]
    score, why = found["worker prefers tabs"]
    assert score == pytest.approx(near * 2 / 3)
    assert why == ("fallback:semantic", f"semantic_{near:.2f}", "recency_0d")


def test_a_name_is_not_drowned_by_what_lies_near():
    with graph_of("api contains handlers", "my_api uses tabs", embedder=HashedWordsEmbedder()) as memory:
        assert list(reasons(memory, "api my_api2 tabs")) == ["api contains handlers"]


def test_where_nothing_else_is_found_what_was_seen_last_is_shown():
    with graph_of(edge("api uses redis", last_seen=day(90)), "worker prefers tabs") as memory:
        found = reasons(memory, "tell me something")

    assert found == {
        "worker prefers tabs": ("fallback:recency", "recency_0d"),
        "api uses redis": ("fallback:recency",),
    }


@pytest.mark.parametrize("idle", ["", "  ", "thanks!", "ok", "👍", "/help", "?!"])
def test_blank_and_trivial_messages_recall_nothing_and_ask_nobody(idle: str):
    embedder = HashedWordsEmbedder()
    with graph_of("api uses redis", embedder=embedder) as memory:
        assert reasons(memory, idle) == {}
    assert embedder.requests == []


# ------------------------------------------------------------------------------------------------- with a predicate


def test_a_routed_predicate_lifts_its_edges_and_hides_no_other():
    with graph_of("api uses redis", "api contains handlers") as memory:
        found = facts(memory, "what does the api use?")

    assert list(found.items()) == [
        ("api uses redis", (1.5 * 2 / 3, ("predicate:uses", "recency_0d", "entity_match"))),
        ("api contains handlers", (2 / 3, ("recency_0d", "entity_match"))),
    ]


def test_every_candidate_of_a_routed_question_has_its_cosine():
    question = "what does the api use?"
    unembedded = edge("api depends_on postgresql", derived=True, pos_evidence=0, path=(1, 2, 3, 4))
    with graph_of("api uses redis", "worker uses uv", unembedded, embedder=HashedWordsEmbedder()) as memory:
        with memory._database.writing() as connection:
            connection.execute("delete from edge_embeddings where text = 'api depends_on postgresql'")
        found = facts(memory, question)

    for said, boost in (("api uses redis", 1.5), ("worker uses uv", 1.5), ("api depends_on postgresql", 1.0)):
        near = cosine(question, said)
        score, why = found[said.replace("_", " ")]
        assert score == pytest.approx(near * boost * 2 / 3)
        assert f"semantic_{near:.2f}" in why


def test_an_edge_near_the_question_beats_one_that_is_not():
    with graph_of("api uses redis", "worker uses uv", embedder=HashedWordsEmbedder()) as memory:
        assert next(iter(facts(memory, "which tools does worker like for uv?"))) == "worker uses uv"


def test_with_a_routed_question_a_shared_part_weighs_less_too():
    with graph_of("mail_hub contains queues", "mail_archive contains letters") as memory:
        found = facts(memory, "what is the mail hub deployed to?")

    assert found["mail_archive contains letters"] == (0.5 * 2 / 3, ("recency_0d", "overlap_via:mail"))


# ----------------------------------------------------------------------------------------------------- all together


CODES = {
    "semantic_": "what uses redis",
    "predicate:uses": "what uses redis",
    "entity_type:database": "the redis cluster",
    "recency_0d": "the redis cluster",
    "entity_match": "the redis cluster",
    "fallback:entity_anchored": "the redis cluster",
    "fallback:entity_anchored:overlap": "the mail hub",
    "overlap_via:mail": "the mail hub",
    "fallback:semantic": "tabs",
}


@pytest.fixture(scope="module")
def dreamt() -> Iterator[HyMem]:
    """A world that was dreamt over, with vectors."""
    with World.of(now=day(1)) as world:
        world.memory.embedder = HashedWordsEmbedder()
        world.say("api uses Redis. mail_hub uses uv. mail_archive uses pip. Redis is a database.", on=0.9)
        world.say("worker uses Postgres. Postgres is a database. billing uses tabs.", on=0.9)
        world.dream()
        yield world.memory


@pytest.mark.parametrize(("code", "message"), CODES.items())
def test_a_dreamt_world_gives_every_reason(dreamt: HyMem, code: str, message: str):
    codes = {one for fact in dreamt.augment(message).graph_facts for one in fact.why_retrieved}

    assert code in codes or any(one.startswith(code) for one in codes if code.endswith("_"))


def test_negated_and_stale_edges_are_served_and_marked_and_retracted_ones_never():
    denied = edge("api uses docker", pos_evidence=0, neg_evidence=1, confidence=1 / 3)
    stale = edge("api uses redis", status="stale", decay_windows=1, neg_evidence=1, confidence=0.5)
    with graph_of(denied, stale, edge("api uses flask", status="retracted")) as memory:
        found = memory.augment("the api").graph_facts

    assert [(str(fact), fact.negated, fact.stale) for fact in found] == [
        ("api uses redis", False, True),
        ("api does not use docker", True, False),
    ]


def test_near_retracted_edges_hide_none_behind_them():
    gone = [edge(f"worker prefers tabs{n}", status="retracted") for n in range(60)]
    with graph_of(*gone, "api contains worker", embedder=HashedWordsEmbedder(), graph_semantic_top_k=1) as memory:
        assert list(reasons(memory, "say: prefer worker prefers")) == ["api contains worker"]


def test_values_are_recalled_with_their_numbers():
    version = edge("billing requires_version postgresql", value_text=">= 15", value_numeric=15.0)
    memory_ = edge("billing configured_with heap", value_numeric=512.0, value_unit="MB")
    load = edge("billing configured_with ratio", value_numeric=0.25)
    with graph_of(version, memory_, load) as memory:
        assert set(reasons(memory, "billing")) == {
            "billing requires postgresql >= 15",
            "billing is configured with heap 512 MB",
            "billing is configured with ratio 0.25",
        }
    assert sentence(edge("a uses b", value_text="512 MB", value_unit="MB")) == "a uses b 512 MB"


def test_facts_at_named_entities_have_their_places_before_guesses():
    faint = edge("uv uses rust", last_seen=day(10), confidence=0.5)
    siblings = [edge(f"tool{n} uses go") for n in range(5)]
    types = {"uv": "tool"} | {f"tool{n}": "tool" for n in range(5)}
    with graph_of(faint, *siblings, types=types, graph_top_k=2) as memory:
        found = facts(memory, "what about uv")

    assert list(found)[-1] == "uv uses rust" and len(found) == 2


def test_a_fact_between_two_named_entities_is_among_the_best_of_each():
    many = [edge(f"user prefers thing{n}", confidence=0.9) for n in range(20)]
    with graph_of(*many, edge("user prefers tabs", confidence=0.6), types={"tabs": "concept"}) as memory:
        assert "user prefers tabs" in reasons(memory, "tabs, user?")


def test_ties_are_broken_the_same_way_however_they_were_stored():
    said = [edge(f"api uses thing{n}") for n in range(9)]
    with graph_of(*said) as one, graph_of(*reversed(said)) as other:
        assert list(facts(one, "the api")) == list(facts(other, "the api")) == [f"api uses thing{n}" for n in range(3)]


# --------------------------------------------------------------------------------------------------- without vectors


TROUBLE = ModelUnavailableError("the embedding model is down")


def test_where_the_embedder_fails_recall_goes_on_and_says_so():
    with graph_of("api uses redis", "worker prefers tabs", embedder=HashedWordsEmbedder()) as memory:
        memory.embedder = HashedWordsEmbedder(trouble=TROUBLE)
        found = memory.augment("what does the api use?")

    assert found.degraded == ("the embedding model is down (not asked again for 30 s)",)
    assert found.graph_facts[0].why_retrieved == ("predicate:uses", "recency_0d", "entity_match")


class Broken(HashedWordsEmbedder):
    """An embedder of somebody's own: nobody can use its numbers, or it has a bug."""

    def embed(self, texts: Sequence[str], /) -> Any:
        if self.model == "numbers":
            return [[float("nan")] * 4 for _ in texts]
        raise KeyError(self.model)


@pytest.mark.parametrize(("kind", "trouble"), [("numbers", "no direction"), ("bug", "bug failed (KeyError: 'bug')")])
def test_no_embedder_can_end_a_question(kind: str, trouble: str):
    with graph_of("worker prefers tabs", embedder=HashedWordsEmbedder(model=kind)) as memory:
        memory.embedder = Broken(model=kind)
        found = memory.augment("tell me of tabs")

    assert trouble in found.degraded[0]
    assert [fact.why_retrieved[0] for fact in found.graph_facts] == ["fallback:recency"]


@pytest.mark.parametrize("other", [HashedWordsEmbedder(model="another"), HashedWordsEmbedder(64)])
def test_vectors_of_another_model_are_never_compared(other: HashedWordsEmbedder):
    with graph_of("worker prefers tabs", embedder=HashedWordsEmbedder()) as memory:
        memory.embedder = other
        found = memory.augment("tell me of tabs")

    assert "hymem reembed" in found.degraded[0]
    assert found.graph_facts[0].why_retrieved[0] == "fallback:recency"


def test_before_anything_is_embedded_nobody_is_asked():
    embedder = HashedWordsEmbedder()
    with graph_of("worker prefers tabs") as memory:
        memory.embedder = embedder
        assert memory.augment("what uses tabs").degraded == ()
    assert embedder.requests == []


def test_without_sqlite_vec_the_latest_vectors_are_compared():
    said = [edge("worker prefers tabs", last_seen=day(10)), edge("api prefers spaces", last_seen=day(20))]
    for most, found in ((5000, ["worker prefers tabs"]), (1, [])):
        with graph_of(*said, embedder=HashedWordsEmbedder(), embedding_max_scan=most) as memory:
            with memory._database.writing() as connection:
                assert load_vec(connection)
                connection.execute("drop table vec_edges")
                drop_blocks(connection)
            near = [s for s, why in reasons(memory, "tell me of tabs").items() if "fallback:semantic" in why]
            assert near == found


class Hurried(HashedWordsEmbedder):
    """An embedder that can be told to hurry, and says how it was told."""

    told: tuple[float, ...] = ()

    def hurried(self, timeout: float) -> HashedWordsEmbedder:
        self.told = (*self.told, timeout)
        return HashedWordsEmbedder(self.dimension)


def test_a_question_hurries_and_is_not_embedded_twice():
    embedder = Hurried()
    with graph_of("worker prefers tabs", embedder=embedder) as memory:
        first, second = (facts(memory, "tell me of tabs") for _ in range(2))
        kept = memory._caches.embedder(embedder)

    assert first == second
    assert embedder.told == (3.0,) and embedder.requests == []
    assert (kept.hits, kept.misses) == (3, 1)


def test_an_embedder_that_does_not_answer_is_left_alone_for_a_while_and_recall_says_so():
    embedder = HashedWordsEmbedder()
    with graph_of("worker prefers tabs", embedder=embedder) as memory:
        embedder.trouble = ModelUnavailableError("nobody answers")
        first, second = memory.augment("tell me of tabs"), memory.augment("tell me of spaces")

    assert len(embedder.requests) == 1
    assert first.degraded == second.degraded == ("nobody answers (not asked again for 30 s)",)


# ------------------------------------------------------------------------------------------------------- any graph


def test_an_empty_memory_and_one_that_never_dreamt_recall_nothing():
    with World.of() as world:
        assert world.memory.augment("what is the api?").graph_facts == ()
        world.say("api uses Redis.")
        assert world.memory.augment("what is the api?").graph_facts == ()
        assert world.memory.conflicts() == []


def test_sixteen_threads_are_told_the_same():
    said = [edge(f"api uses thing{n}") for n in range(20)] + [edge("mail_hub uses uv"), edge("mail_archive uses pip")]
    questions = ["what does the api use?", "the mail hub", "tell me of thing3", "tabs"]
    with graph_of(*said, embedder=HashedWordsEmbedder()) as memory:
        alone = [facts(memory, question) for question in questions]
        memory.invalidate_query_caches()
        with ThreadPoolExecutor(16) as pool:
            together = list(pool.map(lambda _: [facts(memory, question) for question in questions], range(16)))

    assert together == [alone] * 16


NAMES = st.sampled_from(["api", "redis", "uv", "mail_hub", "mail_box", "数据库"])
CONFIDENCES = st.floats(0.15, 0.99)
EDGES = st.builds(
    lambda ends, predicate, confidence, seen, status, number: edge(
        f"{ends[0]} {predicate} {ends[1]}", confidence=confidence, last_seen=day(seen), status=status, edge_id=number
    ),
    st.tuples(NAMES, NAMES),
    st.sampled_from(["uses", "depends_on", "prefers"]),
    CONFIDENCES,
    st.integers(-100_000, 1_000_000),
    st.sampled_from(["active", "stale", "retracted"]),
    st.integers(1, 10**15),
)
GRAPHS = st.lists(EDGES, max_size=12, unique_by=(lambda one: one.edge_id, lambda one: sentence(one)))


@examples(60)
@given(GRAPHS, st.text("api redisuvml_hub 数据库?use"), st.booleans())
def test_scores_fall_facts_are_in_force_and_nobody_appears_twice(known: list[Edge], message: str, meaning: bool):
    known = list({(one.subject, one.predicate, one.object): one for one in known}.values())
    with graph_of(*known, embedder=HashedWordsEmbedder() if meaning else None) as memory:
        found = memory.augment(message).graph_facts

    scores = [fact.score for fact in found]
    assert scores == sorted(scores, reverse=True) and all(0 <= score <= 1.5 for score in scores)
    assert len(found) == len({fact.edge.edge_id for fact in found}) <= 8
    assert all(fact.edge.status != "retracted" and fact.why_retrieved for fact in found)
