from collections.abc import Iterator
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from hymem import HyMem
from hymem.testing import ScriptedModel

ASKED = "Does the API use Redis?"
CONFIRMED = "Yes, the worker depends on the API too."
TOPIC = "The API was slow again this morning."


def fact(subject: str, predicate: str, object_: str, quote: str) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": object_, "quote": quote}


REPLY = {
    "triples": [
        fact("API", "depends_on", "Redis", "the API use Redis"),
        fact("worker", "depends_on", "API", "the worker depends on the API"),
    ]
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[HyMem]:
    """The worker depends on the API, and the API, as confirmed, on Redis; forty days later the API comes up again."""
    looks = count()
    model = ScriptedModel({CONFIRMED: REPLY}, others={"triples": []})
    with HyMem(tmp_path, llm=model, clock=lambda: f"2026-06-01T00:00:00.{next(looks):06}Z") as opened:
        turns = [("assistant", ASKED, "2026-01-01"), ("user", CONFIRMED, "2026-01-02"), ("user", TOPIC, "2026-02-11")]
        opened.log_messages({"session_id": "s", "role": r, "content": c, "created_at": at} for r, c, at in turns)
        opened.dream()
        yield opened


def test_an_edge_leads_back_to_the_words_the_reply_and_the_messages(memory: HyMem):
    (why,) = memory.why("API", "depends_on", "Redis")

    (witness,) = why.witnesses
    assert witness.evidence.quote == "the API use Redis"
    assert witness.chunk.text == CONFIRMED
    assert witness.reply is not None and '"the API use Redis"' in witness.reply
    assert [message.content for message in witness.messages] == [ASKED, CONFIRMED]


def test_the_arithmetic_is_told_with_what_faded(memory: HyMem):
    (why,) = memory.why("API", "depends_on", "Redis")

    assert why.arithmetic == "(1 + 1) / (1 + 1 + 2) = 0.500: 1 for, 1 against, of which 1 decay window"
    assert [(fading.rediscussion.window, fading.chunk.text) for fading in why.fadings] == [(1, TOPIC)]


def test_a_derived_edge_leads_back_along_its_path(memory: HyMem):
    (why,) = memory.why("worker", "depends on", "redis")

    assert why.arithmetic == "0.500 × 0.500 = 0.250: along the strongest path"
    assert [(step.edge.subject, step.edge.object) for step in why.steps] == [("worker", "api"), ("api", "redis")]
    assert all(step.witnesses for step in why.steps)
    assert why.witnesses == ()


def test_an_edge_is_found_by_an_alias_before_the_next_dream(memory: HyMem):
    memory.alias("the cache", "redis")

    (why,) = memory.why("API", "depends_on", "the cache")

    assert why.edge.object == "redis"
