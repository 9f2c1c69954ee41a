from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from hymem.config import HyMemConfig
from hymem.store.names import FEW, siblings
from serving.recall.caches import QueryCaches
from serving.recall.expansion import SIBLINGS_OF_A_TYPE, Anchors, TokenIndex, expand
from tests.support.conversations import World, day, examples
from tests.support.graphs import edge, facts, graph_of, reasons, write

MANAGERS = {"uv": "package_manager", "pip": "package_manager", "redis": "database"}


def anchors(*edges: Any, named: list[str], types: dict[str, str] | None = None, **config: Any) -> Anchors:
    with graph_of(*edges, types=types) as memory, memory._database.reading() as connection:
        return expand(connection, named, lambda: QueryCaches().tokens(connection), HyMemConfig(**config))


def test_an_entity_leads_to_others_of_its_type():
    found = anchors("api uses uv", "worker uses pip", "worker uses redis", named=["uv"], types=MANAGERS)

    assert found == Anchors(("uv",), {"pip": "package_manager"}, {})


def test_of_a_crowded_type_those_seen_last_are_taken():
    said = [edge(f"api uses tool{n}", last_seen=day(n)) for n in range(20)]
    types = {f"tool{n}": "tool" for n in range(20)}

    found = anchors(*said, named=["tool0"], types=types)

    assert list(found.by_type) == [f"tool{n}" for n in range(19, 19 - SIBLINGS_OF_A_TYPE, -1)]


def test_names_of_several_parts_lead_to_others_that_share_a_rare_one():
    said = ("atta_van_westreenen part_of shop", "atta_projects contains medflow", "atta uses uv")

    assert anchors(*said, named=["atta_van_westreenen"]).by_part == {"atta": "atta", "atta_projects": "atta"}
    assert anchors(*said, named=["atta"]).by_part == {}


def test_a_part_that_many_share_joins_nobody():
    said = [f"{name}_system uses uv" for name in ("billing", "shop", "mail")]

    assert set(anchors(*said, named=["mail_system"], graph_token_overlap_threshold=3).by_part) == {
        "billing_system",
        "shop_system",
    }
    assert anchors(*said, named=["mail_system"], graph_token_overlap_threshold=2).by_part == {}


def test_the_rarest_parts_come_first_and_no_more_than_allowed():
    index = TokenIndex((name, name) for name in ("a_red_box", "red_ball", "blue_box", "old_box", "box_2"))

    assert index.relatives("a_red_box", 20, 9) == [
        ("red_ball", "red"),
        ("blue_box", "box"),
        ("box_2", "box"),
        ("old_box", "box"),
    ]
    assert len(index.relatives("a_red_box", 20, 2)) == 2
    assert index.relatives("unknown", 20, 9) == []


def test_camel_case_divides_a_name():
    index = TokenIndex([("medflow", "medflow"), ("flow_charts", "flow_charts")], ["MedFlow", "UnknownThing"])

    assert index.relatives("medflow", 20, 9) == [("flow_charts", "flow")]


def test_the_parts_of_other_names_count_too():
    index = TokenIndex([("pg", "pg"), ("big_elephant", "pg"), ("elephant_park", "elephant_park")])

    assert index.relatives("pg", 20, 9) == [("elephant_park", "elephant")]


SEEN = st.lists(st.integers(1, 40), min_size=FEW + 1, max_size=FEW + 40)


@given(seen=SEEN, chosen=st.integers(0, FEW))
@examples(10)
def test_of_a_type_with_many_entities_the_same_are_found_as_by_looking_at_all(seen: list[int], chosen: int):
    said = [edge(f"api uses tool{n}", last_seen=day(at)) for n, at in enumerate(seen)]
    tools = {f"tool{n}": "tool" for n in range(len(seen))}
    latest = sorted(tools.keys() - {f"tool{chosen}"}, key=lambda name: (-seen[int(name[4:])], name))[:5]

    with graph_of(*said, types=tools | {"unseen": "tool"}) as memory, memory._database.reading() as connection:
        assert [kin.entity for kin in siblings(connection, [f"tool{chosen}"], 5)] == latest


