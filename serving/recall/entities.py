"""Which entities a message names: its words, alone and in runs of two and three, looked up among the names of the graph.

Scripts that put no space between words are searched for the names that occur in them. What an entity must show for itself
before its name counts stands in `hymem.store.names`.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from hymem.canonical import MAX_NAME_LENGTH, folded_words, is_unspaced
from hymem.store.connection import Connection
from hymem.store.names import KnownName, known_names, names_within
from serving.recall.giants import both_ends, ends_of

WORDS_OF_A_NAME: Final = 3
"""Words in the longest run that is looked up."""

MOST_CHARACTERS: Final = 400_000
MOST_WORDS: Final = 40_000
MOST_UNSPACED: Final = 4_000
"""Of a message longer than this, in scripts without spaces, the beginning and the end are searched."""

MOST_ENTITIES: Final = 64
"""Entities that one message may ask about."""

_LATIN: Final = re.compile("[a-z0-9]+")


@dataclass(frozen=True)
class Matching:
    """The entities that a message names, in the order of their naming, and those whose names do not count."""

    entities: tuple[str, ...] = ()
    passed_over: tuple[str, ...] = ()


def match_entities(connection: Connection, message: str) -> Matching:
    """The entities that a message names."""
    words = both_ends(list(_words(ends_of(message, MOST_CHARACTERS))), MOST_WORDS)
    names = list(dict.fromkeys(_runs(words)))
    known = {found.name: found for found in known_names(connection, names)}
    return _matching([*(known[name] for name in names if name in known), *_within(connection, words)])


def _words(text: str) -> Iterator[str]:
    """The words, folded as names are; a Latin word inside a text without spaces is one too."""
    for word in folded_words(text):
        yield word
        if is_unspaced(word):
            yield from _LATIN.findall(word)


def _runs(words: Sequence[str]) -> Iterator[str]:
    """Every run of one to three words, the longest first at each place."""
    for place in range(len(words)):
        for length in range(WORDS_OF_A_NAME, 0, -1):
            run = words[place : place + length]
            if (
                len(run) == length
                and len(name := "_".join(run)) <= MAX_NAME_LENGTH
                and not _is_half(words, place, length)
            ):
                yield name


def _is_half(words: Sequence[str], place: int, length: int) -> bool:
    """Whether this is the letter of "C++" or "F#", which is no name."""
    return length == 1 and len(words[place]) == 1 and words[place + 1 : place + 2] in (["plus"], ["sharp"])


def _within(connection: Connection, words: Iterable[str]) -> list[KnownName]:
    """The known names in scripts without spaces that occur in the words."""
    unspaced = ends_of("_".join(filter(is_unspaced, words)), MOST_UNSPACED)
    return [name for name in names_within(connection, unspaced) if is_unspaced(name.name)] if unspaced else []


def _matching(found: Sequence[KnownName]) -> Matching:
    entities = dict.fromkeys(name.entity for name in found if name.counts)
    passed_over = dict.fromkeys(name.entity for name in found if name.entity not in entities)
    return Matching(tuple(both_ends(list(entities), MOST_ENTITIES)), tuple(passed_over))
