"""What the server tells of itself: a line in the log, a figure and a span for each request; figures of dreams and what waits.

Requests are told by their route, not by their path: names of peers and sessions belong to those who gave them.
"""

import logging
import time
from collections.abc import Callable, Iterator
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Histogram
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hymem.tracing import trace_request

UNEXPECTED: Final = "An unexpected error occurred"
BUCKETS: Final = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)

logger: Final = logging.getLogger("hymem.honcho")


class Figures(Collector):
    """The figures, in a registry of their own. `now` gives those that are counted when they are asked for, by name."""

    def __init__(self, now: Callable[[], dict[str, tuple[str, float]]]) -> None:
        self.registry = CollectorRegistry()
        labels = ("method", "route", "status")
        self.requests = Counter("hymem_http_requests", "Requests answered.", labels, registry=self.registry)
        self.seconds = Histogram(
            "hymem_http_request_seconds",
            "Seconds from a request to the end of its answer.",
            ("method", "route"),
            buckets=BUCKETS,
            registry=self.registry,
        )
        self.dreams = Counter("hymem_dreams", "Dreams that ended.", ("outcome",), registry=self.registry)
        self._now = now
        self.registry.register(self)

    def describe(self) -> list[GaugeMetricFamily]:
        """Nothing ahead: what is counted when asked for is not asked for at the start."""
        return []

    def collect(self) -> Iterator[GaugeMetricFamily]:
        """The figures of this moment."""
        for name, (meaning, value) in self._now().items():
            yield GaugeMetricFamily(name, meaning, value)


class Telemetry:
    """ASGI middleware: counts and logs every request, and answers for what goes wrong unforeseen."""

    def __init__(self, app: ASGIApp, figures: Figures) -> None:
        self._app, self._figures = app, figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and take its time."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status = time.perf_counter(), 0

        async def sending(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
            await send(message)

        try:
            await self._app(scope, receive, sending)
        except Exception:  # the last door: whatever failed is logged, and a client sees no stack trace
            logger.exception("a request failed")
            if not status:
                await JSONResponse({"detail": UNEXPECTED}, 500)(scope, receive, sending)
        finally:
            self._note(scope, status, time.perf_counter() - began)

    def _note(self, scope: Scope, status: int, seconds: float) -> None:
        method = scope["method"] if scope["method"] in ("GET", "POST", "PUT", "DELETE") else "other"
        route = _route(scope)
        self._figures.requests.labels(method, route, str(status)).inc()
        self._figures.seconds.labels(method, route).observe(seconds)
        told = {"method": method, "route": route, "status": status, "ms": round(seconds * 1000, 2)}
        logger.info("%s %s", method, route, extra=told)
        trace_request(method, route, status, time.time(), seconds, scope["headers"])


def _route(scope: Scope) -> str:
    """The template of the path; a route that was included under a prefix knows itself without it."""
    path = getattr(scope.get("route"), "path", None)
    if path is None:
        return "unknown"
    return f"/v3{path}" if scope["path"].startswith("/v3/") and not path.startswith("/v3/") else path
