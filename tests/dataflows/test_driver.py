from collections.abc import Iterator
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from hamilton.ad_hoc_utils import create_temporary_module
from hamilton.lifecycle import NodeExecutionMethod

from dataflows.checks import SchemaCheck
from dataflows.driver import CHAPTERS, SOURCE_ROWS, RunLog, build_driver, tables_by_node
from dataflows.rows import Relation, Reply
from dataflows.tables import Table, columns, table
from hymem import HyMem
from hymem.config import HyMemConfig
from hymem.store.materialization import MATERIALIZED
from hymem.store.snapshot import SOURCES
from hymem.testing import ScriptedModel
from tests.support.frames import told

REDIS = "The API uses Redis and the worker depends on the API."
TABS = "I prefer tabs, never use spaces."
MOVED = "We moved from Docker to Podman last week, the API uses Podman."


def fact(subject: str, predicate: str, object_: str, quote: str) -> dict[str, Any]:
    return {"subject": subject, "predicate": predicate, "object": object_, "polarity": 1, "quote": quote}


REPLIES = {
    REDIS: {
        "triples": [
            fact("API", "uses", "Redis", "The API uses Redis"),
            fact("worker", "depends_on", "API", "the worker depends on the API"),
            fact("API", "depends_on", "Redis", "The API uses Redis"),
        ],
        "entity_types": [{"name": "Redis", "type": "database"}],
    },
    TABS: {"markers": [{"kind": "preference", "statement": "prefers tabs", "quote": "I prefer tabs"}]},
    MOVED: {"triples": [fact("Podman", "replaces", "Docker", "moved from Docker to Podman")]},
}


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[HyMem]:
    """Some sessions, not yet dreamt over."""
    model = ScriptedModel(REPLIES, others={})
    with HyMem(tmp_path, llm=model, clock=lambda: "2026-06-01T00:00:00.000000Z") as opened:
        opened.log_messages(
            [
                {"session_id": "monday", "role": "assistant", "content": "What runs?", "created_at": "2026-01-01"},
                {"session_id": "monday", "role": "user", "content": REDIS, "created_at": "2026-01-02"},
                {"session_id": "monday", "role": "user", "content": TABS, "created_at": "2026-03-02"},
                {"session_id": "tuesday", "role": "user", "content": MOVED, "created_at": "2026-05-02"},
            ]
        )
        opened.alias("the key-value store", "redis")
        yield opened


# ---------------------------------------------------------------------------------------------------------- the graph


def test_the_nodes_form_no_cycle():
    nodes = build_driver().list_available_variables()

    TopologicalSorter({node.name: node.required_dependencies | node.optional_dependencies for node in nodes}).prepare()


def test_every_node_says_what_it_is():
    nodes = build_driver().list_available_variables()

    assert [node.name for node in nodes if not node.is_external_input and not node.documentation] == []


def test_every_materialized_table_is_filled_by_one_node():
    assert tables_by_node(build_driver()).keys() == set(MATERIALIZED)


def test_whatever_comes_from_outside_is_a_source_a_tunable_or_a_circumstance(memory: HyMem):
    external = {node.name for node in build_driver().list_available_variables() if node.is_external_input}

    assert external - memory.inputs().keys() == {"known_vectors", "unembedded_texts"}


def test_sources_have_the_columns_that_the_store_reads():
    assert {name: tuple(columns(row)) for name, row in SOURCE_ROWS.items()} == {
        name: SOURCES[name] for name in SOURCE_ROWS
    }


# ------------------------------------------------------------------------------------------------------ in a notebook


def test_any_node_can_be_run_by_itself(memory: HyMem):
    chunks = memory.driver().execute(["chunks"], inputs=memory.inputs())["chunks"]

    assert set(chunks.text) == {REDIS, TABS, MOVED}


def test_a_frame_of_replies_takes_the_place_of_the_model(memory: HyMem):
    driver, given = memory.driver(SchemaCheck()), memory.inputs()
    chunks = driver.execute(["chunks"], inputs=given)["chunks"]
    (chunk,) = chunks.chunk_id[chunks.text == REDIS]
    replies = table(
        Reply, [(chunk, "by hand", "me", '{"triples": [{"subject": "API", "predicate": "uses", "object": "Valkey", '
                 '"quote": "The API uses Redis"}]}', "2026-06-01T00:00:00.000000Z")]
    )  # fmt: skip

    graph = driver.execute(["knowledge_graph"], inputs=given, overrides={"extraction_replies": replies})

    assert told(graph["knowledge_graph"], "subject", "predicate", "object") == [("api", "uses", "valkey")]
    assert memory.edges() == []


