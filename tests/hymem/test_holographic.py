"""Holographic vectors: reproducible to the bit, and honest about how much they hold."""

import hashlib
import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.errors import InputError
from hymem.holographic import (
    ROLE_CONTENT,
    ROLE_ENTITY,
    bind,
    bundle,
    decoded,
    encode_atom,
    encode_fact,
    encode_text,
    encoded,
    in_role,
    similarities,
    similarity,
    snr_estimate,
    unbind,
)

DIM = 512
words = st.text(st.characters(codec="utf-8"), min_size=1, max_size=12)
angles = st.lists(st.floats(-1e3, 1e3), min_size=8, max_size=8)


def turned_apart(first, second) -> float:
    """The widest angle between two vectors, the short way round."""
    difference = np.mod(np.asarray(first) - np.asarray(second), 2 * math.pi)
    return float(np.minimum(difference, 2 * math.pi - difference).max())


@pytest.mark.parametrize(
    ("word", "beginning"),
    [
        ("vim", (4901, 51628, 46389, 2102)),
        ("postgresql", (37728, 27079, 17088, 21191)),
        ("绿茶", (48992, 2155, 39440, 35358)),
        ("", (59417, 18579, 43506, 62421)),
    ],
)
def test_an_atom_is_bit_for_bit_what_sha256_gives_elsewhere(word: str, beginning: tuple[int, ...]):
    assert tuple(encode_atom(word, 4)) == tuple(value * (2.0 * math.pi / 65536.0) for value in beginning)


@given(words, st.integers(1, 70))
def test_an_atom_is_its_counter_blocks_in_a_row(word: str, dim: int):
    blocks = b"".join(hashlib.sha256(word.encode() + b":" + str(n).encode()).digest() for n in range(-(-dim // 16)))
    values = struct.unpack(f"<{len(blocks) // 2}H", blocks)[:dim]

    assert encode_atom(word, dim).tolist() == [value * (2.0 * math.pi / 65536.0) for value in values]


@given(angles, angles)
def test_unbinding_undoes_binding(first: list[float], second: list[float]):
    assert turned_apart(unbind(bind(first, second), second), first) < 1e-9


@given(angles, angles, angles)
def test_binding_commutes_and_associates(first: list[float], second: list[float], third: list[float]):
    assert turned_apart(bind(first, second), bind(second, first)) == 0
    assert turned_apart(bind(bind(first, second), third), bind(first, bind(second, third))) < 1e-9


@given(words, words)
def test_a_binding_is_like_neither_of_its_sides(first: str, second: str):
    bound = bind(encode_atom(first, DIM), encode_atom(second, DIM))

    assert abs(similarity(bound, encode_atom(first, DIM))) < 6 / math.sqrt(2 * DIM)


@given(st.sets(words, min_size=1, max_size=16), words)
def test_a_bundle_is_like_each_of_its_members_and_like_no_other(members: set[str], other: str):
    vector = bundle(*(encode_atom(member, DIM) for member in sorted(members)))
    noise = 1 / math.sqrt(2 * DIM)

    assert min(similarity(vector, encode_atom(member, DIM)) for member in members) > 0.22 - 4 * noise
    assert other in members or abs(similarity(vector, encode_atom(other, DIM))) < 6 * noise


@given(st.lists(words, min_size=1, max_size=9), st.randoms(use_true_random=False))
def test_a_bundle_does_not_depend_on_the_order_of_its_members(members: list[str], chance):
    shuffled = chance.sample(members, len(members))

    assert turned_apart(*(bundle(*(encode_atom(word, 64) for word in told)) for told in (members, shuffled))) < 1e-6


@pytest.mark.parametrize("dim", [256, 1024])
@pytest.mark.parametrize("count", [4, 16, 64])
def test_members_stand_out_of_the_noise_as_far_as_the_estimate_says(dim: int, count: int):
    vector = bundle(*(encode_atom(f"member {n}", dim) for n in range(count)))
    members = np.mean([similarity(vector, encode_atom(f"member {n}", dim)) for n in range(count)])
    strangers = np.std([similarity(vector, encode_atom(f"stranger {n}", dim)) for n in range(200)])

    # a member's similarity is √(π/4n), a stranger's varies by 1/√(2·dim): the ratio is 1.25 times √(dim/n)
    assert members / strangers == pytest.approx(snr_estimate(dim, count) * math.sqrt(math.pi / 2), rel=0.25)


def test_the_estimate_falls_under_two_where_a_quarter_of_the_dimensions_is_filled():
    assert (snr_estimate(1024, 256), snr_estimate(1024, 1024), snr_estimate(1024, 0)) == (2.0, 1.0, math.inf)


def test_a_fact_is_like_its_entities_in_their_part_only():
    fact = encode_fact("Zephyr uses Postgres in production", ["Zephyr", "Postgres"])

    assert similarity(fact, in_role("zephyr", ROLE_ENTITY)) > 0.3
    assert abs(similarity(fact, in_role("zephyr", ROLE_CONTENT))) < 0.3
    assert abs(similarity(fact, in_role("redis", ROLE_ENTITY))) < 0.1


def test_a_text_is_its_words_without_case_order_and_edges():
    assert turned_apart(encode_text('Tabs, "never" SPACES!'), encode_text("spaces never tabs")) < 1e-9
    assert encode_text(" \n ").tolist() == encode_atom("__hrr_empty__").tolist()
    assert encode_text("?! ...").tolist() == encode_atom("__hrr_empty__").tolist()


@given(st.lists(words, min_size=1, max_size=5))
def test_stored_codes_compare_as_the_angles_do(told: list[str]):
    vectors = [encode_text(text, 128) for text in told]
    found = similarities(np.stack([encoded(vector) for vector in vectors]), encoded(vectors[0]))

    assert found.tolist() == pytest.approx([similarity(vector, vectors[0]) for vector in vectors], abs=1e-3)


@given(words)
def test_an_atom_survives_its_storing(word: str):
    assert encode_atom(word, 64).tolist() == decoded(encoded(encode_atom(word, 64))).tolist()


@pytest.mark.parametrize("dim", [0, -1, True, 1.5, "8", None, 10**9])
def test_what_is_no_dimension_is_refused(dim):
    with pytest.raises(InputError, match="dimensions"):
        encode_atom("word", dim)


@pytest.mark.parametrize("bad", [[math.nan], [math.inf], [], [[1.0]], ["x"], 3.0, [1.0, 2.0]])
@pytest.mark.parametrize("operation", [bind, unbind, bundle, similarity])
def test_what_is_no_vector_is_refused(operation, bad):
    with pytest.raises(InputError, match="vector"):
        operation([1.0], bad)


def test_nothing_cannot_be_bundled():
    with pytest.raises(InputError, match="at least one"):
        bundle()


def test_vectors_of_two_lengths_are_not_compared():
    with pytest.raises(InputError, match="rebuild"):
        similarities(np.zeros((2, 8), np.uint16), np.zeros(16, np.uint16))
