"""For those who run the server: whether it is well, and its figures. Neither tells what is remembered."""

from typing import Literal

from fastapi import APIRouter, Request
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest
from pydantic import BaseModel
from starlette.responses import Response

import hymem

router = APIRouter(tags=["operations"])


class Health(BaseModel):
    """`degraded` where the last dream of a workspace failed. Why is told where nobody is asked for a token, by workspace."""

    status: Literal["ok", "degraded"]
    ok: bool
    version: str
    dreaming: int
    dreams_failing: int
    trouble: list[str]


@router.get("/health")
def health(request: Request) -> Health:
    """Whether the server is well."""
    server = request.app.state.server
    told = list(server.scheduler.statuses().values())
    trouble = [status.trouble for status in told if status.trouble is not None]
    return Health(
        status="degraded" if trouble else "ok",
        ok=True,
        version=hymem.__version__,
        dreaming=sum(status.state == "dreaming" for status in told),
        dreams_failing=len(trouble),
        trouble=trouble if server.settings.auth_secret is None else [],
    )


@router.get("/metrics", response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(request: Request) -> Response:
    """Figures for Prometheus."""
    return Response(generate_latest(request.app.state.server.figures.registry), media_type=CONTENT_TYPE_LATEST)
