import pandas as pd

from dataflows.horizon import changes_at
from dataflows.retention import retired_chunks
from dataflows.rows import Chunk, SilentRow
from dataflows.tables import table
from tests.support.frames import day, days, some

SAID = some(Chunk, chunk_id=[1, 2, 3], said_at=days(0, 40, 20))
NONE = table(Chunk)
NO_SILENCE = table(SilentRow)


def test_memory_changes_next_when_the_first_word_of_the_future_is_spoken():
    assert changes_at(SAID, NONE, NO_SILENCE, 90, day(10)) == day(20)


def test_time_alone_changes_nothing_when_all_has_been_said():
    assert changes_at(SAID, NONE, NO_SILENCE, 90, day(40)) is None


def test_memory_changes_when_a_chunk_is_old_enough_to_be_let_go():
    dispensable = SAID[SAID.chunk_id == 1]

    moment = changes_at(SAID, dispensable, NO_SILENCE, 90, day(50))

    assert moment is not None
    assert list(retired_chunks(dispensable, 90, moment)) == [1]
    assert list(retired_chunks(dispensable, 90, moment - pd.Timedelta(microseconds=1))) == []


def test_memory_changes_when_a_silent_chunk_is_old_enough_to_be_let_go():
    assert changes_at(SAID, NONE, some(SilentRow, said_at=days(5)), 90, day(50)) == day(95) + pd.Timedelta(
        microseconds=1
    )
