import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.config import HyMemConfig
from hymem.errors import ReplyError
from hymem.models import cross_encoder
from hymem.models.openai_chat import OpenAIChat
from hymem.models.relevance import read_grades
from hymem.models.rules import RulesExtractor
from hymem.testing import HashedWordsEmbedder
from serving.memory import HyMem
from serving.recall import AugmentedContext
from tests.support.openai_server import Answer, OpenAIServer

ASKED = "Where does the zebra sleep at night?"
WORDIEST = "zebra night zebra sleep zebra night sleep zebra"
NEAREST = "Where does the lion sleep at night?"
ANSWER = "In the shed behind the house, that is where the zebra lies down."


def memory_in(root: Path, llm: Any = None, **config: Any) -> HyMem:
    settings = {"rerank_ambiguity_threshold": 10.0, **config}
    return HyMem(root, llm=llm or RulesExtractor(), embedder=HashedWordsEmbedder(), config=HyMemConfig(**settings))


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A memory in which words and meaning put different passages first."""
    folder = tmp_path_factory.mktemp("world")
    with memory_in(folder) as memory:
        for number, text in enumerate(
            [WORDIEST, NEAREST, ANSWER, "Nothing of the kind was ever said by anybody here."]
        ):
            memory.log_message(f"session-{number}", "user", text)
        memory.dream()
    yield folder


def grading(best: str) -> Callable[[dict], dict]:
    """A model that finds that one passage answers, and no other has to do with it."""

    def graded(body: dict) -> dict:
        passages = body["messages"][-1]["content"].split("Passages:\n\n")[1].split("\n\n")
        return {
            "grades": [{"passage": n, "grade": 5 if best in text else 1} for n, text in enumerate(passages, start=1)]
        }

    return graded


def recalled(root: Path, server: OpenAIServer, **config: Any) -> AugmentedContext:
    chat = OpenAIChat(server.url, None, "judge")
    with chat, memory_in(root, chat, **{"rerank_model": "llm", **config}) as memory:
        return memory.augment(ASKED)


def fused(root: Path) -> list[str]:
    with memory_in(root) as memory:
        return [hit.text for hit in memory.augment(ASKED).fts_hits]


@pytest.mark.parametrize("fusion", ["convex", "rrf"])
def test_what_the_model_grades_best_comes_first(root: Path, fusion: str):
    with OpenAIServer(grading(ANSWER)) as server:
        found = recalled(root, server, fusion=fusion)

    assert found.fts_hits[0].text == ANSWER
    assert "relevance_5.0" in found.fts_hits[0].why_retrieved
    assert 0.7 <= found.fts_hits[0].score <= 1 and found.degraded == ()
    assert ASKED in server.asked[0]["messages"][-1]["content"]


@pytest.mark.parametrize(
    "config", [{"rerank_model": None}, {"rerank_ambiguity_threshold": 0.0}, {"rerank_top_k": 0}, {"fts_top_k": 0}]
)
def test_no_model_is_asked_where_it_is_not_chosen_or_the_best_stands_out(root: Path, config: dict[str, Any]):
    with OpenAIServer(grading(ANSWER)) as server:
        recalled(root, server, **config)

    assert server.asked == []


def test_no_model_is_asked_where_words_and_meaning_agree(root: Path):
    with OpenAIServer(grading(ANSWER)) as server:
        chat = OpenAIChat(server.url, None, "judge")
        with chat, memory_in(root, chat, rerank_model="llm") as memory:
            memory.augment(ANSWER)

    assert server.asked == []


@pytest.mark.parametrize(
    ("answer", "trouble"),
    [
        (Answer("I would rather not."), "the reply holds no JSON object"),
        (Answer('{"grades": [{"passage": 1, "grade": 5}]}'), "the reply grades 1 passages"),
        (Answer('{"grades": [{"passage": 1, "grade": "five"}]}'), "grades cannot be read"),
        (Answer(status=503), "scripted status 503"),
        (Answer(status=401, error={"message": "no such key"}), "no such key"),
        (Answer(hang_up=True), "reranking: "),
    ],
    ids=["refusal", "half", "words", "busy", "key", "hang-up"],
)
def test_whatever_goes_wrong_the_fused_order_stands_and_the_reason_is_told(root: Path, answer: Answer, trouble: str):
    with OpenAIServer([answer]) as server:
        found = recalled(root, server)

    assert [hit.text for hit in found.fts_hits] == fused(root)
    (told,) = found.degraded
    assert told.startswith("reranking: ") and trouble in told


def test_what_the_reranker_made_of_a_message_is_explained(root: Path):
    with OpenAIServer(grading(ANSWER)) as server:
        chat = OpenAIChat(server.url, None, "judge")
        with chat, memory_in(root, chat, rerank_model="llm", fts_top_k=1) as memory:
            first = memory.augment(ASKED).fts_hits[0].message_id
            (before,) = [hit.message.message_id for hit in memory.search(ASKED, limit=1)]
            kept, lost = (memory.explain(ASKED, expecting=one) for one in (first, before))

    assert kept.recalled and "the reranker grades it 5.0, and it was number 3 before" in str(kept)
    assert lost.lost_at == "rerank_cut" and "the reranker grades it 1.0, and it was number 1 before" in str(lost)


def test_a_model_that_does_not_answer_is_left_alone_for_a_while(root: Path):
    with OpenAIServer([Answer(hang_up=True)] * 20) as server:
        chat = OpenAIChat(server.url, None, "judge")
        with chat, memory_in(root, chat, rerank_model="llm") as memory:
            first, asked = memory.augment(ASKED), len(server.asked)
            second = memory.augment(ASKED)

    assert first.degraded == second.degraded and second.degraded[0].endswith("(not asked again for 30 s)")
    assert len(server.asked) == asked
    assert second.fts_hits == first.fts_hits


def test_without_a_language_model_the_reason_is_told(root: Path):
    config = HyMemConfig(rerank_model="llm", rerank_ambiguity_threshold=10)
    with HyMem(root, embedder=HashedWordsEmbedder(), config=config) as memory:
        found = memory.augment(ASKED)

    assert found.degraded == (
        "reranking: no language model to rerank with: set HYMEM_LLM_API_KEY, or rerank_model=cross-encoder",
    )


def test_no_secret_is_shown_to_the_model(root: Path):
    secret = "sk-proj-" + "a1B2c3D4e5F6g7H8" * 3
    with OpenAIServer(grading(ANSWER)) as server:
        chat = OpenAIChat(server.url, None, "judge")
        with chat, memory_in(root, chat, rerank_model="llm") as memory:
            memory.augment(f"{ASKED} My key is {secret}")

    assert server.asked and secret not in str(server.asked)


@pytest.fixture
def a_library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A small `sentence_transformers` on the path, whose cross-encoder believes in passages that hold the model's name."""
    cross_encoder._encoder.cache_clear()
    (tmp_path / "sentence_transformers.py").write_text(
        dedent("""
            class CrossEncoder:
                def __init__(self, name):
                    if name == "missing":
                        raise OSError("missing is not a local folder")
                    self.word = name

                def predict(self, pairs, show_progress_bar):
                    return [0.9 if self.word in passage else 0.1 for _, passage in pairs]
        """)
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    yield tmp_path
    sys.modules.pop("sentence_transformers", None)
    cross_encoder._encoder.cache_clear()


@pytest.mark.usefixtures("a_library")
def test_a_cross_encoder_on_this_machine_reranks(root: Path):
    config = {"rerank_model": "cross-encoder", "rerank_cross_encoder_model": "shed"}
    with memory_in(root, **config) as memory:
        found = memory.augment(ASKED)

    assert found.fts_hits[0].text == ANSWER
    assert "relevance_4.6" in found.fts_hits[0].why_retrieved and found.degraded == ()


@pytest.mark.usefixtures("a_library")
def test_a_cross_encoder_that_cannot_be_loaded_is_told(root: Path):
    with memory_in(root, rerank_model="cross-encoder", rerank_cross_encoder_model="missing") as memory:
        found = memory.augment(ASKED)

    assert [hit.text for hit in found.fts_hits] == fused(root)
    (trouble,) = found.degraded
    assert trouble.startswith("reranking: the cross-encoder missing does not work: missing is not a local folder")


def test_scores_that_are_no_probabilities_become_such():
    assert cross_encoder.probabilities([0.1, 1.0]) == [0.1, 1.0]
    assert cross_encoder.probabilities([-1000.0, 0.0, 1000.0]) == pytest.approx([0.0, 0.5, 1.0])


def test_a_reply_may_be_wrapped_and_its_grades_out_of_range():
    assert read_grades('Sure: {"grades": [{"passage": 2, "grade": 9}, {"passage": 1, "grade": -1}]}', 2) == [1.0, 5.0]


@given(
    st.text() | st.from_regex(r'\{"grades": \[(\{"passage": -?\d{1,3}, "grade": (-?\d{1,3}|"x"|null|NaN)\},?){0,3}\]\}')
)
def test_no_reply_gives_anything_but_a_grade_for_each_passage(text: str):
    try:
        grades = read_grades(text, 2)
    except ReplyError:
        return
    assert len(grades) == 2 and all(1 <= grade <= 5 for grade in grades)
