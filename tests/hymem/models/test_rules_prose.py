from hymem.models.rules import extract
from hymem.models.rules.prose import own_words
from hymem.models.rules.sentences import sentences


def told(text):
    return [triple.object for triple in extract(text).triples]


def cut(text):
    return [text[each.start : each.end].strip() for each in sentences(text)]


def test_only_the_speakers_own_words_are_read():
    assert told("```\nwe use redis\n```\nWe use Postgres.") == ["Postgres"]
    assert told("> We use Oracle.\nWe use Postgres.") == ["Postgres"]
    assert told('the ticket says "we use Oracle everywhere"') == []
    assert told("ERROR: worker depends on libxml") == []
    assert told("2026-01-02 10:11:12 api connects to redis") == []
    assert told("The README says:\n\nThe client requires Python 3.12.\nIt uses Redis.") == []


def test_what_follows_a_fence_that_is_never_closed_is_code():
    assert told("```\nwe use redis\nwe use postgres") == []


def test_names_in_quotes_and_code_marks_are_names():
    assert told("We use `uv` for everything.") == ["uv"]
    assert told('I love "The Poppy War".') == ["Poppy War"]


def test_the_blanked_text_keeps_every_place():
    text = 'Use `uv`, "not this at all", see https://example.org/x\n```\ncode\n```\n- done'

    assert len(own_words(text)) == len(text)


def test_dots_inside_names_versions_and_abbreviations_end_no_sentence():
    assert cut("We use Fly.io, e.g. for 3.11. Then Next.js!") == ["We use Fly.io, e.g. for 3.11.", "Then Next.js!"]


def test_a_wrapped_line_goes_on_and_a_new_item_does_not():
    wrapped = "The invoice service that we wrote in the spring of 2024\ndepends on Stripe."

    assert cut(wrapped) == [wrapped]
    assert cut("- Redis\n- Postgres") == ["- Redis", "- Postgres"]
