"""Workspaces: get or create, list, change, delete."""

from fastapi import APIRouter
from starlette.responses import Response

from hymem.store.filters import WORKSPACES
from hymem.store.pages import Slice
from hymem.store.sessions import list_sessions
from hymem.store.where import EVERYTHING
from serving.honcho import answers, shapes
from serving.honcho.asking import Asked, Open, Which, WorkspaceId, where
from serving.honcho.errors import Refusal
from serving.honcho.models import WorkspaceCreate, WorkspaceUpdate

router = APIRouter(tags=["workspaces"])


@router.post("/workspaces", response_model=answers.Workspace, responses={201: {"model": answers.Workspace}})
def get_or_create_workspace(body: WorkspaceCreate, workspaces: Open) -> Response:
    """The workspace of that id, made with what is given where there is none; one that is there stays as it is."""
    record, created = workspaces.ensure(body.id, body.metadata, body.configuration.told())
    return shapes.answer(shapes.workspace(record), 201 if created else 200)


@router.post(
    "/workspaces/list", response_model=answers.NumberedPage[answers.Workspace] | answers.CursorPage[answers.Workspace]
)
def list_workspaces(workspaces: Open, asked: Asked, body: Which = None) -> Response:
    """Workspaces, the oldest first."""
    found, records = workspaces.listed(where(body, WORKSPACES), asked)
    return shapes.page(found, records, shapes.workspace, asked)


@router.get("/workspaces/{workspace_id}", response_model=answers.Workspace)
def get_workspace(workspace_id: WorkspaceId, workspaces: Open) -> Response:
    """Extension: the workspace, and 404 where there is none."""
    return shapes.answer(shapes.workspace(workspaces.record(workspace_id)))


@router.put("/workspaces/{workspace_id}", response_model=answers.Workspace)
def update_workspace(workspace_id: WorkspaceId, body: WorkspaceUpdate, workspaces: Open) -> Response:
    """Replace the metadata, and the members of the configuration that are given; makes the workspace where there is none."""
    configuration = body.configuration.told() if body.configuration else None
    return shapes.answer(shapes.workspace(workspaces.update(workspace_id, body.metadata, configuration)))


@router.delete("/workspaces/{workspace_id}", status_code=202, response_model=answers.Notice)
def delete_workspace(workspace_id: WorkspaceId, workspaces: Open) -> Response:
    """Remove a workspace that has no sessions any more."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        sessions, _ = list_sessions(connection, EVERYTHING, Slice(size=1))
    if sessions.total:
        raise Refusal(409, f"workspace {workspace_id!r} has {sessions.total} active sessions: delete them first")
    workspaces.delete(workspace_id)
    return shapes.answer({"message": "Workspace deletion accepted"}, 202)


@router.get("/workspaces/{workspace_id}/conflicts", response_model=answers.Conflicts)
def list_conflicts(workspace_id: WorkspaceId, workspaces: Open) -> Response:
    """Extension: pairs of facts that cannot both hold, as of the last dream; no model is asked."""
    with workspaces.use(workspace_id) as memory:
        return shapes.answer({"conflicts": [shapes.conflict(found) for found in memory.conflicts()]})
