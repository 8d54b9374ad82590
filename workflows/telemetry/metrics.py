"""Prometheus metrics of this process.

Events are counted where they are written, so each counts in one process only. Metrics of the whole
installation are read from the database on request (`workflows.selectors.metrics`).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from prometheus_client import Counter, Gauge, Histogram, Info

from workflows.core.engine.events import Event
from workflows.core.engine.people import act_of
from workflows.installation import version

INFO = Info("signalbox", "Version of this process.")
INFO.info({"version": version()})
STARTED = Counter("signalbox_runs_started", "Runs begun.", ["driver", "source"])
FINISHED = Counter("signalbox_runs_finished", "Runs that ended.", ["status"])
STEPS = Counter("signalbox_steps", "States entered.")
EVENTS = Counter("signalbox_events", "Events written.")
CALLS = Counter("signalbox_model_calls", "Model calls answered.", ["provider", "model", "outcome"])
TOKENS = Counter("signalbox_model_tokens", "Tokens.", ["provider", "model", "direction"])
COST = Counter("signalbox_model_cost_dollars", "Cost of calls.", ["provider", "model"])
TOOLS = Counter("signalbox_tool_calls", "Tool calls answered.", ["outcome"])
COMMANDS = Counter("signalbox_commands", "Commands that ended.", ["outcome"])
FAULTS = Counter("signalbox_faults", "Pauses of runs because no model was available.")
SOCKETS = Gauge("signalbox_sockets", "Open live views.", ["kind"])
REQUESTS = Histogram(
    "signalbox_http_request_seconds",
    "Duration of a request.",
    ["method", "route", "status"],
    buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0),
)


def count(events: Iterable[Event], *, driver: str, source: str) -> None:
    """Count the events that were just written for one run."""
    number = 0
    for event in events:
        number += 1
        if event.type == "state.entered":
            STEPS.inc()
        elif event.type in COUNTED:
            _count(event.type, event.fields, driver, source)
    EVENTS.inc(number)


COUNTED = frozenset(
    {
        "run.started",
        "run.finished",
        "run.paused",
        "model.replied",
        "tool.returned",
        "command.finished",
    }
)


def _count(type: str, fields: Mapping[str, Any], driver: str, source: str) -> None:
    match type:
        case "run.started":
            STARTED.labels(driver, source).inc()
        case "run.finished":
            FINISHED.labels(fields.get("status", "")).inc()
        case "model.replied":
            _count_call(fields, driver)
        case "tool.returned":
            if not act_of(type, fields):
                TOOLS.labels(_outcome(bool(fields.get("error")))).inc()
        case "command.finished":
            if not act_of(type, fields):
                COMMANDS.labels(_outcome(bool(fields.get("exit")))).inc()
        case "run.paused" if fields.get("unanswered"):
            FAULTS.inc()


def _count_call(fields: Mapping[str, Any], driver: str) -> None:
    """Count a model reply. The provider of a simulated reply is its driver."""
    labels = (fields.get("provider") or driver, fields.get("model") or "")
    _calls(*labels, _outcome(bool(fields.get("error")))).inc()
    usage = fields.get("usage") or {}
    for direction in ("input", "output"):
        if tokens := usage.get(f"{direction}_tokens"):
            TOKENS.labels(*labels, direction).inc(tokens)
    if cost := usage.get("cost"):
        COST.labels(*labels).inc(cost)


@lru_cache(maxsize=256)
def _calls(provider: str, model: str, outcome: str) -> Counter:
    """Cached, because looking up a counter by its labels takes longer than counting."""
    return CALLS.labels(provider, model, outcome)


def _outcome(failed: bool) -> str:
    return "failed" if failed else "ok"
