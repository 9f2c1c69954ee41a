"""Copies that a compaction left are told from what was said, whatever was said."""

from hypothesis import given
from hypothesis import strategies as st

from serving.exchange.compactions import Conversation, border, overlap

words = st.lists(st.integers(), unique=True, max_size=12)


@given(words, st.data())
def test_beginning_and_end_kept_beside_a_summary_are_copies(said: list[int], data: st.DataObject):
    head = data.draw(st.integers(0, len(said) // 2))
    tail = data.draw(st.integers(0, len(said)))
    new = data.draw(words.map(lambda found: [one for one in found if one not in said]))

    before, after = Conversation().copies([[*said, *said[:head]], [*said[len(said) - tail :], *new]])

    assert before == [False] * len(said) + [True] * head
    assert after == [True] * tail + [False] * len(new)


@given(st.lists(st.integers(0, 2)), st.lists(st.integers(0, 2)))
def test_overlap_and_border_are_the_longest_there_are(one: list[int], other: list[int]):
    overlaps = [n for n in range(min(len(one), len(other)) + 1) if other[:n] == one[len(one) - n :]]
    borders = [n for n in range(len(one) // 2 + 1) if one[:n] == one[len(one) - n :]]

    assert (overlap(one, other), border(one)) == (max(overlaps), max(borders))
