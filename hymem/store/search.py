"""Keyword search over chunks: FTS5 with BM25, term by term, over words and never over a user's syntax.

The words that everybody uses cost everything and bring nothing: a term that stands in most texts, and what exceeds a number of
postings, is not looked up. A text is cut into terms by the tokenizer of the index itself, so that what is counted is what is
stored.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple, cast

import apsw

from hymem.bigrams import bigrams
from hymem.stopwords import STOP_WORDS
from hymem.store.connection import Connection
from hymem.store.where import Where

TERMS: Final = 64
"""Terms of a question that are looked up, at most: the rarest."""

POSTINGS: Final = 10_000
"""Places in the index that are read for one question, about."""

LOOKED_AT: Final = 10_000
"""Characters of a question from either end that are looked at."""

MOST_COUNTED: Final = 20_000
"""Terms whose texts are counted are kept until they are more than this."""

FEW_TEXTS: Final = 20
"""Texts in which a word may stand before it can be common."""

_WORD: Final = re.compile(r"\w+")
_DISTINCT: Final = 2_000
_TOKENIZER: Final = ("porter", ["unicode61", "remove_diacritics", "2"])


class Term(NamedTuple):
    """A word of a question as it stands there, as the index has it, and in how many texts it stands."""

    word: str
    term: str
    texts: int


@dataclass
class Counts:
    """How many texts there are, and in how many each term stands, as far as anyone asked: true until texts come or go.

    To count the texts of a word that stands in most of them takes as long as to read that they do.
    """

    texts: int | None = None
    of_terms: dict[str, int] = field(default_factory=dict[str, int])

    def all_texts(self, connection: Connection) -> int:
        """How many texts there are."""
        if self.texts is None:
            self.texts = int(connection.execute("select count(*) from chunks_fts_docsize").fetchall()[0][0])
        return self.texts

    def texts_with(self, connection: Connection, terms: Sequence[str]) -> dict[str, int]:
        """In how many texts each of the terms stands."""
        known = self.of_terms if len(self.of_terms) <= MOST_COUNTED else {}
        unknown = [term for term in terms if term not in known]
        if unknown:
            known.update(dict.fromkeys(unknown, 0) | _frequencies(connection, unknown))
            self.of_terms = known
        return {term: known[term] for term in terms}


@dataclass(frozen=True)
class Terms:
    """What a question is searched by: the terms to look up, all that it says anything with, and the number of texts."""

    looked_up: tuple[Term, ...]
    every: tuple[Term, ...]
    texts: int


def match_expression(text: str) -> str:
    """An FTS5 expression that looks for any of the text's words; "" where there are none. No text can break its syntax."""
    told = f"{text} {bigrams(text)}".replace("_", " ")
    words = dict.fromkeys(word.casefold() for word in _WORD.findall(told))
    return " OR ".join(f'"{word}"' for word in list(words)[:TERMS])


def tokens(connection: Connection, text: str) -> list[tuple[str, str]]:
    """A text's words, each as it stands there and as the index has it."""
    raw = text.replace("\x00", " ").replace("_", " ").encode("utf-8", "replace")
    tokenizer = cast(apsw.Connection, connection).fts5_tokenizer(_TOKENIZER[0], list(_TOKENIZER[1]))
    found = cast("list[tuple[int, int, str]]", tokenizer(raw, apsw.FTS5_TOKENIZE_DOCUMENT, None))
    return [(raw[start:end].decode("utf-8", "replace"), term) for start, end, term in found]


def terms_of(connection: Connection, question: str, names: Collection[str] = (), counts: Counts | None = None) -> Terms:
    """The terms of a question, without stop words and without `names` (in lower case) where other words remain."""
    text = question if len(question) <= 2 * LOOKED_AT else f"{question[:LOOKED_AT]} {question[-LOOKED_AT:]}"
    words = dict[str, str]()
    for word, term in tokens(connection, f"{text} {bigrams(text)}"):
        words.setdefault(term, word.lower())
    unnamed = {term: word for term, word in words.items() if word not in names}
    telling = {term: word for term, word in unnamed.items() if word not in STOP_WORDS}
    chosen = list((telling or unnamed or words).items())[:_DISTINCT]
    counts = counts or Counts()
    texts, frequency = counts.all_texts(connection), counts.texts_with(connection, [term for term, _ in chosen])
    every = sorted((Term(word, term, frequency.get(term, 0)) for term, word in chosen), key=lambda term: term.texts)
    return Terms(affordable(every[:TERMS], texts), tuple(every[:TERMS]), texts)


def postings(connection: Connection, terms: Sequence[Term]) -> list[dict[int, float]]:
    """For each term, the chunks in which it stands and what it is worth there: its part of BM25, above 0."""
    found = list[dict[int, float]]()
    for term in terms:
        rows = connection.execute(
            """
            select rowid, -bm25(chunks_fts)
            from chunks_fts
            where chunks_fts match ?
            """,
            (quoted(term.word),),
        )
        found.append(dict(cast("list[tuple[int, float]]", rows.fetchall())))
    return found


def quoted(word: str) -> str:
    """A word as FTS5 takes it for no more than that."""
    return f'"{word.replace(chr(34), chr(34) * 2)}"'


