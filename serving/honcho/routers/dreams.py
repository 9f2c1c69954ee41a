"""Dreams: what waits for them, how they went, and that one be dreamt now."""

from collections.abc import Iterable
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store.connection import Connection
from hymem.store.queue import Backlog, backlogs
from hymem.store.session_peers import attention
from serving.honcho import shapes
from serving.honcho.asking import Open, WorkspaceId
from serving.scheduler import DreamStatus

router = APIRouter(prefix="/workspaces/{workspace_id}", tags=["dreams"])

Id = Annotated[str, Query(min_length=1, max_length=512)]


class Units(BaseModel):
    """Messages that wait for a dream, are dreamt over, and were dreamt over."""

    total_work_units: int
    completed_work_units: int
    in_progress_work_units: int
    pending_work_units: int


class SessionUnits(Units):
    """Those of a session."""

    session_id: str


class Dreams(BaseModel):
    """Extension: how the dreams beside this server go; `trouble` says why the last one failed."""

    state: Literal["idle", "due", "dreaming"]
    failures: int
    trouble: str | None
    due_in_seconds: float | None


class QueueStatus(Units):
    """Those of a workspace, and of each of its sessions."""

    sessions: dict[str, SessionUnits] | None
    dreams: Dreams


class ScheduleDream(BaseModel):
    """Which dream a client wants. HyMem dreams about a whole workspace at once, so all of them are the same."""

    observer: str
    dream_type: Literal["omni", "card_refresh"]
    observed: str | None = None
    session_id: str | None = None
    rebuild: bool = False


@router.get("/queue/status", response_model=QueueStatus)
def queue_status(
    workspace_id: WorkspaceId,
    workspaces: Open,
    request: Request,
    observer_id: Id | None = None,
    sender_id: Id | None = None,
    session_id: Id | None = None,
) -> Response:
    """What waits to be dreamt over: what a sender said, or what an observer hears."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        found = [
            each
            for each in backlogs(connection, workspaces.clock())
            if session_id in (None, each.session_id) and _concerns(connection, each, observer_id, sender_id)
        ]
    by_session: dict[str, list[Backlog]] = {}
    for each in found:
        by_session.setdefault(each.session_id, []).append(each)
    sessions = {name: {"session_id": name, **_units(parts)} for name, parts in by_session.items()}
    dreams = _dreams(request.app.state.server.dream_status(workspace_id))
    return shapes.answer({**_units(found), "sessions": sessions, "dreams": dreams})


@router.post("/schedule_dream", status_code=204, response_class=Response)
def schedule_dream(workspace_id: WorkspaceId, body: ScheduleDream, workspaces: Open, request: Request) -> Response:
    """Dream now, whatever the cooldown says."""
    if not workspaces.has(workspace_id):
        raise UnknownError(f"no workspace {workspace_id!r}")
    request.app.state.server.kick(workspace_id, at_once=True)
    return shapes.nothing()


def _concerns(connection: Connection, backlog: Backlog, observer_id: str | None, sender_id: str | None) -> bool:
    if observer_id is None and sender_id is None:
        return True
    hears = observer_id is not None and attention(connection, backlog.session_id, observer_id) is not None
    return backlog.peer_id == sender_id or hears


def _units(backlogs: Iterable[Backlog]) -> dict[str, int]:
    told = list(backlogs)
    return {
        "total_work_units": sum(each.total for each in told),
        "completed_work_units": sum(each.completed for each in told),
        "in_progress_work_units": sum(each.in_progress for each in told),
        "pending_work_units": sum(each.pending for each in told),
    }


def _dreams(status: DreamStatus) -> dict[str, Any]:
    return {
        "state": status.state,
        "failures": status.failures,
        "trouble": status.trouble,
        "due_in_seconds": status.due_in,
    }
