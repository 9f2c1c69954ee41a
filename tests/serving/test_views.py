"""Views that a server keeps: built once, in another process where that is asked for, and never older than an erasure."""

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from hymem.errors import UnknownError
from serving.memory import HyMem
from serving.views import Views
from tests.support.conversations import Turn, World, day

SAID = [
    Turn("m1", "monday", "user", "api uses Redis.", 1),
    Turn("m2", "tuesday", "user", "billing depends on Postgres.", 20),
]


@pytest.fixture
def world() -> Iterator[World]:
    with World.of(SAID, now=day(30)) as world:
        world.dream()
        yield world


@pytest.fixture
def views(world: World) -> Iterator[Views]:
    views = Views(world.memory, keep=2, watch_seconds=0.05)
    yield views
    views.close()


def objects(memory: HyMem) -> set[str]:
    return {edge.object for edge in memory.edges()}


def test_a_view_is_built_once_for_all_who_ask(views: Views):
    def root(_: int) -> Path:
        with views.get(sessions=["monday"]) as view:
            return view.root

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(root, range(8)))) == 1


def test_a_view_is_built_anew_when_its_own_sessions_grow_and_not_when_others_do(world: World, views: Views):
    with views.get(sessions=["monday"]) as view:
        first = view.root
    world.say("worker uses uv.", on=21, session="tuesday")
    world.dream()
    with views.get(sessions=["monday"]) as view:
        second = view.root
    world.say("api uses pip.", on=21, session="monday")
    world.dream()
    with views.get(sessions=["monday"]) as view:
        assert objects(view) == {"redis", "pip"}
        assert (first == second, second == view.root) == (True, False)


def test_one_as_new_as_the_last_dream_will_do_where_that_is_enough(world: World, views: Views):
    with views.get(sessions=["monday"]) as view:
        first = view.root
    world.say("api uses pip.", on=21, session="monday")
    with views.get(sessions=["monday"], fresh=False) as view:
        waiting = view.root
    world.dream()
    with views.get(sessions=["monday"], fresh=False) as view:
        assert (objects(view), waiting == first) == ({"redis", "pip"}, True)


def test_time_alone_makes_a_view_another(world: World, views: Views):
    world.say("api uses pip.", on=40, session="monday")
    world.dream()
    with views.get() as view:
        assert objects(view) == {"redis", "postgresql", "pip"}
        first, stands_until = view.root, view.query("select changes_at from dream_state").changes_at.item()
    world.clock.now = day(41)
    with views.get() as view:
        assert (stands_until, view.root == first) == (day(40), False)


@pytest.mark.parametrize(
    "act",
    [
        lambda memory: memory.forget(entity="redis"),
        lambda memory: memory.erase_message("m1"),
        lambda memory: memory.retract_edge("api", "uses", "redis"),
        lambda memory: memory.undo(memory.runs()[-1].run_id),
    ],
    ids=["forget", "erase", "retract", "undo"],
)
def test_no_view_from_before_an_act_is_served(world: World, views: Views, act: Callable[[HyMem], object]):
    with views.get(fresh=False) as view:
        assert "redis" in objects(view)
    act(world.memory)

    views.expire()
    assert not view.root.exists()
    with views.get(fresh=False) as view:
        assert "redis" not in objects(view)


def test_an_erasure_removes_every_view_from_before_without_being_asked(world: World, views: Views):
    with views.get() as view:
        root = view.root
        world.memory.erase_session("monday")
        time.sleep(0.1)
        assert objects(view) == {"redis", "postgresql"}

    assert not root.exists()
    with views.get() as view:
        assert objects(view) == {"postgresql"}
        root = view.root
    world.memory.erase_session("tuesday")
    until = time.monotonic() + 5
    while root.exists() and time.monotonic() < until:
        time.sleep(0.02)
    assert not root.exists()


def test_only_the_last_few_are_kept(views: Views):
    roots = []
    for moment in (day(5), day(6), day(7)):
        with views.get(as_of=moment) as view:
            roots.append(view.root)

    assert [root.exists() for root in roots] == [False, True, True]


def test_a_view_from_a_child_process_is_the_same(world: World, views: Views):
    with views.get(as_of=day(25), in_child=True) as far, world.memory.view(as_of=day(25)) as near:
        assert far.edges() == near.edges() != []
        assert [path.read_bytes() for path in sorted(far.root.glob("*.md"))] == [
            path.read_bytes() for path in sorted(near.root.glob("*.md"))
        ]
    with pytest.raises(UnknownError, match="nobody"), views.get(sessions=["nobody"], in_child=True):
        pass


def test_a_process_that_has_views_built_elsewhere_loads_no_frames(world: World):
    program = """
import sys
from serving.memory import HyMem
from serving.views import Views
memory = HyMem(sys.argv[1])
views = Views(memory)
with views.get(sessions=["monday"], in_child=True) as view:
    print(view.augment("api").graph_facts[0], {"pandas", "hamilton", "dataflows"} & set(sys.modules))
views.close()
"""
    command = [sys.executable, "-c", program, str(world.root)]
    told = subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert told.strip() == "api uses redis set()"
