"""Spans for operators, through OpenTelemetry: off unless HYMEM_TRACES says where they go.

A span tells what ran, when, for how long, and counts. It never tells what was said, nor the name of a peer or a session. Where
spans go, under which name and how often, is told by OpenTelemetry's own variables (OTEL_EXPORTER_OTLP_ENDPOINT and others).
"""

import sys
from collections.abc import Iterable, Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from hymem.errors import ConfigError
from hymem.times import to_datetime

if TYPE_CHECKING:
    from opentelemetry.trace import Tracer

    from hymem.records import DreamRun
    from hymem.store.runs import NodeRun

OFF: Final = "off"
EXPORTERS: Final = (OFF, "otlp", "console")
MISSING: Final = "spans need OpenTelemetry: pip install 'hymem[otel]', or unset HYMEM_TRACES"

_tracers: dict[str, "Tracer"] = {}


def start_tracing(exporter: str) -> None:
    """Send this process's spans to a collector ("otlp") or to standard error ("console").

    Raises `ConfigError` where OpenTelemetry is not installed. What was not sent yet is sent when the process ends.
    """
    if exporter == OFF or _tracers:
        return
    try:
        resources, trace = import_module("opentelemetry.sdk.resources"), import_module("opentelemetry.sdk.trace")
        export = import_module("opentelemetry.sdk.trace.export")
        otlp = import_module("opentelemetry.exporter.otlp.proto.http.trace_exporter") if exporter == "otlp" else None
    except ImportError as error:
        raise ConfigError(MISSING) from error
    named = resources.Resource({"service.name": "hymem"})
    provider = trace.TracerProvider(resource=named.merge(resources.OTELResourceDetector().detect()))
    exports = otlp.OTLPSpanExporter() if otlp else export.ConsoleSpanExporter(out=sys.stderr)
    provider.add_span_processor(export.BatchSpanProcessor(exports))
    _tracers["hymem"] = provider.get_tracer("hymem")


def trace_request(
    method: str, route: str, status: int, ended: float, seconds: float, headers: Iterable[tuple[bytes, bytes]]
) -> None:
    """Tell of a request that ended at a moment (Unix time), within the trace that its `traceparent` header names."""
    if not _tracers:
        return
    carrier = {name.decode("latin-1"): value.decode("latin-1") for name, value in headers}
    told = {"http.request.method": method, "http.route": route, "http.response.status_code": status}
    parent = import_module("opentelemetry.trace.propagation.tracecontext").TraceContextTextMapPropagator()
    kind = import_module("opentelemetry.trace").SpanKind.SERVER
    _span(f"{method} {route}", ended - seconds, seconds, told, parent.extract(carrier), kind=kind, failed=status >= 500)


def trace_dream(run: "DreamRun", nodes: Iterable["NodeRun"]) -> None:
    """Tell of a dream that ended, and of each of its nodes."""
    if not _tracers:
        return
    began = to_datetime(run.started_at).timestamp()
    seconds = to_datetime(run.finished_at or run.started_at).timestamp() - began
    counts = {name: getattr(run, name) for name in ("asked", "answered", "failed", "waiting", "embedded")}
    told = {"hymem.run_id": run.run_id, "hymem.outcome": run.outcome, **_named("hymem.", counts)}
    told |= _named("hymem.changed.", run.changed)
    inside = _span("dream", began, seconds, told, failed=run.outcome == "failed")
    for node in nodes:
        at = to_datetime(node.started_at).timestamp()
        rows = {} if node.rows is None else {"hymem.rows": node.rows}
        _span(node.node, at, node.milliseconds / 1000, rows, inside, failed=node.error is not None)


def _named(prefix: str, counts: Mapping[str, int]) -> dict[str, int]:
    return {f"{prefix}{name}": count for name, count in counts.items()}


def _span(
    name: str, began: float, seconds: float, told: Mapping[str, Any], context: Any = None, *, failed: bool, **kind: Any
) -> Any:
    """A span with both its ends; the context for those within it."""
    trace = import_module("opentelemetry.trace")
    start = round(began * 1e9)
    span = _tracers["hymem"].start_span(name, context=context, attributes=told, start_time=start, **kind)
    if failed:
        span.set_status(trace.StatusCode.ERROR)
    span.end(end_time=start + round(seconds * 1e9))
    return trace.set_span_in_context(span)
