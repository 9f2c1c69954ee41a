"""From anything in memory down to the messages, and from a message up to everything that rests on it."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from hymem.errors import ConfigError, InputError, UnknownError
from serving import pictures
from serving.pictures import Picture, Spot
from tests.support.command_line import CommandLine, said
from tests.support.conversations import Turn, World

SAID = [
    Turn("m1", "monday", "user", "api depends on Redis. I prefer tabs.", 1),
    Turn("m2", "tuesday", "user", "billing depends on Redis.", 2),
    Turn("m3", "tuesday", "user", "Redis depends on libc. I prefer tabs.", 3),
]


@pytest.fixture
def world() -> Iterator[World]:
    """A world with a hub, derived edges and a wish that was said twice."""
    with World.of(SAID) as world:
        world.dream()
        yield world


def line_of(world: World, file: str, words: str) -> str:
    """The place of the line with these words."""
    lines = (world.root / file).read_text().splitlines()
    return f"{file}:{next(number for number, line in enumerate(lines, 1) if words in line)}"


def test_a_line_of_memory_leads_to_the_messages_by_its_place_and_by_its_text(world: World):
    origin = world.memory.origin(line_of(world, "MEMORY.md", "shared dependency"))

    assert origin.supporting_messages() == ("m1", "m2")
    assert world.memory.origin("- redis is a shared dependency of: api, billing") == origin
    assert [step.kind for step in origin.steps] == ["edge", "edge"]


def test_a_line_of_the_profile_leads_to_every_time_it_was_said(world: World):
    (entry,) = world.memory.origin(line_of(world, "USER.md", "tabs")).steps

    assert "(2 + 1) / (2 + 0 + 2) = 0.750" in entry.arithmetic
    assert set(entry.supporting_messages()) == {"m1", "m3"}


def test_everything_that_bears_an_id_has_an_origin(world: World):
    ids = [edge.edge_id for edge in world.memory.edges()]
    ids += [entry.entry_id for entry in world.memory.profile()]
    ids += [episode.episode_id for episode in world.memory.episodes()]

    for identifier in ids:
        origin = world.memory.origin(f"{identifier:016x}")
        assert {leaf.kind for leaf in origin.walk() if not leaf.steps} <= {"message", "reply"}
        assert origin.supporting_messages() != ()


def test_a_derived_edge_is_taken_apart_along_its_path(world: World):
    origin = world.memory.origin("api depends on libc")

    assert origin.kind == "derived edge"
    assert [step.name for step in origin.steps] == ["api depends_on redis", "redis depends_on libc"]
    assert "0.667 × 0.667 = 0.444" in origin.arithmetic


def test_what_would_remove_a_line_and_what_else_would_go_is_what_forgetting_removes(world: World):
    origin = world.memory.origin(line_of(world, "MEMORY.md", "shared dependency"))
    removal = world.memory.removal(origin)

    assert removal.suffices
    assert set(removal.retract) == {"api depends_on redis", "billing depends_on redis"}
    assert "api depends_on libc" in removal.goes["knowledge_graph"]
    for message in removal.messages:
        world.memory.forget(message=message)
    left = {f"{edge.subject} {edge.predicate} {edge.object}" for edge in world.memory.edges()}
    assert left.isdisjoint(removal.goes["knowledge_graph"])
    assert "redis depends_on libc" in left


def test_what_people_said_of_an_edge_is_part_of_its_origin(world: World):
    world.memory.retract_edge("billing", "depends_on", "redis", "it was moved")
    world.dream()

    origin = world.memory.origin("billing depends on redis")

    assert (origin.steps[-1].sign, origin.steps[-1].title) == ("-", "a person retracted it: it was moved")
    assert origin.supporting_messages() == ("m2",)


def test_what_came_of_a_message_is_told_with_what_would_stay(world: World):
    found = {(one.table, one.text): one.would_go for one in world.memory.what_came_of("m3")}

    assert found["knowledge_graph", "redis depends_on libc"]
    assert found["knowledge_graph", "api depends_on libc (derived)"]
    assert not found["profile_entries", next(text for table, text in found if table == "profile_entries")]
    assert found["chunks", SAID[2].content]
    assert world.memory.messages()[-1].message_id == "m3"


def test_asking_for_an_origin_that_is_not_there_is_told(world: World):
    with pytest.raises(UnknownError, match="is no line that HyMem wrote"):
        world.memory.origin("MEMORY.md:1")
    with pytest.raises(InputError, match="there is no line 999"):
        world.memory.origin("MEMORY.md:999")
    with pytest.raises(UnknownError, match="nothing bears the id"):
        world.memory.origin("0" * 16)
    with pytest.raises(UnknownError, match="nothing bears the id"):
        world.memory.origin("f" * 16)
    with pytest.raises(UnknownError, match="nothing that is remembered"):
        world.memory.origin("the moon is round")
    with pytest.raises(UnknownError, match="no message 'm9'"):
        world.memory.what_came_of("m9")


HOSTILE = Picture(
    [
        Spot("a", ('"]; click a "javascript:alert(1)"\n<script>', "\u202eabc")),
        Spot("b", ("ok",), round=True),
    ],
    [("b", "a")],
)


def test_nothing_in_a_label_is_markup():
    lines = HOSTILE.mermaid().splitlines()

    spots = [re.fullmatch(r'  n\d\(?\["([^"<>]*(?:<br/>[^"<>]*)*)"\]\)?', line) for line in lines[1:3]]
    assert all(spots)
    assert lines[3] == "  n1 --> n0"


def test_a_picture_is_drawn():
    svg = HOSTILE.drawn("svg")

    assert b"<svg" in svg
    assert b"<script>" not in svg
    assert HOSTILE.drawn("png").startswith(b"\x89PNG")


def test_without_graphviz_the_extra_is_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setattr(pictures.sys, "executable", str(tmp_path / "python"))
    monkeypatch.setenv("PATH", str(tmp_path))

    with pytest.raises(ConfigError, match=r"hymem\[viz\]"):
        HOSTILE.drawn("svg")


@pytest.fixture
def talked(tmp_path: Path) -> CommandLine:
    """A memory that dreamt."""
    line = CommandLine(tmp_path / "memory")
    told = ("The api depends on Redis.", "Billing depends on Redis.")
    chat = line.file("chat.jsonl", *(said(text, message_id=f"m{n}") for n, text in enumerate(told, 1)))
    assert line("ingest", chat).exit_code == 0
    assert line("dream").exit_code == 0
    return line


def test_the_command_explains_a_line_and_ends_with_what_would_remove_it(talked: CommandLine):
    told = talked("why", "redis is a shared dependency of: api, billing").stdout

    assert "message m1 user: The api depends on Redis." in told
    assert "hymem retract billing depends_on redis" in told
    assert told.index("What would remove it") < told.index("What else would go")


def test_the_command_explains_for_programs_and_draws(talked: CommandLine, tmp_path: Path):
    (edge,) = talked.json("why", "api depends on redis")

    assert edge["removal"]["messages"] == ["m1"]
    assert talked("why", "api", "depends_on", "redis", "--mermaid").stdout.startswith("flowchart TD")
    assert talked("why", edge["edge"]["edge_id"], "--picture", str(tmp_path / "why.svg")).exit_code == 0
    assert b"Redis" in (tmp_path / "why.svg").read_bytes()


def test_the_command_tells_what_came_of_a_message(talked: CommandLine):
    told = talked("what-came-of", "m2").stdout

    assert "billing depends_on redis" in told.partition("Rests on it")[0]
    assert talked("what-came-of", "m7").exit_code == 4
