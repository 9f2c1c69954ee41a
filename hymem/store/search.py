"""Keyword search over chunks: FTS5 with BM25, over words and never over a user's syntax."""

import re
from typing import Final

from hymem.bigrams import bigrams
from hymem.records import FtsHit
from hymem.store.connection import Connection

TERMS: Final = 64
"""Words of a question that are searched for, at most."""

_WORD: Final = re.compile(r"\w+")


def match_expression(text: str) -> str:
    """An FTS5 expression that looks for any of the text's words; "" where there are none. No text can break its syntax."""
    told = f"{text} {bigrams(text)}".replace("_", " ")
    words = dict.fromkeys(word.casefold() for word in _WORD.findall(told))
    return " OR ".join(f'"{word}"' for word in list(words)[:TERMS])


def search_chunks(connection: Connection, text: str, limit: int) -> list[FtsHit]:
    """The chunks that match best, their scores above 0, higher for better."""
    expression = match_expression(text)
    if not expression or limit == 0:
        return []
    found = connection.execute(
        """
        select c.chunk_id, c.session_id, c.said_at, c.text, -bm25(chunks_fts) as score
        from chunks_fts join chunks c on c.chunk_id = chunks_fts.rowid
        where chunks_fts match ?
        order by bm25(chunks_fts), c.chunk_id
        limit ?
        """,
        (expression, limit),
    )
    return [FtsHit(*row, why_retrieved=("keyword",)) for row in found]
