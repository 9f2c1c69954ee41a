"""A question as pieces of conversation are searched for it: its terms, its cues, and the people whom it names."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from hymem.cues import Cues
from hymem.store.connection import Connection
from hymem.store.search import Counts, Terms, peers_named, terms_of
from serving.recall.tail import Tail

MOST_EMBEDDED: Final = 20_000
"""Characters of a question whose meaning is asked for."""

_NAMING: Final = 200
_WORD: Final = re.compile(r"\w+")


@dataclass(frozen=True)
class Asked:
    """A question taken apart; `speakers` are the peers that it names, and `unnamed` is its text without their names."""

    terms: Terms
    cues: Cues
    speakers: Collection[str]
    unnamed: str


def asked_of(connection: Connection, text: str, tail: Tail, counts: Counts) -> Asked:
    """A question as this connection's index and the undreamt tail see it.

    Who is named is looked for as a speaker, not as a word: people rarely say their own names.
    """
    speakers = peers_named(connection, _name_like(text))
    names = {word for name in speakers for word in _WORD.findall(name)}
    terms = terms_of(connection, text, names, counts)
    every = tuple(term._replace(texts=term.texts + tail.frequency(term.term)) for term in terms.every)
    said = text
    for name in speakers:
        said = re.sub(rf"(?<!\w){re.escape(name)}(?:['’]s)?(?!\w)", " ", said, flags=re.IGNORECASE)
    together = Terms(terms.looked_up, every, terms.texts + len(tail.texts))
    return Asked(together, Cues.of(text), frozenset(speakers.values()), said.strip() or text.strip())


def _name_like(text: str) -> set[str]:
    """The first words of a question and pairs of them, in lower case: what may name somebody."""
    words = _WORD.findall(text[:MOST_EMBEDDED].lower())[:_NAMING]
    return {*words, *(f"{one}{mark}{other}" for one, other in pairwise(words) for mark in " -_.")}
