"""Messages: add, list, look at, annotate, erase."""

from typing import Annotated

from fastapi import APIRouter, Depends, Form, Header, Request, UploadFile
from starlette.responses import Response

from hymem.errors import UnknownError
from hymem.store.conversation import (
    MessageRecord,
    count_the_uncounted,
    list_messages,
    read_message,
    set_message_metadata,
)
from hymem.store.deliveries import Delivery
from hymem.store.filters import MESSAGES
from serving.honcho import answers, shapes
from serving.honcho.asking import Asked, Name, Open, Which, WorkspaceId, where
from serving.honcho.ingestion import tell
from serving.honcho.models import MessageCreate, MessagesCreate, MessageUpdate
from serving.honcho.uploads import (
    LARGEST_FILE,
    content_id,
    file_texts,
    is_memory_file,
    json_object,
    memory_texts,
    message_configuration,
    readable_time,
)

Key = Annotated[str | None, Header(min_length=1, max_length=255, description="names the request, for a day")]


async def _delivery(request: Request, session_id: Name, idempotency_key: Key = None) -> Delivery:
    return Delivery(session_id, await request.body(), idempotency_key)


Delivered = Annotated[Delivery, Depends(_delivery)]

router = APIRouter(prefix="/workspaces/{workspace_id}/sessions/{session_id}/messages", tags=["messages"])


@router.post("", status_code=201, response_model=list[answers.Message])
def add_messages(
    workspace_id: WorkspaceId, session_id: Name, body: MessagesCreate, workspaces: Open, delivery: Delivered
) -> Response:
    """Log turns, all or none; session and peers are made where there are none of these names.

    The same request again, as clients send it that heard no answer, is answered again and logs nothing.
    """
    with workspaces.use(workspace_id, create=True) as memory:
        records = tell(memory, session_id, body.messages, workspaces.clock(), delivery=delivery)
    return shapes.answer([shapes.message(workspace_id, record) for record in records], 201)


@router.post("/upload", status_code=201, response_model=list[answers.Message])
def upload_file(
    workspace_id: WorkspaceId,
    session_id: Name,
    workspaces: Open,
    file: UploadFile,
    peer_id: Annotated[str, Form(min_length=1, max_length=512)],
    metadata: Annotated[str | None, Form(description="a JSON object")] = None,
    configuration: Annotated[str | None, Form(description="a JSON object, as of a message")] = None,
    created_at: Annotated[str | None, Form(description="ISO-8601")] = None,
) -> Response:
    """Log a file as a peer's turns: text, JSON or PDF, in pieces of at most 25,000 characters.

    An agent's own MEMORY.md, USER.md or SOUL.md adds nothing when it comes again, to whatever session.
    """
    texts = file_texts(file.file.read(LARGEST_FILE + 1), file.content_type, file.filename)
    attached = json_object(metadata)
    told = {"peer_id": peer_id, "metadata": attached, "created_at": readable_time(created_at)}
    settings = message_configuration(configuration)
    names: list[str] = []
    if is_memory_file(file.filename, attached):
        texts = memory_texts(texts)
        names = [content_id(peer_id, text) for text in texts]
    turns = [MessageCreate(content=text, configuration=settings, **told) for text in texts]
    with workspaces.use(workspace_id, create=True) as memory:
        records = tell(memory, session_id, turns, workspaces.clock(), names=names) if turns else []
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
