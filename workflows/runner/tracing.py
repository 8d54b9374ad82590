"""Spans of runs to a collector of OpenTelemetry's, over OTLP/HTTP: what ended since the last time.

Everything is read from the log, so a killed worker's spans are told by another; a batch that was
sent and not marked is sent again under the same ids. Nothing is loaded and nothing is read where no
collector is named (`OTEL_EXPORTER_OTLP_ENDPOINT`).
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

from workflows.actions.tracing import mark_traced
from workflows.core.engine.trace_spans import Span, TraceState, trace_events
from workflows.models import Run
from workflows.selectors.tracing import telling_events, untold

if TYPE_CHECKING:
    from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace import ReadableSpan

log = logging.getLogger(__name__)

COLLECTOR = ("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT")
BATCH_RUNS = 100
CACHE_SIZE = 512
"""Half-told traces that are kept; any other is read again from its first event."""
EXPORT_LOCK = 7_446_254
"""Number of the lock in PostgreSQL that the one worker holds who is telling."""
SECONDS = 1_000_000_000
TIMEOUT = 5.0


class Tracer:
    """Lives as long as its worker; used by one thread at a time."""

    def __init__(self) -> None:
        self._kept: OrderedDict[UUID, TraceState] = OrderedDict()
        self._exporter: OTLPSpanExporter | None = None

    def export(self) -> int:
        """Tell the collector what ended since. Returns the number of spans it took."""
        if not any(os.environ.get(name) for name in COLLECTOR):
            return 0
        with _export_lock() as alone:
            return self._export() if alone else 0

    def close(self) -> None:
        if self._exporter is not None:
            self._exporter.shutdown()  # type: ignore[no-untyped-call]
            self._exporter = None

    def _export(self) -> int:
        told: list[tuple[Run, TraceState]] = []
        spans: list[ReadableSpan] = []
        for run in untold(timezone.now())[:BATCH_RUNS]:
            trace, ended = self._ended(run)
            told.append((run, trace))
            spans += [_to_sdk_span(trace, span) for span in ended]
        if spans and not self._sent(spans):
            return 0
        for run, trace in told:
            mark_traced(run.pk, run.last)
            self._keep(run.pk, trace)
        return len(spans)

    def _ended(self, run: Run) -> tuple[TraceState, Sequence[Span]]:
        """The trace up to the row's number, and what ended after the number that was told."""
        trace = self._kept.get(run.pk)
        if trace is None or trace.n > run.traced:
            trace = TraceState(run=str(run.pk), pack=run.pack.name)
        before = (event for event in telling_events(run, trace.n) if event.n <= run.traced)
        trace, _ = trace_events(trace, before)
        return trace_events(trace, telling_events(run, run.traced))

    def _keep(self, run_id: UUID, trace: TraceState) -> None:
        self._kept[run_id] = trace
        self._kept.move_to_end(run_id)
        while len(self._kept) > CACHE_SIZE:
            self._kept.popitem(last=False)

    def _sent(self, spans: Sequence[ReadableSpan]) -> bool:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk.trace.export import SpanExportResult

        if self._exporter is None:
            self._exporter = OTLPSpanExporter(timeout=TIMEOUT)
        if self._exporter.export(spans) is SpanExportResult.SUCCESS:
            return True
        log.warning("The collector did not take %s spans; trying again", len(spans))
        return False


def _to_sdk_span(trace: TraceState, span: Span) -> ReadableSpan:
    """A span as OpenTelemetry's exporter takes it."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import Event, ReadableSpan
    from opentelemetry.sdk.util.instrumentation import InstrumentationScope
    from opentelemetry.trace import SpanContext, SpanKind, TraceFlags
    from opentelemetry.trace.status import Status, StatusCode

    def named(id: int) -> SpanContext:
        sampled = TraceFlags(TraceFlags.SAMPLED)
        return SpanContext(trace.trace, id, is_remote=False, trace_flags=sampled)

    return ReadableSpan(
        name=span.name,
        context=named(span.id),
        parent=None if span.parent is None else named(span.parent),
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
    """Of several workers on one PostgreSQL one tells; on a file there is one worker anyway."""
    if connection.vendor != "postgresql":
        yield True
        return
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [EXPORT_LOCK])
        row = cursor.fetchone()
        yield bool(row and row[0])
