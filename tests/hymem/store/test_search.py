import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hymem.bigrams import bigrams
from hymem.records import Message
from hymem.store.database import Database
from hymem.store.messages import log
from hymem.store.search import TERMS, match_expression, search_chunks

NOW = "2026-01-01T00:00:00.000000Z"


@pytest.fixture
def library(database: Database) -> Database:
    """Four chunks, numbered from 1."""
    texts = (
        "Postgres stores the invoices",
        "Invoices, invoices, invoices!",
        "the équipe préférée says hello",
        "我们的数据库很慢",
    )
    with database.writing() as connection:
        log(connection, [Message("monday", "user", text) for text in texts], NOW)
        connection.executemany(
            """
            insert into chunks (chunk_id, session_id, message_seq, part, peer_id, said_at, salience_reason, context, text,
                                bigrams, row_digest)
            values (?, 'monday', ?, 0, 'user', ?, 'length', '', ?, ?, 0)
            """,
            [(number, number, NOW, text, bigrams(text)) for number, text in enumerate(texts, start=1)],
        )
    return database


def found(database: Database, text: str, limit: int = 5) -> list[int]:
    with database.reading() as connection:
        return [hit.chunk_id for hit in search_chunks(connection, text, limit)]


def test_the_chunk_that_matches_best_comes_first(library: Database):
    assert found(library, "invoices") == [2, 1]
    assert found(library, "invoices in postgres") == [1, 2]


def test_inflections_and_accents_are_folded(library: Database):
    assert found(library, "storing an invoice") == [1, 2]
    assert found(library, "equipe") == found(library, "préférée") == [3]


def test_words_of_scripts_without_spaces_are_found(library: Database):
    assert found(library, "数据库") == [4]


def test_no_more_than_the_limit_are_found(library: Database):
    assert found(library, "invoices", 1) == [2]
    assert found(library, "invoices", 0) == []


def test_scores_are_above_zero_and_higher_for_better(library: Database):
    with library.reading() as connection:
        first, second = search_chunks(connection, "invoices", 5)

    assert first.score > second.score > 0
    assert first.why_retrieved == ("keyword",)


def test_a_text_without_words_finds_nothing(library: Database):
    assert match_expression("?! -- ''") == ""
    assert found(library, "?! -- ''") == []


def test_a_giant_is_searched_for_a_bounded_number_of_words():
    giant = " ".join(f"word{n}" for n in range(30_000))

    assert match_expression(giant).count('"') == 2 * TERMS


@given(st.one_of(st.text(), st.text('"*^():{}+-AND OR NOT NEAR near text:'.replace(" ", "") + ' "')))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_no_text_breaks_the_syntax_of_the_search(library: Database, text: str):
    found(library, text)
