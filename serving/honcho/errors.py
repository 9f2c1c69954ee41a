"""Errors as Honcho words them: `{"detail": …}`, a sentence or one entry for each field, and never what a stack looked like."""

import json
import logging
from typing import Any, Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.responses import Response

from hymem.errors import BusyError, ConflictError, HyMemError, InputError, ModelUnavailableError, UnknownError
from serving.honcho.shapes import answer

UNEXPECTED: Final = "An unexpected error occurred"
ECHOED: Final = 1000
"""Characters of what was sent that an error repeats, at most."""

logger: Final = logging.getLogger(__name__)


class Refusal(HyMemError):
    """A request that Honcho refuses with a status of its own."""

    def __init__(self, status: int, detail: str) -> None:
        super().__init__(detail)
        self.status = status


def add_handlers(app: FastAPI) -> None:
    """Let the application answer errors in these shapes."""
    app.add_exception_handler(HyMemError, _on_trouble)
    app.add_exception_handler(RequestValidationError, _on_invalid)
    app.add_exception_handler(Exception, _on_anything)


def status_of(error: HyMemError) -> int:
    """The status that tells what kind of trouble it is."""
    if isinstance(error, Refusal):
        return error.status
    statuses = {UnknownError: 404, ConflictError: 409, InputError: 422, BusyError: 503, ModelUnavailableError: 503}
    return next((status for kind, status in statuses.items() if isinstance(error, kind)), 500)


async def _on_trouble(_: Request, error: Exception) -> Response:
    status = status_of(error) if isinstance(error, HyMemError) else 500
    if status == 500:
        logger.error("%s", error, exc_info=error)
        return answer({"detail": UNEXPECTED}, 500)
    response = answer({"detail": str(error)}, status)
    if status == 503:
        response.headers["Retry-After"] = "1"
    return response


async def _on_invalid(_: Request, error: Exception) -> Response:
    found = error.errors() if isinstance(error, RequestValidationError) else ()
    return answer({"detail": [_told(entry) for entry in found]}, 422)


async def _on_anything(_: Request, error: Exception) -> Response:
    return answer({"detail": UNEXPECTED}, 500)


def _told(entry: dict[str, Any]) -> dict[str, Any]:
    kept = {"type": entry["type"], "loc": list(entry["loc"]), "msg": entry["msg"]}
    if "input" in entry and (echo := _echo(entry["input"])) is not None:
        kept["input"] = json.loads(echo)
    if "ctx" in entry:
        kept["ctx"] = {
            name: value if isinstance(value, str | int | float) else str(value) for name, value in entry["ctx"].items()
        }
    return kept


def _echo(value: Any) -> str | None:
    """What was sent, as JSON, where it is JSON and not long."""
    try:
        told = json.dumps(value, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
    return told if len(told) <= ECHOED else None
