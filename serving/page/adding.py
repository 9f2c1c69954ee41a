"""How a server comes by the page: its files, what they ask, and what they may do."""

from fastapi import APIRouter, FastAPI
from starlette.responses import Response

from serving.honcho.shapes import answer
from serving.page import acting, files, reading
from serving.page.state import Page, PageState
from serving.workspaces import Workspaces

router = APIRouter(include_in_schema=False)


def add_page(app: FastAPI, workspaces: Workspaces) -> PageState:
    """Let an application serve the page, over these workspaces; the caller closes what is returned.

    `app.state.server` is to have `kick` and `dream_status`.
    """
    app.state.page = PageState(workspaces)
    for routes in (router, reading.router, acting.router):
        app.include_router(routes, prefix="/v3")
    app.include_router(files.router)
    return app.state.page


@router.get("/page/workspaces")
def names(page: Page) -> Response:
    """The ids of all workspaces, for those who may know of all."""
    return answer(page.workspaces.names())
