"""The benchmarks at toy size: each runs to its end and tells sensible numbers. How fast things are is for `make bench`."""

import json
import math
from pathlib import Path

import pytest

from benchmarks import (
    asking,
    cold,
    embedding,
    facts,
    honcho,
    idle,
    increment,
    inference,
    ingestion,
    mcp,
    rebuild,
    recall,
    scaling,
    waiting,
    world,
)
from benchmarks.measuring import Figure, python
from benchmarks.worlds import Worlds


@pytest.fixture
def worlds(tmp_path: Path) -> Worlds:
    return Worlds(tmp_path, scale=0.001)


def told(chapter, worlds: Worlds) -> dict[str, float]:
    found = {figure.name: figure.value for figure in chapter.figures(worlds, 1)}
    assert all(math.isfinite(value) and value >= 0 for value in found.values())
    return found


def test_a_dream_with_nothing_to_do_imports_nothing_heavy(worlds: Worlds):
    assert told(idle, worlds)["dream with nothing to do: heavy packages imported"] == 0


def test_ten_chunks_are_new(worlds: Worlds):
    assert told(increment, worlds)["chunks that are new"] == 10


def test_everything_is_rebuilt_from_the_replies(worlds: Worlds):
    found = told(rebuild, worlds)

    assert found["rows written"] > found["evidence rows"] > 60


def test_asking_takes_no_less_than_the_model_does(worlds: Worlds):
    assert told(asking, worlds)["asking about the chunks: times the best"] > 0.99


def test_messages_are_logged_however_they_are_batched(worlds: Worlds):
    found = told(ingestion, worlds)

    assert [name for name, value in found.items() if value == 0] == []


@pytest.mark.soak
def test_messages_are_logged_while_others_dream(worlds: Worlds):
    found = told(waiting, worlds)

    assert all(value >= 20 for name, value in found.items() if name.endswith("messages logged meanwhile"))


def test_told_facts_are_found_by_name(worlds: Worlds):
    found = told(facts, worlds)

    assert (found["probe: precision at 10"], found["reason: precision at 5"]) == (1, 1)


@pytest.mark.soak
def test_the_asking_is_shared_between_cores(worlds: Worlds):
    assert told(scaling, worlds)["questions asked of the grammar"] >= 10


def test_recall_is_measured_beside_a_bare_query_and_scan(worlds: Worlds):
    found = told(recall, worlds)

    assert found["1,000: of the 10 nearest chunks, found"] >= 0.98
    assert found["1,000: augment, times the baseline, p50"] > 0
    assert found["1,000: opening and the first answer, imports apart"] > 0


def test_the_made_up_year_is_the_same_every_time():
    assert list(world.turns(5, 8, 100)) == list(world.turns(0, 100, 100))[5:8]


def test_the_worlds_model_reads_about_three_facts_a_turn_and_quotes_them():
    turns = list(world.turns(0, 300, 300))
    facts = [(turn.text, fact) for turn in turns for fact in json.loads(world.reply(turn.text))["triples"]]

    assert 2.5 < len(facts) / len(turns) < 3.5
    assert all(fact["quote"] in text for text, fact in facts)
    assert {fact["polarity"] for _, fact in facts} == {1, -1}


def test_a_figure_knows_whether_it_keeps_its_bound():
    figures = [
        Figure("a", 1, "s", most=1),
        Figure("a", 2, "s", most=1),
        Figure("a", 2, "s", least=3),
        Figure("a", 2, "s"),
    ]

    assert [figure.kept for figure in figures] == [True, False, False, True]


def test_a_process_that_fails_is_told_with_its_own_words():
    with pytest.raises(RuntimeError, match="no such luck"):
        python("-c", "raise SystemExit('no such luck')")


def test_conclusions_agree_with_the_oracle(worlds: Worlds):
    found = told(inference, worlds)

    assert found["sampled things whose conclusions an oracle draws otherwise"] == 0
    assert found["conclusions drawn"] > 0


def test_a_few_chunks_are_embedded_offline(worlds: Worlds):
    assert told(embedding, worlds)["embedding and keeping the vectors"] > 0


def test_recall_is_asked_for_by_a_client_in_memory_and_over_stdio(worlds: Worlds):
    found = told(mcp, worlds)

    assert found["recall: over stdio"] > 0 and found["recall: an MCP client in memory"] > 0


def test_recall_is_asked_for_by_a_new_process(worlds: Worlds):
    found = told(cold, worlds)

    assert found["hymem augment from cold: processor"] > found["python that imports apsw and pydantic: processor"] > 0


@pytest.mark.soak
def test_the_honcho_server_is_measured_beside_a_bare_route(worlds: Worlds):
    found = told(honcho, worlds)

    assert found["adding 1 message: times the bare route"] > 0
    assert found["the context of a session: times the bare route"] > 0
    assert 20 < found["resident memory after that"] < 150
