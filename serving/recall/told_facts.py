"""Told facts that bear on a question: found by its words, in any of their forms and in any script, and weighed by trust.

Relevance is two fifths the share of the question's telling words that occur, three tenths how much of the fact they are, and
three tenths how like the two are as holographic vectors, the question being bound to the part of content as the fact's words
are. One word in common is not relevant, unless it is a name or half of the question: a fact that happens to say "best" or
"time" has nothing to do with most questions about them.
"""

from dataclasses import dataclass
from typing import Final

from hymem.holographic import ROLE_CONTENT, bind, encode_atom, encode_text, encoded, similarities
from hymem.store.connection import Connection
from hymem.store.facts.found import Scope, facts_by_id, facts_with_word, matching_facts, vectors
from hymem.store.facts.standing import dimension
from hymem.told_facts import Fact, FactHit
from serving.recall.telling import telling_words

MOST_RECALLED: Final = 8
FEWEST: Final = 2
HALF: Final = 0.5


@dataclass(frozen=True)
class _Match:
    """Which of a question's words a fact holds, and which of them within names."""

    words: frozenset[str]
    names: frozenset[str]


def recall_facts(connection: Connection, text: str, limit: int, scope: Scope | None = None) -> list[FactHit]:
    """The told facts that bear on a question, the best first; by default the user's that may be served.

    No text can break the search; one that holds nothing telling finds nothing.
    """
    words = telling_words(text)
    sought = scope or Scope()
    if not words or limit <= 0:
        return []
    candidates = matching_facts(connection, sought, " OR ".join(f'"{word}"' for word in words))
    matches = _matches(connection, words, candidates)
    relevant = [fact_id for fact_id, match in matches.items() if _is_relevant(match, words)]
    alike = _likeness(connection, text, relevant)
    known = facts_by_id(connection, sought, relevant)
    hits = [_hit(known[fact_id], matches[fact_id], words, alike[fact_id]) for fact_id in relevant if fact_id in known]
    return sorted(hits, key=lambda hit: (-hit.score, hit.fact.fact_id))[:limit]


def _matches(connection: Connection, words: list[str], candidates: list[int]) -> dict[int, _Match]:
    held = {word: facts_with_word(connection, word, candidates) for word in words}
    named = {word: facts_with_word(connection, word, candidates, "names") for word in words if held[word]}
    return {
        fact_id: _Match(
            frozenset(word for word in words if fact_id in held[word]),
            frozenset(word for word, facts in named.items() if fact_id in facts),
        )
        for fact_id in candidates
    }


def _is_relevant(match: _Match, words: list[str]) -> bool:
    return bool(match.names) or len(match.words) >= min(FEWEST, len(words)) or len(match.words) >= HALF * len(words)


def _likeness(connection: Connection, text: str, fact_ids: list[int]) -> dict[int, float]:
    """Each fact's holographic likeness to the question, from 0 to 1."""
    dim = dimension(connection)
    sought = bind(encode_text(text, dim), encode_atom(ROLE_CONTENT, dim))
    ids, codes = vectors(connection, fact_ids)
    alike = similarities(codes, encoded(sought)) if ids else []
    return {fact_id: max(0.0, float(value)) for fact_id, value in zip(ids, alike, strict=True)}


def _hit(fact: Fact, match: _Match, words: list[str], likeness: float) -> FactHit:
    coverage = len(match.words) / len(words)
    of_fact = {*telling_words(fact.content)}
    overlap = len(match.words) / max(1, len(of_fact) + len(words) - len(match.words))
    relevance = 0.4 * coverage + 0.3 * min(1.0, overlap) + 0.3 * likeness
    reasons = (
        *(f"name:{word}" for word in sorted(match.names)),
        *(f"word:{w}" for w in sorted(match.words - match.names)),
    )
    return FactHit(fact, round(relevance * fact.trust_score, 6), (*reasons, f"trust_{fact.trust_score:.2f}"))