def test_the_few_of_a_large_type_that_were_seen_at_all_come_first():
    unseen = {f"tool{n:03}": "tool" for n in range(FEW + 1)}
    with (
        graph_of("api uses uv", types=unseen | MANAGERS | {"uv": "tool"}) as memory,
        memory._database.reading() as connection,
    ):
        found = siblings(connection, ["tool007"], 3)

    assert [kin.entity for kin in found] == ["uv", "tool000", "tool001"]


PARTS = st.lists(st.sampled_from(["mail", "hub", "box", "x", "42", "a", "uv"]), min_size=1, max_size=3).map("_".join)


@given(names=st.dictionaries(PARTS, PARTS, max_size=12), asked=PARTS, threshold=st.integers(1, 4))
def test_relatives_are_those_that_comparing_all_names_finds(names: dict[str, str], asked: str, threshold: int):
    parts: dict[str, set[str]] = {}
    for name, entity in names.items():
        parts.setdefault(entity, set()).update(name.split("_"))
    rare = {
        part: holders
        for part in parts.get(asked, ())
        if len(parts[asked]) > 1 and len(part) > 1 and not part.isdecimal()
        if len(holders := {entity for entity, held in parts.items() if part in held}) <= threshold
    }
    expected: dict[str, str] = {}
    for part in sorted(rare, key=lambda part: (len(rare[part]), part)):
        expected |= {other: part for other in sorted(rare[part]) if other != asked and other not in expected}

    assert dict(TokenIndex(names.items()).relatives(asked, threshold, 99)) == expected


def test_what_was_reached_by_type_or_part_says_so():
    with graph_of(
        "mail_hub uses uv", "worker uses pip", "mail_archive contains letters", types=MANAGERS | {"mail_hub": "service"}
    ) as memory:
        found = reasons(memory, "uv and the mail hub")

    assert "entity_type:package_manager" in found["worker uses pip"]
    assert found["mail_archive contains letters"] == (
        "fallback:entity_anchored:overlap",
        "recency_0d",
        "overlap_via:mail",
    )
    assert not [code for code in found["mail_hub uses uv"] if code.startswith("overlap")]


def test_a_shared_part_alone_weighs_less():
    with graph_of(
        "mail_hub connects_to smtp", "mail_archive contains letters", graph_token_overlap_weight=0.25
    ) as memory:
        found = facts(memory, "the mail hub")

    assert found["mail_archive contains letters"][0] == 0.25 * found["mail_hub connects to smtp"][0]


@contextmanager
def two_processes() -> Iterator[tuple[World, Any]]:
    """A world in which someone dreams, and another `HyMem` on the same file that only asks."""
    with World.of(now=day(3)) as world:
        world.say("mail_hub uses Redis.", on=1)
        world.dream()
        other = world.memory.fork()
        try:
            yield world, other
        finally:
            other.close()


def test_a_dream_elsewhere_is_seen_by_the_next_question():
    with two_processes() as (world, other):
        assert list(reasons(other, "the mail_hub")) == ["mail_hub uses redis"]

        world.say("mail_archive uses Postgres.", on=2)
        world.dream()

        assert "overlap_via:mail" in reasons(other, "the mail_hub")["mail_archive uses postgresql"]


def test_the_index_is_kept_between_questions_and_forgotten_when_told():
    with graph_of("mail_hub uses redis") as memory, memory._database.reading() as connection:
        index = memory._caches.tokens(connection)
        assert memory._caches.tokens(connection) is index
        memory.invalidate_query_caches()
        assert memory._caches.tokens(connection) is not index


def test_what_was_written_past_hymem_is_seen_after_the_caches_are_invalidated():
    with graph_of("mail_hub uses redis") as memory:
        reasons(memory, "the mail_hub")
        write(memory, [edge("mail_archive uses uv")], {}, {})
        assert list(reasons(memory, "the mail_hub")) == ["mail_hub uses redis"]

        memory.invalidate_query_caches()

        assert list(reasons(memory, "the mail_hub")) == ["mail_hub uses redis", "mail_archive uses uv"]
