"""The floor: what recall found is put before the model only where it bears on the prompt, and not because it came out best.

A score tells how rare the shared words are, and in a small memory none is. So a passage passes by its score, or by holding half
of the prompt's telling words, in any of their forms, or a name that the prompt names. Edges that were found for being recent pass
never, nor does a passage that only stands beside another, unless it scores by itself.
"""

import re
from collections.abc import Sequence
from typing import Final

from hymem.canonical import folded_words
from hymem.records import FtsHit
from serving.recall import AugmentedContext, GraphFact
from serving.recall.telling import telling_words

FLOOR: Final = 0.2
PASSAGES: Final = 5
HALF: Final = 0.5
BY_CHANCE: Final = "fallback:recency"
_NAME: Final = re.compile(r"(?<=[^\W_] )[^\W\d_a-z][\w.+#-]+")
_ENDING: Final = re.compile(r"(?<=[^\W_]{3})(?:'s|ies|es|s|ing|ed|e|y)$")


def relevant_facts(found: AugmentedContext) -> list[GraphFact]:
    """The edges that answer the prompt."""
    return [fact for fact in found.graph_facts if BY_CHANCE not in fact.why_retrieved]


def relevant_passages(found: AugmentedContext, prompt: str, present: str | None) -> list[FtsHit]:
    """The passages that bear on the prompt, but for those of the present session, which the model has before it."""
    telling, names = _forms(telling_words(prompt)), _forms(folded_words(" ".join(_NAME.findall(prompt))))
    return [hit for hit in found.fts_hits if hit.session_id != present and _bears(hit, telling, names)][:PASSAGES]


def _bears(hit: FtsHit, telling: frozenset[str], names: frozenset[str]) -> bool:
    if hit.score >= FLOOR:
        return True
    if "keyword" not in hit.why_retrieved:
        return False
    held = _forms(telling_words(hit.text, most=None))
    return bool(names & held) or (bool(telling) and len(telling & held) >= HALF * len(telling))


def _forms(words: Sequence[str]) -> frozenset[str]:
    """The words without their endings."""
    return frozenset(_stem(word.casefold()) for word in words if word)


def _stem(word: str) -> str:
    shorter = _ENDING.sub("", word)
    return word if shorter == word else _stem(shorter)
