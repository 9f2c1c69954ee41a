"""Reranking: somebody who reads question and passages together decides, where words and meaning cannot.

That costs a second or more, so it happens only where it was chosen (`rerank_model`), where words and meaning put different
passages first, and where the two best lie closer than `rerank_ambiguity_threshold`. Whatever goes wrong, the fused order stands,
and `degraded` tells why.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from hymem.config import HyMemConfig
from hymem.errors import ConfigError, HyMemError
from hymem.models.chat import LLMClient
from hymem.ranking import relative_gap, reranked_score
from hymem.records import FtsHit
from hymem.redaction import redacted
from serving.recall.question import Question

if TYPE_CHECKING:
    from hymem.models.relevance import Reranker

RerankerOf = Callable[[HyMemConfig], "Reranker"]
"""Who judges, as the configuration has it; may raise `ConfigError`."""


class Ordering(NamedTuple):
    """All candidates in their fused order, and the best that words and meaning each brought, by their chunks' ids."""

    hits: tuple[FtsHit, ...]
    by_words: Sequence[int]
    by_meaning: Sequence[int]


def chosen_reranker(config: HyMemConfig, llm: LLMClient | None) -> "Reranker":
    """The reranker that the configuration names. Raises `ConfigError` where a language model is named and there is none."""
    if config.rerank_model == "cross-encoder":
        from hymem.models.cross_encoder import CrossEncoderReranker

        return CrossEncoderReranker(config.rerank_cross_encoder_model)
    if llm is None:
        raise ConfigError("no language model to rerank with: set HYMEM_LLM_API_KEY, or rerank_model=cross-encoder")
    from hymem.models.relevance import ModelReranker

    return ModelReranker(llm)


def is_ambiguous(found: Ordering, config: HyMemConfig) -> bool:
    """Whether words and meaning disagree on the first, and the two best lie close together."""
    if not (found.by_words and found.by_meaning) or found.by_words[0] == found.by_meaning[0] or len(found.hits) < 2:
        return False
    return relative_gap(found.hits[0].score, found.hits[1].score) < config.rerank_ambiguity_threshold


def reranked(found: Ordering, question: Question, reranker_of: RerankerOf) -> tuple[tuple[FtsHit, ...], str]:
    """The hits in the order that the reranker makes, or as they were, with the reason."""
    config = question.config
    if config.rerank_model is None or not is_ambiguous(found, config):
        return found.hits, ""
    most = config.rerank_top_k
    chosen = {*found.by_words[:most], *found.by_meaning[:most]}
    judged = [hit for hit in found.hits if hit.chunk_id in chosen]
    if not judged:
        return found.hits, ""
    try:
        grades = reranker_of(config).grades(redacted(question.text), [hit.text for hit in judged])
    except HyMemError as error:
        return found.hits, f"reranking: {error}"
    graded = dict(zip((hit.chunk_id for hit in judged), grades, strict=True))
    best = found.hits[0].score
    hits = [_graded(hit, graded.get(hit.chunk_id), best) for hit in found.hits]
    return tuple(sorted(hits, key=lambda hit: -hit.score)), ""


def _graded(hit: FtsHit, grade: float | None, best: float) -> FtsHit:
    """The hit with its joined score; who was not judged has only what the fused score gives."""
    reasons = hit.why_retrieved if grade is None else (*hit.why_retrieved, f"relevance_{grade:.1f}")
    return replace(hit, score=reranked_score(grade or 0.0, hit.score, best), why_retrieved=reasons)
