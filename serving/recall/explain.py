"""Why something was not recalled: the step at which it was lost between somebody's saying it and the answer.

What is wanted is an edge ("api uses redis"), an entity, a message, an episode, a procedure or a told fact. The steps are those of
memory itself: it must have been said, read, understood, and not taken back; then the message must lead to it, and its score
must be good enough.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hymem.aliases import Aliases
from hymem.canonical import canonical_name, canonical_or_none
from hymem.mentions import NameFinder
from hymem.prompts import is_trivial_prompt
from hymem.records import Edge, FtsHit
from hymem.store.acts import alias_acts
from hymem.store.connection import Connection
from hymem.store.database import Database
from hymem.store.graph import edges_between, edges_of, entity_of
from hymem.store.whereabouts import (
    Reading,
    edges_from,
    everything_said,
    message_named,
    readings,
    was_retracted_by_a_person,
)
from hymem.vocabulary import fact_in_words
from serving.recall.asked import understood
from serving.recall.caches import QueryCaches
from serving.recall.explain_more import lost_experience, lost_fact
from serving.recall.facts import GraphFact
from serving.recall.graph import GraphRecall, recall_graph
from serving.recall.lost import Lost, Step, placed
from serving.recall.question import Question
from serving.recall.rerank import RerankerOf, reranked
from serving.recall.text import Scope, text_candidates

if TYPE_CHECKING:
    from hymem.models.embedding import EmbeddingClient

RANKED: Final = 1_000
"""Chunks among which a message's own are looked for."""


@dataclass(frozen=True)
class Explanation:
    """At which step something wanted was lost, in words; with its score and the last that was good enough, where it had one."""

    expecting: str
    lost_at: Step
    told: str
    score: float | None = None
    last_score: float | None = None

    @property
    def recalled(self) -> bool:
        """Whether nothing was lost."""
        return self.lost_at == "recalled"

    def __str__(self) -> str:
        """The explanation in words."""
        return self.told


def explained(
    database: Database,
    question: Question,
    caches: QueryCaches,
    client: "EmbeddingClient | None",
    reranker_of: RerankerOf,
    expecting: str,
) -> Explanation:
    """Where what is expected was lost, `augment` being done as it is; a reranker that was chosen is asked, too."""
    found = recall_graph(database, question, caches, client)
    asked = understood(database, question, caches, client)
    said = text_candidates(database, question, caches, asked, Scope(RANKED))
    texts = Texts(said.hits, *reranked(said, question, reranker_of))
    with database.reading() as connection:

        def elsewhere(wanted: str) -> Lost | None:
            told = lost_fact(connection, question, wanted)
            if told is not None or fact_in_words(wanted) is not None:
                return told  # a title in the words of an edge is taken for that
            return lost_experience(connection, question, asked, caches, wanted)

        return Explainer(connection, question, found, texts, elsewhere).explain(expecting)


@dataclass(frozen=True)
class Texts:
    """Pieces of conversation in their fused order, in that of the reranker, and why there is none."""

    fused: Sequence[FtsHit]
    hits: Sequence[FtsHit]
    trouble: str


