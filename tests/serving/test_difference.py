"""What is another between two moments, and what would be: each change with its numbers and its reason."""

from collections.abc import Iterator
from hashlib import sha256

import pytest
from hypothesis import given

from hymem.config import HyMemConfig
from hymem.difference import MemoryDiff, difference
from hymem.errors import InputError, UnknownError
from tests.support.conversations import Turn, World, conversations, day, examples

SAID = [
    Turn("m1", "monday", "user", "api uses Redis. worker uses uv. I prefer short answers.", 1),
    Turn("m2", "monday", "user", "api uses Redis.", 2),
    Turn("m3", "tuesday", "user", "billing depends on Postgres. I prefer short answers.", 20),
    Turn("m4", "tuesday", "user", "api no longer uses Redis.", 50),
    Turn("m5", "friday", "user", "Yesterday someone talked about uv again.", 60),
]


@pytest.fixture
def world() -> Iterator[World]:
    with World.of(SAID, now=day(70)) as world:
        world.dream()
        yield world


def told(diff: MemoryDiff) -> dict[str, tuple[str, tuple[str, ...]]]:
    return {f"{c.edge.subject} {c.edge.predicate} {c.edge.object}": (c.kind, c.reasons) for c in diff.edges}


def test_between_two_moments_each_change_has_its_numbers(world: World):
    world.memory.retract_edge("billing", "depends_on", "postgres", "we moved")
    world.dream()

    assert told(world.memory.diff(day(1.5), day(65))) == {
        "api uses redis": ("weakened", ("1 more for it (1 → 2)", "1 more against it (0 → 1)"))
    } | {
        "billing depends_on postgresql": ("learnt", ("1 more for it (0 → 1)",)),
        "worker uses uv": ("faded", ("its topic returned without it in 1 more decay window (0 → 1)",)),
    }
    assert told(world.memory.diff(day(65))) == {
        "billing depends_on postgresql": ("retracted", ("a person retracted it: we moved",))
    }


def test_profile_insights_and_lines_are_compared_too(world: World):
    diff = world.memory.diff(day(10), day(30))
    back = difference(world_standing(world, 30), world_standing(world, 10))

    assert [(change.kind, change.reasons) for change in diff.profile] == [("strengthened", ("1 more for it (1 → 2)",))]
    assert [line.statement for line in diff.insights_added] == [line.statement for line in back.insights_removed]
    assert {(line.file, line.line, line.added) for line in diff.lines} == {
        (line.file, line.line, not line.added) for line in back.lines
    }


def world_standing(world: World, number: float):
    with world.memory.view(as_of=day(number)) as then:
        return then.standing()


def test_what_if_a_session_had_not_been(world: World):
    diff = world.memory.what_if(without=["tuesday"])

    assert told(diff) == {
        "api uses redis": ("strengthened", ("1 fewer against it (1 → 0)",)),
        "billing depends_on postgresql": ("forgotten", ("nothing says it any more",)),
    }


def test_what_if_another_number_had_counted(world: World):
    diff = world.memory.what_if(config=HyMemConfig(decay_window_days=10, retract_threshold=0.55))

    assert told(diff)["worker uses uv"] == (
        "retracted",
        ("its confidence 0.500 is below retract_threshold 0.55",),
    )


def test_a_present_memory_differs_in_nothing_from_itself(world: World):
    assert world.memory.what_if().empty
    assert world.memory.what_if(as_of=day(70), config=world.memory.config).empty


def test_what_waits_to_be_asked_is_counted(world: World):
    world.say("frontend uses pip. It is what everybody here should know.", on=69, session="late")

    diff = world.memory.what_if()

    assert (diff.empty, diff.waiting > 0) == (True, True)


def test_asking_what_if_asks_no_model_and_writes_nothing(world: World):
    world.memory.close()
    before, asked = digests(world), len(world.listener.requests)

    world.memory.what_if(config=HyMemConfig(salience_min_chars=0), without=["monday"], as_of=day(55))
    world.memory.diff(day(3), day(30))
    world.memory.close()

    assert (digests(world), len(world.listener.requests)) == (before, asked)


def test_what_cannot_be_is_told(world: World):
    with pytest.raises(InputError, match="lies ahead"):
        world.memory.diff(day(3), "2999-01-01")
    with pytest.raises(UnknownError, match="nobody"):
        world.memory.what_if(without=["nobody"])


@given(said=conversations())
@examples(2)
def test_the_changes_lead_from_one_memory_to_the_other(said: list[Turn]):
    with World.of(said) as world:
        world.dream()
        with world.memory.view(as_of=day(60)) as then:
            before, after = then.standing(), world.memory.standing()
        diff = difference(before, after)

        edges = {edge.edge_id: edge for edge in before.edges}
        for change in diff.edges:
            edges.pop(change.edge.edge_id, None)
            if change.after is not None:
                edges[change.edge.edge_id] = change.after
        believed = {edge.edge_id: edge for edge in after.edges if edge.status != "retracted"}
        assert {number: edge for number, edge in edges.items() if edge.status != "retracted"} == believed


def digests(world: World) -> dict[str, str]:
    return {
        path.name: sha256(path.read_bytes()).hexdigest() for path in sorted(world.root.rglob("*")) if path.is_file()
    }
