"""Every parameter does something: another value gives another memory, another recall, or another course of the dream."""

from dataclasses import fields
from functools import cache
from typing import Any, Final

import pytest

from hymem.config import HyMemConfig
from hymem.store.sign_blocks import drop_blocks
from hymem.store.vec_tables import INDEXES, load_vec
from hymem.testing import HashedWordsEmbedder
from tests.support.conversations import HABITS, Turn, World, day

WITHOUT_EFFECT: Final = {"decay_factor"}
"""Accepted, and documented to do nothing."""

AMBIGUOUS: Final = {"rerank_ambiguity_threshold": 10.0}

CHANGES: Final[dict[str, tuple[dict[str, Any], Any]]] = {
    "salience_min_chars": ({}, 5),
    "fts_top_k": ({}, 1),
    "fusion": ({}, "rrf"),
    "graph_top_k_per_entity": ({}, 1),
    "graph_top_k": ({}, 1),
    "graph_recency_half_life_days": ({}, 1.0),
    "graph_recency_recent_days": ({}, 400.0),
    "graph_token_overlap_threshold": ({}, 1),
    "graph_token_overlap_weight": ({}, 0.9),
    "graph_token_overlap_max_per_entity": ({}, 1),
    "graph_predicate_boost": ({}, 3.0),
    "graph_predicate_top_k": ({}, 1),
    "graph_semantic_top_k": ({}, 1),
    "embedding_max_scan": ({}, 1),
    "decay_window_days": ({}, 400.0),
    "retract_threshold": ({}, 0.45),
    "profile_max_entries": ({}, 1),
    "insights_max_entries": ({}, 1),
    "prompt_version": ({}, "v8"),
    "dream_budget": ({}, 1),
    "dream_call_budget": ({}, 1),
    "dream_token_budget": ({}, 1),
    "max_chunks": ({}, 1),
    "rerank_model": (AMBIGUOUS, "llm"),
    "rerank_top_k": ({**AMBIGUOUS, "rerank_model": "llm"}, 1),
    "rerank_ambiguity_threshold": ({"rerank_model": "llm"}, 10.0),
    "rerank_cross_encoder_model": ({**AMBIGUOUS, "rerank_model": "cross-encoder"}, "no/such-model"),
    "retention_days": ({"max_chunks": 1}, 1000.0),
}
"""For each parameter: what else must be set for it to matter, and another value."""

SAID: Final = [
    *(
        Turn(f"use{n}", "monday", "user", f"api uses {thing}.", n)
        for n, thing in enumerate(["Redis", "uv", "pip", "Go"])
    ),
    Turn("need", "monday", "user", "worker depends on Redis. billing depends on Redis. api no longer uses Kafka.", 5),
    Turn("again", "tuesday", "user", "Yesterday someone talked about the api again.", 100),
    Turn("brief", "tuesday", "user", "uv uv uv", 101),
    *(Turn(f"like{n}", "offsite", "user", f"I prefer {habit}.", 110 + n) for n, habit in enumerate(HABITS)),
    Turn("torn", "offsite", "user", "api no longer uses uv.", 120),
    *(Turn(f"mail{n}", "monday", "user", f"mail_{part} uses Go.", n) for n, part in enumerate(["hub", "box", "log"])),
]

ASKED: Final = [
    "the api again",
    "Redis and billing",
    "worker",
    "the mail_hub",
    "what does the worker depend on?",
    "uv or pip?",
]


@cache
def results(**parameters: Any) -> tuple[Any, ...]:
    """What memory, recall and the dream's course are under a configuration."""
    with World.of(SAID, HyMemConfig(**parameters), now=day(365)) as world:
        world.memory.embedder = HashedWordsEmbedder()
        run = world.dream(budget=None)
        with_vec = [world.memory.augment(text) for text in ASKED]
        without_sqlite_vec(world)
        recalled = with_vec, [world.memory.augment(text) for text in ASKED]
        return world.remembered(), (run.asked, run.waiting), recalled


def without_sqlite_vec(world: World) -> None:
    """Leave the vectors as they are where the extension cannot be loaded: as blobs only, without any index."""
    with world.database.writing() as connection:
        assert load_vec(connection)
        for _, _, index in INDEXES.values():
            connection.execute(f"drop table if exists {index}")
        drop_blocks(connection)


@pytest.mark.parametrize("name", CHANGES)
def test_every_parameter_changes_some_result(name: str):
    others, value = CHANGES[name]

    assert results(**others, **{name: value}) != results(**others)


def test_every_parameter_is_accounted_for():
    assert {field.name for field in fields(HyMemConfig)} == CHANGES.keys() | WITHOUT_EFFECT


def test_the_parameter_without_effect_has_none():
    assert results(decay_factor=0.1) == results()
