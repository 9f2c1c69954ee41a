"""Recall by many at once, and beside a dream: every answer is of one memory, and nobody waits for anybody."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import get_ident

import pytest

from hymem.testing import HashedWordsEmbedder
from serving.recall import AugmentedContext
from tests.support.conversations import Turn, World, day

SAID = [
    Turn(f"m{n}", f"s{n % 3}", "user", f"{who} uses {what}. {who} depends on {other}.", n)
    for n, (who, what, other) in enumerate(
        (who, what, other)
        for who in ("api", "worker", "billing", "mail_hub")
        for what, other in (("Redis", "uv"), ("Kafka", "pip"), ("Go", "Nginx"))
    )
]
QUESTIONS = [
    "what does the api use?",
    "tell me of Kafka",
    "mail hub and billing",
    "who depends on uv?",
    "something else",
]


@contextmanager
def dreamt() -> Iterator[World]:
    with World.of(SAID) as world:
        world.memory.embedder = HashedWordsEmbedder()
        world.dream()
        yield world


def test_sixteen_threads_recall_the_same_texts_and_facts_with_connections_of_their_own():
    with dreamt() as world:
        alone = [world.memory.augment(question) for question in QUESTIONS]
        world.memory.invalidate_query_caches()

        def ask(_: int) -> tuple[int, int, list[AugmentedContext]]:
            told = [world.memory.augment(question) for question in QUESTIONS]
            with world.database.reading() as connection:
                return get_ident(), id(connection), told

        with ThreadPoolExecutor(16) as pool:
            together = list(pool.map(ask, range(48)))

    assert [told for _, _, told in together] == [alone] * 48
    assert alone[0].graph_facts and alone[0].fts_hits
    assert len({connection for _, connection, _ in together}) == len({thread for thread, _, _ in together})


DREAMING = """
import sys, time
from pathlib import Path
from serving.memory import HyMem
from tests.support.conversations import Clock, Listener, day

class Slow(Listener):
    def complete(self, request):
        time.sleep(0.3)
        return super().complete(request)

with HyMem(Path(sys.argv[1]), llm=Slow(), clock=Clock(day(366)), concurrency=2) as memory:
    memory.dream(budget=0)
"""


def test_while_another_process_dreams_every_answer_is_of_the_memory_before_or_after_and_comes_at_once():
    with World.of(SAID[:6]) as world:
        world.dream()
        for turn in SAID[6:]:
            world.memory.log_messages([turn.logged()])
        before = [world.memory.augment(question) for question in QUESTIONS]
        fell_asleep = time.perf_counter()
        dream = subprocess.Popen(
            [sys.executable, "-c", DREAMING, str(world.memory.root)],
            env=os.environ | {"PYTHONPATH": str(Path(__file__).parents[3])},
        )
        seen, waits = list[tuple[int, AugmentedContext]](), list[float]()
        while dream.poll() is None:
            for number, question in enumerate(QUESTIONS):
                began = time.perf_counter()
                seen.append((number, world.memory.augment(question)))
                waits.append(time.perf_counter() - began)
        slept = time.perf_counter() - fell_asleep
        after = [world.memory.augment(question) for question in QUESTIONS]

    assert dream.returncode == 0
    assert all(told in (_parts(before[number]), _parts(after[number])) for number, told in _told(seen))
    assert any(before[number].graph_facts != after[number].graph_facts for number in range(len(QUESTIONS)))
    assert max(waits) < slept / 2, "who waits for a dream waits for nearly all of it"


def _told(seen: list[tuple[int, AugmentedContext]]) -> list[tuple[int, tuple[object, ...]]]:
    return [(number, _parts(context)) for number, context in seen]


def _parts(context: AugmentedContext) -> tuple[object, ...]:
    """What of an answer is in the database; the two files follow a moment later."""
    return context.fts_hits, context.graph_facts, context.matched_entities


def test_what_others_log_dream_and_erase_is_seen_by_whoever_asked_before():
    with dreamt() as world, world.memory.fork() as asking:

        def hits() -> list[tuple[str, tuple[str, ...]]]:
            found = asking.augment("zebra").fts_hits
            return [(hit.text, hit.why_retrieved[-1:]) for hit in found if "zebra" in hit.text]

        asking.embedder = None
        assert hits() == []
        world.say("the zebra uses Erlang.", on=20, message_id="zebra")
        assert hits() == [("the zebra uses Erlang.", ("undreamt",))]
        world.dream()
        assert hits() == [("the zebra uses Erlang.", ("keyword",))]
        world.memory.erase_message("zebra")
        assert hits() == []


# ------------------------------------------------------------------------------------------------------------- bad input


def test_what_was_seen_in_the_future_counts_as_seen_now():
    with dreamt() as world:
        world.write(f"update knowledge_graph set last_seen = '{day(36_600)}' where subject = 'api'")
        found = world.memory.augment("what does the api use?")

    assert found.graph_facts and {"recency_0d"} <= set(found.graph_facts[0].why_retrieved)
    assert all(0 <= fact.score <= 2 for fact in found.graph_facts)


class NotANumber(HashedWordsEmbedder):
    def embed(self, texts, /):
        return super().embed(texts) * float("nan")


@pytest.mark.parametrize(
    ("embedder", "told"),
    [
        (
            HashedWordsEmbedder(model="another"),
            "the stored vectors are of hashed-words, not of another: run `hymem reembed`",
        ),
        (HashedWordsEmbedder(200), "the vectors of hashed-words have 200 numbers"),
        (NotANumber(), "no direction"),
        (None, ""),
    ],
    ids=["another model", "another dimension", "not a number", "no model any more"],
)
def test_without_usable_vectors_recall_goes_by_words_and_names_and_says_why(
    embedder: HashedWordsEmbedder | None, told: str
):
    with dreamt() as world:
        world.memory.embedder = None
        by_words = world.memory.augment(QUESTIONS[0])
        world.memory.embedder = embedder
        found = world.memory.augment(QUESTIONS[0])

    assert (_parts(found), len(found.degraded)) == (_parts(by_words), 1 if told else 0)
    assert told in "".join(found.degraded)


def test_vectors_that_are_gone_from_the_file_cost_meaning_only():
    with dreamt() as world:
        world.write("delete from chunk_embeddings")
        world.write("delete from edge_embeddings")
        found = world.memory.augment(QUESTIONS[0])

    assert found.fts_hits and found.graph_facts
    assert not [hit for hit in found.fts_hits if "semantic" in "".join(hit.why_retrieved)]


WITHOUT_FRAMES = """
import sys
from hymem import HyMem
from hymem.testing import HashedWordsEmbedder
with HyMem(sys.argv[1], embedder=HashedWordsEmbedder()) as memory:
    found = memory.augment("what does the api use?")
assert found.graph_facts and found.fts_hits and any("semantic" in why for why in found.fts_hits[0].why_retrieved)
print({"pandas", "pyarrow", "hamilton", "dataflows", "openai"} & sys.modules.keys())
"""


def test_recall_by_meaning_loads_neither_pandas_nor_hamilton():
    with dreamt() as world:
        told = subprocess.run(
            [sys.executable, "-c", WITHOUT_FRAMES, str(world.memory.root)],
            cwd=Path(__file__).parents[3],
            capture_output=True,
            text=True,
            check=False,
        )

    assert (told.stdout, told.stderr) == ("set()\n", "")
