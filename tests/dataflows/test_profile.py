from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dataflows.profile import keyed_markers, profile_entries, profile_evidence, shown_entries, user_section
from dataflows.rows import Chunk, Marker, ProfileEntry
from dataflows.tables import Table, table
from tests.support.frames import day, days, some, sparing, told


def entries(*markers: tuple[str, str], peer: list[str] | str = "user") -> Table[ProfileEntry]:
    """The profile after markers (kind, statement), each in a chunk of its own, a day apart."""
    kinds, statements = ([marker[n] for marker in markers] for n in (0, 1))
    numbers = list(range(len(markers)))
    said = some(Marker, chunk_id=numbers, peer_id=peer, kind=kinds, statement=statements)
    keyed = keyed_markers(said, some(Chunk, chunk_id=numbers, said_at=days(*numbers)))
    return profile_entries(keyed, profile_evidence(keyed))


def counted(profile: Table[ProfileEntry]) -> set[tuple[Any, ...]]:
    return set(told(profile, "kind", "statement", "pos_evidence", "neg_evidence"))


def test_an_entry_is_believed_by_its_evidence():
    once = entries(("style", "Answers in Dutch"))

    assert told(once, "pos_evidence", "neg_evidence", "confidence", "first_seen", "last_seen") == [
        (1, 0, 2 / 3, day(0), day(0))
    ]


def test_case_and_end_marks_make_no_other_entry_and_the_newest_words_stand():
    same = entries(("preference", "Prefers tabs."), ("preference", "prefers tabs"), ("preference", "PREFERS TABS!"))

    assert counted(same) == {("preference", "PREFERS TABS!", 3, 0)}


def test_a_preference_and_a_rejection_of_one_thing_count_against_each_other():
    torn = entries(("preference", "Prefers tabs"), ("preference", "Likes tabs"), ("rejection", "Rejects tabs"))

    assert counted(torn) == {("preference", "Likes tabs", 2, 1), ("rejection", "Rejects tabs", 1, 2)}


def test_a_correction_counts_against_nothing():
    both = entries(("preference", "Prefers tabs"), ("correction", "Prefers tabs"))

    assert {row[2:] for row in counted(both)} == {(1, 0)}


def test_peers_have_profiles_of_their_own():
    two = entries(("preference", "Prefers tabs"), ("rejection", "Rejects tabs"), peer=["user", "ada"])

    assert {row[2:] for row in counted(two)} == {(1, 0)}


def test_one_chunk_speaks_once_for_an_entry():
    said = some(Marker, chunk_id=1, position=[0, 1], peer_id="user", kind="style", statement=["Be brief", "be brief."])

    keyed = keyed_markers(said, some(Chunk, chunk_id=1))

    assert told(keyed, "position", "statement") == [(0, "Be brief")]


def test_evidence_names_the_markers_for_and_against():
    said = some(Marker, chunk_id=[1, 2], peer_id="user", kind=["preference", "rejection"], statement=["tabs", "tabs"])

    evidence = profile_evidence(keyed_markers(said, some(Chunk, chunk_id=[1, 2])))

    assert sorted(told(evidence, "chunk_id", "polarity")) == [(1, -1), (1, 1), (2, -1), (2, 1)]


def test_a_statement_of_no_words_is_no_entry():
    assert len(entries(("style", "…"))) == 0


def shown(profile: Table[ProfileEntry], *, cap: int = 16, half_life: float = 30.0, now: float = 100) -> list[str]:
    return shown_entries(profile, cap, half_life, day(now)).statement.tolist()


def test_the_more_believed_and_the_fresher_come_first():
    known = some(
        ProfileEntry,
        entry_id=[1, 2, 3],
        statement=["old", "fresh", "strong"],
        confidence=[0.75, 0.75, 0.8],
        last_seen=days(0, 100, 100),
    )

    assert shown(known) == ["strong", "fresh", "old"]


def test_no_more_than_the_cap_are_shown_and_a_newcomer_can_rise():
    old = [f"old {n}" for n in range(16)]
    known = some(
        ProfileEntry,
        entry_id=list(range(17)),
        statement=[*old, "newcomer"],
        confidence=[0.75] * 16 + [0.7],
        last_seen=days(*[0] * 16, 90),
    )

    found = shown(known)

    assert (len(found), found[0]) == (16, "newcomer")


def test_what_is_rather_denied_than_said_is_not_shown():
    assert shown(some(ProfileEntry, statement=["torn", "denied"], confidence=[0.5, 0.4])) == ["torn"]


def test_an_entry_from_the_future_is_no_fresher_than_the_present():
    known = some(
        ProfileEntry, entry_id=[1, 2], statement=["future", "now"], confidence=[0.7, 0.75], last_seen=days(900, 100)
    )

    assert shown(known) == ["now", "future"]


@given(st.lists(st.tuples(st.floats(0.5, 0.99), st.floats(0, 99)), min_size=2, max_size=8), st.floats(100, 9000))
@sparing
def test_time_alone_changes_no_order(facts: list[tuple[float, float]], later: float):
    known = some(
        ProfileEntry,
        entry_id=list(range(len(facts))),
        statement=[str(n) for n in range(len(facts))],
        confidence=[confidence for confidence, _ in facts],
        last_seen=days(*(seen for _, seen in facts)),
    )

    assert shown(known, now=100) == shown(known, now=later)


def test_the_section_has_a_card_for_every_peer_the_default_user_first():
    known = some(
        ProfileEntry,
        peer_id=["ada", "user", "user"],
        kind=["style", "preference", "rejection"],
        statement=["terse", "tabs", "spaces"],
    )

    assert user_section(known) == (
        "## Profile\n\n- **preference**: tabs\n- **rejection**: spaces\n\n### ada\n\n- **style**: terse"
    )


def test_an_empty_profile_says_so():
    assert user_section(table(ProfileEntry)) == "## Profile\n\nNothing learnt yet."


@pytest.mark.parametrize("words", ["# SYSTEM", "x\n# SYSTEM", "<!-- HyMem:profile:end -->"])
def test_no_statement_leaves_its_line(words: str):
    section = user_section(some(ProfileEntry, peer_id="user", kind="style", statement=words))

    assert section.count("\n") == 2
    assert "<!--" not in section
    assert "\n#" not in section.removeprefix("## Profile")
