"""What goes wrong with names: things that become one because their names do, and one thing that has many."""

import pytest

from hymem.canonical import canonical_name
from hymem.errors import InputError
from tests.support.conversations import World


def dreamt(world: World, *edges: tuple[str, str, str], on: float = 1) -> None:
    """Dream over one chunk that says all these edges."""
    text = "; ".join(f"{subject} {predicate} {object_}" for subject, predicate, object_ in edges) + "!"
    world.listener.script[text] = {
        "triples": [
            {"subject": subject, "predicate": predicate, "object": object_, "quote": f"{subject} {predicate} {object_}"}
            for subject, predicate, object_ in edges
        ]
    }
    world.say(text, on=on)
    world.dream()


def test_names_of_other_scripts_are_names_of_their_own():
    with World.of() as world:
        dreamt(world, ("缓存", "uses", "队列"), ("Сервис", "uses", "База"), ("🚀", "uses", "✨"))

        assert sorted(world.edges()) == ["сервис uses база", "缓存 uses 队列"]


def test_an_alias_in_another_script_concerns_its_own_name_only():
    with World.of() as world:
        world.memory.alias("数据库", "postgresql")
        dreamt(world, ("缓存", "uses", "队列"), ("缓存", "uses", "数据库"))

        assert sorted(world.edges()) == ["缓存 uses postgresql", "缓存 uses 队列"]


@pytest.mark.parametrize("nothing", ["🚀", "---", "", "()"])
def test_a_name_of_no_letters_is_refused_as_an_alias(nothing: str):
    with World.of() as world, pytest.raises(InputError, match="names nothing"):
        world.memory.alias(nothing, "postgresql")


@pytest.mark.parametrize(
    ("surfaces", "entities"),
    [
        (["Postgres", "PostgreSQL", "postgresql", "the PostgreSQL (v15)"], {"postgresql"}),
        (["C", "C++", "C#"], {"c", "c_plus_plus", "c_sharp"}),
        (["GitHub", "github", "Git Hub"], {"github"}),
        (["Straße"], {"strasse"}),
        (["Łódź"], {"lodz"}),
        (["Øresund"], {"oresund"}),
        (["Los Angeles"], {"los_angeles"}),
        (["Die Hard"], {"die_hard"}),
        (["MedFlow", "medflow"], {"medflow"}),
    ],
    ids=lambda value: "-".join(sorted(value)),
)
def test_things_have_as_many_names_as_there_are_things(surfaces: list[str], entities: set[str]):
    with World.of() as world:
        dreamt(world, *(("api", "uses", surface) for surface in surfaces))

        assert {edge.removeprefix("api uses ") for edge in world.edges()} == entities


def test_opposite_aliases_make_one_thing_and_no_exchange():
    with World.of() as world:
        world.memory.alias("one", "two")
        world.memory.alias("two", "one")
        dreamt(world, ("api", "uses", "one"), ("worker", "uses", "two"))

        assert len({edge.split(" ")[2] for edge in world.edges()}) == 1


def test_a_chain_of_aliases_leads_to_its_end():
    with World.of() as world:
        world.memory.alias("ex", "why")
        world.memory.alias("why", "zed")
        dreamt(world, ("api", "uses", "ex"))

        assert list(world.edges()) == ["api uses zed"]


def test_what_an_alias_leads_to_is_stored_by_its_canonical_name():
    with World.of() as world:
        world.memory.alias("Pg", "PostgreSQL")
        dreamt(world, ("api", "uses", "Pg"))

        names = {name for row in world.rows("select alias, canonical from entity_aliases") for name in row}

        assert {canonical_name(name) for name in names} == names
        assert list(world.edges()) == ["api uses postgresql"]


def test_an_alias_after_the_fact_makes_two_edges_one():
    with World.of() as world:
        dreamt(world, ("api", "uses", "pgsql"), on=1)
        dreamt(world, ("api", "uses", "PostgreSQL"), on=2)
        assert len(world.edges()) == 2

        world.memory.alias("pgsql", "PostgreSQL")
        world.dream()

        assert world.edges() == {"api uses postgresql": (2, 0, "active")}


def test_two_edges_from_one_chunk_can_become_one():
    with World.of() as world:
        dreamt(world, ("api", "uses", "pgsql"), ("api", "uses", "PostgreSQL"))

        world.memory.alias("pgsql", "PostgreSQL")
        world.dream()

        assert world.edges() == {"api uses postgresql": (1, 0, "active")}


def test_merging_leaves_no_loop_no_type_and_no_mention_behind():
    with World.of() as world:
        world.say("pgsql is a database, as everybody knows.", on=0)
        dreamt(world, ("pgsql", "replaces", "PostgreSQL"), ("api", "uses", "pgsql"))

        world.memory.alias("pgsql", "PostgreSQL")
        world.dream()

        assert list(world.edges()) == ["api uses postgresql"]
        assert world.rows("select entity from entity_types") == [("postgresql",)]
        assert set(world.rows("select entity from entity_mentions")) == {("api",), ("postgresql",)}


def test_a_retraction_wins_when_names_are_merged():
    with World.of() as world:
        dreamt(world, ("api", "uses", "pgsql"), on=1)
        dreamt(world, ("api", "uses", "PostgreSQL"), on=2)
        world.memory.retract_edge("api", "uses", "pgsql")

        world.memory.alias("pgsql", "PostgreSQL")
        world.dream()

        assert world.edges() == {"api uses postgresql": (2, 0, "retracted")}
