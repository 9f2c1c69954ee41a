from hypothesis import given
from hypothesis import strategies as st

from hymem.digests import chunk_id, digest63, edge_id, entry_id, read, shown


def test_ids_are_the_same_on_every_machine():
    assert edge_id("api", "uses", "redis") == 5244984716664330654
    assert chunk_id("monday", "m1", "", 0) == 8024024685465502157


@given(st.lists(st.text(st.characters())))
def test_an_id_is_a_positive_number_of_63_bits(parts: list[str]):
    assert 0 <= digest63(*parts) < 1 << 63


def test_things_of_different_kinds_have_different_ids():
    same = ("a", "b", "c")

    assert len({edge_id(*same), edge_id(*same, derived=True), entry_id(*same), chunk_id(*same, 0)}) == 4


def test_where_a_part_ends_matters():
    assert edge_id("ab", "c", "d") != edge_id("a", "bc", "d")


def test_each_piece_of_a_turn_and_each_context_make_another_chunk():
    assert len({chunk_id("s", "m", "", 0), chunk_id("s", "m", "", 400), chunk_id("s", "m", "before", 0)}) == 3


def test_people_see_sixteen_digits():
    assert shown(255) == "00000000000000ff"
    assert shown((1 << 63) - 1) == "7fffffffffffffff"


@given(st.integers(0, (1 << 63) - 1))
def test_what_people_see_is_read_as_the_id_that_it_is(identifier: int):
    assert read(shown(identifier)) == identifier


def test_what_is_no_id_is_read_as_none():
    assert [read(text) for text in ("f" * 16, "8" + "0" * 15, "0" * 15, "0" * 17, "٣" * 16, "0" * 16 + "\n")] == [
        None
    ] * 6
