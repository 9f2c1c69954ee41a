"""`augment`: everything that an agent should have before it when it reads a message.

The profile and the insights as they stand in the files; the chunks in which the message's words occur; and the facts at the
entities that it names, each with the reasons for which it was found.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from hymem.canonical import canonical_or_none, folded_words
from hymem.config import HyMemConfig
from hymem.decay import elapsed_days
from hymem.markdown import read_markdown
from hymem.memory_files import FILES
from hymem.prompts import is_trivial_prompt
from hymem.ranking import anchored_score, recency_weight
from hymem.records import Edge, FtsHit
from hymem.store.connection import Connection
from hymem.store.graph import edges_of, known_names
from hymem.store.search import search_chunks
from hymem.times import microseconds
from hymem.vocabulary import verb_phrase

WORDS_OF_A_NAME = 3
WORDS_LOOKED_AT = 400


@dataclass(frozen=True)
class GraphFact:
    """An edge that recall returns, with its score and the reasons for it; higher scores come first."""

    edge: Edge
    score: float
    why_retrieved: tuple[str, ...]

    @property
    def negated(self) -> bool:
        """Whether the fact is to be read with its verb denied."""
        return self.edge.negated

    def __str__(self) -> str:
        """The fact as a sentence."""
        return sentence(self.edge)


@dataclass(frozen=True)
class AugmentedContext:
    """What is remembered about a message."""

    user_md: str
    memory_md: str
    fts_hits: tuple[FtsHit, ...]
    graph_facts: tuple[GraphFact, ...]
    matched_entities: tuple[str, ...]


def sentence(edge: Edge) -> str:
    """An edge as people say it: "billing requires postgresql >= 15"."""
    value = f" {edge.value_text}" if edge.value_text else ""
    doubt = " (perhaps no longer)" if edge.faded else ""
    return f"{edge.subject} {verb_phrase(edge.predicate, edge.negated)} {edge.object}{value}{doubt}"


def augment(connection: Connection, root: Path, message: str, config: HyMemConfig, now: str) -> AugmentedContext:
    """Recall what is known about a message; a trivial one recalls the two files only, and asks the database nothing."""
    user_md, memory_md = (read_markdown(root / FILES[section]) for section in ("profile", "insights"))
    if is_trivial_prompt(message):
        return AugmentedContext(user_md, memory_md, (), (), ())
    entities = matched_entities(connection, message)
    return AugmentedContext(
        user_md,
        memory_md,
        tuple(search_chunks(connection, message, config.fts_top_k)),
        tuple(_facts(connection, entities, config, now)),
        entities,
    )


def matched_entities(connection: Connection, message: str) -> tuple[str, ...]:
    """The entities that a message names, in runs of one to three words, in the order of their naming."""
    words = folded_words(message)[:WORDS_LOOKED_AT]
    runs = ("_".join(words[i : i + n]) for i in range(len(words)) for n in range(WORDS_OF_A_NAME, 0, -1))
    names = list(dict.fromkeys(name for run in runs if (name := canonical_or_none(run))))
    known = known_names(connection, names)
    return tuple(dict.fromkeys(known[name] for name in names if name in known))


def _facts(connection: Connection, entities: Iterable[str], config: HyMemConfig, now: str) -> Iterable[GraphFact]:
    found: dict[int, GraphFact] = {}
    for entity in entities:
        anchored = (_fact(edge, config, now) for edge in edges_of(connection, entity))
        best = sorted(anchored, key=_order)[: config.graph_top_k_per_entity]
        found |= {fact.edge.edge_id: fact for fact in best}
    return islice(sorted(found.values(), key=_order), config.graph_top_k)


def _fact(edge: Edge, config: HyMemConfig, now: str) -> GraphFact:
    days = elapsed_days(microseconds(edge.last_seen), microseconds(now))
    score = anchored_score(edge.confidence, recency_weight(days, config.graph_recency_half_life_days))
    recent = [f"recency_{max(0, int(days))}d"] if days < config.graph_recency_recent_days else []
    return GraphFact(edge, score, ("fallback:entity_anchored", "entity_match", *recent))


def _order(fact: GraphFact) -> tuple[float, int]:
    return -fact.score, fact.edge.edge_id
