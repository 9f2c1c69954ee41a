import pytest

from hymem.errors import InputError, UnknownError
from hymem.store.entities import Drift, Entity, canonical_drift, entities, repair_canonical_drift
from tests.support.conversations import Turn, World

SAID = [
    Turn("m1", "monday", "user", "api uses Postgres. Postgres is a database.", 1),
    Turn("m2", "monday", "user", "worker uses Postgres. worker replaces billing.", 2),
]


def listed(world: World) -> list[Entity]:
    with world.database.reading() as connection:
        return entities(connection)


def drift(world: World) -> list[Drift]:
    with world.database.reading() as connection:
        return canonical_drift(connection)


def test_entities_come_with_their_type_names_edges_and_mentions_the_best_connected_first():
    with World.of(SAID) as world:
        world.dream()

        assert listed(world) == [
            Entity("postgresql", "database", ("postgre_sql", "postgres"), 2, 2),
            Entity("worker", None, (), 2, 1),
            Entity("api", None, (), 1, 1),
            Entity("billing", None, (), 1, 1),
        ]
        assert world.rows("select entity, type, source from entity_types") == [("postgresql", "database", "extraction")]


def test_before_the_first_dream_there_are_no_entities():
    with World.of(SAID) as world:
        assert listed(world) == []


def test_what_hymem_writes_never_drifts():
    with World.of(SAID) as world:
        world.memory.alias("Our DB", "PostgreSQL")
        world.dream()
        world.memory.retract_edge("The API", "uses", "our db")
        world.dream()

        assert drift(world) == []


def test_names_that_something_else_wrote_are_found_put_right_and_dreamt_anew():
    with World.of(SAID) as world:
        world.memory.alias("pg", "postgres")
        world.dream()
        world.memory.retract_edge("api", "uses", "pg")
        world.dream()
        remembered = world.remembered()
        world.write("update entity_aliases set alias = 'PG', canonical = 'PostgreSQL'")
        world.write("update extraction_feedback set subject = 'The API'")
        world.write("update knowledge_graph set object = 'PostgreSQL' where subject = 'api'")
        world.write("update entity_mentions set name = '!!' where name = 'worker'")

        found = drift(world)
        with world.database.writing() as connection:
            repaired = repair_canonical_drift(connection)
        world.dream()

        assert repaired == found
        assert {(d.table, d.column, d.name, d.canonical) for d in found} == {
            ("entity_aliases", "alias", "PG", "pg"),
            ("entity_aliases", "canonical", "PostgreSQL", "postgresql"),
            ("extraction_feedback", "subject", "The API", "api"),
            ("knowledge_graph", "object", "PostgreSQL", "postgresql"),
            ("entity_mentions", "name", "!!", None),
        }
        assert (drift(world), world.remembered()) == ([], remembered)


def test_a_name_in_the_ledger_that_has_no_canonical_form_is_taken_out():
    with World.of(SAID) as world:
        world.memory.alias("pg", "postgres")
        world.write("update entity_aliases set alias = '…'")

        assert world.memory.repair_canonical_drift() == [Drift("entity_aliases", "alias", "…", None)]
        assert world.rows("select * from entity_aliases") == []


def test_where_nothing_drifted_a_repair_changes_nothing():
    with World.of(SAID) as world:
        world.dream()

        assert world.memory.repair_canonical_drift() == []
        assert world.dream().outcome == "nothing to do"


# -------------------------------------------------------------------------------------------- what people say of names


def test_an_alias_loop_ends_where_the_first_word_led():
    with World.of(SAID) as world:
        answers = [world.memory.alias("worker", "api"), world.memory.alias("api", "worker")]
        world.dream()

        assert answers == [True, False]
        assert world.edges() == {"api uses postgresql": (2, 0, "active"), "api replaces billing": (1, 0, "active")}


def test_an_alias_said_twice_is_known_and_one_of_a_name_to_itself_refused():
    with World.of(SAID) as world:
        assert [world.memory.alias("pg", "Postgres"), world.memory.alias("PG", "postgres")] == [True, False]
        with pytest.raises(InputError, match="the same name already"):
            world.memory.alias("The API", "api")
        with pytest.raises(InputError):
            world.memory.alias("…", "api")


def test_two_entities_of_one_chunk_can_be_merged():
    said = [Turn("m1", "monday", "user", "api uses Redis. api uses Valkey. Redis replaces Valkey.", 1)]
    with World.of([*said, Turn("m2", "monday", "user", "Valkey is a database. api uses Valkey.", 2)]) as world:
        world.dream()
        world.memory.merge_canonical("Valkey", into="Redis")
        world.dream()

        assert world.edges() == {"api uses redis": (2, 0, "active")}
        assert listed(world)[1] == Entity("redis", "database", ("valkey",), 1, 2)
        world.check()


def test_a_retraction_wins_over_a_merge_whichever_came_first():
    said = [*SAID, Turn("m3", "monday", "user", "api uses Mysql.", 3)]
    for merged_first in (True, False):
        with World.of(said) as world:
            world.dream()
            if merged_first:
                world.memory.merge_canonical("mysql", into="postgres")
            world.memory.retract_edge("api", "uses", "mysql", reason="it never did")
            if not merged_first:
                world.memory.merge_canonical("mysql", into="postgres")
            world.dream()

            assert world.edges()["api uses postgresql"] == (2, 0, "retracted")


# -------------------------------------------------------------------------------------------- what people say of edges


def test_a_retraction_takes_any_name_of_its_ends_says_why_and_counts_once():
    with World.of(SAID) as world:
        world.memory.alias("pg", "postgres")
        world.dream()
        world.memory.alias("our db", "pg")  # not yet dreamt of

        said = [
            world.memory.retract_edge("The API", "uses", name, reason="wrong") for name in ("our db", "PG", "Postgres")
        ]

        assert said == [True, False, False]
        assert world.rows("select act, subject, predicate, object, reason from extraction_feedback") == [
            ("retract", "api", "uses", "postgresql", "wrong")
        ]


@pytest.mark.parametrize(
    ("edge", "error"),
    [
        (("api", "uses", "kafka"), UnknownError),
        (("api", "depends_on", "postgres"), UnknownError),
        (("api", "adores", "postgres"), InputError),
        (("…", "uses", "postgres"), InputError),
    ],
)
def test_what_nobody_said_cannot_be_retracted(edge: tuple[str, str, str], error: type[Exception]):
    with World.of(SAID) as world:
        world.dream()

        with pytest.raises(error):
            world.memory.retract_edge(*edge)
        assert world.rows("select * from extraction_feedback") == []
