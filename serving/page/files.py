"""The page's own files, with the headers under which a browser runs nothing but them and asks nobody else."""

from html import escape
from importlib.resources import files
from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from hymem.errors import UnknownError

router = APIRouter(include_in_schema=False)

PREFIX: Final = "/ui"
_TYPES: Final = {
    "css": "text/css",
    "html": "text/html",
    "js": "text/javascript",
    "mjs": "text/javascript",
    "svg": "image/svg+xml",
    "txt": "text/plain",
}
HEADERS: Final = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
    ),
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-cache",
}
_PLACE: Final = "page-token-goes-here"


def is_open(path: str) -> bool:
    """Whether a path is one of the page's files, which tell nothing of what is remembered."""
    return path == PREFIX or path.startswith(f"{PREFIX}/")


@router.get(PREFIX)
def page(request: Request) -> Response:
    """The page, with the token that its acts need: other sites can make a browser send, and cannot read this."""
    html = _content("index.html").decode().replace(_PLACE, escape(request.app.state.page.token))
    return Response(html, media_type="text/html", headers=HEADERS)


@router.get(PREFIX + "/{name:path}")
def file(name: str) -> Response:
    """One of its files."""
    kind = _TYPES.get(name.rpartition(".")[2])
    content = _content(name) if kind and name != "index.html" else None
    if content is None:
        raise UnknownError(f"the page has no file {name[:60]!r}; it begins at {PREFIX}")
    return Response(content, media_type=kind, headers=HEADERS)


def to_page() -> Response:
    """The way from the root of a server that has nothing else to show."""
    return RedirectResponse(PREFIX, 307, HEADERS)


def _content(name: str) -> bytes:
    steps = name.split("/")
    if any(not step.replace(".", "").replace("-", "").isalnum() or step.startswith(".") for step in steps):
        raise UnknownError(f"the page has no file {name[:60]!r}; it begins at {PREFIX}")
    found = files("serving.page").joinpath("web", *steps)
    if not found.is_file():
        raise UnknownError(f"the page has no file {name[:60]!r}; it begins at {PREFIX}")
    return found.read_bytes()
