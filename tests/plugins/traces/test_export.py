"""Traces reach a real collector over OTLP/HTTP, each span under its own id, through restarts."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from tests.runner.conftest import Begin
from workflows.actions import runs
from workflows.core.engine.signals import Reply
from workflows.models import Run
from workflows.plugins.traces.export import Tracer

LOOP = {"start": {"model": {"stay": "start", "on": "done"}}, "done": {"end": "completed"}}


class Collector:
    """Takes what exporters post, and refuses it while `broken`."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, bytes, bytes, bytes]] = []
        """Name, trace id, span id, parent's id."""
        self.bodies = b""
        self.broken = False
        collector = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                if not collector.broken:
                    collector.take(body)
                self.send_response(400 if collector.broken else 200)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, format: str, *args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def take(self, body: bytes) -> None:
        self.bodies += body
        for resource in ExportTraceServiceRequest.FromString(body).resource_spans:
            for scope in resource.scope_spans:
                self.spans += [
                    (span.name, span.trace_id, span.span_id, span.parent_span_id)
                    for span in scope.spans
                ]


@pytest.fixture
def collector(monkeypatch: pytest.MonkeyPatch) -> Iterator[Collector]:
    running = Collector()
    thread = threading.Thread(target=running.server.serve_forever)
    thread.start()
    monkeypatch.setenv("OTEL_EXPORTER_OTLP_ENDPOINT", running.url)
    yield running
    running.server.shutdown()
    running.server.server_close()
    thread.join()


@pytest.fixture
def tracer() -> Iterator[Tracer]:
    mine = Tracer()
    yield mine
    mine.close()


def answer(run: Run, go: str) -> None:
    (key,) = runs.work_of(run.pk).run.pending
    said = Reply(at=time.time(), key=key, structured={"go": go}, provider="openai", model="gpt")
    runs.deliver(run.pk, said)


def test_spans_are_exported_when_a_state_is_left(
    begin: Begin, collector: Collector, tracer: Tracer
) -> None:
    run = begin(LOOP)
    assert tracer.run() == 0
    answer(run, "stay")
    assert tracer.run() == 2
    assert [name for name, *_ in collector.spans] == ["chat gpt", "invoke_agent start"]
    answer(run, "on")
    tracer.run()
    names = [name for name, *_ in collector.spans]
    assert names[2:] == ["chat gpt", "invoke_agent start", "state done", "invoke_workflow Tiny"]
    whole = collector.spans[-1]
    assert {trace for _, trace, _, _ in collector.spans} == {whole[1]}
    assert [parent for name, *_, parent in collector.spans if name == "invoke_agent start"] == [
        whole[2]
    ] * 2
    assert tracer.run() == 0


def test_a_restart_of_the_tracer_changes_no_span(begin: Begin, collector: Collector) -> None:
    run = begin(LOOP)
    answer(run, "stay")
    first = Tracer()
    first.run()
    first.close()  # and its memory is gone
    answer(run, "on")
    second = Tracer()
    second.run()
    second.close()
    told = list(collector.spans)
    collector.spans.clear()
    Run.objects.update(traced=0)
    whole = Tracer()
    whole.run()
    whole.close()
    assert told == collector.spans


def test_rejected_spans_are_exported_again(
    begin: Begin, collector: Collector, tracer: Tracer, caplog: pytest.LogCaptureFixture
) -> None:
    run = begin(LOOP)
    answer(run, "on")
    collector.broken = True
    assert tracer.run() == 0
    assert Run.objects.get().traced == 0
    assert "did not accept 4 spans" in caplog.text
    collector.broken = False
    assert tracer.run() == 4
    assert Run.objects.get().traced == Run.objects.get().last


def test_spans_contain_no_prompt_and_no_answer(
    begin: Begin, collector: Collector, tracer: Tracer
) -> None:
    run = begin(LOOP, inputs={"who": "a secret person"})
    answer(run, "on")
    tracer.run()
    asked = runs.run_log.folded(Run.objects.get())
    assert asked.finished
    assert b"secret" not in collector.bodies
    assert b"You are" not in collector.bodies


def test_the_tracer_reads_nothing_without_a_collector(
    begin: Begin, tracer: Tracer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    answer(begin(LOOP), "on")
    assert tracer.run() == 0
    assert Run.objects.get().traced == 0
