"""From a conclusion's id, as clients are given it, to what it rests on."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hymem.models.rules import RulesExtractor
from hymem.store.conclusions import ConclusionRecord
from serving.honcho.concluding import conclusions_drawn
from serving.memory import HyMem

SAID = {
    "m1": "The api depends on Redis. Please keep your answers short.",
    "m2": "Redis depends on libc.",
    "m3": "The api runs on Kubernetes.",
    "m4": "The api runs on Nomad.",
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HyMem]:
    """A memory in which something was said, something follows, and something clashes."""
    root: Path = tmp_path_factory.mktemp("memory")
    with HyMem(root, llm=RulesExtractor()) as memory:
        memory.log_messages(
            {"session_id": "monday", "role": "user", "content": text, "message_id": name} for name, text in SAID.items()
        )
        memory.dream()
        yield memory


def drawn(memory: HyMem) -> list[ConclusionRecord]:
    """What is concluded of the user."""
    with memory.reading() as connection:
        return conclusions_drawn(connection, "user", "user")


def test_every_conclusion_leads_to_what_it_rests_on(memory: HyMem):
    concluded = drawn(memory)
    found = {one.conclusion_id: memory.origin(one.conclusion_id) for one in concluded}

    assert {origin.kind for origin in found.values()} == {"edge", "derived edge", "profile entry", "conflict"}
    assert all(name.startswith(origin.id) for name, origin in found.items())
    assert all(set(one.message_ids) <= set(found[one.conclusion_id].supporting_messages()) for one in concluded)


def test_a_conflict_goes_with_either_of_its_sides(memory: HyMem):
    (clash,) = [one for one in drawn(memory) if one.level == "contradiction"]
    removal = memory.removal(memory.origin(clash.conclusion_id))

    assert {"m3", "m4"} <= set(removal.messages)
    assert (removal.suffices, len(removal.retract)) == (True, 2)
