"""Keys: access tokens that reach as far as an admin says."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from serving.honcho.security import Claims, token

router = APIRouter(tags=["keys"])

Name = Annotated[str | None, Query(min_length=1, max_length=512)]


class Key(BaseModel):
    """A token."""

    key: str


@router.post("/keys", responses={405: {"description": "the server asks nobody for tokens"}})
def make_key(
    request: Request,
    workspace_id: Name = None,
    peer_id: Name = None,
    session_id: Name = None,
    expires_at: Annotated[str | None, Query(description="ISO-8601")] = None,
) -> Key:
    """A token for a workspace, or for a peer or a session of it; only an admin's token makes one."""
    server = request.app.state.server
    if server.settings.auth_secret is None:
        raise HTTPException(405, "Feature is disabled")
    claims = Claims(workspace=workspace_id, peer=peer_id, session=session_id)
    return Key(key=token(server.settings.auth_secret, claims, server.workspaces.clock(), expires_at))
