import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.salience import CHUNK_LIMIT, confirms, own_words, pieces, salience_reason, weighed_length

LONG = 30


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("No, I meant Redis", "correction"),
        ("I prefer tabs", "preference"),
        ("Always use uv", "preference"),
        ("Never use tabs.", "rejection"),
        ("Stop using Docker", "rejection"),
        ("I hate YAML", "rejection"),
        ("We moved to Podman", "replacement"),
        ("We decided on Go", "decision"),
        ("The API uses Redis", "relation"),
        ("My name is Ada", "identity"),
        ("I meant Go", "correction"),
        ("I don't like tabs", "rejection"),
        ("No longer Redis", "rejection"),
        ("Please use uv", "preference"),
        ("uv instead of pip", "replacement"),
        ("We settled on Go", "decision"),
        ("Let's use Go", "decision"),
        ("it depends on k8s", "relation"),
        ("I'm working on it", "identity"),
        ("Ik gebruik liever uv", "preference"),
        ("Geen Docker meer", "rejection"),
        ("De API draait op k8s", "relation"),
        ("我们不用Docker，改用Podman", "rejection"),
        ("数据库现在在新的服务器上运行，谢谢大家", "length"),
        ("The quick brown fox jumps over it", "length"),
    ],
)
def test_a_turn_that_says_something_is_salient_for_a_reason(text: str, reason: str):
    assert salience_reason(text, "", LONG) == reason


@pytest.mark.parametrize("text", ["", "   ", "?!", "thanks", "hello there", "我们", "🎉" * 40])
def test_idle_talk_is_not_salient(text: str):
    assert salience_reason(text, "", LONG) == ""


def test_a_short_confirmation_is_salient_only_after_something_to_confirm():
    assert salience_reason("Exactly", "Do you use Redis?", LONG) == "confirmation"
    assert salience_reason("Exactly", "", LONG) == ""


def test_a_trigger_in_the_depth_of_a_giant_does_not_slow_the_search():
    assert salience_reason("word " * 100_000 + "I prefer tabs", "", LONG) == "length"


def test_characters_of_dense_scripts_count_double():
    assert weighed_length("  database ") == 8
    assert weighed_length("数据库") == 6
    assert weighed_length("データベース") == 12
    assert weighed_length("데이터베이스") == 12


@pytest.mark.parametrize("text", ["yes", "Yes, exactly", "that's right", "Klopt!", "ja, precies", "Correct."])
def test_agreement_comes_first(text: str):
    assert confirms(text)


@pytest.mark.parametrize("text", ["no", "yesterday", "I agree, yes", "jaar", "rightly so we did not", ""])
def test_everything_else_confirms_nothing(text: str):
    assert not confirms(text)


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("<hymem-memory>we use Oracle</hymem-memory> hi", "hi"),
        ('<HyMem-Memory since="x">we use\nOracle', ""),
        ("a <!-- HyMem:auto:profile:start -->x<!-- HyMem:auto:profile:end --> b", "a   b"),
        ("a <!-- HyMem:x:start --> never closed", "a"),
        ("hymem is what I work on", "hymem is what I work on"),
    ],
)
def test_what_hymem_put_into_a_turn_is_taken_out(text: str, own: str):
    assert own_words(text).strip() == own


@given(st.text(st.sampled_from("ab \n")), st.integers(2, 12))
def test_pieces_are_the_text_with_their_places(text: str, limit: int):
    found = pieces(text, limit)

    assert "".join(piece for _, piece in found) == text
    assert all(text[start:].startswith(piece) and len(piece) <= limit for start, piece in found)


@pytest.mark.parametrize(
    ("text", "cut"),
    [
        ("aaaaaa\n\nbb\ncc dd", ["aaaaaa\n\n", "bb\ncc dd"]),
        ("aaaaaa\nbb cc dd", ["aaaaaa\n", "bb cc dd"]),
        ("aaaaaa bbbbbb", ["aaaaaa ", "bbbbbb"]),
        ("aaaaaaaaaaaa", ["aaaaaaaaaa", "aa"]),
    ],
    ids=["paragraph", "line", "space", "anywhere"],
)
def test_a_cut_is_made_at_the_best_place(text: str, cut: list[str]):
    assert [piece for _, piece in pieces(text, 10)] == cut


def test_a_chunk_of_ordinary_size_is_one_piece():
    assert pieces("x" * CHUNK_LIMIT) == [(0, "x" * CHUNK_LIMIT)]
