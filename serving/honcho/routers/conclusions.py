"""Conclusions that clients write down: add, list, look at, delete."""

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store import conclusions
from hymem.store.connection import Connection
from hymem.store.filters import CONCLUSIONS
from hymem.store.pages import Page
from hymem.store.peers import read_peer
from hymem.store.sessions import read_session
from hymem.tokens import count_tokens
from serving.honcho import answers, shapes
from serving.honcho.asking import Asked, Name, Open, Which, WorkspaceId, peer_name, where
from serving.honcho.errors import Refusal
from serving.honcho.models import ConclusionCreate, ConclusionsCreate

router = APIRouter(prefix="/workspaces/{workspace_id}/conclusions", tags=["conclusions"])
TOKENS = 8192


@router.post("", status_code=201, response_model=list[answers.Conclusion])
def create_conclusions(workspace_id: WorkspaceId, body: ConclusionsCreate, workspaces: Open) -> Response:
    """Write conclusions down; they stay through every dream until somebody deletes them."""
    for told in body.conclusions:
        if count_tokens(told.content.encode("utf-8", "replace").decode()) > TOKENS:
            raise Refusal(422, f"a conclusion has at most {TOKENS} tokens")
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        _need_all(connection, body.conclusions)
        new = [
            conclusions.NewConclusion(told.content, told.observer_id, told.observed_id, told.session_id)
            for told in body.conclusions
        ]
        records = conclusions.add_conclusions(connection, new, workspaces.clock())
    return shapes.answer([shapes.conclusion(record) for record in records], 201)


@router.post("/list", response_model=answers.NumberedPage[answers.Conclusion] | answers.CursorPage[answers.Conclusion])
def list_conclusions(workspace_id: WorkspaceId, workspaces: Open, asked: Asked, body: Which = None) -> Response:
    """Conclusions, the newest first."""
    condition = where(body, CONCLUSIONS(workspace_id))
    found, records = Page([], 0), []
    if workspaces.has(workspace_id):
        with workspaces.use(workspace_id) as memory, memory.reading() as connection:
            found, records = conclusions.list_conclusions(connection, condition, asked)
    return shapes.page(found, records, shapes.conclusion, asked)


@router.get("/{conclusion_id}", response_model=answers.Conclusion)
def get_conclusion(workspace_id: WorkspaceId, conclusion_id: Name, workspaces: Open) -> Response:
    """One conclusion."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        record = conclusions.read_conclusion(connection, conclusion_id)
    if record is None:
        raise UnknownError(f"no conclusion {conclusion_id!r}")
    return shapes.answer(shapes.conclusion(record))


@router.delete("/{conclusion_id}", status_code=204, response_class=Response)
def delete_conclusion(workspace_id: WorkspaceId, conclusion_id: Name, workspaces: Open) -> Response:
    """Take a conclusion back."""
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        if not conclusions.delete_conclusion(connection, conclusion_id):
            raise UnknownError(f"no conclusion {conclusion_id!r}")
    return shapes.nothing()


def _need_all(connection: Connection, told: Sequence[ConclusionCreate]) -> None:
    for peer in dict.fromkeys(name for one in told for name in (one.observer_id, one.observed_id)):
        if read_peer(connection, peer_name(peer)) is None:
            raise UnknownError(f"no peer {peer!r}")
    for session in dict.fromkeys(one.session_id for one in told if one.session_id is not None):
        if read_session(connection, session) is None:
            raise UnknownError(f"no session {session!r}")
