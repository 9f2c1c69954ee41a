"""Sessions: get or create, list, change, delete, clone; who takes part in one, and what holds for them there."""

from typing import Annotated, Any

from fastapi import APIRouter, Body, Query
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store import scopes, session_peers, sessions
from hymem.store.connection import Connection
from hymem.store.conversation import clone_session, read_message
from hymem.store.filters import SESSIONS
from hymem.store.pages import Page
from serving.honcho import answers, participants, shapes
from serving.honcho.asking import Asked, Name, Open, Which, WorkspaceId, new_name, peer_name, where
from serving.honcho.models import Attention, Id, SessionCreate, WorkspaceUpdate

router = APIRouter(prefix="/workspaces/{workspace_id}/sessions", tags=["sessions"])
one = "/{session_id}"

Joining = Annotated[dict[Id, Attention | str] | list[Id], Body()]


@router.post("", response_model=answers.Session, responses={201: {"model": answers.Session}})
def get_or_create_session(workspace_id: WorkspaceId, body: SessionCreate, workspaces: Open) -> Response:
    """The session of that id, with what is given; its peers are made where there are none of these names."""
    now = workspaces.clock()
    joining = {**participants.told(body.peer_names), **participants.told(body.peers)}
    with workspaces.use(workspace_id, create=True) as memory, memory.writing() as connection:
        created = _ensure(connection, body.id, now, body)
        participants.add(connection, body.id, joining, now)
        for scope in body.scopes or ():
            _need_scope(connection, scope)
            scopes.add_sessions(connection, scope, [body.id], now)
        record = _need(connection, body.id)
    return shapes.answer(shapes.session(workspace_id, record), 201 if created else 200)


@router.post("/list", response_model=answers.NumberedPage[answers.Session] | answers.CursorPage[answers.Session])
def list_sessions(workspace_id: WorkspaceId, workspaces: Open, asked: Asked, body: Which = None) -> Response:
    """Sessions, the oldest first; none where there is no such workspace."""
    condition = where(body, SESSIONS(workspace_id))
    found, records = Page([], 0), []
    if workspaces.has(workspace_id):
        with workspaces.use(workspace_id) as memory, memory.reading() as connection:
            found, records = sessions.list_sessions(connection, condition, asked)
    return shapes.page(found, records, lambda record: shapes.session(workspace_id, record), asked)


@router.get(one, response_model=answers.Session)
def get_session(workspace_id: WorkspaceId, session_id: Name, workspaces: Open) -> Response:
    """Extension: the session, and 404 where there is none."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        return shapes.answer(shapes.session(workspace_id, _need(connection, session_id)))


@router.put(one, response_model=answers.Session)
def update_session(workspace_id: WorkspaceId, session_id: Name, body: WorkspaceUpdate, workspaces: Open) -> Response:
    """Replace the metadata, and the members of the configuration that are given; makes the session where there is none."""
    with workspaces.use(workspace_id, create=True) as memory, memory.writing() as connection:
        _ensure(connection, session_id, workspaces.clock(), body)
        record = _need(connection, session_id)
    return shapes.answer(shapes.session(workspace_id, record))


@router.delete(one, status_code=202, response_model=answers.Notice)
def delete_session(workspace_id: WorkspaceId, session_id: Name, workspaces: Open) -> Response:
    """Remove a session with all that was said in it and all that was concluded from it; its id is not taken up again."""
    with workspaces.use(workspace_id) as memory:
        memory.erase_session(session_id, for_good=True)
    return shapes.answer({"message": "Session deleted successfully"}, 202)


@router.post(one + "/clone", status_code=201, response_model=answers.Session)
def clone(
    workspace_id: WorkspaceId,
    session_id: Name,
    workspaces: Open,
    message_id: Annotated[str | None, Query(description="the last message to copy")] = None,
) -> Response:
    """Copy a session with its messages and peers. Nothing is learnt from a copy: what was said once would count twice."""
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        _need(connection, session_id)
        if message_id is not None and read_message(connection, session_id, message_id) is None:
            raise UnknownError(f"no message {message_id!r} in session {session_id!r}")
        copy = clone_session(connection, session_id, message_id, workspaces.clock())
        record = _need(connection, copy)
    return shapes.answer(shapes.session(workspace_id, record), 201)


@router.post(one + "/peers", response_model=answers.Session)
def add_peers(workspace_id: WorkspaceId, session_id: Name, body: Joining, workspaces: Open) -> Response:
    """Let peers take part beside those who do."""
    return _join(workspaces, workspace_id, session_id, body, others_leave=False)


@router.put(one + "/peers", response_model=answers.Session)
def set_peers(workspace_id: WorkspaceId, session_id: Name, body: Joining, workspaces: Open) -> Response:
    """Let these peers take part, and nobody else."""
    return _join(workspaces, workspace_id, session_id, body, others_leave=True)


@router.delete(one + "/peers", response_model=answers.Session)
def remove_peers(
    workspace_id: WorkspaceId, session_id: Name, body: Annotated[list[str], Body()], workspaces: Open
) -> Response:
    """Let peers leave."""
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        record = _need(connection, session_id)
        session_peers.leave(connection, session_id, [peer_name(peer) for peer in body], workspaces.clock())
    return shapes.answer(shapes.session(workspace_id, record))


@router.get(one + "/peers", response_model=answers.NumberedPage[answers.Peer] | answers.CursorPage[answers.Peer])
def list_peers_of_session(workspace_id: WorkspaceId, session_id: Name, workspaces: Open, asked: Asked) -> Response:
    """The peers that take part, in the order of their coming."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        _need(connection, session_id)
        found, records = session_peers.list_session_peers(connection, session_id, asked)
    return shapes.page(found, records, lambda record: shapes.peer(workspace_id, record), asked)


