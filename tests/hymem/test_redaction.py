"""What is taken out of a text before anybody reads it, and what is left alone."""

import json
import time
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from hymem.redaction import Secret, find_secrets, redacted
from hymem.redaction.kinds import PLACEHOLDER

ROOM = "<+>"
"""Stands within each made-up key of the corpus, so that no scanner of repositories takes it for a leak."""

CORPUS = [
    (entry["text"].replace(ROOM, ""), [secret.replace(ROOM, "") for secret in entry["secrets"]], set(entry["kinds"]))
    for entry in json.loads(Path(__file__).with_name("secrets_corpus.json").read_text(encoding="utf-8"))
]
WITH_SECRETS = [entry for entry in CORPUS if entry[1]]
WITHOUT_SECRETS = [text for text, secrets, _ in CORPUS if not secrets]

PIECES = [
    "=",
    ":",
    '"',
    "'",
    "`",
    "]",
    "--",
    "://joe:",
    "@host",
    "AKIA",
    "eyJ",
    "Bearer ",
    "hunter2",
    "İ",
    "\ud800",
    "\0",
]
WORDS = ["password", "token", "secret", "wachtwoord"]
PHRASES = ["api key", " is ", "\n", "[redacted: ", "[redacted: api key]", "Cookie: a=", "-----BEGIN PRIVATE KEY-----"]
FRAGMENTS = st.one_of(
    st.text(max_size=20),
    st.sampled_from([secret for _, secrets, _ in WITH_SECRETS for secret in secrets]),
    st.sampled_from([text for text, _, _ in CORPUS]),
    st.sampled_from([*PIECES, *WORDS, *PHRASES]),
)
TEXTS = st.lists(FRAGMENTS, max_size=8).map("".join)


def without_placeholders(text: str) -> str:
    return PLACEHOLDER.sub("\n", text)


def shortened(value: object) -> str:
    """A test's id, the same in every process: sets have no order."""
    return ascii(sorted(value) if isinstance(value, set) else value)[:40]


def test_the_corpus_is_large_and_has_both_sides():
    assert len(WITH_SECRETS) >= 120
    assert len(WITHOUT_SECRETS) >= 120


@pytest.mark.parametrize(("text", "secrets", "kinds"), WITH_SECRETS, ids=shortened)
def test_every_secret_of_the_corpus_vanishes_and_nothing_else(text: str, secrets: list[str], kinds: set[str]):
    found = find_secrets(text)
    taken = [text[secret.start : secret.end] for secret in found]

    assert [secret for secret in secrets if secret in redacted(text)] == []
    assert [value for value in taken if not any(value in secret or secret in value for secret in secrets)] == []
    assert {secret.kind for secret in found} == kinds


@pytest.mark.parametrize("text", WITHOUT_SECRETS, ids=lambda text: ascii(text)[:40])
def test_a_text_without_secrets_is_returned_as_it_is(text: str):
    assert redacted(text) is text


def test_a_placeholder_tells_the_kind_and_keeps_the_words_around_it():
    assert redacted("DB is postgres://app:hunter2@db/x, ok?") == "DB is postgres://app:[redacted: password]@db/x, ok?"


def test_a_secret_is_found_by_kind_and_place():
    assert find_secrets("my password is hunter2.") == (Secret("password", 15, 22),)


def test_a_password_vanishes_wherever_it_is_said_again():
    said_twice = "my password is hunter2. So I typed hunter2, and (hunter2) failed, unlike hunter23."

    assert redacted(said_twice).count("[redacted: password]") == 3
    assert redacted(said_twice).endswith("unlike hunter23.")


def test_a_long_secret_vanishes_even_from_within_a_word():
    assert redacted("token = 'a8f3k2m9x7q1' so we got ids like ux_a8f3k2m9x7q1_7").count("a8f3k2m9x7q1") == 0


@given(TEXTS)
@example("password = [redacted: api key] hunter2")
@example("[redacted: password]: hunter2 is my password")
def test_redaction_is_idempotent(text: str):
    clean = redacted(text)

    assert redacted(clean) is clean


@given(TEXTS)
def test_what_is_outside_the_secrets_stays_to_the_character(text: str):
    secrets = find_secrets(text)
    edges = [(0, 0), *((found.start, found.end) for found in secrets), (len(text), len(text))]
    kept = [text[end:start] for (_, end), (start, _) in pairwise(edges)]
    clean = redacted(text)

    for piece, found in zip(kept, [*secrets, None], strict=True):
        mark = piece + (f"[redacted: {found.kind}]" if found else "")
        assert clean.startswith(mark)
        clean = clean[len(mark) :]
    assert clean == ""


@given(TEXTS)
def test_no_secret_that_was_found_is_left_anywhere(text: str):
    found = {text[secret.start : secret.end] for secret in find_secrets(text)}
    clean = without_placeholders(redacted(text))

    assert [value for value in found if 8 <= len(value) <= 512 and value in clean] == []


@given(TEXTS)
def test_secrets_are_in_order_apart_and_not_empty(text: str):
    edges = [edge for secret in find_secrets(text) for edge in (secret.start, secret.end)]

    assert edges == sorted(edges)
    assert all(secret.start < secret.end <= len(text) for secret in find_secrets(text))


KEYS = [f"sk-{number:06}a1B2c3D4e5F6g7" for number in range(20_000)]
HOSTILE = {
    "one word": "a" * 1_000_000,
    "one digit": "1 " * 500_000,
    "dashes": "-" * 1_000_000,
    "heads of keys": "-----BEGIN PRIVATE KEY-----" * 37_000,
    "tails of keys": "-----END PRIVATE KEY-----" * 40_000,
    "addresses without an end": "://a:" * 200_000 + "@",
    "names without a value": "password is " * 83_000,
    "names within names": "?sig=" * 200_000,
    "quotes without an end": 'password: \\"' * 83_000,
    "tokens without an end": "eyJabcde." * 111_000,
    "a seed without an end": "seed phrase " + "word " * 200_000,
    "a thousand passwords": "\n".join(f"password = hunter{number}x" for number in range(40_000)),
    "each secret hides the next": f"token = {KEYS[0]}\n" + "\n".join(f"Q{a}{b}" for a, b in pairwise(KEYS)),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE.keys())
def test_a_megabyte_made_to_hurt_takes_seconds_and_not_hours(text: str):
    started = time.process_time()
    find_secrets(text)

    assert time.process_time() - started < 15


def test_a_text_made_to_hide_one_secret_behind_another_is_given_up_as_a_whole():
    chained = f"token = {KEYS[0]}\n" + "\n".join(f"Q{a}{b}" for a, b in pairwise(KEYS[:50]))
    clean = redacted(chained)

    assert redacted(clean) is clean
    assert not any(key in clean for key in KEYS[:50])
