"""Webhooks: register, list, remove, try."""

from fastapi import APIRouter, Request
from pydantic import BaseModel
from starlette.responses import Response

from hymem.store.webhooks import Webhook, add_webhook, remove_webhook, webhooks
from serving.honcho import answers, shapes
from serving.honcho.asking import Name, Open, WorkspaceId
from serving.honcho.courier import checked_url

router = APIRouter(prefix="/workspaces/{workspace_id}/webhooks", tags=["webhooks"])


class WebhookCreate(BaseModel):
    """What a client registers."""

    url: str


class WebhookEndpoint(BaseModel):
    """A webhook."""

    id: str
    workspace_id: str
    url: str
    created_at: str


@router.post("", response_model=WebhookEndpoint, responses={201: {"model": WebhookEndpoint}})
def register_webhook(workspace_id: WorkspaceId, body: WebhookCreate, workspaces: Open, request: Request) -> Response:
    """Have an address called when nothing is left to dream about; one that is registered stays as it is."""
    url = checked_url(body.url, local=request.app.state.server.settings.local_webhooks)
    with workspaces.use(workspace_id, create=True) as memory, memory.writing() as connection:
        webhook, created = add_webhook(connection, url, workspaces.clock())
    return shapes.answer(_shape(workspace_id, webhook), 201 if created else 200)


@router.get("", response_model=answers.NumberedPage[WebhookEndpoint])
def list_webhooks(workspace_id: WorkspaceId, workspaces: Open) -> Response:
    """All of them, the oldest first: they fit on one page."""
    with workspaces.use(workspace_id) as memory, memory.reading() as connection:
        found = [_shape(workspace_id, webhook) for webhook in webhooks(connection)]
    return shapes.answer({"items": found, "total": len(found), "page": 1, "size": 50, "pages": min(1, len(found))})


@router.get("/test", response_model=None)
def try_webhooks(workspace_id: WorkspaceId, request: Request) -> Response:
    """Send `test.event` to all of them."""
    request.app.state.server.announce(workspace_id, "test.event", {})
    return shapes.answer(None)


@router.delete("/{webhook_id}", status_code=204, response_class=Response)
def delete_webhook(workspace_id: WorkspaceId, webhook_id: Name, workspaces: Open) -> Response:
    """Call an address no more."""
    with workspaces.use(workspace_id) as memory, memory.writing() as connection:
        remove_webhook(connection, webhook_id)
    return shapes.nothing()


def _shape(workspace_id: str, webhook: Webhook) -> dict[str, str]:
    return {
        "id": webhook.webhook_id,
        "workspace_id": workspace_id,
        "url": webhook.url,
        "created_at": webhook.created_at,
    }
