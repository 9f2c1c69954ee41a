"""The dataflow as people look at it: text, pictures, the page; and what a dream did with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hymem.errors import InputError, UnknownError
from serving.memory import HyMem
from tests.support.command_line import CommandLine, said
from tests.support.conversations import Turn, World

PAGE = Path(__file__).parents[2] / "docs" / "dreaming.md"


def test_the_page_of_the_nodes_is_what_the_code_says():
    assert PAGE.read_text(encoding="utf-8") == HyMem.dreaming_page(), (
        "run: hymem lineage --format markdown > docs/dreaming.md"
    )


def test_every_node_says_what_it_is():
    assert [node.name for node in HyMem.lineage() if node.chapter and not node.doc] == []


def test_upstream_downstream_and_between():
    up = {node.name for node in HyMem.lineage("knowledge_graph", up=True)}
    down = {node.name for node in HyMem.lineage("knowledge_graph", down=True)}
    between = {node.name for node in HyMem.lineage(start="messages", end="insights")}

    assert {"messages", "chunks"} <= up
    assert {"insights", "markdown_sections"} <= down
    assert up & down == {"knowledge_graph"}
    assert {"messages", "knowledge_graph", "insights"} <= between
    assert "markdown_sections" not in between


def test_what_is_not_there_or_not_connected_is_told():
    with pytest.raises(UnknownError, match="no node 'nothing'"):
        HyMem.lineage("nothing")
    with pytest.raises(InputError, match="messages is not made from insights"):
        HyMem.lineage(start="insights", end="messages")
    with pytest.raises(InputError, match="both ends"):
        HyMem.lineage(start="insights")


@pytest.fixture
def world() -> Iterator[World]:
    """A world that has dreamt twice, the second time of something new."""
    with World.of([Turn("m1", "monday", "user", "api uses Redis.", 1)]) as world:
        world.dream()
        world.say("worker depends on api.", on=2)
        world.dream()
        yield world


def test_two_dreams_are_compared_node_by_node(world: World):
    changed = {change.node: change.changed for change in world.memory.compare_runs("last")}

    assert changed["knowledge_graph"] is True
    assert changed["profile_entries"] is False


def test_a_dream_that_computes_the_same_changes_no_node_that_fills_a_table(world: World):
    world.write("delete from dream_state")
    world.dream()

    tables = {node.name for node in HyMem.lineage() if node.table}
    changed = {change.node for change in world.memory.compare_runs("last") if change.changed}
    assert changed & tables == set()


def test_the_first_dream_has_none_before_it(world: World):
    first = world.memory.runs()[-1].run_id

    assert world.memory.compare_runs(first) == []


@pytest.fixture
def talked(tmp_path: Path) -> CommandLine:
    """A memory that dreamt twice."""
    line = CommandLine(tmp_path / "memory")
    for number, text in enumerate(("The api depends on Redis.", "Billing depends on Redis."), 1):
        assert line("ingest", line.file(f"{number}.jsonl", said(text, message_id=f"m{number}"))).exit_code == 0
        assert line("dream").exit_code == 0
    return line


def test_the_commands_tell_and_draw_what_a_dream_did(talked: CommandLine, tmp_path: Path):
    first = talked.json("runs")[-1]["run_id"]
    drawn = tmp_path / "dream.svg"

    assert talked("lineage", "--run", "last", "--format", "svg", "--output", str(drawn)).exit_code == 0
    assert b"knowledge_graph" in drawn.read_bytes()
    assert ", changed" in talked("lineage", "knowledge_graph", "--run", "last").stdout
    assert talked("lineage", "insights", "--up", "--format", "mermaid").stdout.startswith("flowchart TD")
    assert "knowledge_graph" in talked("runs", "last", "--compare", first).stdout
    assert "billing depends on redis" in talked("runs", "last", "--compare", first, "--rows").stdout
    assert talked.json("runs", "last", "--compare", first, "--rows")["rows"]["edges"][0]["kind"] == "learnt"
    assert talked.json("runs", first)["nodes"][0]["milliseconds"] >= 0
    assert talked.json("lineage", "insights", "--run", "last")[0].keys() >= {"name", "run", "changed"}


def test_wrong_command_lines_are_told(talked: CommandLine):
    assert talked("runs", "--compare", "last").exit_code == 2
    assert talked("runs", "last", "--rows").exit_code == 2
    assert talked("runs", "nothing").exit_code == 4
    assert talked("lineage", "nothing").exit_code == 4
