import pytest

from hymem.vocabulary import (
    DEFAULT_PEERS,
    ENTITY_TYPES,
    EXCLUSIVE_PREDICATES,
    EXCLUSIVE_WITHIN_TYPE,
    FIRST_PERSON,
    MARKER_KINDS,
    OPPOSING_MARKERS,
    OPPOSING_PREDICATES,
    PREDICATES,
    ROLES,
    verb_phrase,
)


def test_there_are_eighteen_predicates_and_no_word_twice():
    assert len(set(PREDICATES)) == len(PREDICATES) == 18
    assert len(set(ENTITY_TYPES)) == len(ENTITY_TYPES)


@pytest.mark.parametrize("predicate", PREDICATES)
def test_every_predicate_can_be_said_and_denied(predicate: str):
    assert verb_phrase(predicate) != verb_phrase(predicate, negated=True)
    assert " not " in verb_phrase(predicate, negated=True)


def test_whatever_competes_or_opposes_is_in_the_vocabulary():
    pairs = {predicate for pair in OPPOSING_PREDICATES for predicate in pair}

    assert pairs | EXCLUSIVE_PREDICATES | EXCLUSIVE_WITHIN_TYPE <= set(PREDICATES)
    assert {*OPPOSING_MARKERS, *OPPOSING_MARKERS.values()} <= set(MARKER_KINDS)


def test_opposition_is_mutual():
    assert {OPPOSING_MARKERS[other]: other for other in OPPOSING_MARKERS} == OPPOSING_MARKERS


def test_every_role_has_a_peer():
    assert DEFAULT_PEERS.keys() == set(ROLES)


def test_first_persons_are_written_in_small_letters():
    assert {word.casefold() for word in FIRST_PERSON} == FIRST_PERSON
