"""Answers from memory: the facts, the conclusions and the quotes that bear on a question, as plain prose.

No model is asked. Where nothing bears on the question, what was learnt last is told, and told as that; where nothing is
remembered at all, there is no answer. Turns that nothing may be learnt from are not quoted, and facts that were deleted not told.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Final

from hymem.prompts import is_trivial_prompt
from hymem.records import MessageHit
from hymem.store.conclusions import ConclusionRecord, deletions
from hymem.store.messages import last_observed
from hymem.store.where import Where
from serving.honcho.concluding import in_words
from serving.honcho.perspective import Perspective
from serving.honcho.relevance import by_relevance
from serving.memory import HyMem
from serving.recall.facts import GraphFact
from serving.recall.ranker import RECENCY

OBSERVED: Final = Where("m.observed = 1", {})
MOST_CONCLUSIONS: Final = 10
MOST_QUOTES: Final = 3
QUOTED: Final = 300
"""Characters of a message that are quoted, at most."""

LAST_LEARNT: Final = "What was learnt last:"
LAST_SAID: Final = "What was said last:"


@dataclass(frozen=True)
class Findings:
    """What was found for a question, each the best first; `beside` where none of it bears on the question."""

    question: str
    facts: tuple[GraphFact, ...] = ()
    conclusions: tuple[ConclusionRecord, ...] = ()
    quotes: tuple[MessageHit, ...] = ()
    beside: bool = False

    def statements(self) -> list[str]:
        """Facts and conclusions in words, each once."""
        told = [*(in_words(fact.edge) for fact in self.facts), *(record.content for record in self.conclusions)]
        return list(dict.fromkeys(told))

    def prose(self) -> str | None:
        """The answer; None where there is none."""
        parts = [" ".join(map(_as_sentence, self.statements())), "\n".join(map(_quoted, self.quotes))]
        told = "\n\n".join(part for part in parts if part)
        if self.beside and told:
            return f"{LAST_LEARNT if self.statements() else LAST_SAID} {told}"
        return told or None


def found_by(perspective: Perspective, question: str) -> Findings:
    """What an observer can answer about the observed peer."""
    if is_trivial_prompt(question):
        return Findings(question)
    every = perspective.conclusions()
    facts, quotes = _recalled(perspective.memory, perspective.ledger, question)
    bearing = tuple(fact for fact in facts if _bears(fact))
    records = by_relevance(perspective, question, every, MOST_CONCLUSIONS)
    if bearing or records or quotes:
        return Findings(question, bearing, tuple(records), quotes)
    newest = sorted(every, key=lambda record: record.created_at, reverse=True)[:MOST_CONCLUSIONS]
    return Findings(question, facts, tuple(newest), () if facts or newest else _last(perspective.memory), beside=True)


def found_in(memory: HyMem | None, ledger: HyMem, question: str) -> Findings:
    """What a memory answers as a whole; `ledger` is the workspace's own, which knows what was deleted."""
    if is_trivial_prompt(question):
        return Findings(question)
    facts, quotes = _recalled(memory, ledger, question)
    bearing = tuple(fact for fact in facts if _bears(fact))
    if bearing or quotes:
        return Findings(question, bearing, (), quotes)
    return Findings(question, facts, (), () if facts else _last(memory), beside=True)


def undeleted(facts: Iterable[GraphFact], ledger: HyMem) -> tuple[GraphFact, ...]:
    """The facts that no client deleted, or that were said anew since."""
    with ledger.reading() as connection:
        deleted = deletions(connection)
    return tuple(fact for fact in facts if fact.edge.last_seen > deleted.get(fact.edge.edge_id, ""))


def _recalled(
    memory: HyMem | None, ledger: HyMem, question: str
) -> tuple[tuple[GraphFact, ...], tuple[MessageHit, ...]]:
    """The facts and the quotes that recall brings."""
    if memory is None:
        return (), ()
    hits = memory.search(question, limit=2 * MOST_QUOTES, where=OBSERVED, sealed=True)
    quotes = tuple(islice((hit for hit in hits if _bears_itself(hit)), MOST_QUOTES))
    return undeleted(memory.graph_facts(question), ledger), quotes


def _last(memory: HyMem | None) -> tuple[MessageHit, ...]:
    """What was said last, where nothing is learnt yet."""
    if memory is None:
        return ()
    with memory.reading() as connection:
        said = last_observed(connection, MOST_QUOTES)
    return tuple(MessageHit(message, 0.0, ("last",)) for message in said)


def _bears(fact: GraphFact) -> bool:
    """Whether it was found for what the question says, and not for being the last that was learnt."""
    return RECENCY not in fact.why_retrieved


def _bears_itself(hit: MessageHit) -> bool:
    """Whether it was found for what it says, and not for what was said beside it."""
    return any(reason == "keyword" or reason.startswith("semantic") for reason in hit.why_retrieved)


def _as_sentence(statement: str) -> str:
    told = statement[:1].upper() + statement[1:]
    return told if told.endswith((".", "!", "?", "…")) else f"{told}."


def _quoted(hit: MessageHit) -> str:
    text = " ".join(hit.message.content.split())
    short = text if len(text) <= QUOTED else f"{text[:QUOTED].rsplit(' ', 1)[0]} …"
    return f"{hit.message.peer_id} said on {hit.message.created_at[:10]}: “{short}”"


def pieces(text: str) -> Iterable[str]:
    """An answer in pieces, as a stream brings it: word by word, with the spaces."""
    start = 0
    while start < len(text):
        end = text.find(" ", start) + 1 or len(text)
        yield text[start:end]
        start = end
