"""Spans arrive at a real collector's door, and say nothing that was said."""

import os
import signal
import subprocess
import sys
from pathlib import Path

from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from hymem.tracing import EXPORTERS
from tests.support.command_line import CommandLine, said
from tests.support.honcho_process import served
from tests.support.http_server import HttpServer

SECRET = "Xanadu"


class Collector:
    """Where spans are sent to."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.app = Starlette(routes=[Route("/v1/traces", self._keep, methods=["POST"])])

    async def _keep(self, request: Request) -> Response:
        self.bodies.append(await request.body())
        return Response(b"", media_type="application/x-protobuf")

    def spans(self) -> dict[str, Span]:
        requests = [ExportTraceServiceRequest.FromString(body) for body in self.bodies]
        scopes = [scope for request in requests for spans in request.resource_spans for scope in spans.scope_spans]
        return {span.name: span for scope in scopes for span in scope.spans}


def attributes(span: Span) -> dict[str, object]:
    return {one.key: one.value.int_value or one.value.string_value for one in span.attributes}


def dreamt(root: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    here = CommandLine(root)
    here("ingest", here.file("said.jsonl", said(f"{SECRET} depends on Redis.")))
    dream = CommandLine(root, **environment).process("dream")
    out, err = dream.communicate(timeout=60)
    return subprocess.CompletedProcess([], dream.returncode, out, err)


def test_a_dream_and_its_nodes_are_spans_of_one_trace(tmp_path: Path):
    collector = Collector()
    with HttpServer(collector.app) as server:
        run = dreamt(tmp_path / "hymem", HYMEM_TRACES="otlp", OTEL_EXPORTER_OTLP_ENDPOINT=server.url)

    spans = collector.spans()
    assert run.returncode == 0, run.stderr
    assert attributes(spans["dream"]) | {"hymem.asked": 2, "hymem.changed.kg_evidence": 1} == attributes(spans["dream"])
    assert spans["chunks"].parent_span_id == spans["dream"].span_id
    assert (
        spans["dream"].start_time_unix_nano <= spans["chunks"].start_time_unix_nano < spans["chunks"].end_time_unix_nano
    )
    assert not [body for body in collector.bodies if SECRET.lower().encode() in body.lower() or b"monday" in body]


def test_a_request_is_a_span_of_the_trace_that_its_client_began(tmp_path: Path):
    collector, began = Collector(), "0af7651916cd43dd8448eb211c80319c"
    with HttpServer(collector.app) as server:
        environment = {"HYMEM_TRACES": "otlp", "OTEL_EXPORTER_OTLP_ENDPOINT": server.url}
        with served(tmp_path, **environment) as (client, process):
            client.get("/health", headers={"traceparent": f"00-{began}-b7ad6b7169203331-01"})
            client.get(f"/v3/workspaces/{SECRET}/peers/{SECRET}/card")
            process.send_signal(signal.SIGTERM)
            process.wait(30)

    spans = collector.spans()
    assert spans["GET /health"].trace_id.hex() == began
    assert attributes(spans["GET /health"])["http.response.status_code"] == 200
    assert not [body for body in collector.bodies if SECRET.encode() in body]


def test_nothing_of_opentelemetry_is_loaded_unless_asked_for(tmp_path: Path):
    program = (
        "import sys; import hymem.tracing, hymem.settings; print([m for m in sys.modules if 'opentelemetry' in m])"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, env=os.environ)

    assert told.stdout.strip() == "[]"


def test_an_exporter_that_there_is_not_is_refused(tmp_path: Path):
    told = CommandLine(tmp_path, HYMEM_TRACES="jaeger")("dream")

    assert told.exit_code != 0 and all(name in told.stderr for name in EXPORTERS)
