from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from hymem import HyMem
from hymem.config import HyMemConfig
from hymem.testing import ScriptedModel
from serving.recall.facts import sentence

NOW = "2026-06-01T00:00:00.000000Z"


def fact(said: str, polarity: int = 1, **value: str) -> dict[str, Any]:
    """A fact "subject predicate object", with the chunk that says it as its words."""
    subject, predicate, object_ = said.split()
    return {
        "subject": subject,
        "predicate": predicate,
        "object": object_,
        "polarity": polarity,
        "quote": "noted",
        **value,
    }


SAID = [
    ("2026-05-10", "noted, for all of us: the api and flask", [fact("api uses flask")]),
    ("2026-05-30", "noted, for all of us: the api and redis", [fact("api uses redis", value_text=">= 7")]),
    ("2026-05-31", "noted, for all of us: redis it is again", [fact("api uses redis")]),
    ("2026-05-31", "noted, for all of us: billing and docker", [fact("billing uses docker", -1)]),
    ("2026-05-31", "noted, for all of us: order-service and kafka", [fact("order_service depends_on kafka")]),
    *[("2026-05-31", f"noted, for all of us: the api and tool{n}", [fact(f"api uses tool{n}")]) for n in range(4)],
]

TYPES = [
    {"name": name, "type": kind}
    for name, kind in [("redis", "database"), ("flask", "framework"), ("docker", "platform"), ("kafka", "service")]
]
"""What a model says these are, each time: without it, none of them would count as more than a word."""


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HyMem]:
    """A small world of services, dreamt over."""
    script = {text: {"triples": facts, "entity_types": TYPES} for _, text, facts in SAID}
    model = ScriptedModel(script, others={"triples": []})
    with HyMem(tmp_path_factory.mktemp("world"), llm=model, clock=lambda: NOW) as opened:
        opened.log_messages(
            {"session_id": "s", "role": "user", "content": text, "created_at": at} for at, text, _ in SAID
        )
        opened.dream()
        yield opened


def told(memory: HyMem, message: str) -> list[str]:
    return [str(found) for found in memory.augment(message).graph_facts]


@pytest.mark.parametrize(
    ("message", "entities"),
    [
        ("What does the API use?", ("api",)),
        ("redis or flask?", ("redis", "flask")),
        ("Is the Order Service up?", ("order_service",)),
        ("Is the order up?", ()),
        ("nothing of that kind", ()),
    ],
)
def test_entities_are_matched_in_the_order_of_their_naming(memory: HyMem, message: str, entities: tuple[str, ...]):
    assert memory.augment(message).matched_entities == entities


def test_facts_are_ordered_by_confidence_and_recency(memory: HyMem):
    found = memory.augment("tell me of redis and flask").graph_facts

    assert [str(fact) for fact in found] == ["api uses redis >= 7", "api uses flask"]
    assert found[0].score > found[1].score > 0


def test_a_denied_fact_is_told_as_denied(memory: HyMem):
    (found,) = memory.augment("what about docker?").graph_facts

    assert str(found) == "billing does not use docker"
    assert found.negated


def test_each_entity_brings_its_best_facts_only(memory: HyMem):
    assert len(told(memory, "what of the api?")) == HyMemConfig().graph_top_k_per_entity
    assert told(memory, "what of the api?")[0] == "api uses redis >= 7"


def test_no_more_facts_than_the_configuration_allows(tmp_path: Path, memory: HyMem):
    with HyMem(memory.root, config=HyMemConfig(graph_top_k=1), clock=lambda: NOW) as brief:
        assert told(brief, "redis, flask, kafka, docker") == ["api uses redis >= 7"]


def test_every_fact_says_why_it_was_found(memory: HyMem):
    old, recent = (memory.augment(message).graph_facts[0].why_retrieved for message in ("flask?", "kafka?"))

    assert "entity_match" in old and "entity_match" in recent
    assert any(reason.startswith("recency_") for reason in recent)
    assert not any(reason.startswith("recency_") for reason in old)


def test_chunks_are_found_by_their_words(memory: HyMem):
    hit = memory.augment("billing?").fts_hits[0]

    assert hit.text == "noted, for all of us: billing and docker"


def test_a_trivial_message_recalls_the_files_only(memory: HyMem):
    recalled = memory.augment("thanks!")

    assert (recalled.fts_hits, recalled.graph_facts, recalled.matched_entities) == ((), (), ())
    assert "HyMem" in recalled.memory_md and "HyMem" in recalled.user_md


def test_before_the_first_dream_nothing_is_recalled(tmp_path: Path):
    with HyMem(tmp_path) as empty:
        recalled = empty.augment("what does the api use?")

    assert (recalled.user_md, recalled.memory_md, recalled.graph_facts, recalled.fts_hits) == ("", "", (), ())


def test_a_giant_message_is_answered_too(memory: HyMem):
    giant = "redis " + " ".join(f"word{n}" for n in range(30_000))

    assert memory.augment(giant).matched_entities == ("redis",)


def test_an_edge_is_a_sentence(memory: HyMem):
    assert {sentence(edge) for edge in memory.edges()} >= {"api uses redis >= 7", "order_service depends on kafka"}
