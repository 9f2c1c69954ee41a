import json
import sys

import pytest

from benchmarks.extraction.score import HERE, Tally
from hymem.errors import ReplyError
from hymem.models.chat import ChatRequest, LLMClient
from hymem.models.rules import RulesExtractor, extract


def question(kind, **material):
    return ChatRequest(kind=kind, system="", user="", material=material)


def calls_while_reading(text):
    """How many Python functions were called: a measure of work that no busy machine disturbs."""
    count = 0

    def count_call(_frame, event, _argument):
        nonlocal count
        count += event == "call"

    before = sys.getprofile()
    sys.setprofile(count_call)
    try:
        extract(text)
    finally:
        sys.setprofile(before)
    return count


def test_the_extractor_is_a_language_model_named_after_its_grammar():
    client = RulesExtractor()

    assert isinstance(client, LLMClient)
    assert client.model.startswith("rules-") and len(client.model) == len("rules-") + 8
    assert client.model == RulesExtractor().model


def test_a_reply_is_the_extraction_of_the_users_turn_alone():
    asked = question("extraction", text="I use Neovim.", context="We use Oracle.", speaker="Mina", said_at="2026-01-01")

    assert json.loads(RulesExtractor().complete(asked).text) == {
        "triples": [
            {"subject": "Mina", "predicate": "uses", "object": "Neovim", "polarity": 1, "quote": "I use Neovim."}
        ],
        "markers": [],
        "entity_types": [{"name": "Neovim", "type": "tool"}],
    }


def test_a_question_of_another_kind_is_refused_with_its_name():
    with pytest.raises(ReplyError, match="'poem'"):
        RulesExtractor().complete(question("poem", text="I use Neovim."))


@pytest.mark.parametrize(
    "piece", ["we use Redis and ", "a ", "Redis, ", "not only ", "that uses ", '"', "!", "x", "用Redis"]
)
def test_the_work_grows_no_faster_than_the_text(piece):
    short, long = piece * (5_000 // len(piece)), piece * (20_000 // len(piece))

    assert calls_while_reading(long) <= 5 * calls_while_reading(short) + 1_000


def test_one_endless_sentence_is_looked_at_only_at_its_beginning():
    assert calls_while_reading("we use Redis and " * 1_200) < 60_000


def test_the_labelled_sentences_are_read_with_precision_and_recall():
    tally = Tally()
    for sentence in json.loads((HERE / "sentences.json").read_text(encoding="utf-8")):
        tally.count(sentence)

    found, missed, false = (sum(each.values()) for each in (tally.hits, tally.missed, tally.false))
    assert found / (found + false) >= 0.95
    assert found / (found + missed) >= 0.95
