import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.store.database import Database
from hymem.store.health import broken_indexes, rebuild_indexes
from hymem.store.neighbours import nearest, similarities
from hymem.store.sign_blocks import drop_blocks, fold_changes
from hymem.store.sign_index import SignIndexes
from hymem.store.vec_tables import load_vec
from hymem.store.vectors import OwnedVector, Space, drop_orphans, index_vectors, keep_vectors
from tests.support.conversations import examples
from tests.support.vectors import like_texts

NUMBERS = 128
SPACE = Space("model", NUMBERS)


def stored(database: Database, rows: np.ndarray, first: int = 1) -> None:
    """Vectors of edges as they are stored, numbered from `first`, without sqlite-vec's table."""
    with database.writing() as connection:
        connection.execute("insert or ignore into embedding_space values (1, ?, ?)", (SPACE.model, SPACE.dimension))
        connection.executemany(
            "insert or replace into edge_embeddings values (?, ?, 'a', 'b', 0, ?)",
            [(n, f"a uses b{n}", row.tobytes()) for n, row in enumerate(rows, start=first)],
        )


def folded(database: Database) -> int:
    with database.writing() as connection:
        return fold_changes(connection, NUMBERS)


def found(database: Database, vector: np.ndarray, k: int, signs: SignIndexes | None) -> list[tuple[int, float]]:
    with database.reading() as connection:
        return nearest(connection, "edge", vector.tobytes(), k, 1_000_000, signs)


def one(direction: int) -> np.ndarray:
    return np.eye(NUMBERS, dtype=np.float32)[direction]


# -------------------------------------------------------------------------------------------------------- few are compared


def test_of_thousands_of_vectors_the_nearest_are_found_without_comparing_all(database: Database):
    rows, questions = like_texts(20_000, NUMBERS, seed=1), like_texts(30, NUMBERS, seed=2)
    stored(database, rows)
    folded(database)
    signs = SignIndexes()

    exact = [set((np.argsort(-(rows @ question))[:10] + 1).tolist()) for question in questions]
    near = [{owner for owner, _ in found(database, question, 10, signs)} for question in questions]

    assert sum(len(one & other) for one, other in zip(exact, near, strict=True)) >= 0.98 * 300
    with database.reading() as connection:
        assert len(signs.of(connection, "edge").candidates(questions[0], 10)) < 2_000


def test_cosines_are_exact_and_the_same_with_and_without_the_index(database: Database):
    rows = like_texts(200, NUMBERS, seed=3)
    stored(database, rows)
    with database.writing() as connection:
        index_vectors(connection)

    with_signs = found(database, rows[7], 200, SignIndexes())

    assert [owner for owner, _ in with_signs] == (np.argsort(-(rows @ rows[7]), kind="stable") + 1).tolist()
    assert dict(with_signs) == pytest.approx(dict(found(database, rows[7], 200, None)), abs=1e-6)


def test_similarities_are_those_of_the_named_alone_and_never_negative(database: Database):
    stored(database, np.stack([one(0), -one(0), one(1)]))

    with database.reading() as connection:
        assert similarities(connection, "edge", [1, 2, 99], one(0).tobytes()) == {1: 1.0, 2: 0.0}
        assert similarities(connection, "edge", [], one(0).tobytes()) == {}


def test_without_any_index_the_latest_are_compared_up_to_a_limit(database: Database):
    stored(database, like_texts(5, NUMBERS, seed=4))
    with database.writing() as connection:
        drop_blocks(connection)
        for number in (1, 2):
            connection.execute(
                "insert into knowledge_graph values"
                " (?, 'a', 'uses', ?, 0, 'active', 0.7, 1, 0, 0, ?, ?, ?, null, null, null, null, '[]', 0)",
                (number, f"b{number}", f"2026-01-0{number}", f"2026-01-0{number}", f"2026-01-0{number}"),
            )

    with database.reading() as connection:
        assert [o for o, _ in nearest(connection, "edge", one(0).tobytes(), 5, 1, SignIndexes())] == [2]


# -------------------------------------------------------------------------------------------------- the index keeps in step


def test_a_few_changes_rewrite_a_few_blocks(database: Database):
    stored(database, like_texts(6_000, NUMBERS, seed=5))
    assert folded(database) >= 6
    before = database.rows("select first_owner, version from vector_blocks")

    stored(database, like_texts(2, NUMBERS, seed=6), first=17)
    assert folded(database) == 1

    assert len(set(database.rows("select first_owner, version from vector_blocks")) - set(before)) == 1
    assert folded(database) == 0


def test_what_another_process_writes_is_found_by_an_index_that_was_read_before(database: Database):
    stored(database, like_texts(3_000, NUMBERS, seed=7))
    folded(database)
    signs = SignIndexes()
    found(database, one(0), 1, signs)
    other = Database.open(database.path)
    try:
        stored(other, one(0)[None, :], first=5_000)
        assert found(database, one(0), 1, signs) == [(5_000, 1.0)]
        folded(other)
        assert found(database, one(0), 1, signs) == [(5_000, 1.0)]
    finally:
        other.close()


