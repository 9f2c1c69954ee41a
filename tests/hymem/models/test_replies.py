import json
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import ReplyError
from hymem.models.replies import clean_text, read_extraction, read_object, supports

LISTS = ("triples", "markers", "entity_types")
ONE = {"subject": "api", "predicate": "uses", "object": "postgres", "polarity": 1, "quote": "the api uses postgres"}
REPLY = json.dumps({"triples": [ONE]})


def triple(**changes) -> str:
    return json.dumps({"triples": [ONE | changes]})


def only(text: str):
    [item] = read_extraction(text).triples
    return item


@pytest.mark.parametrize(
    "text",
    [
        REPLY,
        f"```json\n{REPLY}\n```",
        f"Sure! Here is what I found (see [1] and {{x}}):\n{REPLY}\nAnything else?",
        f'\ufeff<think>maybe {{"triples": []}}</think>\n{REPLY}',
        f"<think>it never ends {REPLY}",
        f'the opening tag was in the prompt {{"triples": []}}</think>{REPLY}',
        json.dumps([ONE]),
        f"```\n[{json.dumps(ONE)}]\n```",
        f"[{REPLY}]",
        json.dumps({"result": {"triples": [ONE], "markers": None}}),
        REPLY.replace("}]}", "},\n]\n,}"),
        REPLY.replace('{"triples"', '{"triples": [], "triples"'),
        '{"thought": "the usual", "triples": []}'.replace("[]", f"[{json.dumps(ONE)}]"),
        REPLY.replace("the api uses", "the api\nuses"),
    ],
)
def test_the_object_is_found_in_whatever_a_model_says_around_it(text):
    found = only(text)
    assert (found.subject, found.predicate, found.object, found.polarity) == ("api", "uses", "postgres", 1)
    assert found.quote == "the api uses postgres"


@pytest.mark.parametrize("text", ['{"triples": []}', "[]", "```json\n[]\n```", '{"data": {"markers": []}}'])
def test_nothing_to_say_is_an_answer(text):
    assert read_object(text, LISTS) == {"triples": [], "markers": [], "entity_types": []}


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "empty"),
        (" \n", "empty"),
        ("<think>so</think>", "empty"),
        ("I found nothing.", "no JSON object"),
        ("An array is written [] in Python.", "no list named"),
        ("null", "no JSON object"),
        ("3", "no JSON object"),
        ('"triples"', "no JSON object"),
        ("{}", "no list named"),
        ('{"facts": []}', "no list named"),
        ('{"triples": null}', "no list named"),
        ('{"triples": "none"}', "no list named"),
        ('{"error": {"message": "overloaded"}}', "reports an error.*overloaded"),
        ('{"error": "overloaded", "triples": []}', "reports an error"),
        ('{"a": {"b": {"triples": []}}}', "no list named"),
        ("{triples: []}", "broken JSON"),
        ("[" * 100_000, "nested too deeply"),
        ('{"triples":' * 100_000, "nested too deeply"),
    ],
)
def test_what_is_no_answer_is_an_error_with_its_reason(text, reason):
    with pytest.raises(ReplyError, match=reason):
        read_object(text, LISTS)


FULL = json.dumps({"triples": [ONE, ONE | {"object": "redis"}], "markers": [{"kind": "style", "statement": "x"}]})


@given(st.integers(1, len(FULL) - 1))
def test_half_a_reply_is_never_taken_for_a_whole_one(length):
    with pytest.raises(ReplyError):
        read_object(FULL[:length], LISTS)


@given(st.lists(st.sampled_from([*'{}[]",:\\ ', "<think>", "</think>", '"triples"', "1", "é", "\ud800"])))
def test_any_text_is_read_or_refused(parts):
    try:
        found = read_object("".join(parts), LISTS)
    except ReplyError:
        return
    assert set(found) == set(LISTS)


@pytest.mark.parametrize("piece", ["{", '["', '[\\"', '{"a":[1,2],', "[{} ", '{"a" ', "[1]", "</think>", ",}", '{"\\"'])
def test_a_hostile_reply_costs_linear_time(piece):
    begun = time.process_time()
    with pytest.raises(ReplyError):
        read_object("{" + piece * 100_000, LISTS)
    assert time.process_time() - begun < 2


@pytest.mark.parametrize("said", ["Uses", " USES ", "depends on", "Depends-On", "depends_on"])
def test_a_predicate_is_known_in_any_dress(said):
    assert only(triple(predicate=said)).predicate in ("uses", "depends_on")


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        (1, 1),
        (-1, -1),
        (1.0, 1),
        ("1", 1),
        ("-1", -1),
        ("+1", 1),
        ("+", 1),
        ("-", -1),
        ("Positive", 1),
        ("negative", -1),
    ],
)
def test_a_polarity_is_known_in_any_dress(said, meant):
    assert only(triple(polarity=said)).polarity == meant


def test_a_missing_polarity_is_positive():
    assert only(json.dumps({"triples": [{k: v for k, v in ONE.items() if k != "polarity"}]})).polarity == 1
    assert only(triple(polarity=None)).polarity == 1


