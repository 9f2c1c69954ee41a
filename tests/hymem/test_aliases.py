import pickle

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hymem.aliases import SEEDED_ALIASES, Aliases
from hymem.canonical import canonical_name
from hymem.errors import InputError

NAMES = st.sampled_from("abcdefgh")
PAIRS = st.tuples(NAMES, NAMES)
ACTS = st.lists(PAIRS.filter(lambda act: act[0] != act[1]), max_size=20)
ACTS_AND_UNDOINGS = st.lists(PAIRS, max_size=20)


def test_seeds_are_canonical_and_lead_to_their_target_at_once():
    assert {name for pair in SEEDED_ALIASES.items() for name in pair if canonical_name(name) != name} == set()
    assert SEEDED_ALIASES.keys() & set(SEEDED_ALIASES.values()) == set()


def test_what_everyone_knows_needs_no_act():
    assert Aliases.replay([]).resolve("postgres") == "postgresql"


def test_an_unknown_name_stands_for_itself():
    assert Aliases.replay([]).resolve("medflow") == "medflow"
    assert Aliases.replay([]).surface_forms("medflow") == {"medflow"}


def test_an_alias_leads_to_the_end_of_its_chain():
    aliases = Aliases.replay([("x", "y"), ("y", "z")], seeds={})

    assert [aliases.resolve(name) for name in "xyz"] == ["z", "z", "z"]
    assert aliases.surface_forms("x") == {"x", "y", "z"}


def test_of_two_opposite_acts_the_first_decides():
    aliases = Aliases.replay([("a", "b"), ("b", "a")], seeds={})

    assert (aliases.resolve("a"), aliases.resolve("b")) == ("b", "b")


def test_acts_are_taken_in_surface_forms():
    assert Aliases.replay([("Pg", "PostgreSQL (main)")]).resolve("pg") == "postgresql"


def test_an_act_joins_a_seeded_group():
    aliases = Aliases.replay([("pg", "postgres"), ("postgresql", "our_db")])

    assert {aliases.resolve(name) for name in ("pg", "postgres", "postgresql")} == {"our_db"}


def test_a_person_s_act_wins_over_a_seed():
    aliases = Aliases.replay([("postgres", "pg_custom")])

    assert (aliases.resolve("postgres"), aliases.resolve("postgresql")) == ("pg_custom", "postgresql")
    assert Aliases.replay([("postgresql", "postgres")]).resolve("postgresql") == "postgres"


def test_a_name_that_is_none_is_refused():
    with pytest.raises(InputError):
        Aliases.replay([("🚀", "postgresql")])


@given(ACTS)
def test_every_name_leads_in_one_step_to_a_root(acts: list[tuple[str, str]]):
    aliases = Aliases.replay(acts)

    assert {aliases.resolve(aliases.resolve(name)) for name in "abcdefgh"} == set(map(aliases.resolve, "abcdefgh"))
    assert all(aliases.resolve(alias) == aliases.resolve(canonical) for alias, canonical in acts)


@given(ACTS_AND_UNDOINGS)
def test_what_was_undone_is_as_if_it_had_never_been_said(acts: list[tuple[str, str]]):
    last = {alias: n for n, (alias, canonical) in enumerate(acts) if alias == canonical}
    held = [act for n, act in enumerate(acts) if act[0] != act[1] and n > last.get(act[0], -1)]

    assert Aliases.replay(acts, seeds={}) == Aliases.replay(held, seeds={})


def test_undoing_frees_a_persons_word_first_and_then_the_seed():
    said = [("postgres", "our_db"), ("postgres", "postgres")]

    assert Aliases.replay(said).resolve("postgres") == "postgresql"
    assert Aliases.replay([*said, said[1]]).resolve("postgres") == "postgres"
    assert Aliases.replay([*said, said[1], ("postgres", "pg")]).resolve("postgres") == "pg"


@given(ACTS, st.randoms())
def test_which_names_belong_together_does_not_depend_on_the_order(acts: list[tuple[str, str]], random):
    shuffled = random.sample(acts, len(acts))
    groups, others = Aliases.replay(acts), Aliases.replay(shuffled)

    assert [groups.surface_forms(name) for name in "abcdefgh"] == [others.surface_forms(name) for name in "abcdefgh"]


@given(ACTS)
def test_aliases_travel_between_processes(acts: list[tuple[str, str]]):
    aliases = Aliases.replay(acts)

    assert pickle.loads(pickle.dumps(aliases)) == aliases


def test_a_long_chain_is_no_slower_than_it_is_long():
    chain = [(f"n{number}", f"n{number + 1}") for number in range(20_000)]

    assert Aliases.replay(chain).resolve("n0") == "n20000"