@dataclass(frozen=True)
class Explainer:
    """Follows what is wanted along the steps, for one question and what the graph answered.

    `elsewhere` tells of what is neither in the graph nor a message.
    """

    connection: Connection
    question: Question
    recall: GraphRecall
    texts: Texts
    elsewhere: Callable[[str], Lost | None]

    def explain(self, expecting: str) -> Explanation:
        """Where a message id, an edge in words, an entity, or what is called so elsewhere was lost.

        Raises `InputError` for what names nothing.
        """
        if (seq := message_named(self.connection, expecting)) is not None:
            lost = self._message(seq, expecting)
        elif (fact := fact_in_words(expecting)) is not None:
            ends = self._entity(fact[0]), fact[1], self._entity(fact[2])
            known = edges_between(self.connection, *ends)
            lost = (None if known else self._elsewhere(expecting)) or self._edge(*ends)
        else:
            lost = self._called(expecting)
        return Explanation(expecting, lost.at, lost.told, lost.score, lost.last_score)

    def _called(self, name: str) -> Lost:
        """An entity; or what is called so where none is, even if it could be no entity's name."""
        known = canonical_or_none(name) is not None and entity_of(self.connection, self._entity(name)) is not None
        return (None if known else self._elsewhere(name)) or self._thing(self._entity(name))

    def _elsewhere(self, expecting: str) -> Lost | None:
        lost = self.elsewhere(expecting)
        return lost and (self._question_trivial() or lost)

    # ------------------------------------------------------------------------------------------------------ an edge

    def _edge(self, subject: str, predicate: str, object_: str) -> Lost:
        edges = edges_between(self.connection, subject, predicate, object_)
        if not edges:
            return self._never_learnt((subject, object_), f"states that {subject} {predicate} {object_}")
        in_force = [edge for edge in edges if edge.status != "retracted"]
        if not in_force:
            return self._retracted(edges[0])
        ends = " and ".join(self._not_leading_to(end) for end in (subject, object_))
        return self._question_trivial() or self._ranked(in_force) or Lost("matching", f"nothing leads there: {ends}")

    def _retracted(self, edge: Edge) -> Lost:
        if was_retracted_by_a_person(self.connection, (edge.subject, edge.predicate, edge.object)):
            return Lost(
                "retraction",
                "a person retracted it; two newer chunks that say it again, or `hymem restore`, bring it back",
            )
        return Lost(
            "retraction", f"it is believed too little: {edge.confidence:.3f} is under the threshold of retraction"
        )

    def _not_leading_to(self, entity: str) -> str:
        if entity in self.recall.candidates.anchors:
            return f"{entity} leads to other facts"
        if entity in self.recall.matching.passed_over:
            return f"{entity} does not count as a name, being the object of one edge only, without a type and without an alias"
        return f"the message does not name {entity}"

    # ---------------------------------------------------------------------------------------------------- an entity

    def _thing(self, entity: str) -> Lost:
        if entity_of(self.connection, entity) is None:
            return self._never_learnt((entity,), f"states anything of {entity}")
        edges = edges_of(self.connection, entity)
        if not edges:
            return Lost("retraction", f"every fact about {entity} is retracted")
        return self._question_trivial() or self._ranked(edges) or Lost("matching", self._not_leading_to(entity))

    def _entity(self, name: str) -> str:
        """The entity of a name, aliases followed; else the name in canonical form."""
        canonical = canonical_name(name)
        known = Aliases.replay(alias_acts(self.connection))
        names = (canonical, *sorted(known.surface_forms(canonical)))
        return next((entity for each in names if (entity := entity_of(self.connection, each))), canonical)

    # --------------------------------------------------------------------------------------------------- a message

    def _message(self, seq: int, message_id: str) -> Lost:
        chunks = readings(self.connection, [seq])
        hits = self.texts.hits
        places = [place for place, hit in enumerate(hits) if hit.message_id == message_id]
        if not (chunks or places):
            return Lost(
                "chunking",
                "no chunk was cut from it: a system prompt, nothing but what was recalled, or no dream since",
            )
        ids = {chunk.chunk_id for chunk in chunks}
        if trivial := self._question_trivial():
            return trivial
        known = edges_from(self.connection, ids)
        if any(fact.edge.edge_id in known for fact in self.recall.ranking.facts):
            return Lost("recalled", "a fact that rests on it is recalled")
        if not places:
            return Lost("words", _unfound(chunks))
        most = self.question.config.fts_top_k
        before = next((place for place, hit in enumerate(self.texts.fused) if hit.message_id == message_id), most)
        step: Step = "rerank_cut" if before < most else "fts_cut"
        lost = placed(places[0], [hit.score for hit in hits], most, step, "what was said that bears on the question")
        return lost._replace(told="; ".join([lost.told, *self._reranking(before, hits[places[0]])]))

    def _reranking(self, before: int, hit: FtsHit) -> list[str]:
        """What the reranker made of a hit, or why it did not."""
        grades = [code.removeprefix("relevance_") for code in hit.why_retrieved if code.startswith("relevance_")]
        made = [f"the reranker grades it {grade}, and it was number {before + 1} before" for grade in grades]
        return [*made, *([self.texts.trouble] if self.texts.trouble else [])]

    # ------------------------------------------------------------------------------------------------------- steps

    def _question_trivial(self) -> Lost | None:
        if is_trivial_prompt(self.question.text):
            return Lost("question", "the message asks nothing, and nothing is recalled for it")
        return None

    def _ranked(self, edges: Iterable[Edge]) -> Lost | None:
        """What the ranking made of the best of some edges; None where nothing led to any of them."""
        wanted = {edge.edge_id for edge in edges}
        ranking = self.recall.ranking
        last = min((fact.score for fact in ranking.facts), default=None)
        if fact := _first(ranking.facts, wanted):
            return Lost("recalled", f"it is number {ranking.facts.index(fact) + 1} of the facts", fact.score, last)
        if fact := _first(ranking.left_out, wanted):
            places = self.question.config.graph_top_k
            told = (
                f"its score of {fact.score:.4g} is not among the best {places}, the last of which has {last or 0:.4g}"
            )
            return Lost("graph_cut", told, fact.score, last)
        if cut := wanted & self.recall.candidates.cut.keys():
            score = max(self.question.prospect(self.recall.candidates.cut[edge_id]) for edge_id in cut)
            places = self.question.config.graph_top_k_per_entity
            return Lost("entity_cut", f"its entities have {places} better facts each, at {score:.4g}", score, last)
        return None

    def _never_learnt(self, ends: Sequence[str], statement: str) -> Lost:
        """At which step before the graph something was lost, where the graph does not know it."""
        naming = self._messages_naming(ends)
        if not naming:
            return Lost("ledger", f"no message names {' and '.join(ends)}")
        chunks = [chunk for chunk in readings(self.connection, naming) if chunk.salient]
        if not chunks:
            return Lost(
                "chunking",
                f"{len(naming)} messages name it, and no chunk for a model to read was cut from any: not a user's turn,"
                " not salient, or no dream since",
            )
        answered = [chunk for chunk in chunks if chunk.answered]
        if not answered:
            return Lost(
                "extraction",
                f"no model has answered about the {len(chunks)} chunks that name it: `hymem dream` asks",
            )
        reasons = list(dict.fromkeys(reason for chunk in answered for reason in chunk.refused))
        refused = f"; items were refused: {'; '.join(reasons[:3])}" if reasons else ""
        return Lost("extraction", f"no reply about the {len(answered)} chunks that name it {statement}{refused}")

    def _messages_naming(self, ends: Sequence[str]) -> list[int]:
        """The messages that name all of these; whoever speaks is named in their own words."""
        known = Aliases.replay(alias_acts(self.connection))
        forms = [{end, *known.surface_forms(end)} for end in ends]
        finders = [(names, NameFinder(names)) for names in forms]
        return [
            said.seq
            for said in everything_said(self.connection)
            if all(canonical_or_none(said.peer_id) in names or finder.find(said.content) for names, finder in finders)
        ]


def _unfound(chunks: Iterable[Reading]) -> str:
    if all(not chunk.kept for chunk in chunks):
        return "retention has let go of its text"
    return "it shares no word with the message"


def _first(facts: Iterable[GraphFact], wanted: Collection[int]) -> GraphFact | None:
    return next((fact for fact in facts if fact.edge.edge_id in wanted), None)
