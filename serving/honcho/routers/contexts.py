"""What a model is to be told of a session: its context within so many tokens, and its summaries."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store.sessions import read_session
from serving.honcho import answers, shapes
from serving.honcho.asking import Name, Open, WorkspaceId, peer_name
from serving.honcho.errors import Refusal
from serving.honcho.models import SessionContextAsked
from serving.honcho.routers.representations import choice
from serving.honcho.security import Claims
from serving.honcho.session_context import Target, session_context
from serving.honcho.summaries import summaries

router = APIRouter(prefix="/workspaces/{workspace_id}/sessions/{session_id}", tags=["sessions"])


@router.get("/context", response_model=answers.SessionContext)
def get_context(
    workspace_id: WorkspaceId,
    session_id: Name,
    workspaces: Open,
    asked: Annotated[SessionContextAsked, Query()],
    request: Request,
) -> Response:
    """The newest messages, a summary of the session, and what is known of a peer; empty where there is no such session.

    Whoever asks with the token of a session knows a peer from that session alone.
    """
    claims: Claims | None = getattr(request.state, "claims", None)
    if claims is not None and claims.session is not None and asked.sessions is None:
        asked = asked.model_copy(update={"limit_to_session": True})
    told = session_context(
        workspaces,
        workspace_id,
        session_id,
        tokens=asked.tokens,
        with_summary=asked.summary,
        target=_target(session_id, asked),
        choice=choice(asked, asked.include_most_frequent),
    )
    return shapes.answer(shapes.session_context(workspace_id, told))


@router.get("/summaries", response_model=answers.Summaries)
def get_summaries(workspace_id: WorkspaceId, session_id: Name, workspaces: Open) -> Response:
    """A short and a long summary, as dreams noted them; null where they noted nothing yet."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        if read_session(connection, session_id) is None:
            raise UnknownError(f"no session {session_id!r}")
        return shapes.answer(shapes.summaries(session_id, summaries(connection, session_id)))


def _target(session_id: str, asked: SessionContextAsked) -> Target | None:
    """Of whom knowledge is asked for; raises `Refusal` for what cannot be asked together."""
    for name in ("peer_perspective", "scope", "sessions"):
        if getattr(asked, name) is not None and asked.peer_target is None:
            raise Refusal(422, f"{name} needs peer_target: name the peer that is meant")
    if asked.scope is not None and asked.peer_perspective is not None:
        raise Refusal(422, "scope and peer_perspective exclude each other: one of them looks")
    if asked.sessions is not None:
        if asked.scope is not None or asked.limit_to_session:
            raise Refusal(422, "sessions excludes scope and limit_to_session")
        if session_id not in asked.sessions:
            raise Refusal(422, f"sessions must name this session too: {session_id!r}")
    if asked.peer_target is None:
        return None
    observed = peer_name(asked.peer_target)
    observer = peer_name(asked.peer_perspective or asked.peer_target)
    sessions = [session_id] if asked.limit_to_session else asked.sessions
    named = None if sessions is None else tuple(sessions)
    return Target(observed, observer, named, (asked.scope,) if asked.scope else ())