def is_common(term: Term, texts: int) -> bool:
    """Whether a term stands in so many of the texts that it tells nothing."""
    return term.texts > max(FEW_TEXTS, texts // 3)


def chunks_where(connection: Connection, where: Where) -> set[int]:
    """The chunks of the messages for which a condition holds."""
    found = connection.execute(
        f"select c.chunk_id from messages m join chunks c on c.message_seq = m.seq where {where.condition}",
        where.parameters,
    )
    return {chunk_id for (chunk_id,) in found}


def messages_where(connection: Connection, seqs: Iterable[int], where: Where) -> set[int]:
    """Those of the messages for which a condition holds, by their numbers."""
    # A cross join keeps its order: an index that suits the condition would have the numbers gone through for each of its rows.
    found = connection.execute(
        f"select m.seq from json_each(:asked) asked cross join messages m on m.seq = asked.value where {where.condition}",
        {"asked": json.dumps(list(seqs)), **where.parameters},
    )
    return {seq for (seq,) in found}


def spoken(connection: Connection, chunk_ids: Iterable[int]) -> set[int]:
    """Those of the chunks that people or assistants said, rather than tools."""
    found = connection.execute(
        """
        select c.chunk_id
        from json_each(?) asked
        join chunks c on c.chunk_id = asked.value
        join messages m on m.seq = c.message_seq
        where m.role <> 'tool'
        """,
        (json.dumps(list(chunk_ids)),),
    )
    return {chunk_id for (chunk_id,) in found}


class Links(NamedTuple):
    """Which chunk of its session comes before each, and which after, as far as anyone looked."""

    before: Mapping[int, int]
    after: Mapping[int, int]

    def around(self, chunk_id: int) -> tuple[int | None, ...]:
        """The chunks one before, one after, two before and two after."""
        before, after = self.before.get(chunk_id), self.after.get(chunk_id)
        return before, after, self.before.get(before or 0), self.after.get(after or 0)


def links(connection: Connection, chunk_ids: Iterable[int]) -> Links:
    """The two chunks before and the two after each of these, in the order in which they were said."""
    asked = json.dumps(list(chunk_ids))
    before, after = dict[int, int](), dict[int, int]()
    for sign, order, forth, back in ((">", "", after, before), ("<", "desc", before, after)):
        rows = connection.execute(
            f"""
            select asked.value, n.chunk_id
            from json_each(?) asked
            join chunks c on c.chunk_id = asked.value
            join chunks n on n.chunk_id in (
                select x.chunk_id
                from chunks x
                where x.session_id = c.session_id
                  and (x.said_at, x.message_seq, x.part) {sign} (c.said_at, c.message_seq, c.part)
                order by x.said_at {order}, x.message_seq {order}, x.part {order}
                limit 2)
            order by asked.key, n.said_at {order}, n.message_seq {order}, n.part {order}
            """,
            (asked,),
        )
        last = (0, 0)
        for chunk_id, neighbour in cast("list[tuple[int, int]]", rows.fetchall()):
            nearer = last[1] if last[0] == chunk_id else chunk_id
            forth[nearer], back[neighbour] = neighbour, nearer
            last = (chunk_id, neighbour)
    return Links(before, after)


class Passage(NamedTuple):
    """A chunk with what it came from: all that its place among the hits may depend on."""

    chunk_id: int
    session_id: str
    message_seq: int
    message_id: str
    peer_id: str
    role: str
    said_at: str
    text: str


def passages(connection: Connection, chunk_ids: Iterable[int]) -> list[Passage]:
    """These chunks, with their messages' ids and roles."""
    found = connection.execute(
        """
        select c.chunk_id, c.session_id, c.message_seq, m.message_id, c.peer_id, m.role, c.said_at, c.text
        from json_each(?) asked
        join chunks c on c.chunk_id = asked.value
        join messages m on m.seq = c.message_seq
        """,
        (json.dumps(list(chunk_ids)),),
    )
    return [Passage(*row) for row in found]


def peers_named(connection: Connection, names: Collection[str]) -> dict[str, str]:
    """Of these names, in lower case, those of peers, with the peers' ids."""
    found = connection.execute(
        """
        select peer_id, lower(peer_id)
        from peers
        where lower(peer_id) in (select value from json_each(?))
          and peer_id not in ('user', 'assistant', 'system', 'tool')
        """,
        (json.dumps(list(names)),),
    )
    return {name: peer_id for peer_id, name in found}


def _frequencies(connection: Connection, terms: Sequence[str]) -> dict[str, int]:
    found = connection.execute(
        """
        select term, doc
        from json_each(?) asked join chunks_vocabulary on term = asked.value
        """,
        (json.dumps(terms),),
    )
    return dict(cast(Any, found.fetchall()))


def affordable(terms: Sequence[Term], texts: int) -> tuple[Term, ...]:
    """The rarest terms, until they have too many postings; those of most texts only where there are no others."""
    there = [term for term in terms if term.texts]
    rare = [term for term in there if not is_common(term, texts)] or there[:1]
    kept, read = list[Term](), 0
    for term in rare:
        read += term.texts
        if kept and read > POSTINGS:
            break
        kept.append(term)
    return tuple(kept)
