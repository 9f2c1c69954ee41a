import pytest

from dataflows.canonicalization import (
    aliases,
    attributed_triples,
    canonical_names,
    canonical_triples,
    entities,
    entity_names,
    entity_types,
)
from dataflows.rows import AliasAct, CanonicalTriple, Chunk, EntityType, Triple, TypeClaim
from dataflows.tables import Table, table
from hymem.digests import edge_id
from tests.support.frames import day, some, told

NO_CLAIMS = table(TypeClaim)
NO_ACTS = table(AliasAct)


def named(*rows: tuple[str, str, str], peer: str = "user", acts: Table[AliasAct] = NO_ACTS) -> Table[CanonicalTriple]:
    """The triples between entities that come of surface forms said by a peer."""
    subject, predicate, object_ = (list(column) for column in zip(*rows, strict=True))
    said = some(Triple, chunk_id=1, subject=subject, predicate=predicate, object=object_, polarity=1)
    told_by = attributed_triples(said, some(Chunk, chunk_id=1, peer_id=peer, said_at=day(3)))
    return canonical_triples(told_by, entities(canonical_names(told_by, NO_CLAIMS), aliases(acts)))


def relations(triples: Table[CanonicalTriple]) -> list[tuple[str, str, str]]:
    return told(triples, "subject", "predicate", "object")


@pytest.mark.parametrize("first_person", ["I", "me", "We", "the user", "our"])
def test_the_first_person_is_the_peer_who_speaks(first_person: str):
    assert relations(named((first_person, "uses", "Git"), peer="Ada Lovelace")) == [("ada_lovelace", "uses", "git")]


def test_spellings_of_one_name_make_one_edge():
    same = named(("The API", "uses", "PostgreSQL"), ("api", "uses", "postgresql"))

    assert set(same.edge_id) == {edge_id("api", "uses", "postgresql")}


def test_an_alias_leads_to_its_entity():
    acts = table(AliasAct, [("main_db", "postgresql")])

    assert relations(named(("api", "uses", "Main DB"), acts=acts)) == [("api", "uses", "postgresql")]


def test_a_triple_whose_ends_turn_out_to_be_one_thing_is_dropped():
    assert relations(named(("Postgres", "depends_on", "PostgreSQL"), ("api", "uses", "The API"))) == []


def test_a_triple_with_a_nameless_end_is_dropped():
    assert relations(named(("???", "uses", "git"), ("api", "uses", "🎉"), ("api", "uses", "git"))) == [
        ("api", "uses", "git")
    ]


def test_names_of_other_scripts_are_kept_apart():
    assert relations(named(("数据库", "uses", "缓存"), ("Кэш", "uses", "队列"))) == [
        ("数据库", "uses", "缓存"),
        ("кэш", "uses", "队列"),
    ]


def test_a_triple_bears_the_time_of_its_chunk():
    assert named(("api", "uses", "git")).said_at.tolist() == [day(3)]


def test_every_alias_of_an_entity_of_the_graph_is_one_of_its_names():
    acts = aliases(table(AliasAct, [("pg", "postgresql"), ("unused", "elsewhere")]))

    names = entity_names(named(("api", "uses", "Postgres")), {"Postgres": "postgres"}, acts)

    assert dict(told(names)) | {"postgre_sql": "postgresql"} == {
        "api": "api",
        "pg": "postgresql",
        "postgres": "postgresql",
        "postgre_sql": "postgresql",
        "postgresql": "postgresql",
    }


def typed(*claims: tuple[int, str, str]) -> Table[EntityType]:
    claimed = table(TypeClaim, claims)
    return entity_types(claimed, {name: name.casefold() for name in claimed.name})


def test_an_entity_is_what_most_chunks_say():
    assert told(typed((1, "Rust", "tool"), (2, "rust", "language"), (3, "Rust", "language"))) == [
        ("rust", "language", "extraction")
    ]


def test_one_chunk_has_one_vote_for_a_type():
    assert typed((1, "Rust", "tool"), (1, "rust", "tool"), (2, "rust", "language")).type.tolist() == ["language"]


def test_where_votes_are_even_the_alphabet_decides():
    assert typed((1, "rust", "tool"), (2, "rust", "language")).type.tolist() == ["language"]


def test_without_claims_nothing_has_a_type():
    assert len(typed()) == 0
