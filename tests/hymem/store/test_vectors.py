import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.digests import digest63
from hymem.errors import ConfigError
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.vec_tables import INDEXES, load_vec
from hymem.store.vectors import (
    OwnedVector,
    Space,
    drop_orphans,
    drop_vectors,
    index_vectors,
    keep_vectors,
    known_vectors,
    refuse_other_model,
    stored_space,
)
from hymem.testing import HashedWordsEmbedder
from tests.support.conversations import World, examples

SPACE = Space("small", 3)
NOW = "2026-01-01T00:00:00.000000Z"


def vector(*numbers: float) -> bytes:
    return struct.pack(f"<{len(numbers)}f", *numbers)


def edge(text: str, *numbers: float) -> OwnedVector:
    return OwnedVector("edge", digest63("edge text", text), digest63(text), text, vector(*(numbers or (1, 0, 0))))


def keep(database: Database, *vectors: OwnedVector, space: Space = SPACE) -> None:
    with database.writing() as connection:
        keep_vectors(connection, space, vectors)


def add_chunks(database: Database, *ids: int) -> None:
    with database.writing() as connection:
        connection.execute("insert into sessions (session_id, started_at, created_at) values ('s', ?, ?)", (NOW, NOW))
        connection.execute("insert into peers (peer_id, role, created_at) values ('p', 'user', ?)", (NOW,))
        for number in ids:
            connection.execute(
                "insert into messages values (?, ?, 's', 'p', 'user', 'hi', ?, ?, '{}', 1, null)",
                (number, f"m{number}", NOW, NOW),
            )
            connection.execute(
                "insert into chunks values (?, 's', ?, null, 0, 'p', ?, 'length', '', 'hi', '', 0)",
                (number, number, NOW),
            )


def chunk(number: int, *numbers: float) -> OwnedVector:
    return OwnedVector("chunk", number, 7, "hi", vector(*numbers))


def nearest(connection: Connection, index: str, key: str, to: bytes, count: int) -> list[tuple[int, float]]:
    assert load_vec(connection)
    sql = f"select {key}, distance from {index} where embedding match ? and k = ? order by distance"
    return connection.execute(sql, (to, count)).fetchall()


def indexed(connection: Connection, index: str) -> int:
    assert load_vec(connection)
    return connection.execute(f"select count(*) from {index}").fetchall()[0][0]


# --------------------------------------------------------------------------------------------------- keeping and finding


def test_model_and_dimension_are_noted_with_the_first_vector(database: Database):
    with database.reading() as connection:
        assert stored_space(connection) is None
    keep(database, edge("a uses b"))

    with database.reading() as connection:
        assert stored_space(connection) == SPACE
        assert known_vectors(connection) == [("edge", digest63("edge text", "a uses b"), digest63("a uses b"))]


@pytest.mark.parametrize(("model", "dimension"), [("large", 3), ("large", None), ("small", 4)])
def test_another_model_or_dimension_is_refused_with_the_command_that_changes_it(
    database: Database, model: str, dimension: int | None
):
    keep(database, edge("a uses b"))

    with (
        database.reading() as connection,
        pytest.raises(ConfigError, match=r"of small \(3 numbers\), not of .*run `hymem reembed`"),
    ):
        refuse_other_model(connection, model, dimension)


def test_nothing_of_a_batch_of_another_dimension_is_kept(database: Database):
    keep(database, edge("a uses b"))

    with pytest.raises(ConfigError):
        keep(database, edge("c uses d", 1, 0, 0, 0), space=Space("small", 4))

    assert len(database.rows("select * from edge_embeddings")) == 1


def test_a_vector_that_comes_again_replaces_the_first_in_table_and_index(database: Database):
    add_chunks(database, 1)
    keep(database, chunk(1, 1, 0, 0))
    keep(database, chunk(1, 0, 1, 0))

    with database.reading() as connection:
        assert nearest(connection, "vec_chunks", "chunk_id", vector(0, 1, 0), 5) == [(1, 0.0)]
    assert database.rows("select vector from chunk_embeddings") == [(vector(0, 1, 0),)]


def test_the_vector_of_what_is_gone_meanwhile_is_not_kept(database: Database):
    add_chunks(database, 1)
    keep(database, chunk(1, 1, 0, 0), chunk(2, 0, 1, 0))

    assert database.rows("select chunk_id from chunk_embeddings") == [(1,)]


@given(data=st.lists(st.tuples(*[st.integers(-9, 9)] * 3).filter(any), min_size=1, max_size=30, unique=True))
@examples(25)
def test_the_nearest_are_those_of_the_smallest_cosine_distance(tmp_path_factory, data: list[tuple[int, int, int]]):
    rows = np.array(data, dtype=np.float64)
    rows = (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)
    database = Database.open(tmp_path_factory.mktemp("vectors") / "hymem.db")
    try:
        keep(database, *(edge(f"a{n} uses b", *map(float, row)) for n, row in enumerate(rows)))
        with database.reading() as connection:
            found = nearest(connection, "vec_edges", "text_id", vector(*map(float, rows[0])), len(rows))
    finally:
        database.close()

    assert [distance for _, distance in found] == pytest.approx(sorted(1 - rows @ rows[0]), abs=1e-5)


# ------------------------------------------------------------------------------------------------------------- letting go


