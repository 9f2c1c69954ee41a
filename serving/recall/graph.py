"""The graph's part in recall: from a message to facts, step by step (docs/recall.md).

The embedding model is asked between two looks at the database, so that nobody waits for it with a transaction open.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hymem.redaction import redacted
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.vectors import Space, stored_space
from serving.recall.caches import QueryCaches
from serving.recall.candidates import Candidates, drawn, with_meaning, with_recent, without_vector
from serving.recall.entities import Matching, match_entities
from serving.recall.expansion import expand
from serving.recall.meaning import Meaning, meaning
from serving.recall.question import Question
from serving.recall.ranker import Ranker, Ranking

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient


MOST_EMBEDDED: Final = 20_000
"""Characters of a message whose meaning is asked for, more than any embedding client takes."""


@dataclass(frozen=True)
class GraphRecall:
    """What the graph answers, and by which way: the entities, the candidates, the ranking; `degraded` says what was missing."""

    matching: Matching
    candidates: Candidates
    ranking: Ranking
    degraded: tuple[str, ...]


def recall_graph(
    database: Database, question: Question, caches: QueryCaches, client: "EmbeddingClient | None"
) -> GraphRecall:
    """The facts that answer a question; without an embedding model, or where it fails, by names and relations alone."""
    with database.reading() as connection:
        matching, candidates = _named(connection, question, caches)
        space = stored_space(connection) if _needs_meaning(candidates, question) else None
        texts = without_vector(connection, candidates) if client and space else []
    understood = _meaning(client, space, question, texts, caches)
    with database.reading() as connection:
        candidates = with_meaning(connection, candidates, understood, question, caches)
        if not candidates.every:
            candidates = with_recent(connection, candidates)
    degraded = (understood.trouble,) if understood.trouble else ()
    return GraphRecall(matching, candidates, Ranker(question, candidates).ranking(), degraded)


def _named(connection: Connection, question: Question, caches: QueryCaches) -> tuple[Matching, Candidates]:
    matching = match_entities(connection, question.text)
    anchors = expand(connection, matching.entities, lambda: caches.tokens(connection), question.config)
    return matching, drawn(connection, anchors, question)


def _needs_meaning(candidates: Candidates, question: Question) -> bool:
    """Whether meaning counts: where relations are asked for, and where names lead nowhere."""
    return bool(question.predicates) or not candidates.anchored


def _meaning(
    client: "EmbeddingClient | None", space: Space | None, question: Question, texts: list[str], caches: QueryCaches
) -> Meaning:
    if client is None or space is None:
        return Meaning()
    return meaning(caches.embedder(client), space, redacted(question.text[:MOST_EMBEDDED]), texts)
