"""A question as pieces of conversation are searched for it: its terms, its cues, and the people whom it names."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hymem.cues import Cues
from hymem.redaction import redacted
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.search import Counts, Terms, peers_named, terms_of
from hymem.store.vectors import stored_space
from serving.recall.caches import QueryCaches
from serving.recall.meaning import Meaning, meaning
from serving.recall.question import Question
from serving.recall.tail import Tail

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient

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


@dataclass(frozen=True)
class Understood:
    """A question taken apart, the undreamt texts as they were then, and its vector, or why it has none."""

    asked: Asked
    tail: Tail
    vector: bytes | None = None
    trouble: str = ""


def understood(
    database: Database, question: Question, caches: QueryCaches, client: "EmbeddingClient | None"
) -> Understood:
    """A question as the database and, where there is one, the embedding model see it; the model is asked between two looks."""
    with database.reading() as connection:
        tail = caches.tail.tail(connection)
        asked = asked_of(connection, question.text, tail, caches.counts(connection))
        space = stored_space(connection)
    told = Meaning()
    if client is not None and space is not None and asked.unnamed:
        both = (asked.unnamed, question.text)  # the graph asks for the latter, which is kept then
        first, *other = dict.fromkeys(redacted(text[:MOST_EMBEDDED]) for text in both)
        told = meaning(caches.embedder(client), space, first, other)
    return Understood(asked, tail, told.vector, told.trouble)


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
