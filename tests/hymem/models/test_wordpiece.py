import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.models.local_embedding import load_tokenizer
from hymem.models.wordpiece import WordPiece, words

TOKENIZER = load_tokenizer()


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (
            "We use PostgreSQL 16.3, don't we?",
            "2057 2224 2695 17603 2015 4160 2140 2385 1012 1017 1010 2123 1005 1056 2057 1029",
        ),
        ("Żółw łódź Straße İstanbul naïve café", "1062 2080 18818 2860 17814 2358 27807 9960 15743 7668"),
        ("我们不用Docker，改用Podman", "1855 100 1744 100 8946 2121 1989 100 100 17491 2386"),
        ("поехали — 🚀 ok", "1194 14150 15290 29750 10260 29436 10325 1517 100 7929"),
        ("한국어 σοφός", "1469 30006 30021 29991 30014 30020 29999 30008 1173 29730 29736 15297"),
        ("a\u200bb\tc\x00d\ufffde\xa0f", "11113 3729 2063 1042"),
        ("store/vectors.py::keep", "3573 1013 19019 1012 1052 2100 1024 1024 2562"),
        ("x" * 101, "100"),
        (".", "1012"),
        ("", ""),
    ],
)
def test_pieces_are_those_of_the_reference_implementation(text, ids):
    assert TOKENIZER.ids(text, 256) == [101, *map(int, ids.split()), 102]


@given(text=st.text(max_size=400), most=st.integers(2, 40))
def test_a_text_has_no_more_pieces_than_the_model_reads(text, most):
    found = TOKENIZER.ids(text, most)

    assert len(found) <= most
    assert found[:-1] == TOKENIZER.ids(text, 1000)[: len(found) - 1]
    assert (found[0], found[-1]) == (101, 102)


def test_the_longest_piece_wins_and_a_word_is_known_as_a_whole_or_not_at_all():
    tokenizer = WordPiece(["[CLS]", "[SEP]", "[UNK]", "un", "unaff", "##able", "##aff"])

    assert tokenizer.ids("unaffable UNABLE unaffected", 9) == [0, 4, 5, 3, 5, 2, 1]


def test_marks_go_and_punctuation_and_chinese_characters_stand_alone():
    assert words("Café-Bar: 数据库\n$5") == ["cafe", "-", "bar", ":", "数", "据", "库", "$", "5"]
