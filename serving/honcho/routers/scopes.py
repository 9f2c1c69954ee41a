"""Scopes: views over chosen sessions."""

from fastapi import APIRouter
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store import scopes
from hymem.store.connection import Connection
from hymem.store.pages import Page
from hymem.store.peers import PeerRecord, list_peers, read_peer
from hymem.store.session_peers import list_peer_sessions
from hymem.store.where import EVERYTHING
from serving.honcho import answers, shapes
from serving.honcho.asking import Asked, Name, Open, WorkspaceId
from serving.honcho.models import ScopeCreate, ScopeSessions

router = APIRouter(prefix="/workspaces/{workspace_id}/scopes", tags=["scopes"])


@router.post("", response_model=answers.Scope, responses={201: {"model": answers.Scope}})
def get_or_create_scope(workspace_id: WorkspaceId, body: ScopeCreate, workspaces: Open) -> Response:
    """The scope of that id; 409 where a peer bears its name."""
    with workspaces.use(workspace_id, create=True) as memory, memory.writing() as connection:
        created = scopes.ensure_scope(connection, body.id, workspaces.clock(), body.metadata)
        record = _need(connection, body.id)
    return shapes.answer(shapes.scope(record), 201 if created else 200)


@router.post("/list", response_model=answers.NumberedPage[answers.Scope] | answers.CursorPage[answers.Scope])
def list_scopes(workspace_id: WorkspaceId, workspaces: Open, asked: Asked) -> Response:
    """Scopes, the oldest first."""
    found, records = Page([], 0), []
    if workspaces.has(workspace_id):
        with workspaces.use(workspace_id) as memory, memory.reading() as connection:
            found, records = list_peers(connection, EVERYTHING, asked, "scope")
    return shapes.page(found, records, shapes.scope, asked)


@router.get("/{scope_id}", response_model=answers.Scope)
def get_scope(workspace_id: WorkspaceId, scope_id: Name, workspaces: Open) -> Response:
    """One scope."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        return shapes.answer(shapes.scope(_need(connection, scope_id)))


@router.post("/{scope_id}/sessions", status_code=204, response_class=Response)
def add_sessions(workspace_id: WorkspaceId, scope_id: Name, body: ScopeSessions, workspaces: Open) -> Response:
    """Let a scope look at sessions; 404 where one is missing, and then at none of them."""
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        _need(connection, scope_id)
        if missing := scopes.missing_sessions(connection, body.session_ids):
            raise UnknownError(f"no session {', '.join(map(repr, missing))}")
        scopes.add_sessions(connection, scope_id, body.session_ids, workspaces.clock())
    return shapes.nothing()


@router.post(
    "/{scope_id}/sessions/list",
    response_model=answers.NumberedPage[answers.Session] | answers.CursorPage[answers.Session],
)
def list_sessions_of_scope(workspace_id: WorkspaceId, scope_id: Name, workspaces: Open, asked: Asked) -> Response:
    """The sessions that a scope looks at."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        _need(connection, scope_id)
        found, records = list_peer_sessions(connection, scopes.PREFIX + scope_id, EVERYTHING, asked)
    return shapes.page(found, records, lambda record: shapes.session(workspace_id, record), asked)


@router.delete("/{scope_id}/sessions/{session_id}", status_code=204, response_class=Response)
def remove_session(workspace_id: WorkspaceId, scope_id: Name, session_id: Name, workspaces: Open) -> Response:
    """Let a scope look at a session no more."""
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        _need(connection, scope_id)
        scopes.remove_session(connection, scope_id, session_id)
    return shapes.nothing()


@router.get("/{scope_id}/status", response_model=answers.ScopeStatus)
def scope_status(workspace_id: WorkspaceId, scope_id: Name, workspaces: Open) -> Response:
    """Since when a scope has looked at each of its sessions."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        _need(connection, scope_id)
        return shapes.answer(shapes.scope_status(scopes.scope_joins(connection, scope_id)))


def _need(connection: Connection, scope_id: str) -> PeerRecord:
    record = read_peer(connection, scopes.PREFIX + scope_id) if scopes.is_scope(connection, scope_id) else None
    if record is None:
        raise UnknownError(f"no scope {scope_id!r}")
    return record
