from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hymem.config import HyMemConfig
from hymem.errors import InputError
from hymem.records import FtsHit, Message
from hymem.store.where import Where
from hymem.testing import HashedWordsEmbedder
from serving.memory import HyMem
from tests.support.conversations import World, day

SAID = [
    ("ann", "We went to the harbour with the yellow bicycle"),
    ("bob", "Who repaired it?"),
    ("ann", "My neighbour did, last Friday"),
    ("bob", "Nice. I bought a telescope"),
]


def said(world: World, session: str = "monday", on: int = 1) -> None:
    world.memory.log_messages(
        [
            Message(session, "user", text, peer, f"2026-01-{on + place:02}T10:00:00Z", f"{session}{place}")
            for place, (peer, text) in enumerate(SAID)
        ]
    )


@pytest.fixture
def world() -> Iterator[World]:
    with World.of(config=HyMemConfig(fts_top_k=10)) as opened:
        said(opened)
        opened.dream()
        yield opened


def hits(world: World, question: str) -> dict[str, FtsHit]:
    """What is recalled, by message id, the best first."""
    return {hit.message_id: hit for hit in world.memory.augment(question).fts_hits}


def reasons(world: World, question: str, message_id: str) -> tuple[str, ...]:
    return hits(world, question)[message_id].why_retrieved


# ------------------------------------------------------------------------------------------------------------ reasons


def test_a_turn_is_found_by_its_words(world: World):
    assert next(iter(hits(world, "what about the bicycle?"))) == "monday0"
    assert reasons(world, "what about the bicycle?", "monday0") == ("keyword",)


def test_an_answer_is_found_by_the_words_of_what_it_answers(world: World):
    assert reasons(world, "what about the bicycle?", "monday2") == ("neighbour",)


def test_who_is_named_is_looked_for_as_the_speaker(world: World):
    assert "speaker" in reasons(world, "which bicycle did Ann take?", "monday0")
    assert "speaker" not in reasons(world, "which bicycle did Bob take?", "monday0")


def test_the_months_that_a_question_names_are_looked_for(world: World):
    said(world, "later", 20)
    world.write("update messages set created_at = replace(created_at, '2026-01', '2026-02') where session_id = 'later'")
    world.write("update sessions set revision = revision + 1")
    world.dream()

    found = hits(world, "the bicycle in February 2026")

    assert next(iter(found)) == "later0"
    assert "date" in found["later0"].why_retrieved and "date" not in found["monday0"].why_retrieved


def test_a_users_own_words_come_first_unless_a_summary_is_asked_for():
    with World.of() as world:
        for role in ("user", "assistant"):
            world.say("The gearbox squeaks", role=role, message_id=role, session=role, on=1)
        world.dream()

        def shares(question: str) -> float:
            found = hits(world, question)
            return round(found["user"].score / found["assistant"].score, 6)

        assert (shares("the gearbox"), shares("summarise the gearbox")) == (1.5, 1.0)


def test_a_question_for_a_time_looks_for_one(world: World):
    assert "time" in reasons(world, "when was the bicycle repaired?", "monday2")
    assert "time" not in reasons(world, "who repaired the bicycle?", "monday2")


def test_what_stands_beside_the_words_of_a_question_is_looked_up_unless_there_is_an_embedding_model():
    with World.of(config=HyMemConfig(fts_top_k=10)) as world:
        for number, text in enumerate(["Our roadtrip to the canyon", "That canyon was red", *map(str, range(20))]):
            world.say(text, session=f"session-{number}", message_id=f"said-{number}", on=1)
        world.dream()

        assert list(hits(world, "which roadtrip?")) == ["said-0", "said-1"]
        assert reasons(world, "which roadtrip?", "said-1") == ("beside",)
        world.memory.embedder = HashedWordsEmbedder()
        world.dream()
        assert "beside" not in {code for hit in hits(world, "which roadtrip?").values() for code in hit.why_retrieved}


def test_a_turn_is_found_by_its_meaning(world: World):
    world.memory.embedder = HashedWordsEmbedder()
    world.dream()

    assert reasons(world, "bicycle harbour", "monday0")[1].startswith("semantic_0.")


def test_ranks_alone_are_fused_where_that_is_chosen(world: World):
    world.memory.embedder = HashedWordsEmbedder()
    world.dream()
    world.memory.config = world.memory.config.replace(fusion="rrf")

    first = next(iter(hits(world, "the yellow bicycle in the harbour").values()))

    assert (first.message_id, first.score) == ("monday0", 2 / 61)


# --------------------------------------------------------------------------------------------------------------- scope


def test_what_tools_returned_is_searched_and_not_recalled(world: World):
    world.say("bicycle.log: 3 entries", role="tool", message_id="tool", on=2)
    world.dream()

    assert "tool" not in hits(world, "bicycle log")
    assert "tool" in {hit.message.message_id for hit in world.memory.search("bicycle log")}


