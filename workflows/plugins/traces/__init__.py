"""Traces of runs for an OpenTelemetry collector, computed from the log."""

from __future__ import annotations

from workflows.plugins.base import Plugin

PLUGIN = Plugin(
    name="traces",
    periodic="workflows.plugins.traces.export.Tracer",
    facts="workflows.plugins.traces.export.facts",
)
