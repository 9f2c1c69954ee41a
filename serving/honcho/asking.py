"""What routes take from a request beside its body: the workspaces, names in the path, which page, which rows."""

from typing import Annotated, Any, Final

from fastapi import Body, Depends, Path, Query, Request

from hymem.store.filters import Fields, compiled
from hymem.store.pages import Slice
from hymem.store.scopes import PREFIX
from hymem.store.where import EVERYTHING, Where
from serving.honcho.answers import Trouble
from serving.honcho.errors import Refusal
from serving.honcho.models import ID, Filtered
from serving.workspaces import ID as WORKSPACE_ID
from serving.workspaces import Workspaces

REFUSALS: Final[dict[int | str, dict[str, Any]]] = {
    status: {"model": Trouble} for status in (401, 404, 409, 413, 422, 500, 503)
}


async def _workspaces(request: Request) -> Workspaces:
    return request.app.state.workspaces


async def _slice(
    page: Annotated[int, Query(ge=1, le=1_000_000_000)] = 1,
    size: Annotated[int, Query(ge=1, le=100)] = 50,
    reverse: bool = False,
    cursor: Annotated[str | None, Query(description='"" for the first page, then next_page of the page before')] = None,
) -> Slice:
    return Slice(page, size, reverse, cursor)


Open = Annotated[Workspaces, Depends(_workspaces)]
Asked = Annotated[Slice, Depends(_slice)]
WorkspaceId = Annotated[str, Path(pattern=ID, min_length=1, max_length=512)]
Name = Annotated[str, Path(min_length=1, max_length=512)]
Which = Annotated[Filtered | None, Body()]


def where(which: Filtered | None, fields: Fields) -> Where:
    """The rows that a body's filters ask for."""
    return compiled(which.filters, fields) if which is not None and which.filters else EVERYTHING


def new_name(name: str, what: str) -> str:
    """A name that something new may bear; raises `Refusal` for others."""
    if not WORKSPACE_ID.fullmatch(name):
        raise Refusal(422, f"{what} has 1 to 512 of A-Z a-z 0-9 _ and -, not {name[:60]!r}")
    return name


def peer_name(name: str) -> str:
    """The name of a peer that may be anything but a scope."""
    if name.startswith(PREFIX):
        raise Refusal(422, f"{name!r} is a scope: name it as one")
    return name
