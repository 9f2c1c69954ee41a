"""Chat: questions about a peer as another sees it, and about a workspace, answered from memory.

The answer is prose in `content`; `facts` has the facts of the graph behind it, each with the reasons for which it was found.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any, Final

from fastapi import APIRouter
from starlette.responses import Response, StreamingResponse

from hymem.errors import UnknownError
from hymem.store.perspectives import sessions_of
from hymem.store.scopes import PREFIX, is_scope
from serving.honcho import answers, shapes
from serving.honcho.answering import Findings, found_by, found_in, pieces
from serving.honcho.asking import Name, Open, WorkspaceId, peer_name
from serving.honcho.composing import composed, shaped
from serving.honcho.models import PeerChat, WorkspaceChat
from serving.honcho.perspective import perspective
from serving.memory import HyMem

router = APIRouter(prefix="/workspaces/{workspace_id}", tags=["chat"])

_STREAM: Final = {
    "content": {"text/event-stream": {}},
    "description": "the answer, or with `stream` its pieces as events",
}


@router.post("/peers/{peer_id}/chat", response_model=answers.Chat, responses={200: _STREAM})
def chat_with_peer(workspace_id: WorkspaceId, peer_id: Name, body: PeerChat, workspaces: Open) -> Response:
    """What a peer can answer of itself, or of `target`, from what it heard."""
    target = peer_name(body.target or peer_id)
    with perspective(
        workspaces, workspace_id, peer_name(peer_id), target, sessions=body.sessions(), scopes=body.scopes()
    ) as seen:
        findings = found_by(seen, body.query)
        return _answered(seen.ledger, body, findings)


@router.post("/chat", response_model=answers.Chat, responses={200: _STREAM})
def chat_with_workspace(workspace_id: WorkspaceId, body: WorkspaceChat, workspaces: Open) -> Response:
    """What a workspace's memory answers, as a whole or of a session or a scope."""
    with ExitStack() as open_ones:
        memory, views = open_ones.enter_context(workspaces.use_views(workspace_id))
        seen: HyMem | None = memory
        sessions = _chosen(memory, body)
        if sessions is not None:
            view = views.get(sessions=sessions, in_child=True, fresh=False)
            seen = open_ones.enter_context(view) if sessions else None
        return _answered(memory, body, found_in(seen, memory, body.query))


def _chosen(memory: HyMem, body: WorkspaceChat) -> list[str] | None:
    if body.session_id is not None:
        return [body.session_id]
    if body.scope is None:
        return None
    with memory.reading() as connection:
        if not is_scope(connection, body.scope):
            raise UnknownError(f"no scope {body.scope!r}")
        return sorted(sessions_of(connection, PREFIX + body.scope))


def _answered(ledger: HyMem, body: WorkspaceChat | PeerChat, findings: Findings) -> Response:
    if body.response_format is not None:
        content: str | None = shaped(ledger.llm, findings, body.response_format)
    elif ledger.llm is not None and body.reasoning_level not in (None, "minimal"):
        content = composed(ledger.llm, findings)
    else:
        content = findings.prose()
    beside: dict[str, Any] = {"facts": [shapes.fact(fact) for fact in findings.facts]}
    if body.include_evidence:
        beside["evidence"] = shapes.evidence(findings)
    if body.stream:
        return StreamingResponse(_events(content or "", beside), media_type="text/event-stream")
    return shapes.answer({"content": content, **beside})


def _events(content: str, beside: dict[str, Any]) -> Iterator[str]:
    for piece in pieces(content):
        yield _event({"delta": {"content": piece}, "done": False})
    yield _event({"done": True, **beside})


def _event(told: dict[str, Any]) -> str:
    return f"data: {json.dumps(told, ensure_ascii=False)}\n\n".encode("utf-8", "replace").decode()
