"""Peers: get or create, list, change; the sessions that one takes part in; the card that clients write."""

from typing import Annotated, Literal

from fastapi import APIRouter, Body
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store import peers
from hymem.store.filters import PEERS, SESSIONS
from hymem.store.pages import Page
from hymem.store.session_peers import list_peer_sessions
from serving.honcho import answers, shapes
from serving.honcho.asking import Asked, Name, Open, Which, WorkspaceId, new_name, peer_name, where
from serving.honcho.models import Filtered, PeerCreate, PeerUpdate

router = APIRouter(prefix="/workspaces/{workspace_id}/peers", tags=["peers"])


class PeersListed(Filtered):
    """Which peers are asked for; scopes are left out unless `kind` says otherwise."""

    kind: Literal["scope", "all"] | None = None


@router.post("", response_model=answers.Peer, responses={201: {"model": answers.Peer}})
def get_or_create_peer(workspace_id: WorkspaceId, body: PeerCreate, workspaces: Open) -> Response:
    """The peer of that id, with the metadata and the configuration that are given."""
    return _put(workspaces, workspace_id, body.id, body, told_when_new=True)


@router.put("/{peer_id}", response_model=answers.Peer)
def update_peer(workspace_id: WorkspaceId, peer_id: Name, body: PeerUpdate, workspaces: Open) -> Response:
    """Replace metadata and configuration, where they are given; makes the peer where there is none."""
    return _put(workspaces, workspace_id, peer_id, body, told_when_new=False)


@router.get("/{peer_id}", response_model=answers.Peer)
def get_peer(workspace_id: WorkspaceId, peer_id: Name, workspaces: Open) -> Response:
    """Extension: the peer with its role, and 404 where there is none."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        record = peers.read_peer(connection, peer_name(peer_id))
    if record is None:
        raise UnknownError(f"no peer {peer_id!r}")
    return shapes.answer(shapes.peer(workspace_id, record))


@router.post("/list", response_model=answers.NumberedPage[answers.Peer] | answers.CursorPage[answers.Peer])
def list_peers(
    workspace_id: WorkspaceId, workspaces: Open, asked: Asked, body: Annotated[PeersListed | None, Body()] = None
) -> Response:
    """Peers, the oldest first; nobody where there is no such workspace."""
    condition = where(body, PEERS(workspace_id))
    found, records = Page([], 0), []
    if workspaces.has(workspace_id):
        with workspaces.use(workspace_id) as memory, memory.reading() as connection:
            found, records = peers.list_peers(connection, condition, asked, (body and body.kind) or "peer")
    return shapes.page(found, records, lambda record: shapes.peer(workspace_id, record), asked)


@router.post(
    "/{peer_id}/sessions", response_model=answers.NumberedPage[answers.Session] | answers.CursorPage[answers.Session]
)
def list_sessions_of_peer(
    workspace_id: WorkspaceId, peer_id: Name, workspaces: Open, asked: Asked, body: Which = None
) -> Response:
    """The sessions that a peer takes part in, the oldest first."""
    condition = where(body, SESSIONS(workspace_id))
    found, records = Page([], 0), []
    if workspaces.has(workspace_id):
        with workspaces.use(workspace_id) as memory, memory.reading() as connection:
            found, records = list_peer_sessions(connection, peer_name(peer_id), condition, asked)
    return shapes.page(found, records, lambda record: shapes.session(workspace_id, record), asked)


def _put(workspaces: Open, workspace_id: str, peer_id: str, body: PeerUpdate, *, told_when_new: bool) -> Response:
    with workspaces.use(workspace_id, create=True) as memory, memory.writing() as connection:
        if peers.read_peer(connection, peer_name(peer_id)) is None:
            new_name(peer_id, "a peer's id")
        created = peers.ensure_peer(
            connection, peer_id, workspaces.clock(), metadata=body.metadata, configuration=body.configuration
        )
        record = peers.read_peer(connection, peer_id)
    assert record is not None
    return shapes.answer(shapes.peer(workspace_id, record), 201 if created and told_when_new else 200)
