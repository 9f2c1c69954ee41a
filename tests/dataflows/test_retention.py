import pandas as pd

from dataflows.retention import dispensable_chunks, relied_on_chunks, retired_chunks, stored_chunks
from dataflows.tables import Chunk, Edge, Episode, Evidence, Procedure, table
from tests.support.frames import day, days, some, told

NOBODY = pd.Series([], dtype="int64")


def test_evidence_of_an_edge_in_force_is_relied_on():
    relied_on = relied_on_chunks(
        some(Chunk, chunk_id=[1, 2, 3]),
        some(Evidence, edge_id=[1, 2, 3], chunk_id=[1, 2, 3]),
        some(Edge, edge_id=[1, 2, 3], status=["active", "stale", "retracted"]),
        table(Episode),
        table(Procedure),
    )

    assert sorted(relied_on) == [1, 2]


def test_what_lies_within_an_episode_or_a_procedure_is_relied_on():
    chunks = some(Chunk, chunk_id=[1, 2, 3, 4], session_id=["a", "a", "a", "b"], message_seq=[1, 5, 9, 5])

    relied_on = relied_on_chunks(
        chunks,
        table(Evidence),
        table(Edge),
        some(Episode, session_id="a", first_seq=5, last_seq=6),
        some(Procedure, session_id="b", first_seq=1, last_seq=5),
    )

    assert sorted(relied_on) == [2, 4]


FIVE = some(Chunk, chunk_id=[1, 2, 3, 4, 5], said_at=days(4, 3, 2, 1, 0), text="words", context="before")


def test_as_many_of_the_oldest_as_there_are_too_many_may_go():
    assert dispensable_chunks(FIVE, NOBODY, 3).chunk_id.tolist() == [5, 4]


def test_what_is_relied_on_stays_and_a_younger_one_may_go_in_its_place():
    assert dispensable_chunks(FIVE, pd.Series([5, 3]), 3).chunk_id.tolist() == [4, 2]


def test_within_the_limit_nothing_may_go():
    assert dispensable_chunks(FIVE, NOBODY, 5).empty


def test_only_what_is_older_than_the_time_of_retention_goes():
    assert retired_chunks(FIVE, 90, day(92)).tolist() == [4, 5]
    assert retired_chunks(FIVE, 90, day(90)).tolist() == []


def test_a_retired_chunk_keeps_its_row_and_loses_its_text():
    stored = stored_chunks(FIVE, pd.Series([4, 5]))

    assert told(stored, "chunk_id", "text", "context")[2:4] == [(3, "words", "before"), (4, "", "")]
    assert len(stored) == 5


def test_unspaced_scripts_are_stored_with_their_bigrams():
    stored = stored_chunks(some(Chunk, chunk_id=[1, 2], text=["数据库慢", "plain words"]), NOBODY)

    assert stored.bigrams.tolist()[1] == ""
    assert "数据" in stored.bigrams[0]
