"""What was said since the last dream, as something to search: kept in memory, a message at a time, as long as no dream takes it.

It is prepared as a dream would: without what was recalled, and with secrets blacked out.
"""

import threading
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from hymem.bigrams import bigrams
from hymem.digests import chunk_id
from hymem.ranking import bm25_part, inverse_document_frequency
from hymem.redaction import redacted
from hymem.store.connection import Connection
from hymem.store.ledger import ledger_state
from hymem.store.names import names_stamp
from hymem.store.search import Links, Passage, Terms, tokens
from hymem.store.tail import as_passages, undreamt

MOST: Final = 2_000
"""The newest so many undreamt messages are searched."""


@dataclass(frozen=True)
class Text:
    """A piece of an undreamt message, with the number of each of its terms."""

    passage: Passage
    terms: Counter[str]
    length: int


class Tail:
    """The undreamt messages as one connection saw them, in the order in which they were told."""

    def __init__(self, texts: Sequence[Text]) -> None:
        self.texts = {text.passage.chunk_id: text for text in texts}

    def frequency(self, term: str) -> int:
        """In how many of the texts a term stands."""
        return sum(term in text.terms for text in self.texts.values())

    def postings(self, terms: Terms, allowed: Callable[[Passage], bool]) -> list[dict[int, float]]:
        """For each of the terms, the texts in which it stands and what it is worth there."""
        average = sum(text.length for text in self.texts.values()) / max(1, len(self.texts))
        found = list[dict[int, float]]()
        for term in terms.every:
            told = inverse_document_frequency(term.texts, terms.texts)
            found.append(
                {
                    name: bm25_part(text.terms[term.term], text.length, average, told)
                    for name, text in self.texts.items()
                    if term.term in text.terms and allowed(text.passage)
                }
            )
        return found

    def links(self) -> Links:
        """Which text of its session comes before each, and which after."""
        before, after, last = dict[int, int](), dict[int, int](), dict[str, int]()
        for name, text in sorted(
            self.texts.items(), key=lambda item: (item[1].passage.said_at, item[1].passage.message_seq)
        ):
            nearer = last.get(text.passage.session_id)
            if nearer is not None:
                before[name], after[nearer] = nearer, name
            last[text.passage.session_id] = name
        return Links(before, after)


class TailCache:
    """Keeps the texts of undreamt messages between questions; threads may share it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._texts: dict[int, list[Text]] = {}
        self._kept: tuple[tuple[object, ...], Tail] | None = None

    def tail(self, connection: Connection) -> Tail:
        """The undreamt messages as this connection sees them; where nothing was told or dreamt since, as they were."""
        stamp = (ledger_state(connection), *names_stamp(connection))
        with self._lock:
            kept = self._kept
        if kept is None or kept[0] != stamp:
            kept = (stamp, self._read(connection))
            with self._lock:
                self._kept = kept
        return kept[1]

    def clear(self) -> None:
        """Forget everything."""
        with self._lock:
            self._texts, self._kept = {}, None

    def _read(self, connection: Connection) -> Tail:
        seqs = undreamt(connection, MOST)
        with self._lock:
            known = {seq: self._texts[seq] for seq in seqs if seq in self._texts}
        for passage in as_passages(connection, [seq for seq in seqs if seq not in known]):
            known[passage.message_seq] = [_text(connection, piece) for piece in _pieces(passage)]
        with self._lock:
            self._texts = known
        return Tail([text for seq in sorted(known) for text in known[seq]])


def _pieces(passage: Passage) -> list[Passage]:
    from hymem.salience import CHUNK_LIMIT, own_words, pieces

    told = redacted(own_words(passage.text)).strip()
    if passage.role == "tool":
        told = told[:CHUNK_LIMIT]
    return [
        passage._replace(chunk_id=chunk_id(passage.session_id, passage.message_id, "", start), text=text)
        for start, text in pieces(told)
        if text.strip()
    ]


def _text(connection: Connection, passage: Passage) -> Text:
    terms = [term for _, term in tokens(connection, f"{passage.text} {bigrams(passage.text)}")]
    return Text(passage, Counter(terms), max(1, len(terms)))
