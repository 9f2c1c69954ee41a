import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.profile import normalized_statement


@pytest.mark.parametrize(
    ("statement", "about"),
    [
        ("Prefers tabs", "tabs"),
        ("prefers  TABS.", "tabs"),
        ("The user prefers tabs!", "tabs"),
        ("I really like tabs", "tabs"),
        ("rejects tabs", "tabs"),
        ("does not like tabs", "tabs"),
        ("doesn’t want tabs", "tabs"),
        ("prefers to use tabs", "tabs"),
        ("answers in Dutch", "answers in dutch"),
        ("prefers C++", "c++"),
        ("prefers C#", "c#"),
        ("- likes tea (green)", "tea (green)"),
        ("Again: I hate YAML", "yaml"),
        ("No, actually I prefer tabs", "tabs"),
        ("no tabs", "tabs"),
        ("nobody likes tabs", "nobody likes tabs"),
        ("ＰＲＥＦＥＲＳ ｔａｂｓ", "tabs"),
    ],
)
def test_a_statement_is_about_one_thing_however_it_is_put(statement: str, about: str):
    assert normalized_statement(statement) == about


@pytest.mark.parametrize("statement", ["prefers", "I like", "likes."])
def test_an_attitude_to_nothing_is_about_itself(statement: str):
    assert normalized_statement(statement)


@pytest.mark.parametrize("statement", ["preferences matter", "iterates quickly", "likeness of tea"])
def test_a_word_that_only_begins_like_an_attitude_is_kept(statement: str):
    assert normalized_statement(statement) == statement


@given(st.text(max_size=30), st.sampled_from(["", ".", "!", " ", "..."]))
def test_case_spacing_and_end_marks_make_no_difference(words: str, end: str):
    statement = f"prefers {words}"

    assert normalized_statement(statement.replace(" ", "  ") + end) == normalized_statement(statement)
