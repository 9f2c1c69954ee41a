import math
from typing import Any

from dataflows.edges import edge_ids
from dataflows.evidence import (
    edge_values,
    evidence,
    relations,
    stated_evidence,
    superseded_uses,
    superseding_evidence,
    tallies,
)
from dataflows.rows import CanonicalTriple, Chunk, Evidence
from dataflows.tables import Table, table
from hymem.aliases import Aliases
from tests.support.frames import day, days, some, told

API_USES_DOCKER = ("api", "uses", "docker")


def triples(*rows: tuple[int, int, str, str, str, int]) -> Table[CanonicalTriple]:
    """Rows of (on which day, in which chunk, subject, predicate, object, polarity), in the order of the saying."""
    when, chunk, subject, predicate, object_, polarity = (list(column) for column in zip(*rows, strict=True))
    made = some(
        CanonicalTriple,
        chunk_id=chunk,
        position=list(range(len(rows))),
        subject=subject,
        predicate=predicate,
        object=object_,
        polarity=polarity,
        said_at=days(*when),
    )
    return made.assign(edge_id=edge_ids(made))


def heard(said: Table[CanonicalTriple], speaker: str = "user") -> dict[tuple[str, str, str], list[tuple[Any, ...]]]:
    """The evidence for each edge: chunk, polarity and source."""
    chunks = some(Chunk, chunk_id=sorted(set(said.chunk_id)), peer_id=speaker)
    stated = stated_evidence(said)
    every = evidence(stated, superseding_evidence(superseded_uses(said, chunks, Aliases()), stated))
    named = {row[0]: row[1:] for row in told(relations(said))}
    return {
        name: [row[1:] for row in told(every, "edge_id", "chunk_id", "polarity", "source") if row[0] == edge]
        for edge, name in named.items()
    }


def test_the_same_triple_twice_in_a_chunk_counts_once():
    twice = triples((0, 7, *API_USES_DOCKER, 1), (0, 7, *API_USES_DOCKER, 1))

    assert heard(twice) == {API_USES_DOCKER: [(7, 1, "stated")]}


def test_a_chunk_may_speak_for_and_against_an_edge():
    torn = triples((0, 7, *API_USES_DOCKER, 1), (0, 7, *API_USES_DOCKER, -1))

    assert sorted(heard(torn)[API_USES_DOCKER]) == [(7, -1, "stated"), (7, 1, "stated")]


def test_of_two_sayings_in_a_chunk_the_first_is_quoted():
    said = triples((0, 7, *API_USES_DOCKER, 1), (0, 7, *API_USES_DOCKER, 1)).assign(quote=["once", "again"])

    assert stated_evidence(said).quote.tolist() == ["once"]


def test_a_replacement_speaks_against_the_older_use_of_what_it_replaces():
    moved = triples(
        (0, 1, "user", "uses", "docker", 1),
        (9, 2, "podman", "replaces", "docker", 1),
        (9, 2, "user", "uses", "podman", 1),
    )

    found = heard(moved)

    assert found["user", "uses", "docker"] == [(1, 1, "stated"), (2, -1, "superseded")]
    assert found["user", "uses", "podman"] == [(2, 1, "stated")]


def test_a_speaker_is_known_by_the_canonical_name():
    moved = triples((0, 1, "kai_lee", "uses", "docker", 1), (9, 2, "podman", "replaces", "docker", 1))

    assert heard(moved, speaker="Kai-Lee")["kai_lee", "uses", "docker"] == [(1, 1, "stated"), (2, -1, "superseded")]


def test_a_replacement_leaves_a_newer_use_alone():
    back_again = triples((0, 1, "podman", "replaces", "docker", 1), (9, 2, "user", "uses", "docker", 1))

    assert heard(back_again)["user", "uses", "docker"] == [(2, 1, "stated")]


def test_what_uses_the_replacement_has_stopped_using_the_replaced():
    moved = triples(
        (0, 1, "api", "uses", "docker", 1),
        (0, 1, "worker", "uses", "docker", 1),
        (9, 2, "podman", "replaces", "docker", 1),
        (9, 2, "api", "uses", "podman", 1),
    )

    found = heard(moved)

    assert found["api", "uses", "docker"] == [(1, 1, "stated"), (2, -1, "superseded")]
    assert found["worker", "uses", "docker"] == [(1, 1, "stated")]


def test_a_denied_replacement_supersedes_nothing():
    stayed = triples((0, 1, "user", "uses", "docker", 1), (9, 2, "podman", "replaces", "docker", -1))

    assert heard(stayed)["user", "uses", "docker"] == [(1, 1, "stated")]


def test_a_stated_denial_stands_before_a_concluded_one():
    both = triples(
        (0, 1, "user", "uses", "docker", 1),
        (9, 2, "podman", "replaces", "docker", 1),
        (9, 2, "user", "uses", "docker", -1),
    )

    assert heard(both)["user", "uses", "docker"] == [(1, 1, "stated"), (2, -1, "stated")]


def test_evidence_is_counted_by_polarity_with_its_moments():
    known = some(Evidence, edge_id=1, chunk_id=[1, 2, 3], polarity=[1, 1, -1], said_at=days(0, 5, 9), source="stated")

    assert told(tallies(known)) == [(1, 2, 1, day(0), day(9), day(5))]


def test_an_edge_that_was_only_denied_was_never_reinforced():
    denied = some(Evidence, edge_id=1, chunk_id=1, polarity=-1, said_at=day(4))

    assert tallies(denied).last_reinforced.isna().tolist() == [True]


def test_the_newest_positive_evidence_with_a_value_gives_the_value():
    known = some(
        Evidence,
        edge_id=1,
        chunk_id=[1, 2, 3, 4],
        polarity=[1, 1, 1, -1],
        said_at=days(0, 5, 6, 9),
        value_text=[">= 14", ">= 15", None, ">= 99"],
        value_numeric=[14.0, 15.0, math.nan, 99.0],
    )

    assert told(edge_values(known), "edge_id", "value_text", "value_numeric") == [(1, ">= 15", 15.0)]


def test_without_evidence_there_is_nothing_to_count():
    assert len(tallies(table(Evidence))) == len(edge_values(table(Evidence))) == 0
