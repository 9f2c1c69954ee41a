"""Messages: add, list, look at, annotate, erase."""

from fastapi import APIRouter
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store.conversation import (
    MessageRecord,
    count_the_uncounted,
    list_messages,
    read_message,
    set_message_metadata,
)
from hymem.store.filters import MESSAGES
from serving.honcho import answers, shapes
from serving.honcho.asking import Asked, Name, Open, Which, WorkspaceId, where
from serving.honcho.ingestion import tell
from serving.honcho.models import MessagesCreate, MessageUpdate

router = APIRouter(prefix="/workspaces/{workspace_id}/sessions/{session_id}/messages", tags=["messages"])


@router.post("", status_code=201, response_model=list[answers.Message])
def add_messages(workspace_id: WorkspaceId, session_id: Name, body: MessagesCreate, workspaces: Open) -> Response:
    """Log turns, all or none; session and peers are made where there are none of these names."""
    with workspaces.use(workspace_id, create=True) as memory:
        records = tell(memory, session_id, body.messages, workspaces.clock())
    return shapes.answer([shapes.message(workspace_id, record) for record in records], 201)


@router.post("/list", response_model=answers.NumberedPage[answers.Message] | answers.CursorPage[answers.Message])
def list_messages_of_session(
    workspace_id: WorkspaceId, session_id: Name, workspaces: Open, asked: Asked, body: Which = None
) -> Response:
    """The messages of a session, in the order of their telling."""
    condition = where(body, MESSAGES(workspace_id))
    with workspaces.use(workspace_id) as memory:
        if "m.token_count" in condition.condition:
            with memory.writing() as connection:
                count_the_uncounted(connection)
        with memory.reading() as connection:
            found, records = list_messages(connection, session_id, condition, asked)
    return shapes.page(found, records, lambda record: shapes.message(workspace_id, record), asked)


@router.get("/{message_id}", response_model=answers.Message)
def get_message(workspace_id: WorkspaceId, session_id: Name, message_id: Name, workspaces: Open) -> Response:
    """One message."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        record = _needed(read_message(connection, session_id, message_id), message_id)
    return shapes.answer(shapes.message(workspace_id, record))


@router.put("/{message_id}", response_model=answers.Message)
def update_message(
    workspace_id: WorkspaceId, session_id: Name, message_id: Name, body: MessageUpdate, workspaces: Open
) -> Response:
    """Replace the metadata; what was said stays as it was said."""
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        _needed(read_message(connection, session_id, message_id), message_id)
        if body.metadata is not None:
            set_message_metadata(connection, message_id, body.metadata)
        record = _needed(read_message(connection, session_id, message_id), message_id)
    return shapes.answer(shapes.message(workspace_id, record))


@router.delete("/{message_id}", status_code=204, response_class=Response)
def erase_message(workspace_id: WorkspaceId, session_id: Name, message_id: Name, workspaces: Open) -> Response:
    """Extension: remove a message, and with the next dream everything that came of it."""
    with workspaces.use(workspace_id) as memory:
        with memory.reading() as connection:
            _needed(read_message(connection, session_id, message_id), message_id)
        memory.erase_message(message_id)
    return shapes.nothing()


def _needed(record: MessageRecord | None, message_id: str) -> MessageRecord:
    if record is None:
        raise UnknownError(f"no message {message_id!r}")
    return record