def test_one_index_serves_readers_of_two_moments(database: Database):
    stored(database, like_texts(3_000, NUMBERS, seed=8))
    folded(database)
    signs, later = SignIndexes(), Database.open(database.path)
    try:
        with database.reading() as before:
            assert signs.of(before, "edge").owners.size == 3_000
            stored(later, one(0)[None, :], first=5_000)
            folded(later)
            for _ in range(2):
                assert found(later, one(0), 1, signs) == [(5_000, 1.0)]
                assert nearest(before, "edge", one(0).tobytes(), 1, 10, signs)[0][0] != 5_000
                assert signs.of(before, "edge").owners.size == 3_000
    finally:
        later.close()


def test_a_first_great_many_is_folded_in_as_it_comes(database: Database):
    rows = like_texts(1_100, NUMBERS, seed=9)
    with database.writing() as connection:
        for start in range(0, len(rows), 100):
            part = rows[start : start + 100]
            keep_vectors(
                connection,
                SPACE,
                [
                    OwnedVector("edge", start + n, 0, f"a uses b{start + n}", row.tobytes())
                    for n, row in enumerate(part)
                ],
            )
    assert database.rows("select count(*) from vector_changes") == [(0,)]
    assert broken_indexes(database) == []
    assert found(database, rows[1_050], 1, SignIndexes())[0][0] == 1_050


CHANGES = st.lists(
    st.one_of(
        st.tuples(st.just("come"), st.integers(1, 3_000), st.integers(1, 1_500)),
        st.tuples(st.just("go"), st.integers(1, 3_000), st.integers(1, 3_000)),
        st.tuples(st.just("fold"), st.just(0), st.just(0)),
    ),
    max_size=8,
)


@given(changes=CHANGES)
@examples(15)
def test_whatever_comes_and_goes_an_index_read_step_by_step_is_the_one_read_at_once(tmp_path_factory, changes):
    database, signs = Database.open(tmp_path_factory.mktemp("signs") / "hymem.db"), SignIndexes()
    try:
        stored(database, one(0)[None, :])
        for number, (kind, first, count) in enumerate(changes):
            if kind == "come":
                stored(database, like_texts(count, NUMBERS, seed=number), first=first)
            elif kind == "go":
                with database.writing() as connection:
                    connection.execute(
                        "delete from edge_embeddings where text_id between ? and ?", (first, first + count)
                    )
            else:
                folded(database)
            assert broken_indexes(database) == []
            with database.reading() as connection:
                stepwise, at_once = signs.of(connection, "edge"), SignIndexes().of(connection, "edge")
                assert np.array_equal(stepwise.owners, at_once.owners)
                assert np.array_equal(stepwise.words, at_once.words)
        folded(database)
        with database.reading() as connection:
            owners = signs.of(connection, "edge").owners.tolist()
        assert [(owner,) for owner in owners] == database.rows("select text_id from edge_embeddings order by 1")
    finally:
        database.close()


def test_an_index_all_of_whose_vectors_were_replaced_since_is_whole(database: Database):
    stored(database, like_texts(20, NUMBERS, seed=1))
    folded(database)
    stored(database, like_texts(20, NUMBERS, seed=2))

    assert broken_indexes(database) == []


# ------------------------------------------------------------------------------------------------------ erased and damaged


def test_of_a_vector_that_goes_no_sign_remains_in_the_file(database: Database):
    stored(database, like_texts(1_500, NUMBERS, seed=10))
    folded(database)
    (vector,) = database.rows("select vector from edge_embeddings where text_id = 700")[0]
    signs = np.packbits(np.frombuffer(vector, dtype="<f4") > 0).tobytes()
    database.checkpoint()
    assert signs in database.path.read_bytes()

    with database.writing() as connection:
        connection.execute("delete from edge_embeddings where text_id = 700")
        drop_orphans(connection)
    database.checkpoint()

    assert signs not in database.path.read_bytes()
    assert vector not in database.path.read_bytes()


@pytest.mark.parametrize(
    "damage",
    [
        "update vector_blocks set signs = zeroblob(length(signs))",
        "delete from vector_blocks where first_owner > 1",
        "drop trigger edge_embeddings_delete; delete from edge_embeddings where text_id = 9",
        "delete from vec_edges where text_id = 9",
    ],
    ids=["signs", "blocks", "untold", "sqlite-vec"],
)
def test_an_index_that_says_otherwise_than_the_vectors_is_noticed_and_made_anew(database: Database, damage: str):
    stored(database, like_texts(1_500, NUMBERS, seed=11))
    with database.writing() as connection:
        index_vectors(connection)
    assert broken_indexes(database) == []
    with database.writing() as connection:
        assert load_vec(connection)
        connection.execute(damage)

    assert len(broken_indexes(database)) >= 1
    rebuild_indexes(database)
    assert broken_indexes(database) == []


def test_vectors_too_short_for_signs_are_compared_as_they_are(database: Database):
    with database.writing() as connection:
        for_two = [
            OwnedVector("edge", n, 0, f"a uses b{n}", np.float32(row).tobytes()) for n, row in enumerate(np.eye(2))
        ]
        keep_vectors(connection, Space("short", 2), for_two)
        index_vectors(connection)

    assert database.rows("select count(*) from vector_blocks") == [(0,)]
    assert found(database, np.float32([0, 1]), 1, SignIndexes()) == [(1, 1.0)]
