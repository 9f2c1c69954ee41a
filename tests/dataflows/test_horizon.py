from dataflows.horizon import changes_at
from dataflows.tables import Chunk
from tests.support.frames import day, days, some

SAID = some(Chunk, chunk_id=[1, 2, 3], said_at=days(0, 40, 20))


def test_memory_changes_next_when_the_first_word_of_the_future_is_spoken():
    assert changes_at(SAID, day(10)) == day(20)


def test_time_alone_changes_nothing_when_all_has_been_said():
    assert changes_at(SAID, day(40)) is None
