"""Which of a peer's conclusions bear on a question: what recall finds in the graph, and what shares words with it."""

from collections import Counter
from collections.abc import Sequence
from math import log
from typing import Final

from hymem.canonical import folded_words
from hymem.ranking import reciprocal_rank_fusion
from hymem.stopwords import STOP_WORDS
from hymem.store.conclusions import ConclusionRecord
from serving.honcho.concluding import Pair
from serving.honcho.perspective import Perspective
from serving.recall.ranker import RECENCY

_STEM: Final = 5
"""Letters by which two words are taken for forms of one: "deploys", "deployed"."""


def by_relevance(
    perspective: Perspective, query: str, records: Sequence[ConclusionRecord], limit: int
) -> list[ConclusionRecord]:
    """Those of the conclusions that bear on the question, at most `limit`, the best first."""
    scores = Counter[str]()
    for ranked in (_recalled(perspective, query), _worded(query, records)):
        for rank, name in enumerate(ranked, start=1):
            scores[name] += reciprocal_rank_fusion(rank)
    found = [record for record in records if record.conclusion_id in scores]
    return sorted(found, key=lambda record: (-scores[record.conclusion_id], record.conclusion_id))[:limit]


def _recalled(perspective: Perspective, query: str) -> list[str]:
    if perspective.memory is None or not query.strip():
        return []
    pair = Pair(perspective.observer, perspective.observed)
    facts = perspective.memory.graph_facts(query)
    return [
        pair.name(fact.edge.edge_id) for fact in facts if RECENCY not in fact.why_retrieved
    ]  # those bear on nothing


def _worded(query: str, records: Sequence[ConclusionRecord]) -> list[str]:
    """The conclusions that share a word with the question, those with its rarest words first."""
    words = [(record.conclusion_id, _words(record.content)) for record in records]
    seen = Counter(word for _, said in words for word in said)
    asked = _words(query)
    weights = {name: sum(log(1 + len(words) / seen[word]) for word in asked & said) for name, said in words}
    return sorted((name for name, weight in weights.items() if weight), key=lambda name: (-weights[name], name))


def _words(text: str) -> set[str]:
    return {word[:_STEM] for word in folded_words(text) if word and word not in STOP_WORDS}