@router.get(one + "/peers/{peer_id}/config", response_model=answers.Attention)
def get_peer_configuration(workspace_id: WorkspaceId, session_id: Name, peer_id: Name, workspaces: Open) -> Response:
    """What holds for a peer in a session; 404 where it does not take part."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        said = session_peers.attention(connection, session_id, peer_name(peer_id))
    if said is None:
        raise UnknownError(f"peer {peer_id!r} takes no part in session {session_id!r}")
    return shapes.answer(shapes.attention(said))


@router.put(one + "/peers/{peer_id}/config", status_code=204, response_class=Response)
def set_peer_configuration(
    workspace_id: WorkspaceId, session_id: Name, peer_id: Name, body: Attention, workspaces: Open
) -> Response:
    """Say what holds for a peer in a session from now on; the peer takes part from then on."""
    now = workspaces.clock()
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        _need(connection, session_id)
        if session_peers.attention(connection, session_id, peer_name(peer_id)) is None:
            participants.add(connection, session_id, {peer_id: body}, now)
        said = session_peers.Attention(body.observe_me, body.observe_others)
        session_peers.set_attention(connection, session_id, peer_id, said)
        participants.check_observers(connection, session_id)
    return shapes.nothing()


def _join(workspaces: Open, workspace_id: str, session_id: str, body: Any, *, others_leave: bool) -> Response:
    now, joining = workspaces.clock(), participants.told(body)
    with workspaces.use(workspace_id, create=True) as memory, memory.writing() as connection:
        _ensure(connection, session_id, now, WorkspaceUpdate())
        if others_leave:
            session_peers.leave_others(connection, session_id, joining, now)
        participants.add(connection, session_id, joining, now)
        record = _need(connection, session_id)
    return shapes.answer(shapes.session(workspace_id, record))


def _ensure(connection: Connection, session_id: str, now: str, body: WorkspaceUpdate) -> bool:
    if sessions.read_session(connection, session_id) is None:
        new_name(session_id, "a session's id")
    configuration = body.configuration.told() if body.configuration else None
    return sessions.ensure_session(connection, session_id, now, metadata=body.metadata, configuration=configuration)


def _need(connection: Connection, session_id: str) -> sessions.SessionRecord:
    record = sessions.read_session(connection, session_id)
    if record is None:
        raise UnknownError(f"no session {session_id!r}")
    return record


def _need_scope(connection: Connection, scope_id: str) -> None:
    if not scopes.is_scope(connection, scope_id):
        raise UnknownError(f"no scope {scope_id!r}")