def test_messages_are_searched_among_those_that_are_chosen(world: World):
    said(world, "tuesday", 10)
    world.dream()

    def found(**chosen: object) -> set[str]:
        return {hit.message.message_id for hit in world.memory.search("bicycle telescope", **chosen)}  # pyright: ignore[reportArgumentType]

    assert {name[:-1] for name in found(sessions=["tuesday"])} == {"tuesday"}
    assert found(peers=["bob"], sessions=["monday"]) == {"monday1", "monday3"}
    assert found(roles=["assistant"]) == set()
    assert found(where=Where("m.created_at < :then", {"then": "2026-01-02"})) == {"monday0"}


def test_a_message_is_found_once_however_many_pieces_it_has():
    with World.of() as world:
        world.say("\n\n".join(f"paragraph {n} about the bicycle. " * 20 for n in range(30)))
        world.dream()

        (hit,) = world.memory.search("bicycle")
        assert (hit.message.content[:11], hit.why_retrieved[0], hit.score > 0) == ("paragraph 0", "keyword", True)


@pytest.mark.parametrize("wrong", [{"limit": 0}, {"limit": True}, {"roles": "user"}])
def test_what_makes_no_sense_is_refused(world: World, wrong: dict[str, object]):
    with pytest.raises(InputError):
        world.memory.search("bicycle", **wrong)  # pyright: ignore[reportArgumentType]


# --------------------------------------------------------------------------------------------------- the undreamt tail


def test_what_was_said_since_the_last_dream_is_found(world: World):
    world.say("The astrolabe is in the attic", session="tuesday", message_id="new", on=9)

    assert reasons(world, "where is the astrolabe?", "new") == ("keyword", "undreamt")


def test_before_the_first_dream_everything_is_found():
    with World.of() as world:
        said(world)

        assert next(iter(hits(world, "what about the bicycle?"))) == "monday0"
        assert reasons(world, "what about the bicycle?", "monday2") == ("neighbour", "undreamt")


def test_a_dream_changes_no_score_of_words_much(world: World):
    with World.of() as other:
        said(other)
        before = hits(other, "yellow telescope")
        other.dream()
        after = hits(other, "yellow telescope")

    assert list(before) == list(after)
    assert [hit.score for hit in before.values()] == pytest.approx([hit.score for hit in after.values()], rel=0.01)


def test_secrets_and_what_was_recalled_are_not_found_in_the_tail():
    secret = "ghp_9fQ2xW7bLk3TzR8mVc5NyH1sJdG4pE6uAoXi"
    with World.of() as world:
        world.say(f"the token {secret} <hymem-memory>astrolabe</hymem-memory>", message_id="new")

        assert hits(world, secret) == {}
        assert hits(world, "astrolabe") == {}
        assert secret not in hits(world, "token")["new"].text


def test_what_is_erased_is_no_longer_found(world: World):
    world.say("The astrolabe is in the attic", session="tuesday", message_id="new", on=9)
    hits(world, "astrolabe")
    world.memory.erase_message("new")

    assert hits(world, "astrolabe") == {}


# ------------------------------------------------------------------------------------------------------------ bad input

AWKWARD = [
    "",
    "?!",
    '"',
    "a OR",
    "NEAR(x)",
    "\x00",
    "🚲🚲",
    "אופניים",
    "的",
    "the of and",
    "x" * 100_000,
    "-",
    "text:bicycle",
    "(a AND b) NOT c",
    "{text bigrams} : a",
    '"a" + "b" ^c d*',
    "((((a",
    "\u202eelcycib",
    "\ud800",
]


@pytest.mark.parametrize("text", AWKWARD, ids=range(len(AWKWARD)))
@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_awkward_texts_are_searched_like_any_other(world: World, text: str, fusion: str):
    world.memory.config = world.memory.config.replace(fusion=fusion)

    world.memory.search(text)
    world.memory.augment(text)


@pytest.fixture(scope="module")
def embedded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[HyMem]:
    with World.of() as world:
        said(world)
        world.memory.embedder = HashedWordsEmbedder()
        world.dream()
        world.say("not yet dreamt", session="tuesday", on=9)
        yield world.memory


@given(text=st.text())
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_text_can_be_searched(embedded: HyMem, text: str):
    found = embedded.search(text)

    assert [hit.score for hit in found] == sorted((hit.score for hit in found), reverse=True)


def test_without_the_stored_vectors_model_words_are_searched_and_that_is_said(embedded: HyMem, tmp_path: Path):
    other = HashedWordsEmbedder()
    other.model = "another"
    with embedded.fork() as memory:
        memory.embedder = other
        found = memory.augment("where is the yellow bicycle?")

    assert [hit.message_id for hit in found.fts_hits][:1] == ["monday0"]
    assert "run `hymem reembed`" in found.degraded[0]


def test_a_future_message_is_found_too():
    with World.of(now=day(10)) as world:
        world.say("The astrolabe is in the attic", on=300, message_id="ahead")
        world.dream()

        assert list(hits(world, "astrolabe")) == ["ahead"]
