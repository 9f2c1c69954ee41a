"""What a person does from the page: deny a fact, take that back, say that two names are one, let it dream.

Before a denial or a name counts, a preview tells what would go: memory is computed with it, in a transaction that is rolled back.
"""

from typing import Annotated

from fastapi import APIRouter, Request
from pydantic import BaseModel, Field
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.records import Edge
from hymem.store.graph import edges_by_id
from serving.honcho.asking import WorkspaceId
from serving.honcho.shapes import answer
from serving.memory import HyMem
from serving.page.child import told_by
from serving.page.guard import FromThePage
from serving.page.state import Page

router = APIRouter(prefix="/workspaces/{workspace_id}/page", include_in_schema=False, dependencies=[FromThePage])

EdgeId = Annotated[str, Field(pattern="^[0-9a-f]{16}$")]
Name = Annotated[str, Field(min_length=1, max_length=512)]


class Verdict(BaseModel):
    """A person's word on an edge; with `preview` nothing is changed."""

    edge: EdgeId
    reason: Annotated[str, Field(max_length=2000)] = ""
    preview: bool = False


class Naming(BaseModel):
    """That one name means another; with `preview` nothing is changed."""

    alias: Name
    canonical: Name
    preview: bool = False


@router.post("/retract")
def retract(workspace_id: WorkspaceId, body: Verdict, page: Page, request: Request) -> Response:
    """Deny an edge, and dream; or tell what would go with it."""
    with page.workspaces.use(workspace_id) as memory:
        named, root = _named(memory, body.edge), memory.root
        done = not body.preview and memory.retract_edge(*named, body.reason or None)
    if body.preview:
        return answer(told_by(root, "retract", "--preview", "--", *named))
    request.app.state.server.kick(workspace_id, at_once=True)
    return answer({"changed": done})


@router.post("/restore")
def restore(workspace_id: WorkspaceId, body: Verdict, page: Page, request: Request) -> Response:
    """Take a retraction back, and dream."""
    with page.workspaces.use(workspace_id) as memory:
        done = memory.restore_edge(*_named(memory, body.edge), body.reason or None)
    request.app.state.server.kick(workspace_id, at_once=True)
    return answer({"changed": done})


@router.post("/alias")
def alias(workspace_id: WorkspaceId, body: Naming, page: Page, request: Request) -> Response:
    """Say that two names mean one thing, and dream; or tell what would be another."""
    if body.preview:
        with page.workspaces.use(workspace_id) as memory:
            root = memory.root
        return answer(told_by(root, "alias", "--preview", "--", body.alias, body.canonical))
    with page.workspaces.use(workspace_id) as memory:
        done = memory.alias(body.alias, body.canonical)
    request.app.state.server.kick(workspace_id, at_once=True)
    return answer({"changed": done})


@router.post("/dream")
def dream(workspace_id: WorkspaceId, page: Page, request: Request) -> Response:
    """Dream now, beside the server."""
    if not page.workspaces.has(workspace_id):
        raise UnknownError(f"no workspace {workspace_id!r}")
    request.app.state.server.kick(workspace_id, at_once=True)
    return answer({"state": request.app.state.server.dream_status(workspace_id).state})


def _named(memory: HyMem, edge_id: str) -> tuple[str, str, str]:
    with memory.reading() as connection:
        edge: Edge | None = edges_by_id(connection, [int(edge_id, 16)]).get(int(edge_id, 16))
    if edge is None:
        raise UnknownError("this fact is not there any more: a dream may have come between; look again")
    return edge.subject, edge.predicate, edge.object
