"""Pieces of conversation that bear on a question: found by words and by meaning, and judged with what was said around them.

A turn of a conversation is rarely whole by itself: "Yes, last Friday" answers what was asked before. So a term counts for a turn
where it stands in a neighbour, too, though for less, and the more so the shorter the turn is. What words find and what
meaning finds is fused as a convex combination of two shares, or by the ranks alone (`fusion`). Where there is no meaning, the
words of the first hits are looked up besides, once.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from heapq import nlargest
from typing import Final, NamedTuple, cast

from hymem.cues import names_a_time, only_asks
from hymem.ranking import (
    FULL_MATCH,
    NEARBY,
    NEARBY_MEANING,
    convex_fusion,
    coverage,
    inverse_document_frequency,
    reciprocal_rank_fusion,
    reliance,
    semantic_score,
)
from hymem.records import FtsHit, Role
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.neighbours import nearest, similarities
from hymem.store.search import (
    Links,
    Passage,
    Terms,
    chunks_where,
    links,
    messages_where,
    passages,
    postings,
    spoken,
)
from hymem.store.where import Where
from serving.recall.asked import Understood
from serving.recall.beside import LEARNT_FROM, Told, beside
from serving.recall.caches import QueryCaches
from serving.recall.question import Question
from serving.recall.rerank import Ordering
from serving.recall.tail import Tail

CANDIDATES: Final = 50
"""Chunks that words and meaning each bring; as many as hits are wanted, where those are more."""

SPEAKER: Final = 1.7
DATED: Final = 2.0
TIMED: Final = 1.4
ASKING: Final = 0.8
USER: Final = 1.5
"""Factors: who the question names said it; it was said when the question says; it names a time, where one is asked for; it only
asks; and it is a user's own word."""

SHORT_QUESTION: Final = 160
"""Characters up to which a turn that ends as a question says nothing besides."""


class Scope(NamedTuple):
    """How many hits are wanted, of which messages, and whether what tools returned is among them.

    Where it is `sealed`, what was said around a message counts only if it is one of these messages, too.
    """

    limit: int
    tools: bool = False
    where: Where | None = None
    sealed: bool = False


@dataclass(frozen=True)
class TextRecall:
    """The hits, the best first."""

    hits: tuple[FtsHit, ...]


def recall_text(
    database: Database, question: Question, caches: QueryCaches, understood: Understood, scope: Scope
) -> TextRecall:
    """The pieces of conversation that bear on a question; without its vector, by words alone."""
    return TextRecall(text_candidates(database, question, caches, understood, scope).hits[: scope.limit])


def text_candidates(
    database: Database, question: Question, caches: QueryCaches, understood: Understood, scope: Scope
) -> Ordering:
    """The best candidates in their fused order, with what words and meaning each put first: what a reranker may judge."""
    if scope.limit <= 0:
        return Ordering((), (), ())
    with database.reading() as connection:
        search = _Search(connection, question, understood, scope, caches)
        hits = search.ranked() if question.config.fusion == "rrf" else search.fused()
        by_words = search.best_by_words if search.by_meaning else []
    return Ordering(tuple(hits), by_words, list(search.by_meaning))


@dataclass
class _Found:
    """A candidate on its way: its passage, and what speaks for it."""

    passage: Passage
    words: float
    own_words: bool
    from_neighbours: bool
    beside: bool
    cosine: float | None
    closeness: float | None


