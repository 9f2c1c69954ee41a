from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hymem.config import HyMemConfig
from hymem.store.neighbours import nearest
from hymem.store.sign_blocks import drop_blocks
from hymem.store.vec_tables import INDEXES, load_vec
from hymem.testing import HashedWordsEmbedder, ScriptedModel
from serving.memory import HyMem
from tests.support.conversations import NOTHING, World

DEPLOYING = {
    "name": "Deploy to staging",
    "description": "how a release reaches staging",
    "steps": [{"action": "build the image", "tools": ["podman"]}, {"action": "push it"}],
    "triggers": ["how do we ship?"],
    "quote": "talked",
}


def happened(title: str, summary: str, **more: Any) -> dict[str, Any]:
    return {"title": title, "summary": summary, "first": 1, "last": 1, "quote": "talked", **more}


NOTES = {
    "summaries": ["They talked."],
    "episodes": [
        happened("Moving the database", "Postgres went to another rack", outcome="it went well"),
        happened("Choosing a framework", "Flask or FastAPI for the portal"),
        happened("数据库缓存", "清空了缓存"),
    ],
    "procedures": [DEPLOYING],
}


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HyMem]:
    """A session in which three things happened and one was explained."""
    world = World(tmp_path_factory.mktemp("world"))
    world.memory.llm = ScriptedModel(lambda text: NOTHING, sessions=NOTES)
    world.say("We talked for a while about all of it.", on=1)
    world.dream()
    with world.memory:
        yield world.memory


@pytest.fixture
def understanding(tmp_path: Path) -> Iterator[HyMem]:
    """The same, with vectors of the episodes."""
    world = World(tmp_path)
    world.memory.llm, world.memory.embedder = ScriptedModel(lambda text: NOTHING, sessions=NOTES), HashedWordsEmbedder()
    world.say("We talked for a while about all of it.", on=1)
    world.dream()
    with world.memory:
        yield world.memory


@pytest.mark.parametrize(
    ("message", "titles"),
    [
        ("How did moving the databases end?", ["Moving the database"]),
        ("who chose FastAPI?", ["Choosing a framework"]),
        ("缓存怎么样了", ["数据库缓存"]),
        ("anything about gardening?", []),
        ('"database" OR NEAR( *', ["Moving the database"]),
    ],
)
def test_episodes_are_found_by_their_words_in_any_form_and_script(memory: HyMem, message: str, titles: list[str]):
    assert [hit.episode.title for hit in memory.augment(message).episodes] == titles


@pytest.mark.parametrize("message", ["how do we deploy?", "shipping to staging", "what builds the images?"])
def test_procedures_are_found_by_name_description_steps_and_triggers(memory: HyMem, message: str):
    (hit,) = memory.augment(message).procedures

    assert str(hit) == "Deploy to staging: how a release reaches staging 1. build the image 2. push it"
    assert 0 < hit.score <= 1 and hit.why_retrieved == ("keyword",)


def test_an_episode_that_holds_more_of_the_question_comes_first(memory: HyMem):
    first, second = memory.augment("Was Flask the framework, and where did the database go?").episodes

    assert (first.episode.title, second.episode.title) == ("Choosing a framework", "Moving the database")
    assert 1 >= first.score > second.score > 0


def test_with_vectors_an_episode_is_found_by_its_meaning_too(understanding: HyMem):
    best = understanding.augment("Moving the database: Postgres went to another rack").episodes[0]

    assert best.episode.title == "Moving the database"
    assert best.why_retrieved[0] == "keyword" and best.why_retrieved[1].startswith("semantic_0.")


def test_an_episode_tells_how_it_ended(memory: HyMem):
    (hit,) = memory.augment("Postgres?").episodes

    assert str(hit) == "Moving the database: Postgres went to another rack: it went well"


def test_no_episode_is_recalled_of_a_time_before_it(memory: HyMem):
    assert memory.augment("Postgres?", as_of="2024-12-01").episodes == ()
    assert len(memory.augment("Postgres?", as_of="2026-01-01").episodes) == 1


def test_experience_does_not_depend_on_how_many_pieces_are_wanted(memory: HyMem):
    with HyMem(memory.root, config=HyMemConfig(fts_top_k=0)) as brief:
        assert brief.augment("Postgres?").fts_hits == ()
        assert brief.augment("Postgres?").episodes == memory.augment("Postgres?").episodes


@pytest.mark.parametrize(("most", "named"), [(5000, 3), (1, 1), (0, 0)])
def test_without_any_index_of_vectors_so_many_are_compared_as_the_configuration_allows(
    understanding: HyMem, most: int, named: int
):
    with understanding.writing() as connection:
        assert load_vec(connection)
        for _, _, index in INDEXES.values():
            connection.execute(f"drop table if exists {index}")
        drop_blocks(connection)
    understanding.config = HyMemConfig(embedding_max_scan=most)

    with understanding.reading() as connection:
        vector = next(iter(connection.execute("select vector from episode_embeddings")))[0]
        assert len(nearest(connection, "episode", vector, 10, most)) == named
    understanding.augment("Moving the database: Postgres went to another rack")


@settings(deadline=None, max_examples=40)
@given(st.text(max_size=200))
def test_no_text_is_too_odd_to_be_recalled_for(memory: HyMem, message: str):
    found = memory.augment(message)

    assert all(0 < hit.score <= 1 for hit in (*found.episodes, *found.procedures))
