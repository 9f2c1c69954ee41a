from collections.abc import Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hymem.bigrams import bigrams
from hymem.records import Message
from hymem.store.database import Database
from hymem.store.messages import log
from hymem.store.search import POSTINGS, TERMS, links, match_expression, postings, terms_of

NOW = "2026-01-01T00:00:00.000000Z"


def stored(database: Database, texts: Sequence[str], session: str = "monday", first: int = 1) -> None:
    """Texts as messages and as chunks, numbered from `first`."""
    with database.writing() as connection:
        log(connection, [Message(session, "user", text) for text in texts], NOW)
        connection.executemany(
            """
            insert into chunks (chunk_id, session_id, message_seq, part, peer_id, said_at, salience_reason, context, text,
                                bigrams, row_digest)
            values (?, ?, ?, 0, 'user', ?, 'length', '', ?, ?, 0)
            """,
            [(number, session, number, NOW, text, bigrams(text)) for number, text in enumerate(texts, start=first)],
        )


@pytest.fixture
def library(database: Database) -> Database:
    """Four chunks, numbered from 1."""
    texts = (
        "Postgres stores the invoices",
        "Invoices, invoices, invoices!",
        "the équipe préférée says hello",
        "我们的数据库很慢",
    )
    stored(database, texts)
    return database


def found(database: Database, text: str) -> list[int]:
    """The chunks that the question's terms stand in, those worth most first."""
    with database.reading() as connection:
        worth = dict[int, float]()
        for part in postings(connection, terms_of(connection, text).looked_up):
            for chunk, score in part.items():
                assert score > 0
                worth[chunk] = worth.get(chunk, 0) + score
    return sorted(worth, key=lambda chunk: -worth[chunk])


def looked_up(database: Database, text: str, *names: str) -> list[str]:
    with database.reading() as connection:
        return [term.word for term in terms_of(connection, text, names).looked_up]


def test_the_chunk_that_matches_best_comes_first(library: Database):
    assert found(library, "invoices") == [2, 1]
    assert found(library, "invoices in postgres") == [1, 2]


def test_inflections_and_accents_are_folded(library: Database):
    assert found(library, "storing an invoice") == [1, 2]
    assert found(library, "equipe") == found(library, "préférée") == [3]


def test_words_of_scripts_without_spaces_are_found(library: Database):
    assert found(library, "数据库") == [4]


def test_words_that_tell_nothing_are_dropped_where_others_remain(library: Database):
    assert looked_up(library, "what does the postgres say?") == ["postgres"]
    assert looked_up(library, "the") == ["the"]


def test_names_are_dropped_where_other_words_remain(library: Database):
    assert looked_up(library, "Postgres invoices", "postgres") == ["invoices"]
    assert looked_up(library, "Postgres", "postgres") == ["postgres"]


def test_words_that_stand_in_most_texts_are_not_looked_up(database: Database):
    stored(database, [f"server number{n}" for n in range(100)])

    assert looked_up(database, "server number7") == ["number7"]
    assert looked_up(database, "server") == ["server"]


def test_the_rarest_words_are_looked_up_until_there_are_too_many_postings(database: Database):
    with database.writing() as connection:
        log(connection, [Message("monday", "user", "said")], NOW)
        connection.execute(
            """
            with recursive n(i) as (select 1 union all select i + 1 from n where i < ?)
            insert into chunks_fts (rowid, text, bigrams)
            select i, iif(i % 4 = 0, 'even ', '') || iif(i % 5 = 0, 'fifth ', '') || iif(i = 7, 'seven', 'none'), '' from n
            """,
            (4 * POSTINGS,),
        )

    assert looked_up(database, "even fifth seven") == ["seven", "fifth"]


def test_a_text_without_words_finds_nothing(library: Database):
    assert match_expression("?! -- ''") == ""
    assert found(library, "?! -- ''") == []


def test_a_giant_is_searched_for_a_bounded_number_of_words(library: Database):
    giant = " ".join(f"word{n}" for n in range(30_000))

    assert match_expression(giant).count('"') == 2 * TERMS
    with library.reading() as connection:
        assert len(terms_of(connection, giant).every) == TERMS


def test_neighbours_are_the_two_before_and_the_two_after_in_the_same_session(database: Database):
    stored(database, ["one", "two", "three", "four", "five"])
    stored(database, ["elsewhere"], session="tuesday", first=6)

    with database.reading() as connection:
        near = links(connection, [3])

    assert near.around(3) == (2, 4, 1, 5)
    assert near.around(1) == (None, 2, None, 3)


@given(st.one_of(st.text(), st.text('"*^():{}+-AND OR NOT NEAR near text:'.replace(" ", "") + ' "')))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_can_break_the_syntax(library: Database, text: str):
    found(library, text)
    with library.reading() as connection:
        if expression := match_expression(text):
            connection.execute("select count(*) from chunks_fts where chunks_fts match ?", (expression,)).fetchall()
