"""`augment`: everything that an agent should have before it when it reads a message.

The profile and the insights as they stand in the files; what was said that bears on the message; and the facts that
answer it, each with the reasons for which it was found.
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from hymem.errors import StoreError
from hymem.markdown import read_markdown
from hymem.memory_files import FILES
from hymem.prompts import is_trivial_prompt
from hymem.records import FtsHit
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.facts import has_facts
from hymem.store.names import names_stamp
from hymem.told_facts import FactHit
from serving.recall.asked import understood
from serving.recall.budget import NOTHING, LeftOut
from serving.recall.caches import QueryCaches
from serving.recall.experience import EpisodeHit, ProcedureHit, recall_experience
from serving.recall.facts import GraphFact
from serving.recall.graph import recall_graph
from serving.recall.question import Question
from serving.recall.rerank import Ordering, RerankerOf, reranked
from serving.recall.text import Scope, text_candidates

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient


LOOKS: Final = 3
"""How often recall looks again where a dream ended meanwhile, so that what it returns is of one memory."""

MOST_REORDERED: Final = 1_000
"""Pieces of conversation that reranking may bring forward."""


@dataclass(frozen=True)
class AugmentedContext:
    """What is remembered about a message.

    `degraded` says what recall had to do without, and `left_out` what was found and did not fit, if anything.
    """

    user_md: str = ""
    memory_md: str = ""
    fts_hits: tuple[FtsHit, ...] = ()
    graph_facts: tuple[GraphFact, ...] = ()
    matched_entities: tuple[str, ...] = ()
    degraded: tuple[str, ...] = ()
    facts: tuple[FactHit, ...] = ()
    episodes: tuple[EpisodeHit, ...] = ()
    procedures: tuple[ProcedureHit, ...] = ()
    left_out: LeftOut = NOTHING


def augment(
    database: Database,
    root: Path | None,
    question: Question,
    caches: QueryCaches,
    client: "EmbeddingClient | None",
    reranker_of: RerankerOf,
) -> AugmentedContext:
    """Recall what is known about a message; a trivial one recalls the two files only, and asks the database nothing.

    Without a `root` the files are not read.
    """
    (user_md, memory_md), trouble = (("", ""), ()) if root is None else _files(root)
    if is_trivial_prompt(question.text):
        return AugmentedContext(user_md, memory_md, degraded=trouble)
    for _ in range(LOOKS - 1):
        before = _stamp(database)
        found, said = _recalled(database, question, caches, client)
        if _stamp(database) == before:
            break
    else:
        found, said = _recalled(database, question, caches, client)
    hits, lost = reranked(said, question, reranker_of)
    return replace(
        found,
        user_md=user_md,
        memory_md=memory_md,
        fts_hits=hits[: question.config.fts_top_k],
        degraded=tuple(dict.fromkeys((*trouble, *found.degraded, *([lost] if lost else ())))),
    )


def _recalled(
    database: Database, question: Question, caches: QueryCaches, client: "EmbeddingClient | None"
) -> tuple[AugmentedContext, Ordering]:
    """What the database holds about a message, and the pieces of conversation that bear on it."""
    asked = understood(database, question, caches, client)
    said = text_candidates(database, question, caches, asked, Scope(_candidates(question)))
    found = recall_graph(database, question, caches, client)
    with database.reading() as connection:
        told = _told_facts(connection, question)
        experience = recall_experience(connection, question, asked, caches)
    context = AugmentedContext(
        graph_facts=found.ranking.facts,
        matched_entities=found.matching.entities,
        degraded=(*found.degraded, *([asked.trouble] if asked.trouble else ())),
        facts=told,
        episodes=experience.episodes,
        procedures=experience.procedures,
    )
    return context, said


def _candidates(question: Question) -> int:
    """How many pieces of conversation are put in order: those that a reranker may judge, where there is one, are all in it."""
    wanted = question.config.fts_top_k
    return max(wanted, MOST_REORDERED) if wanted and question.config.rerank_model else wanted


def _stamp(database: Database) -> tuple[object, ...]:
    """What differs where a dream came between: there are several looks, as no model is asked in a transaction."""
    with database.reading() as connection:
        return names_stamp(connection)


def _told_facts(connection: Connection, question: Question) -> tuple[FactHit, ...]:
    """The user's told facts that bear on the question; what finds them is loaded when there are some."""
    if not has_facts(connection):
        return ()
    from serving.recall.told_facts import MOST_RECALLED, recall_facts

    return tuple(recall_facts(connection, question.text, MOST_RECALLED))


def _files(root: Path) -> tuple[tuple[str, str], tuple[str, ...]]:
    """USER.md and MEMORY.md, "" where one cannot be read, and why not."""
    texts, trouble = list[str](), list[str]()
    for section in ("profile", "insights"):
        try:
            texts.append(read_markdown(root / FILES[section]))
        except StoreError as error:
            texts.append("")
            trouble.append(str(error))
    return (texts[0], texts[1]), tuple(trouble)
