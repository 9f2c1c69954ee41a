from typing import Any

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from dataflows.decay import (
    dated_mentions,
    decay_windows,
    rediscussions,
    returned_topics,
    topics,
    ubiquitous_entities,
)
from dataflows.rows import Chunk, Evidence, Mention, Rediscussion, Relation, Tally
from dataflows.tables import Table, table
from tests.support.frames import day, days, some, sparing, told

API_USES_FLASK = some(Relation, edge_id=1, subject="api", predicate="uses", object="flask")
SAID_ON_DAY_0 = some(Tally, edge_id=1, pos_evidence=1, last_reinforced=day(0))
NOTHING = table(Evidence)
LATER = day(1000)


def mentions(*entities: str) -> Table[Mention]:
    """One chunk a name, numbered from 1; "a b" mentions both."""
    found = [(number, name, name) for number, names in enumerate(entities, start=1) for name in names.split()]
    return table(Mention, found)


def faded(
    when: list[pd.Timestamp],
    named: Table[Mention],
    *,
    evidence: Table[Evidence] = NOTHING,
    relations: Table[Relation] = API_USES_FLASK,
    tallies: Table[Tally] = SAID_ON_DAY_0,
    now: pd.Timestamp = LATER,
    decay_window_days: float = 30.0,
    ubiquitous_from: int = 20,
) -> list[tuple[Any, ...]]:
    """(edge, window, first chunk) of every decay window, where chunk n was said at the nth moment."""
    chunks = some(Chunk, chunk_id=list(range(1, len(when) + 1)), said_at=when)
    dated = dated_mentions(named, chunks, now)
    about = topics(relations, tallies, ubiquitous_entities(relations, ubiquitous_from))
    return told(rediscussions(returned_topics(about, dated, decay_window_days), evidence))


def test_an_edge_fades_once_for_each_window_in_which_its_topic_returns():
    again = faded(days(10, 35, 36, 70), mentions("api", "api", "api", "api"))

    assert again == [(1, 1, 2), (1, 2, 4)]


def test_the_first_window_is_a_period_of_grace_to_the_very_microsecond():
    edge = day(30) - pd.Timedelta(microseconds=1)

    assert faded([edge, day(30)], mentions("api", "api")) == [(1, 1, 2)]


def test_either_end_brings_the_topic_back():
    assert faded(days(40, 70), mentions("api", "flask")) == [(1, 1, 1), (1, 2, 2)]


def test_what_was_said_before_the_last_restatement_does_not_count():
    restated = some(Tally, edge_id=1, last_reinforced=day(100))

    assert faded(days(40, 70, 110), mentions("api", "api", "api"), tallies=restated) == []


def test_a_chunk_that_gives_evidence_for_the_edge_lets_nothing_fade():
    denied = some(Evidence, edge_id=1, chunk_id=1, polarity=-1, said_at=day(40))

    assert faded(days(40), mentions("api"), evidence=denied) == []


def test_evidence_for_one_edge_leaves_the_other_fading():
    two = some(Relation, edge_id=[1, 2], subject="api", predicate="uses", object=["flask", "redis"])
    both = some(Tally, edge_id=[1, 2], last_reinforced=day(0))
    denied = some(Evidence, edge_id=2, chunk_id=1, polarity=-1, said_at=day(40))

    assert faded(days(40), mentions("api"), relations=two, tallies=both, evidence=denied) == [(1, 1, 1)]


def test_a_chunk_from_the_future_lets_nothing_fade_yet():
    assert faded(days(40, 70), mentions("api", "api"), now=day(50)) == [(1, 1, 1)]


def test_an_edge_that_was_only_denied_has_nothing_to_fade_from():
    denied = some(Tally, edge_id=1, stated_negatives=1, last_reinforced=[None])

    assert faded(days(40), mentions("api"), tallies=denied) == []


PREFERENCES = some(Relation, edge_id=[1, 2, 3], subject="user", predicate="prefers", object=["tabs", "vim", "tea"])
ALL_SAID_ON_DAY_0 = some(Tally, edge_id=[1, 2, 3], last_reinforced=day(0))


def test_a_ubiquitous_entity_is_no_topic_by_itself():
    assert faded(days(40), mentions("user"), relations=PREFERENCES, tallies=ALL_SAID_ON_DAY_0, ubiquitous_from=2) == []


def test_the_other_end_of_a_ubiquitous_entitys_edge_is_a_topic():
    again = faded(days(40), mentions("tabs"), relations=PREFERENCES, tallies=ALL_SAID_ON_DAY_0, ubiquitous_from=2)

    assert again == [(1, 1, 1)]


def test_an_edge_between_two_ubiquitous_entities_fades_only_where_both_are_mentioned():
    between = some(
        Relation,
        edge_id=[1, 2, 3],
        subject=["user", "user", "team"],
        predicate=["uses", "prefers", "uses"],
        object=["git", "tea", "git"],
    )

    again = faded(
        days(40, 70), mentions("user", "git user"), relations=between, tallies=ALL_SAID_ON_DAY_0, ubiquitous_from=1
    )

    assert [row for row in again if row[0] == 1] == [(1, 2, 2)]


def test_a_window_may_be_a_fraction_of_a_day():
    assert faded(days(0.4, 0.6), mentions("api", "api"), decay_window_days=0.5) == [(1, 1, 2)]


def test_a_chunk_that_names_both_ends_counts_once():
    assert decay_windows_of(faded(days(40), mentions("api flask"))) == {1: 1}


@given(st.lists(st.floats(0, 400), max_size=12), st.floats(0.5, 90))
@sparing
def test_decay_is_the_number_of_later_windows_that_were_talked_in(after: list[float], width: float):
    micros = [round(number * 86_400_000_000) for number in after]
    expected = {count // round(width * 86_400_000_000) for count in micros} - {0}
    when = [day(0) + pd.Timedelta(microseconds=count) for count in micros]

    again = faded(when, mentions(*["api"] * len(when)), decay_window_days=width)

    assert {window for _, window, _ in again} == expected
    assert decay_windows_of(again) == ({1: len(expected)} if expected else {})


def decay_windows_of(found: list[tuple[Any, ...]]) -> dict[int, int]:
    return dict(told(decay_windows(table(Rediscussion, found))))
