"""Acts come from the page alone: from the same origin, with the token that only the page was given.

Access tokens are no cookies, so no other site's form can carry one. A server without access tokens would take every form, and
this is what it asks for then; it asks for it in any case.
"""

from hmac import compare_digest
from typing import Final
from urllib.parse import urlsplit

from fastapi import Depends, Request

from serving.honcho.errors import Refusal

HEADER: Final = "x-hymem-page"
ELSEWHERE: Final = "this was asked by another site, and nothing was done: use the page itself"
STALE: Final = "the server was started anew since this page was loaded, and nothing was done: reload the page"


async def _from_the_page(request: Request) -> None:
    """Raise `Refusal` for a request that the page did not make."""
    told = request.headers
    here = _same_origin(told.get("origin"), told.get("host"))
    if told.get("sec-fetch-site", "same-origin") != "same-origin" or not here:
        raise Refusal(403, ELSEWHERE)
    if not compare_digest(told.get(HEADER, "").encode(), request.app.state.page.token.encode()):
        raise Refusal(403, STALE)


def _same_origin(origin: str | None, host: str | None) -> bool:
    """Whether an `Origin` is of the host that was called; one that does not come is left to the token."""
    if origin is None:
        return True
    try:
        return urlsplit(origin).netloc.lower() == (host or "").lower()
    except ValueError:
        return False


FromThePage: Final = Depends(_from_the_page)
