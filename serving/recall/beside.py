"""Words that stand beside a question's own: what it may be about besides, where no embedding model knows what is like what.

"Which trips did she take?" finds "our trip to the canyon", and the canyon leads to turns that say nothing of a trip. The telling
words of the first hits are looked up as well, for little: they put in order what would tie, and rarely more.

Source: Lavrenko and Croft, *Relevance-Based Language Models* (SIGIR 2001), and Rocchio before them.
"""

from collections.abc import Sequence
from typing import Final, NamedTuple

from hymem.ranking import inverse_document_frequency
from hymem.stopwords import STOP_WORDS
from hymem.store.connection import Connection
from hymem.store.search import Counts, Term, Terms, affordable, peers_named, tokens
from serving.recall.tail import Tail

LEARNT_FROM: Final = 10
"""Hits whose words are looked at, the best."""

MOST: Final = 20
"""Words that are looked up besides the question's own."""

WORTH: Final = 0.15
"""What the most telling of them counts, as a share of a word of the question."""

SHORTEST: Final = 3
"""Characters of a word that may tell something."""

COMMON: Final = 10
"""A word tells something where it stands in at least two texts, and in no more than one of so many."""


class Told(NamedTuple):
    """A hit's text, and its score as a share of the best one's."""

    text: str
    share: float


class Beside(NamedTuple):
    """The words as terms to look up, and what each counts, from 0 to `WORTH`."""

    terms: Terms
    worth: dict[str, float]


def beside(connection: Connection, asked: Terms, hits: Sequence[Told], tail: Tail, counts: Counts) -> Beside:
    """The telling words of the first hits that the question does not have, without the names of who speaks."""
    words, shares = _words(connection, asked, hits)
    frequency = counts.texts_with(connection, list(shares))
    tellings = dict[str, float]()
    for term, share in shares.items():
        texts = frequency[term] + tail.frequency(term)
        if 2 <= texts <= asked.texts // COMMON:
            tellings[term] = share * inverse_document_frequency(texts, asked.texts)
    best = sorted(tellings, key=lambda term: (-tellings[term], term))[:MOST]
    found = sorted((Term(words[term], term, frequency[term]) for term in best), key=lambda term: term.texts)
    every = tuple(term._replace(texts=term.texts + tail.frequency(term.term)) for term in found)
    worth = {term: WORTH * tellings[term] / tellings[best[0]] for term in best}
    return Beside(Terms(affordable(found, asked.texts), every, asked.texts), worth)


def _words(connection: Connection, asked: Terms, hits: Sequence[Told]) -> tuple[dict[str, str], dict[str, float]]:
    """The words of the hits by their terms, and the shares of the hits in which each stands, added up."""
    told = [(hit.share, tokens(connection, hit.text)) for hit in hits]
    spoken = {word.lower() for _, found in told for word, _ in found}
    known = {term.term for term in asked.every}
    silent = STOP_WORDS | peers_named(connection, spoken).keys()
    words, shares = dict[str, str](), dict[str, float]()
    for share, found in told:
        for term, word in {term: word.lower() for word, term in found}.items():
            if len(word) >= SHORTEST and word not in silent and term not in known:
                words[term], shares[term] = word, shares.get(term, 0.0) + share
    return words, shares
