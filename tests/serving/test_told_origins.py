"""From a told fact to who told it and what was said of it since, and from a message to the facts that it told."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from hymem.errors import UnknownError
from tests.support.command_line import CommandLine, said
from tests.support.conversations import Turn, World

SAID = [
    Turn("m1", "monday", "user", "Deploys go out on Tuesdays, sorry.", 1),
    Turn("m2", "tuesday", "user", "No, deploys go out on Thursdays.", 2),
]


@pytest.fixture
def world() -> Iterator[World]:
    """A world in which a fact was told in a message, and reworded in another."""
    with World.of(SAID) as world:
        assert world.memory.remember("Deploys go out on Tuesdays.", "team", message_id="m1") == 1
        store = world.memory.fact_store()
        store.record_feedback(1, helpful=True)
        store.record_feedback(1, helpful=False)
        store.update_fact(1, content="Deploys go out on Thursdays.", message_id="m2")
        yield world


def test_a_told_fact_leads_to_its_telling_its_feedback_and_its_rewording(world: World):
    origin = world.memory.origin("fact 1")

    assert (origin.kind, origin.title) == ("told fact", "Deploys go out on Thursdays.")
    assert origin.arithmetic == "trust 0.5 + 0.05 − 0.1 = 0.45: 1 helpful, 1 unhelpful"
    assert [(step.kind, step.sign, step.title, step.arithmetic) for step in origin.steps] == [
        ("telling", "+", 'user told it: "Deploys go out on Tuesdays."', "trusted 0.5 at first"),
        ("feedback", "+", "it helped", "0.5 + 0.05 = 0.55"),
        ("feedback", "-", "it did not help", "0.55 − 0.1 = 0.45"),
        ("rewording", "", 'it reads "Deploys go out on Thursdays."', ""),
    ]
    assert origin.supporting_messages() == ("m1", "m2")


@pytest.mark.parametrize("what", ["#1", "Fact #1", "deploys go out on Thursdays", "Deploys go out on Tuesdays."])
def test_it_is_found_by_its_number_and_by_what_it_says_or_once_said(world: World, what: str):
    assert world.memory.origin(what) == world.memory.origin("fact 1")


def test_the_reckoning_says_where_trust_is_held_at_the_end_of_its_scale(world: World):
    store = world.memory.fact_store()
    store.update_fact(1, trust_delta=0.9)
    store.record_feedback(1, helpful=False)

    assert world.memory.origin("fact 1").arithmetic.startswith("trust 0.5 + 0.05 − 0.1 + 0.9 (held at 1) − 0.1 = 0.9:")
    assert store.fact(1)["trust_score"] == 0.9


def test_a_removed_fact_is_explained_and_an_erased_one_is_not_there(world: World):
    world.memory.fact_store().remove_fact(1)

    origin = world.memory.origin("fact 1")
    assert (origin.steps[-1].kind, origin.title) == ("removal", "Deploys go out on Tuesdays. (removed)")
    assert world.memory.removal(origin).facts == ("1",)

    world.memory.forget(fact=1)
    with pytest.raises(UnknownError, match="there is no told fact 1"):
        world.memory.origin("fact 1")
    with pytest.raises(UnknownError, match="there is no told fact 1"):
        world.memory.forget(fact=1)


def test_forgetting_the_message_that_told_a_fact_removes_it_and_the_one_that_reworded_it_does_not(world: World):
    removal = world.memory.removal(world.memory.origin("fact 1"))

    assert (removal.facts, removal.messages, removal.suffices) == (("1",), ("m1",), True)
    found = {name: [one for one in world.memory.what_came_of(name) if one.table == "facts"] for name in ("m1", "m2")}
    assert [(one.id, one.text, one.would_go) for one in found["m1"]] == [("1", "Deploys go out on Thursdays.", True)]
    assert [one.would_go for one in found["m2"]] == [False]

    world.memory.forget(message="m2")
    assert world.memory.origin("fact 1").title == "Deploys go out on Tuesdays."
    preview = world.memory.forget(message="m1", preview=True)
    assert (preview.gone["facts_told"], preview.examples["facts"]) == (1, ("Deploys go out on Tuesdays.",))
    world.memory.forget(message="m1")
    assert world.memory.facts() == []


def test_secrets_stay_out_of_an_origin(world: World):
    secret = "sk-proj-abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGH"
    number = world.memory.remember(f"The key is {secret} here.")
    world.memory.fact_store().update_fact(number, content=f"The new key is {secret}.")

    assert secret not in repr(world.memory.origin(f"fact {number}"))


def test_the_commands_explain_and_forget_a_told_fact(tmp_path: Path):
    line = CommandLine(tmp_path / "memory")
    assert line("ingest", line.file("chat.jsonl", said("Hello.", message_id="m1"))).exit_code == 0
    assert line("remember", "Zephyr uses Postgres.").exit_code == 0

    told = line("why", "Zephyr", "uses", "Postgres").stdout
    assert "told fact 1 Zephyr uses Postgres." in told
    assert "hymem forget --fact 1" in told
    assert line.json("why", "fact", "1")["removal"]["facts"] == ["1"]
    assert line("forget", "--fact", "1", "--yes").exit_code == 0
    assert line("why", "fact 1").exit_code == 4
