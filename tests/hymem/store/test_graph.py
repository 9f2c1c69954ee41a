import json
from typing import Any

import pytest

from hymem.records import Edge, Evidence, Insight, Message, ProfileEntry, Rediscussion
from hymem.store.database import Database
from hymem.store.graph import (
    chunks_by_id,
    edges,
    edges_between,
    edges_by_id,
    edges_by_predicate,
    edges_of,
    entity_of,
    evidence_for,
    insights,
    profile,
    rediscussions_of,
    reply_text,
)
from hymem.store.messages import log
from hymem.store.names import KnownName, known_names

NOW = "2026-01-01T00:00:00.000000Z"


def insert(database: Database, table: str, **row: Any) -> None:
    with database.writing() as connection:
        connection.execute(
            f"insert into {table} ({', '.join(row)}) values ({', '.join('?' * len(row))})", tuple(row.values())
        )


def add_edge(database: Database, edge_id: int, subject: str, predicate: str, object_: str, **given: Any) -> None:
    plain = {
        "derived": 0, "status": "active", "confidence": 0.75, "pos_evidence": 1, "neg_evidence": 0, "decay_windows": 0,
        "first_seen": NOW, "last_seen": NOW, "path": "[]", "row_digest": 0,
    }  # fmt: skip
    named = {"edge_id": edge_id, "subject": subject, "predicate": predicate, "object": object_}
    insert(database, "knowledge_graph", **{**named, **plain, **given})


@pytest.fixture
def world(database: Database) -> Database:
    """Four edges around an API, one of them derived, one retracted."""
    add_edge(database, 1, "api", "uses", "redis", confidence=0.9)
    add_edge(database, 2, "worker", "depends_on", "api")
    add_edge(database, 3, "worker", "depends_on", "redis", derived=1, confidence=0.6, pos_evidence=0, path="[2, 1]")
    add_edge(database, 4, "api", "uses", "oracle", status="retracted", confidence=0.1, neg_evidence=9)
    return database


def ids(found: list[Edge]) -> list[int]:
    return [edge.edge_id for edge in found]


def test_stated_edges_come_before_derived_ones_the_most_confident_first(world: Database):
    with world.reading() as connection:
        assert ids(edges(connection)) == [1, 2, 3]
        assert ids(edges(connection, include_retracted=True)) == [1, 2, 4, 3]


def test_an_edge_is_found_at_both_ends_unless_it_is_retracted(world: Database):
    with world.reading() as connection:
        assert ids(edges_of(connection, "api")) == [1, 2]
        assert ids(edges_of(connection, "redis")) == [1, 3]
        assert ids(edges_of(connection, "oracle")) == []


def test_edges_are_found_by_predicate_the_most_confident_first(world: Database):
    with world.reading() as connection:
        assert ids(edges_by_predicate(connection, ["uses", "depends_on"], 2)) == [1, 2]
        assert ids(edges_by_predicate(connection, ["uses"], 9)) == [1]
        assert ids(edges_by_predicate(connection, [], 9)) == []


def test_edges_are_found_by_name_and_by_id(world: Database):
    with world.reading() as connection:
        assert ids(edges_between(connection, "api", "uses", "oracle")) == [4]
        assert edges_by_id(connection, [3, 99]).keys() == {3}
        assert edges_by_id(connection, [3])[3].path == (2, 1)


def test_an_edge_without_support_is_negated_a_derived_one_is_not(world: Database):
    with world.reading() as connection:
        assert {edge.edge_id: edge.negated for edge in edges(connection, True)} == {
            1: False,
            2: False,
            3: False,
            4: True,
        }


@pytest.fixture
def witnessed(world: Database) -> Database:
    """The first edge with the chunk and the reply that speak for it."""
    with world.writing() as connection:
        log(connection, [Message("monday", "user", "The API uses Redis")], NOW)
    reply = {"prompt_version": "v1", "model": "a-model", "replied_at": NOW}
    insert(
        world, "chunks", chunk_id=7, session_id="monday", message_seq=1, part=0, peer_id="user", said_at=NOW,
        salience_reason="relation", context="", text="The API uses Redis", bigrams="", row_digest=0,
    )  # fmt: skip
    insert(world, "chunk_replies", chunk_id=7, **reply, refused="[]", row_digest=0)
    for version in ("v0", "v1"):
        insert(
            world, "processed_chunks", kind="extraction", chunk_id=7, **{**reply, "prompt_version": version},
            reply=f"as asked by {version}", session_id="monday", first_seq=1, last_seq=1,
        )  # fmt: skip
    insert(
        world, "kg_evidence", edge_id=1, chunk_id=7, polarity=1, source="stated", said_at=NOW, position=0,
        quote="uses Redis", value_text=">= 7", row_digest=0,
    )  # fmt: skip
    insert(world, "rediscussions", edge_id=2, window=3, chunk_id=7, row_digest=0)
    return world


def test_evidence_leads_to_the_reply_that_it_was_read_from(witnessed: Database):
    with witnessed.reading() as connection:
        assert evidence_for(connection, 1) == [
            Evidence(7, 1, "stated", NOW, "uses Redis", ">= 7", "v1", "a-model", NOW)
        ]
        assert reply_text(connection, 7) == "as asked by v1"
        assert reply_text(connection, 8) is None
        assert chunks_by_id(connection, [7, 8])[7].text == "The API uses Redis"


def test_a_decay_window_leads_to_the_chunk_that_shows_it(witnessed: Database):
    with witnessed.reading() as connection:
        assert rediscussions_of(connection, 2) == [Rediscussion(3, 7, NOW)]


def test_names_lead_to_their_entities(database: Database):
    insert(database, "entity_names", name="pg", entity="postgresql", row_digest=0)

    with database.reading() as connection:
        assert entity_of(connection, "pg") == "postgresql"
        assert entity_of(connection, "oracle") is None
        assert known_names(connection, ["pg", "oracle"]) == [KnownName("pg", "postgresql", True)]


def test_the_profile_is_told_by_peer_and_kind_the_most_confident_first(database: Database):
    counted = {"pos_evidence": 1, "neg_evidence": 0, "first_seen": NOW, "last_seen": NOW, "row_digest": 0}
    rows = [(1, "user", "style", "terse", 0.6), (2, "user", "style", "dutch", 0.9), (3, "ada", "style", "verse", 0.7)]
    for entry_id, peer_id, kind, statement, confidence in rows:
        insert(
            database, "profile_entries", entry_id=entry_id, peer_id=peer_id, kind=kind, statement=statement,
            confidence=confidence, **counted,
        )  # fmt: skip

    with database.reading() as connection:
        found = profile(connection)
    assert [entry.statement for entry in found] == ["verse", "dutch", "terse"]
    assert found[0] == ProfileEntry(3, "ada", "style", "verse", 1, 0, 0.7, NOW, NOW)


def test_insights_come_in_their_places_with_their_edges(database: Database):
    for rank in (2, 1):
        insert(
            database,
            "insights",
            rank=rank,
            kind="hub",
            statement=f"line {rank}",
            edges=json.dumps([rank]),
            row_digest=0,
        )

    with database.reading() as connection:
        assert insights(connection) == [Insight(1, "hub", "line 1", (1,)), Insight(2, "hub", "line 2", (2,))]
