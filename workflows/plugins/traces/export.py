"""Export of run spans to an OpenTelemetry collector over OTLP/HTTP.

Spans are computed from the log, so another worker exports the spans of a killed worker. A batch
that was sent but not marked is sent again with the same ids. Without a collector
(`OTEL_EXPORTER_OTLP_ENDPOINT`) nothing is imported and nothing is read.
"""

from __future__ import annotations

import logging
import os
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING
from uuid import UUID

from django.db import connection, transaction
from django.utils import timezone
from django.utils.html import format_html

from workflows.models import Run
from workflows.plugins.traces.runs import mark_traced, traced_events, unexported_runs
from workflows.plugins.traces.spans import Span, TraceState, trace_events

if TYPE_CHECKING:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import ReadableSpan

log = logging.getLogger(__name__)

COLLECTOR = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
BATCH_RUNS = 100
CACHE_SIZE = 512
"""Incomplete traces in memory; any other is read again from its first event."""
EXPORT_LOCK = 7_446_254
"""Number of the PostgreSQL advisory lock of the one worker that exports."""
SECONDS = 1_000_000_000
TIMEOUT = 5.0


class Tracer:
    """Exports traces as long as its worker runs. Used by one thread at a time."""

    def __init__(self) -> None:
        self._traces: OrderedDict[UUID, TraceState] = OrderedDict()
        self._exporter: OTLPSpanExporter | None = None
        if _has_collector():
            import opentelemetry.sdk  # noqa: F401 - if it is missing, the start says so

    def run(self) -> int:
        """Send new spans to the collector. Returns the number of spans it accepted."""
        if not _has_collector():
            return 0
        with _export_lock() as acquired:
            return self._export() if acquired else 0

    def close(self) -> None:
        if self._exporter is not None:
            self._exporter.shutdown()  # type: ignore[no-untyped-call]
            self._exporter = None

    def _export(self) -> int:
        exported: list[tuple[Run, TraceState]] = []
        spans: list[ReadableSpan] = []
        for run in unexported_runs(timezone.now())[:BATCH_RUNS]:
            trace, ended = self._new_spans(run)
            exported.append((run, trace))
            spans += [_to_sdk_span(trace, span) for span in ended]
        if spans and not self._send(spans):
            return 0
        for run, trace in exported:
            mark_traced(run.pk, run.last)
            self._store(run.pk, trace)
        return len(spans)

    def _new_spans(self, run: Run) -> tuple[TraceState, Sequence[Span]]:
        """The trace up to the row's number, and the spans that ended after the exported number."""
        trace = self._traces.get(run.pk)
        if trace is None or trace.n > run.traced:
            trace = TraceState(run=str(run.pk), pack=run.pack.name)
        before = (event for event in traced_events(run, trace.n) if event.n <= run.traced)
        trace, _ = trace_events(trace, before)
        return trace_events(trace, traced_events(run, run.traced))

    def _store(self, run_id: UUID, trace: TraceState) -> None:
        self._traces[run_id] = trace
        self._traces.move_to_end(run_id)
        while len(self._traces) > CACHE_SIZE:
            self._traces.popitem(last=False)

    def _send(self, spans: Sequence[ReadableSpan]) -> bool:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import SpanExportResult

        if self._exporter is None:
            self._exporter = OTLPSpanExporter(timeout=TIMEOUT)
        if self._exporter.export(spans) is SpanExportResult.SUCCESS:
            return True
        log.warning("The collector did not accept %s spans; retrying", len(spans))
        return False


def facts() -> list[tuple[str, str]]:
    """The row of the page of settings."""
    words = "are sent to the collector that {} names" if _has_collector() else "none ({})"
    name = format_html('<code translate="no">{}</code>', COLLECTOR[1])
    return [("Traces", format_html(words, name))]


def _has_collector() -> bool:
    return any(os.environ.get(name) for name in COLLECTOR)


def _to_sdk_span(trace: TraceState, span: Span) -> ReadableSpan:
    """A span as OpenTelemetry's exporter needs it."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
    from opentelemetry.trace.status import Status, StatusCode

    def span_context(id: int) -> SpanContext:
        sampled = TraceFlags(TraceFlags.SAMPLED)
        return SpanContext(trace.trace, id, is_remote=False, trace_flags=sampled)

    return ReadableSpan(
        name=span.name,
        context=span_context(span.id),
        parent=None if span.parent is None else span_context(span.parent),
        resource=Resource.create(
            {"service.name": os.environ.get("OTEL_SERVICE_NAME", "signalbox")}
        ),
        attributes=dict(span.attributes),
        events=[
            Event(note.name, dict(note.attributes), timestamp=int(note.at * SECONDS))
            for note in span.notes
        ],
        kind=SpanKind.CLIENT if span.client else SpanKind.INTERNAL,
        status=Status(StatusCode.ERROR, span.error[:200])
        if span.error
        else Status(StatusCode.UNSET),
        start_time=int(span.begin * SECONDS),
        end_time=int(span.end * SECONDS),
        instrumentation_scope=InstrumentationScope("signalbox"),
    )


@contextmanager
def _export_lock() -> Iterator[bool]:
    """Return True for the one exporting worker among several on one PostgreSQL; SQLite has one
    worker."""
    if connection.vendor != "postgresql":
        yield True
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [EXPORT_LOCK])
        row = cursor.fetchone()
        yield bool(row and row[0])