class _Search:
    """One search in one look at the database."""

    def __init__(
        self,
        connection: Connection,
        question: Question,
        understood: Understood,
        scope: Scope,
        caches: QueryCaches,
    ) -> None:
        self.connection, self.question = connection, question
        self.asked, self.tail, self.vector = understood.asked, understood.tail, understood.vector
        self.scope, self.caches = scope, caches
        self.most = max(CANDIDATES, scope.limit)
        self.full_match = 1.0 if self.vector is None else FULL_MATCH
        self.allowed = None if scope.where is None else chunks_where(connection, scope.where)
        self.by_words = list(self._worths(self.asked.terms).values())
        self.beside: list[dict[int, float]] = []
        self.by_meaning = self._by_meaning()

    # ------------------------------------------------------------------------------------------------------ candidates

    def _worths(self, terms: Terms) -> dict[str, dict[int, float]]:
        """What each term is worth where; the undreamt texts among them."""
        looked_up = postings(self.connection, terms.looked_up)
        found = dict(zip((term.term for term in terms.looked_up), looked_up, strict=True))
        if self.tail.texts:
            for term, undreamt in zip(terms.every, self.tail.postings(terms, self._in_scope()), strict=True):
                found.setdefault(term.term, {}).update(undreamt)
        return found

    def _in_scope(self) -> Callable[[Passage], bool]:
        told = _messages_where(self.connection, self.tail, self.scope.where)
        return lambda passage: (
            (self.scope.tools or passage.role != "tool") and (told is None or passage.message_seq in told)
        )

    def _by_meaning(self) -> dict[int, float]:
        """The cosines of the chunks that lie nearest."""
        if self.vector is None:
            return {}
        most = self.question.config.embedding_max_scan
        if self.allowed is not None and len(self.allowed) <= most:
            near = similarities(self.connection, "chunk", self.allowed, self.vector)
        else:
            wanted = 3 * self.most if self.allowed is None else 40 * self.most
            near = dict(nearest(self.connection, "chunk", self.vector, wanted, most, self.caches.signs))
        return {name: near[name] for name in self._best(near)}

    def _best(self, scores: Mapping[int, float]) -> list[int]:
        """The best of these that are in scope, the best first."""
        if self.allowed is not None:
            scores = {n: s for n, s in scores.items() if n in self.allowed or n in self.tail.texts}
        least = nlargest(3 * self.most, scores.values())[-1:]
        best = [name for name, score in scores.items() if least and score >= least[0]]
        best.sort(key=lambda name: (-scores[name], name))
        kept = list[int]()
        while best and len(kept) < self.most:
            some, best = best[: self.most], best[self.most :]
            kept += some if self.scope.tools else self._without_tools(some)
        return kept[: self.most]

    def _without_tools(self, names: Sequence[int]) -> list[int]:
        """Those of these that people or assistants said."""
        kept = spoken(self.connection, names)
        return [name for name in names if name in kept or name in self.tail.texts]

    @cached_property
    def best_by_words(self) -> list[int]:
        """Those that the terms bring, the best first."""
        return self._best(self._own())

    def _own(self) -> dict[int, float]:
        """What all terms together are worth in each chunk."""
        if not self.by_words:
            return {}
        *parts, commonest = sorted([*self.by_words, *self.beside], key=len)
        total = dict(commonest)
        for part in parts:
            for name, worth in part.items():
                total[name] = total.get(name, 0.0) + worth
        return total

    # ----------------------------------------------------------------------------------------------------------- fusion

    def ranked(self) -> list[FtsHit]:
        """Reciprocal rank fusion of the two lists, and nothing else."""
        scores, reasons = dict[int, float](), dict[int, list[str]]()
        lists = ((self.best_by_words, lambda name: "keyword"), (list(self.by_meaning), self._semantic))
        for names, reason in lists:
            for rank, name in enumerate(names, start=1):
                scores[name] = scores.get(name, 0.0) + reciprocal_rank_fusion(rank)
                reasons.setdefault(name, []).append(reason(name))
        first = nlargest(self.scope.limit, scores, key=lambda name: (scores[name], -name))
        told = self._passages(first)
        return [_hit(told[name], scores[name], reasons[name]) for name in first if name in told]

    def _semantic(self, name: int) -> str:
        return f"semantic_{semantic_score(self.by_meaning[name]):.2f}"

    def fused(self) -> list[FtsHit]:
        """The convex combination, with what neighbours say and what the question asks for."""
        if self.vector is None:
            self._look_beside()
        return [_hit(one.passage, score, self._reasons(one)) for score, one in self._scored(self.scope.limit)]

    def _look_beside(self) -> None:
        """Look up what stands beside the question's words in the first hits."""
        first = self._scored(LEARNT_FROM)
        told = [Told(one.passage.text, score / first[0][0]) for score, one in first]
        learnt = beside(self.connection, self.asked.terms, told, self.tail, self.caches.counts(self.connection))
        self.beside = [
            {name: learnt.worth[term] * worth for name, worth in worths.items()}
            for term, worths in self._worths(learnt.terms).items()
        ]
        self.__dict__.pop("best_by_words", None)

    def _scored(self, most: int) -> list[tuple[float, _Found]]:
        """The best of what was found, with their scores."""
        found = self._found()
        cosines = [one.closeness for one in found if one.closeness is not None]
        low, high = (min(cosines), max(cosines)) if cosines else (0.0, 0.0)
        scored = [(self._score(one, low, high), one) for one in found]
        best = nlargest(most, scored, key=lambda item: (item[0], item[1].passage.said_at, -item[1].passage.chunk_id))
        return [(score, one) for score, one in best if score > 0]

    def _found(self) -> list[_Found]:
        hits = list(dict.fromkeys([*self.best_by_words, *self.by_meaning]))
        chain = _joined(
            links(self.connection, [name for name in hits if name not in self.tail.texts]), self.tail.links()
        )
        around = {near for name in hits for near in self._around(chain, name) if near is not None}
        told = self._passages({*hits, *around})
        every = {*told, *(near for name in told for near in self._around(chain, name) if near is not None)}
        cosines = similarities(self.connection, "chunk", every, self.vector) if self.vector is not None else {}
        within_reach = self._within_reach()
        return [
            self._judged(passage, self._around(chain, name), cosines, within_reach) for name, passage in told.items()
        ]

    def _around(self, chain: Links, name: int) -> tuple[int | None, ...]:
        """The chunks around one that may count for it."""
        around = chain.around(name)
        if not self.scope.sealed or self.allowed is None:
            return around
        return tuple(near if near in self.allowed or near in self.tail.texts else None for near in around)

    def _within_reach(self) -> float:
        """The BM25 of a text, made for the question, in which each of its terms stands again and again."""
        terms = self.asked.terms
        return 2.2 * sum(inverse_document_frequency(term.texts, terms.texts) for term in terms.every)

    def _judged(
        self, passage: Passage, around: tuple[int | None, ...], cosines: Mapping[int, float], within_reach: float
    ) -> _Found:
        name, lean = passage.chunk_id, reliance(len(passage.text))
        near_by = [(near, lean * share) for near, share in zip(around, NEARBY, strict=True) if near]
        own, gained = _worth(self.by_words, name, near_by)
        besides = sum(_worth(self.beside, name, near_by))
        cosine = cosines.get(name)
        closeness = None
        if cosine is not None:
            shares = zip(NEARBY_MEANING, around, strict=True)
            closeness = cosine + lean * sum(share * cosines.get(near, 0.0) for share, near in shares if near)
        words = coverage(own + gained + besides, within_reach, self.full_match)
        return _Found(passage, words, own > 0, gained > 0, besides > 0, cosine, closeness)

    def _score(self, one: _Found, low: float, high: float) -> float:
        if self.vector is None or one.closeness is None:
            score = one.words
        else:
            near = (one.closeness - low) / (high - low) if high > low else semantic_score(one.cosine)
            score = convex_fusion(one.words, near)
        factors = {"speaker": SPEAKER, "date": DATED, "time": TIMED}
        for cue in self._cues(one.passage):
            score *= factors[cue]
        if one.passage.role == "user" and self.asked.cues.favours_the_user:
            score *= USER
        return score * ASKING if only_asks(one.passage.text, SHORT_QUESTION) else score

    def _cues(self, passage: Passage) -> list[str]:
        """What the question asks for besides its words and is there."""
        asked = self.asked
        there = {
            "speaker": passage.peer_id in asked.speakers,
            "date": asked.cues.dated(passage.said_at),
            "time": asked.cues.asks_when and names_a_time(passage.text),
        }
        return [cue for cue, holds in there.items() if holds]

    def _reasons(self, one: _Found) -> list[str]:
        name = one.passage.chunk_id
        reasons = ["keyword"] if one.own_words else []
        if name in self.by_meaning:
            reasons.append(self._semantic(name))
        if one.from_neighbours:
            reasons.append("neighbour")
        if one.beside:
            reasons.append("beside")
        reasons += self._cues(one.passage)
        return [*reasons, "undreamt"] if name in self.tail.texts else reasons

    def _passages(self, names: Iterable[int]) -> dict[int, Passage]:
        """The passages of these that are in scope."""
        undreamt = {name: self.tail.texts[name].passage for name in names if name in self.tail.texts}
        stored = [name for name in names if name not in undreamt and (self.allowed is None or name in self.allowed)]
        told = {passage.chunk_id: passage for passage in passages(self.connection, stored)}
        in_scope = self._in_scope() if undreamt else lambda passage: self.scope.tools or passage.role != "tool"
        return {name: passage for name, passage in {**told, **undreamt}.items() if in_scope(passage)}


def _worth(
    parts: Iterable[Mapping[int, float]], name: int, near_by: Sequence[tuple[int, float]]
) -> tuple[float, float]:
    """What terms are worth in a chunk, and what is added where they are worth more in a neighbour, its share taken."""
    own = gained = 0.0
    for part in parts:
        here = there = part.get(name, 0.0)
        for near, share in near_by:
            if near in part:
                there = max(there, share * part[near])
        own, gained = own + here, gained + there - here
    return own, gained


def _messages_where(connection: Connection, tail: Tail, where: Where | None) -> set[int] | None:
    """Of the undreamt messages, the numbers of those for which a condition holds; None where there is no condition."""
    if where is None:
        return None
    return messages_where(connection, {text.passage.message_seq for text in tail.texts.values()}, where)


def _joined(one: Links, other: Links) -> Links:
    return Links({**one.before, **other.before}, {**one.after, **other.after})


def _hit(passage: Passage, score: float, reasons: list[str]) -> FtsHit:
    return FtsHit(
        passage.chunk_id,
        passage.session_id,
        passage.said_at,
        passage.text,
        score,
        tuple(reasons),
        passage.message_id,
        passage.peer_id,
        cast(Role, passage.role),
    )
