"""The one place that knows what shape an answer has: from records to what honcho-ai expects.

Answers are built as plain objects and written as JSON at once; what they promise stands in `answers.py`, and tests hold the two
together.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from math import ceil
from typing import TYPE_CHECKING, Any, TypeVar

from starlette.responses import Response

from hymem.records import Edge
from hymem.store.conclusions import ConclusionRecord
from hymem.store.conversation import MessageRecord
from hymem.store.pages import Page, Slice
from hymem.store.peers import PeerRecord
from hymem.store.scopes import PREFIX
from hymem.store.session_peers import Attention
from hymem.store.sessions import SessionRecord
from hymem.store.workspace import WorkspaceRecord
from serving.honcho.concluding import in_words
from serving.honcho.session_context import SessionContext
from serving.honcho.summaries import Summaries, Summary
from serving.recall.conflicts import Conflict
from serving.recall.facts import GraphFact

if TYPE_CHECKING:
    from serving.honcho.answering import Findings

Record = TypeVar("Record")
Shape = dict[str, Any]


def answer(content: Any, status: int = 200) -> Response:
    """A response with JSON in it."""
    body = json.dumps(content, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace")
    return Response(body, status, media_type="application/json")


def nothing() -> Response:
    """A response that says only that it was done."""
    return Response(status_code=204)


def workspace(record: WorkspaceRecord) -> Shape:
    """A workspace."""
    return {
        "id": record.workspace_id,
        "metadata": record.metadata,
        "configuration": record.configuration,
        "created_at": record.created_at,
    }


def peer(workspace_id: str, record: PeerRecord) -> Shape:
    """A peer."""
    return {
        "id": record.peer_id,
        "workspace_id": workspace_id,
        "created_at": record.created_at,
        "metadata": record.metadata,
        "configuration": record.configuration,
        "role": record.role,
    }


def session(workspace_id: str, record: SessionRecord) -> Shape:
    """A session; one that was deleted is no more, so those that are there are active."""
    return {
        "id": record.session_id,
        "is_active": True,
        "workspace_id": workspace_id,
        "metadata": record.metadata,
        "configuration": record.configuration,
        "created_at": record.created_at,
    }


def message(workspace_id: str, record: MessageRecord) -> Shape:
    """A message."""
    return {
        "id": record.message_id,
        "content": record.content,
        "peer_id": record.peer_id,
        "session_id": record.session_id,
        "metadata": record.metadata,
        "created_at": record.created_at,
        "workspace_id": workspace_id,
        "token_count": record.token_count,
    }


def conclusion(record: ConclusionRecord) -> Shape:
    """A conclusion."""
    return {
        "id": record.conclusion_id,
        "content": record.content,
        "observer_id": record.observer_id,
        "observed_id": record.observed_id,
        "session_id": record.session_id,
        "level": record.level,
        "created_at": record.created_at,
        "source_ids": list(record.source_ids),
        "times_derived": record.times_derived,
    }


def fact(found: GraphFact) -> Shape:
    """A fact as an answer tells it."""
    return {
        "fact": in_words(found.edge),
        "subject": found.subject,
        "predicate": found.predicate,
        "object": found.object,
        "confidence": round(found.confidence, 4),
        "negated": found.negated,
        "derived": found.derived,
        "why": list(found.why_retrieved),
    }


def evidence(findings: "Findings") -> Shape:
    """What an answer was made from."""
    kept = ("id", "level", "content", "created_at", "session_id", "observer_id", "observed_id", "source_ids")
    read = [conclusion(record) for record in findings.conclusions]
    return {
        "conclusions": [{name: told[name] for name in kept} for told in read],
        "messages": [
            {
                "id": hit.message.message_id,
                "session_id": hit.message.session_id,
                "peer_id": hit.message.peer_id,
                "created_at": hit.message.created_at,
            }
            for hit in findings.quotes
        ],
        "tool_calls": [],
        "reasoning_trace_id": None,
    }


def conflict(found: Conflict) -> Shape:
    """Two facts that cannot both hold."""
    return {
        "kind": found.kind,
        "subject": found.subject,
        "first": _side(found.first),
        "second": _side(found.second),
        "reason": found.reason,
    }


def _side(edge: Edge) -> Shape:
    return {
        "fact": in_words(edge),
        "predicate": edge.predicate,
        "object": edge.object,
        "confidence": round(edge.confidence, 4),
        "last_seen": edge.last_seen,
    }


def summary(told: Summary | None) -> Shape | None:
    """A summary."""
    return None if told is None else asdict(told)


def summaries(session_id: str, told: Summaries) -> Shape:
    """Both summaries of a session."""
    return {"id": session_id, "short_summary": summary(told.short), "long_summary": summary(told.long)}


def session_context(workspace_id: str, told: SessionContext) -> Shape:
    """A session's context."""
    return {
        "id": told.session_id,
        "messages": [message(workspace_id, record) for record in told.messages],
        "summary": summary(told.summary),
        "peer_representation": told.knowledge.representation,
        "peer_card": told.knowledge.card,
    }


def scope(record: PeerRecord) -> Shape:
    """A scope."""
    return {
        "id": record.peer_id.removeprefix(PREFIX),
        "metadata": record.metadata,
        "created_at": record.created_at,
    }


def scope_status(joins: Mapping[str, str]) -> Shape:
    """Since when a scope has looked at its sessions."""
    done = {"state": "completed", "docs_copied": 0}
    return {"backfill_status": {name: {**done, "updated_at": since} for name, since in joins.items()}}


def attention(said: Attention) -> Shape:
    """What holds for a peer in a session."""
    return {"observe_me": said.observe_me, "observe_others": said.observe_others}


def page(found: Page, records: Iterable[Record], shape: Callable[[Record], Shape], asked: Slice) -> Response:
    """A page of a list."""
    items = [shape(record) for record in records]
    if found.total is None:
        return answer(
            {
                "items": items,
                "total": None,
                "current_page": found.here,
                "current_page_backwards": found.here_backwards,
                "previous_page": found.before,
                "next_page": found.after,
            }
        )
    pages = ceil(found.total / asked.size)
    return answer({"items": items, "total": found.total, "page": asked.number, "size": asked.size, "pages": pages})
