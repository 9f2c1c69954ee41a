import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.cues import Cues, names_a_time, only_asks

MAY_3 = "2023-05-03T10:00:00.000000Z"


@pytest.mark.parametrize(
    ("question", "dated"),
    [
        ("what did we deploy in May 2023?", True),
        ("what did we deploy in may?", True),
        ("wat deden we in mei 2023?", True),
        ("what happened on 3 May?", True),
        ("what was decided in 2023?", True),
        ("what is in the log of 2023-05?", True),
        ("what did we deploy in June 2023?", False),
        ("what did we deploy in May 2022?", False),
        ("May I ask what we deployed?", False),
        ("what did we deploy?", False),
    ],
)
def test_a_month_and_a_year_are_known_from_other_words(question: str, dated: bool):
    assert Cues.of(question).dated(MAY_3) == dated


@pytest.mark.parametrize("question", ["When did we move?", "how long did it take?", "wanneer was dat?"])
def test_who_asks_for_a_time_is_understood(question: str):
    assert Cues.of(question).asks_when
    assert not Cues.of("Who moved?").asks_when


def test_whose_words_are_asked_for_is_understood():
    assert Cues.of("which library did you recommend?").asks_the_assistant
    assert not Cues.of("can you tell me which library I use?").asks_the_assistant


@pytest.mark.parametrize(
    "question", ["Summarise the move", "a recap, please", "Vat de verhuizing samen", "een samenvatting"]
)
def test_a_summary_needs_the_words_of_both(question: str):
    assert not Cues.of(question).favours_the_user
    assert Cues.of("Where did the summers go?").favours_the_user


def test_words_and_numbers_that_answer_when():
    assert names_a_time("we moved last week") and names_a_time("on Friday") and names_a_time("vorige maand")
    assert not names_a_time("we moved to Postgres")


def test_a_long_turn_says_something_on_the_way_to_its_question():
    assert only_asks("And you? ", 20)
    assert not only_asks("We use Postgres here. And you?", 20)
    assert not only_asks("We use Postgres", 20)


@given(st.text())
def test_any_text_has_cues(text: str):
    Cues.of(text).dated(MAY_3)
    names_a_time(text)