def test_inputs_give_memory_as_the_ledger_has_it(memory: HyMem):
    memory.dream()

    graph = memory.driver().execute(["knowledge_graph"], inputs=memory.inputs())["knowledge_graph"]

    assert set(graph.edge_id) == {edge.edge_id for edge in memory.edges(include_retracted=True)}
    assert graph.derived.any()


def test_a_tunable_can_be_another_for_once(memory: HyMem):
    memory.dream()

    graph = memory.driver().execute(["knowledge_graph"], inputs={**memory.inputs(), "retract_threshold": 0.99})[
        "knowledge_graph"
    ]

    assert set(graph.status) == {"retracted"}


def test_a_frame_of_another_shape_is_refused(memory: HyMem):
    wrong = memory.inputs()["messages"].drop(columns="role")

    with pytest.raises(ValueError, match="messages"):
        memory.driver().execute(["chunks"], inputs={**memory.inputs(), "messages": wrong})


def test_a_plain_frame_of_the_right_shape_is_let_in(memory: HyMem):
    plain = pd.DataFrame(memory.inputs()["messages"].to_dict("series"))

    assert len(memory.driver().execute(["chunks"], inputs={**memory.inputs(), "messages": plain})["chunks"]) == 3


def ubiquitous_entities(relations: Table[Relation]) -> pd.Index:
    """Nothing is ubiquitous."""
    return pd.Index([], dtype="str")


def test_a_module_may_bring_another_node_of_the_same_name(memory: HyMem):
    driver = build_driver(overrides=[create_temporary_module(ubiquitous_entities)])

    assert len(driver.execute(["ubiquitous_entities"], inputs=memory.inputs())["ubiquitous_entities"]) == 0


# -------------------------------------------------------------------------------------------------------- what it did


def test_the_run_log_notes_every_node_with_its_rows(memory: HyMem):
    log = RunLog()

    memory.driver(log).execute(["salient_turns"], inputs=memory.inputs())

    assert [(node.node, node.rows, node.error) for node in log.nodes] == [
        ("spoken_turns", 4, None),
        ("turns_in_context", 3, None),
        ("salient_turns", 3, None),
    ]
    assert all(node.milliseconds > 0 for node in log.nodes)


def test_the_run_log_notes_what_went_wrong_and_where(memory: HyMem):
    log = RunLog()
    broken = pd.DataFrame({"content": ["words"]})

    with pytest.raises(AttributeError):
        memory.driver(log).execute(["salient_turns"], inputs=memory.inputs(), overrides={"turns_in_context": broken})

    assert [node.node for node in log.nodes if node.error] == ["salient_turns"]


class Untouched(NodeExecutionMethod):
    """Runs a node, and sees to it that it leaves what it was given as it was."""

    def __init__(self) -> None:
        self.touched: list[str] = []

    def run_to_execute_node(self, *, node_name: str, node_callable: Any, node_kwargs: dict[str, Any], **_: Any) -> Any:
        frames = {name: frame for name, frame in node_kwargs.items() if isinstance(frame, pd.DataFrame)}
        before = {name: frame.copy(deep=True) for name, frame in frames.items()}
        result = node_callable(**node_kwargs)
        self.touched += [
            f"{node_name} changes {name}" for name, frame in frames.items() if not frame.equals(before[name])
        ]
        return result


def test_no_node_changes_what_it_is_given(memory: HyMem):
    memory.dream()
    watch = Untouched()
    driver = memory.driver(watch)

    driver.execute(sorted(tables_by_node(driver).values()), inputs=memory.inputs())

    assert watch.touched == []


def test_every_chapter_is_in_the_driver():
    homes = {
        node.originating_functions[0].__module__
        for node in build_driver().list_available_variables()
        if node.originating_functions
    }

    assert homes == {chapter.__name__ for chapter in CHAPTERS}


def test_every_tunable_is_named_as_in_the_configuration():
    external = {node.name for node in build_driver().list_available_variables() if node.is_external_input}

    assert external & HyMemConfig().tunables().keys() >= {"decay_window_days", "dream_budget", "profile_max_entries"}