@pytest.mark.parametrize(
    ("said", "meant"),
    [
        ("5432", 5432.0),
        ("-1.5", -1.5),
        ('"42"', 42.0),
        *[(none, None) for none in ("true", "NaN", "Infinity", "1e999", '"many"', "[1]", "null")],
        ("1" + "0" * 400, None),
        ("9" * 5000, None),
    ],
)
def test_a_number_that_is_none_is_dropped_and_the_triple_stays(said, meant):
    text = REPLY.replace("}]}", f', "value_numeric": {said}}}]}}')
    assert only(text).value_numeric == meant


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"predicate": "likes"}, "predicate: 'likes' is not in the vocabulary"),
        ({"predicate": None}, "predicate"),
        ({"polarity": True}, "polarity: 'True' is neither 1 nor -1"),
        ({"polarity": 0}, "polarity"),
        ({"subject": ""}, "subject: no text"),
        ({"object": "x" * 101}, "object: no text of 1 to 100 characters"),
        ({"object": 3.1}, "object"),
        ({"subject": "\ud800\x00 "}, "subject"),
        ({"object": "API"}, "'api' uses itself"),
        ({"quote": " "}, "quote"),
        ({"quote": None}, "quote"),
    ],
)
def test_an_item_that_cannot_be_taken_is_refused_with_a_reason_and_harms_no_other(changes, reason):
    read = read_extraction(json.dumps({"triples": [ONE | changes, ONE, "not an object", None]}))

    assert [item.object for item in read.triples] == ["postgres"]
    assert len(read.refused) == 3
    assert any(reason in refused for refused in read.refused)


def test_a_reply_whose_items_were_all_refused_is_still_an_answer():
    read = read_extraction('{"triples": [{"subject": "a"}]}')
    assert read.triples == ()
    assert read.refused == ("triples 1: predicate: Field required",)


def test_markers_and_types_are_read_and_refused_alike():
    read = read_extraction(
        json.dumps(
            {
                "markers": [
                    {"kind": "Preference", "statement": "prefers \n short answers", "quote": "keep it short"},
                    {"kind": "mood", "statement": "is cheerful", "quote": "yay"},
                ],
                "entity_types": [{"name": "uv", "type": "Package Manager"}, {"name": "uv", "type": "pet"}],
            }
        )
    )

    assert [(marker.kind, marker.statement) for marker in read.markers] == [("preference", "prefers short answers")]
    assert [(entity.name, entity.type) for entity in read.entity_types] == [("uv", "package_manager")]
    assert [reason.split(":")[0] for reason in read.refused] == ["markers 2", "entity_types 2"]


def test_the_same_item_twice_is_one():
    read = read_extraction(json.dumps({"triples": [ONE] * 20 + [ONE | {"subject": "API"}, ONE | {"polarity": -1}]}))
    assert [item.polarity for item in read.triples] == [1, -1]


def test_text_is_cleaned_of_what_is_no_text():
    assert only(triple(subject="red\ud800is\x00")).subject == "redis"
    assert clean_text(" a\x00b\u202e \n\t c\u200d ", 10) == "ab c\u200d"
    assert [clean_text(value, 3) for value in (None, 1, "", " \x07 ", "abcd", "abc")] == [None] * 5 + ["abc"]


@given(st.text(), st.integers(1, 50))
def test_cleaned_text_is_clean_short_and_encodable(text, limit):
    cleaned = clean_text(text, limit)
    if cleaned is not None:
        assert 0 < len(cleaned) <= limit
        assert clean_text(cleaned, limit) == cleaned
        cleaned.encode()


def test_a_quote_is_found_through_case_whitespace_and_the_form_of_quotes():
    said = "Well,\nwe don’t use  “Redis” in the Café any more."

    assert supports('we don\'t use "redis"', said)
    assert supports("IN THE\tCAFE\u0301", said)
    assert not supports("we use redis", said)
    assert not supports(" \x00", said)


@given(st.text(min_size=1), st.text(), st.text())
def test_whatever_was_said_supports_itself(quote, before, after):
    words = clean_text(quote, 10_000)
    if words is not None and sum(map(str.isalnum, words)) > 1:
        assert supports(words, f"{before} {words} {after}")


@pytest.mark.parametrize("quote", ["e", ".", "a", "rodu", "…", "1"])
def test_a_letter_a_mark_or_part_of_a_word_supports_nothing(quote: str):
    assert not supports(quote, "Please summarise the product page, as 1 list…")


def test_a_reply_that_breaks_off_while_reasoning_is_no_answer():
    with pytest.raises(ReplyError, match="reasoning"):
        read_extraction('<think>The format is {"triples": []}. The user says the API depends on Redis, so')


@pytest.mark.parametrize("blanks", [" ", "\x0b", "\u00a0"])
def test_a_long_run_of_blanks_costs_no_more_than_its_length(blanks: str):
    for text in (f"[]{blanks * 300_000}x", f"{blanks * 300_000}x"):
        with pytest.raises(ReplyError):
            read_extraction(text)
