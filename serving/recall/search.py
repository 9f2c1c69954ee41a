"""Searching messages: what was said, by anyone, and what tools returned."""

from typing import TYPE_CHECKING, Any, Final, cast

from hymem.errors import InputError
from hymem.records import FtsHit, MessageHit
from hymem.store.database import Database
from hymem.store.messages import messages_by_id
from hymem.store.where import Where
from serving.recall.asked import understood
from serving.recall.caches import QueryCaches
from serving.recall.question import Question
from serving.recall.text import Scope, recall_text

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient

PIECES: Final = 3
"""A long message is several hits; so many times the limit are looked for."""


def search_messages(
    database: Database,
    question: Question,
    caches: QueryCaches,
    client: "EmbeddingClient | None",
    limit: int,
    where: Where | None,
    sealed: bool = False,
) -> list[MessageHit]:
    """The messages that bear on a question, the best first, each with the score and the reasons of its best piece."""
    if isinstance(limit, bool) or not isinstance(cast(Any, limit), int) or limit < 1:
        raise InputError(f"limit must be a whole number from 1 on, not {limit!r}")
    if not question.text.strip():
        return []
    asked = understood(database, question, caches, client)
    found = recall_text(
        database, question, caches, asked, Scope(PIECES * limit, tools=True, where=where, sealed=sealed)
    )
    best = dict[str, FtsHit]()
    for hit in found.hits:
        best.setdefault(hit.message_id, hit)
    with database.reading() as connection:
        told = messages_by_id(connection, list(best))
    hits = [MessageHit(told[name], hit.score, hit.why_retrieved) for name, hit in best.items() if name in told]
    return hits[:limit]
