"""Episodes and procedures that bear on a question: found by their words, episodes by their meaning as well.

They are few and short beside what was said, so one bare query of the index brings the candidates. Each scores by the share of
the question's words that it holds, rare words counting for more; where there are vectors, half of an episode's score is its
cosine.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

from hymem.ranking import convex_fusion, inverse_document_frequency, semantic_score
from hymem.store.connection import Connection
from hymem.store.experience import EpisodeRecord, ProcedureRecord
from hymem.store.experience_search import Kind, episodes_by_id, indexed_texts, matching, procedures_by_id
from hymem.store.neighbours import nearest, similarities
from hymem.store.search import Term, is_common, terms_of, tokens
from serving.recall.asked import Understood
from serving.recall.caches import QueryCaches
from serving.recall.question import Question

MOST_RECALLED: Final = 3
"""Episodes, and as many procedures."""

CANDIDATES: Final = 20
"""Those that words bring, and as many that meaning brings."""


@dataclass(frozen=True)
class EpisodeHit:
    """An episode that bears on a question; `score` is from 0 to 1, and higher for better."""

    episode: EpisodeRecord
    score: float
    why_retrieved: tuple[str, ...]

    def __str__(self) -> str:
        """What it was about, what happened, and how it ended."""
        told = (self.episode.title, self.episode.summary, self.episode.outcome)
        return ": ".join(dict.fromkeys(part for part in told if part))


@dataclass(frozen=True)
class ProcedureHit:
    """A procedure that bears on a question; `score` is from 0 to 1, and higher for better."""

    procedure: ProcedureRecord
    score: float
    why_retrieved: tuple[str, ...]

    def __str__(self) -> str:
        """What it is for, and its steps in their order."""
        known = self.procedure
        steps = (f"{number}. {step.get('action', '')}" for number, step in enumerate(known.steps, start=1))
        return " ".join([": ".join(dict.fromkeys(part for part in (known.name, known.description) if part)), *steps])


class Experience(NamedTuple):
    """What was recalled of both kinds, the best first."""

    episodes: tuple[EpisodeHit, ...] = ()
    procedures: tuple[ProcedureHit, ...] = ()


class _Scored(NamedTuple):
    """A candidate's id, its score and the reasons."""

    name: int
    score: float
    reasons: tuple[str, ...]


def recall_experience(
    connection: Connection, question: Question, understood: Understood, caches: QueryCaches, most: int = MOST_RECALLED
) -> Experience:
    """The episodes and procedures that bear on a question, so many of each; without its vector, by words alone."""
    terms = terms_of(connection, question.text, (), caches.counts(connection))
    telling = [term for term in terms.every if not is_common(term, terms.texts)] or terms.every
    weights = {term.term: inverse_document_frequency(term.texts, terms.texts) for term in telling}
    episodes = _episodes(connection, question, understood.vector, caches, telling, weights)
    procedures = _by_words(connection, "procedure", matching(connection, "procedure", telling, CANDIDATES), weights)
    return Experience(
        _episode_hits(connection, _best(episodes)[:most]), _procedure_hits(connection, _best(procedures)[:most])
    )


def _episodes(
    connection: Connection,
    question: Question,
    vector: bytes | None,
    caches: QueryCaches,
    telling: Sequence[Term],
    weights: Mapping[str, float],
) -> list[_Scored]:
    """Those that words and meaning bring, each with its share of both."""
    found = matching(connection, "episode", telling, CANDIDATES)
    if vector is None:
        return _by_words(connection, "episode", found, weights)
    scanned = question.config.embedding_max_scan
    near = dict(nearest(connection, "episode", vector, CANDIDATES, scanned, caches.signs))
    known = _by_words(connection, "episode", {*found, *near}, weights)
    cosines = similarities(connection, "episode", [one.name for one in known], vector)
    return [_with_meaning(one, cosines.get(one.name)) for one in known]


def _by_words(connection: Connection, kind: Kind, names: Iterable[int], weights: Mapping[str, float]) -> list[_Scored]:
    """Each with the share of the question's words that it holds."""
    every = sum(weights.values())
    scored = list[_Scored]()
    for name, text in indexed_texts(connection, kind, names).items():
        held = {term for _, term in tokens(connection, text)} & weights.keys()
        share = sum(weights[term] for term in held) / every if held else 0.0
        scored.append(_Scored(name, share, ("keyword",) if held else ()))
    return scored


def _with_meaning(one: _Scored, cosine: float | None) -> _Scored:
    near = semantic_score(cosine or 0.0)
    reasons = one.reasons if cosine is None else (*one.reasons, f"semantic_{near:.2f}")
    return _Scored(one.name, convex_fusion(one.score, near), reasons)


def _best(scored: Iterable[_Scored]) -> list[_Scored]:
    return sorted((one for one in scored if one.score > 0), key=lambda one: (-one.score, one.name))


def _episode_hits(connection: Connection, best: Sequence[_Scored]) -> tuple[EpisodeHit, ...]:
    told = episodes_by_id(connection, [one.name for one in best])
    return tuple(EpisodeHit(told[one.name], one.score, one.reasons) for one in best)


def _procedure_hits(connection: Connection, best: Sequence[_Scored]) -> tuple[ProcedureHit, ...]:
    told = procedures_by_id(connection, [one.name for one in best])
    return tuple(ProcedureHit(told[one.name], one.score, one.reasons) for one in best)
