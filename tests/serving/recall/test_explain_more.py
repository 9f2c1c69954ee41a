from collections.abc import Iterator

import pytest

from hymem.testing import ScriptedModel
from serving.memory import HyMem
from serving.recall.explain import Explanation
from tests.support.conversations import NOTHING, World

DEPLOYING = {"name": "Deploy to staging", "description": "", "steps": [{"action": "push"}], "quote": "talked"}
PLACES = ("rack", "cellar", "attic", "shed")


@pytest.fixture(scope="module")
def memory(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HyMem]:
    """Four moves of a database, a procedure, and ten facts about tea, one of which nobody trusts."""
    happened = [
        {
            "title": f"Moving to the {place}",
            "summary": f"the database {'went ' * n}",
            "first": 1,
            "last": 1,
            "quote": "talked",
        }
        for n, place in enumerate(PLACES)
    ]
    world = World(tmp_path_factory.mktemp("world"))
    notes = {"summaries": ["They talked."], "episodes": happened, "procedures": [DEPLOYING]}
    world.memory.llm = ScriptedModel(lambda text: NOTHING, sessions=notes)
    world.say("We talked for a while about all of it.", on=1)
    world.dream()
    facts = world.memory.fact_store()
    for number in range(10):
        facts.add_fact(f"Ada drinks tea number {number}")
    doubted = facts.add_fact("Ada drinks coffee")
    for _ in range(5):
        facts.record_feedback(doubted, helpful=False)
    world.memory.fact_store("bob").add_fact("Bob drinks milk")
    with world.memory:
        yield world.memory


def explained(memory: HyMem, message: str, expecting: str) -> Explanation:
    return memory.explain(message, expecting=expecting)


@pytest.mark.parametrize(
    ("message", "expecting", "step", "told"),
    [
        ("what about the attic?", "moving to the attic", "recalled", "number 1 of the episodes"),
        ("who talks of gardens?", "Moving to the attic", "words", "other episodes"),
        ("thanks!", "Moving to the attic", "question", "asks nothing"),
        ("how do I deploy?", "Deploy to staging", "recalled", "number 1 of the procedures"),
        ("Ada drinks tea number 3", "ada drinks tea number 3", "recalled", "of the told facts"),
        ("what about gardens?", "Ada drinks tea number 3", "words", "too few of its words"),
        ("does Ada drink coffee?", "Ada drinks coffee", "trust", "it is trusted 0.00"),
        ("does Bob drink milk?", "Bob drinks milk", "matching", "a fact of bob"),
        ("does Bob drink milk?", "Bob drinks beer", "ledger", "no message names"),
    ],
)
def test_what_became_of_episodes_procedures_and_told_facts_is_told(
    memory: HyMem, message: str, expecting: str, step: str, told: str
):
    found = explained(memory, message, expecting)

    assert (found.lost_at, told in str(found)) == (step, True), found


def test_of_more_than_are_returned_the_last_has_its_place_and_its_score(memory: HyMem):
    moved = [explained(memory, "what of the database?", f"Moving to the {place}") for place in PLACES]
    tea = [explained(memory, "Ada drinks tea number 3", f"Ada drinks tea number {n}") for n in range(10)]

    assert sorted(one.lost_at for one in moved) == ["experience_cut", "recalled", "recalled", "recalled"]
    assert sorted(one.lost_at for one in tea) == ["facts_cut"] * 2 + ["recalled"] * 8
    assert all(one.score is not None and one.last_score is not None for one in moved + tea)


def test_an_episode_is_called_by_its_id_as_well(memory: HyMem):
    (hit,) = memory.augment("what about the attic?").episodes[:1]

    assert explained(memory, "what about the attic?", f"{hit.episode.episode_id:016x}").recalled
