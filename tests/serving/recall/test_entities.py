import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem import HyMem
from hymem.store.database import Database
from serving.recall.entities import MOST_ENTITIES, Matching, match_entities
from serving.recall.giants import both_ends, ends_of
from tests.support.graphs import edge, graph_of


def matched(memory: HyMem, message: str) -> Matching:
    database: Database = memory._database
    with database.reading() as connection:
        return match_entities(connection, message)


@pytest.mark.parametrize(
    ("message", "entities"),
    [
        ("What does the API use?", ("api",)),
        ("billing or api?", ("billing", "api")),
        ("Is the Order-Service up?", ("order_service",)),
        ("Is the order up?", ()),
        ("our user auth service is slow", ("user_auth_service",)),
        ("the API's C++ code", ("api", "c_plus_plus")),
        ("rapidapi", ()),
        ("Łódź and Straße", ("lodz", "strasse")),
    ],
)
def test_words_and_runs_of_words_are_looked_up_in_the_order_of_their_naming(message: str, entities: tuple[str, ...]):
    names = ("api", "billing", "order_service", "user_auth_service", "c", "c_plus_plus", "lodz", "strasse")
    with graph_of(*(f"{name} uses uv" for name in names)) as memory:
        assert matched(memory, message).entities == entities


@pytest.mark.parametrize(
    ("message", "entities"),
    [
        ("我们的数据库在哪里？", ("数据库",)),
        ("我们用Redis缓存吗", ("redis", "缓存")),
        ("データベースはどこ", ("データベース",)),
        ("база данных", ("база_данных",)),
        ("rapid", ()),
    ],
)
def test_scripts_without_spaces_are_searched_for_the_names_in_them(message: str, entities: tuple[str, ...]):
    names = ("数据库", "缓存", "データベース", "redis", "база_данных", "api")
    with graph_of(*(f"{name} uses uv" for name in names)) as memory:
        assert matched(memory, message).entities == entities


def test_another_name_leads_to_the_entity():
    with graph_of("api uses postgresql", names={"the_elephant": "postgresql", "elephant": "postgresql"}) as memory:
        assert matched(memory, "is the elephant up?").entities == ("postgresql",)


def test_the_object_of_one_edge_is_passed_over_until_something_speaks_for_it():
    once, worker = edge("atta uses working"), edge("billing uses working")
    for speaks, more in {
        "nothing": {},
        "a type": {"types": {"working": "concept"}},
        "another name": {"names": {"labor": "working"}},
    }.items():
        with graph_of(once, **more) as memory:
            found = matched(memory, "what are you working on")
            assert (
                (found.entities, found.passed_over) == ((), ("working",)) if speaks == "nothing" else (("working",), ())
            )
    with graph_of(once, worker) as memory:
        assert matched(memory, "working").entities == ("working",)
    with graph_of(once, edge("working uses uv")) as memory:
        assert matched(memory, "working").entities == ("working",)


def test_neither_conclusions_nor_what_is_retracted_speak_for_a_name():
    derived = edge("billing depends_on working", derived=True, path=(1, 2))
    with graph_of("atta uses working", derived, edge("api uses working", status="retracted")) as memory:
        assert matched(memory, "working").entities == ()


def test_thirty_thousand_distinct_words_are_looked_up_in_bounded_time():
    giant = (
        " ".join(f"word{n}" for n in range(15_000)) + " the api " + " ".join(f"word{n}" for n in range(15_000, 30_000))
    )
    with graph_of("api uses uv") as memory:
        began = time.process_time()

        assert matched(memory, giant).entities == ("api",)
        assert time.process_time() - began < 3


def test_of_very_many_entities_the_first_and_the_last_are_taken():
    names = [f"thing{n}" for n in range(200)]
    with graph_of(*(f"{name} uses uv" for name in names)) as memory:
        assert matched(memory, " ".join(names)).entities == tuple(both_ends(names, MOST_ENTITIES))


@given(st.lists(st.integers(), max_size=30), st.integers(0, 20))
def test_of_a_giant_the_beginning_and_the_end_are_kept(items: list[int], most: int):
    kept = both_ends(items, most)

    assert len(kept) == min(len(items), most)
    assert kept == items or (items[: len(kept) - len(kept) // 2] + items[len(items) - len(kept) // 2 :]) == kept
    text = "".join(map(str, items))
    assert ends_of(text, most) == text or len(ends_of(text, most)) == most + 1


@pytest.fixture(scope="module")
def memory():
    with graph_of("api uses redis", "数据库 uses redis", types={"redis": "database"}) as opened:
        yield opened


@given(st.one_of(st.text(), st.text("apiredis_+#()数据库 ’'\"%\x00\ud800")))
def test_no_text_breaks_recall(memory: HyMem, message: str):
    found = memory.augment(message)

    assert set(found.matched_entities) <= {"api", "redis", "数据库"}
    assert len(found.graph_facts) <= 2
