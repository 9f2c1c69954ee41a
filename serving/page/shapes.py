"""What the page is told: records as plain JSON, with the words that a person reads beside the numbers."""

from typing import Any

from hymem.digests import shown
from hymem.records import DreamRun, Edge
from hymem.vocabulary import verb_phrase
from serving.cli.printing import plain
from serving.recall import AugmentedContext
from serving.recall.conflicts import Conflict
from serving.recall.facts import sentence, value

Shape = dict[str, Any]


def edge(one: Edge) -> Shape:
    """An edge, with its sentence."""
    return {
        "id": shown(one.edge_id),
        "subject": one.subject,
        "predicate": one.predicate,
        "verb": verb_phrase(one.predicate, one.negated),
        "object": one.object,
        "value": value(one),
        "sentence": sentence(one),
        "status": one.status,
        "derived": one.derived,
        "faded": one.faded,
        "confidence": one.confidence,
        "pos_evidence": one.pos_evidence,
        "neg_evidence": one.neg_evidence,
        "decay_windows": one.decay_windows,
        "first_seen": one.first_seen,
        "last_seen": one.last_seen,
    }


def recalled(context: AugmentedContext) -> Shape:
    """What recall found, each with its reasons."""
    return {
        "facts": [{**edge(fact.edge), "score": fact.score, "why": fact.why_retrieved} for fact in context.graph_facts],
        "said": [plain(hit) for hit in context.fts_hits],
        "told": [plain(hit) for hit in context.facts],
        "entities": context.matched_entities,
        "degraded": context.degraded,
        "files": {"USER.md": context.user_md, "MEMORY.md": context.memory_md},
    }


def conflict(one: Conflict) -> Shape:
    """Two edges that cannot both hold, and why not."""
    return {"kind": one.kind, "reason": one.reason, "first": edge(one.first), "second": edge(one.second)}


def dream(one: DreamRun) -> Shape:
    """A dream."""
    return {**plain(one), "rows_changed": sum(one.changed.values())}