def test_vectors_of_retired_and_erased_chunks_leave_table_and_index(database: Database):
    add_chunks(database, 1, 2, 3)
    keep(database, chunk(1, 1, 0, 0), chunk(2, 0, 1, 0), chunk(3, 0, 0, 1))
    with database.writing() as connection:
        connection.execute("update chunks set text = '' where chunk_id = 1")
        connection.execute("delete from messages where seq = 2")
        drop_orphans(connection)

    with database.reading() as connection:
        assert nearest(connection, "vec_chunks", "chunk_id", vector(1, 0, 0), 5) == [(3, 1.0)]
    assert database.rows("select chunk_id from chunk_embeddings") == [(3,)]


def state(database: Database, *edges: tuple[str, str, str, str]) -> None:
    """Put edges into the graph: subject, predicate, object, status."""
    with database.writing() as connection:
        connection.execute("delete from knowledge_graph")
        for number, (subject, predicate, object_, status) in enumerate(edges, start=1):
            connection.execute(
                "insert into knowledge_graph values"
                " (?, ?, ?, ?, 0, ?, 0.7, 1, 0, 0, ?, ?, ?, null, null, null, null, '[]', 0)",
                (number, subject, predicate, object_, status, NOW, NOW, NOW),
            )


@pytest.mark.parametrize(
    ("left", "kept"),
    [
        ([("a", "uses", "b", "active"), ("b", "depends_on", "c", "active")], True),
        ([("a", "depends_on", "b", "retracted"), ("b", "depends_on", "c", "stale")], True),
        ([("a", "depends_on", "c", "retracted")], True),
        ([("a", "uses", "b", "active")], False),
        ([("a", "uses", "b", "active"), ("b", "uses", "c", "active")], False),
        ([("a", "prefers", "c", "active")], False),
        ([], False),
    ],
    ids=str,
)
def test_an_edges_vector_stays_as_long_as_it_is_stated_or_may_follow_again(
    database: Database, left: Sequence[tuple[str, str, str, str]], kept: bool
):
    state(database, *left)
    keep(database, edge("a depends_on c"))
    with database.writing() as connection:
        drop_orphans(connection)

        assert indexed(connection, "vec_edges") == kept
    assert len(database.rows("select * from edge_embeddings")) == kept


def test_all_vectors_can_be_dropped_for_another_model(database: Database):
    keep(database, edge("a uses b"))
    with database.writing() as connection:
        drop_vectors(connection)

    keep(database, edge("a uses b", 1, 0), space=Space("large", 2))

    with database.reading() as connection:
        assert stored_space(connection) == Space("large", 2)
        assert nearest(connection, "vec_edges", "text_id", vector(1, 0), 5) == [
            (digest63("edge text", "a uses b"), 0.0)
        ]


def test_an_index_that_lags_behind_is_brought_in_line(database: Database):
    keep(database, edge("a uses b"), edge("c uses d", 0, 1, 0))
    with database.writing() as connection:
        assert load_vec(connection)
        connection.execute("drop table vec_edges")

        assert index_vectors(connection) == 2
        assert index_vectors(connection) == 0


# --------------------------------------------------------------------------------------------- without sqlite-vec, and with

WITHOUT = """
import sys
from pathlib import Path
from hymem.store.vec_tables import load_vec
from hymem.testing import HashedWordsEmbedder
from tests.support.conversations import Clock, Listener, day
from serving.memory import HyMem

memory = HyMem(Path(sys.argv[1]), llm=Listener(), embedder=HashedWordsEmbedder(16), clock=Clock(day(400)))
with memory._database.reading() as connection:
    assert load_vec(connection) is False
memory.log_message("s", "user", "api uses Redis.", message_id="m1")
print(memory.dream().embedded, memory.dream().outcome)
print(memory._database.rows("select count(*) from sqlite_schema where name glob 'vec_*'"))
memory.erase_message("m1")
memory.dream()
print(memory._database.rows("select count(*) from edge_embeddings"))
memory.log_message("s", "user", "worker uses uv.")
print(memory.dream().embedded)
"""


def test_where_sqlite_vec_cannot_be_had_the_blobs_suffice_and_an_index_is_made_later(tmp_path: Path):
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "sqlite_vec.py").write_text("raise ImportError('there is no wheel for this platform')\n")
    told = subprocess.run(
        [sys.executable, "-c", WITHOUT, str(tmp_path / "memory")],
        env=os.environ | {"PYTHONPATH": os.pathsep.join([str(elsewhere), str(Path(__file__).parents[3])])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (told.stdout.split("\n"), told.stderr) == (["3 nothing to do", "[(0,)]", "[(0,)]", "3", ""], "")

    database = Database.open(tmp_path / "memory" / "hymem.db")
    try:
        with database.writing() as connection:
            assert index_vectors(connection) == 3
            assert [indexed(connection, index) for _, _, index in INDEXES.values()] == [1, 1, 1]
    finally:
        database.close()


def test_a_dreams_vectors_agree_with_their_indexes():
    with World.of() as world:
        world.memory.embedder = HashedWordsEmbedder(32)
        world.say("api uses Redis. worker depends on uv.", on=1)
        world.say("Redis depends on libc.", on=2)
        world.dream()

        for table, key, index in INDEXES.values():
            with world.database.reading() as connection:
                assert load_vec(connection)
                assert connection.execute(f"select {key}, embedding from {index} order by 1").fetchall() == (
                    connection.execute(f"select {key}, vector from {table} order by 1").fetchall()
                )
        assert world.rows("select text from edge_embeddings order by 1") == [
            ("api depends_on libc",),
            ("api uses redis",),
            ("redis depends_on libc",),
            ("worker depends_on uv",),
        ]
