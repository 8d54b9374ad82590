"""The trace of a run: one span for the run, one for each visit of a state, and one for each effect
of a visit. Ids are derived from the run's id and the events' numbers, so exports of the same
events, also by two workers, give the same trace.

Names and `gen_ai.*` attributes follow OpenTelemetry's semantic conventions for generative AI,
version 0.1.0: the run is a workflow, a visit that asks a model is an invocation of an agent, and
results of evaluations are events of the visit. Prompts and answers are not part of any span.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import TypeAlias

from workflows.core.engine.events import Event, confirms_call
from workflows.core.engine.people import act_of, is_denial
from workflows.plugins.traces import evaluations

Value: TypeAlias = str | int | float | bool | tuple[str, ...]
PROVIDERS = {"google": "gcp.gemini", "compatible": "openai"}
"""Our provider → the convention's. A compatible server is identified by its model, not by its
protocol."""
TYPES = (
    "run.started",
    "state.entered",
    "state.left",
    "model.asked",
    "model.replied",
    "tool.asked",
    "tool.called",
    "tool.returned",
    "command.asked",
    "command.finished",
    "approval.asked",
    "approval.given",
    "transition.taken",
    "run.paused",
    "run.resumed",
    "run.finished",
    *evaluations.TYPES,
)
"""The events that a trace depends on; all others may be omitted."""
MAX_SPAN_EVENTS = 128
"""Maximum number of events of one span: transitions and pauses of the run, evaluations of a visit.
Later ones are left out."""
FAILED = ("failed", "budget_exhausted")


@dataclass(frozen=True, slots=True, kw_only=True)
class SpanEvent:
    """An event at one moment of a span."""

    name: str
    at: float
    attributes: Mapping[str, Value] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """`begin` and `end` in seconds since 1970. `parent` is None for the run's own span. `error`:
    the failure in one word, "" for none. `client`: the span is a call outside this server."""

    id: int
    parent: int | None
    name: str
    begin: float
    end: float = 0.0
    attributes: Mapping[str, Value] = field(default_factory=dict)
    notes: tuple[SpanEvent, ...] = ()
    error: str = ""
    client: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceState:
    """An unfinished trace: the spans that have begun and not ended. `trace` is its id."""

    run: str
    pack: str
    n: int = 0
    whole: Span | None = None
    visits: Mapping[str, Span] = field(default_factory=dict)
    """Position → the span of its visit."""
    requests: Mapping[str, tuple[str, Span]] = field(default_factory=dict)
    """Key of an effect → its position and span."""

    @property
    def trace(self) -> int:
        return _number(self.run, 16)


def trace_events(
    tracing: TraceState, events: Iterable[Event]
) -> tuple[TraceState, tuple[Span, ...]]:
    """The trace after these events, and the spans that they ended, in that order."""
    done: list[Span] = []
    for event in events:
        tracing = replace(_after(tracing, event, done), n=event.n)
    return tracing, tuple(done)


def _after(now: TraceState, event: Event, done: list[Span]) -> TraceState:
    fields = event.fields
    position = str(fields.get("position", ""))
    match event.type:
        case "tool.called" if confirms_call(event.type, fields):
            return now
        case "run.started":
            return replace(now, whole=_run_span(now, event))
        case "state.entered":
            stay = _stay_span(now, event)
            return replace(now, visits={**now.visits, position: stay})
        case "model.asked" | "tool.asked" | "tool.called" | "command.asked" | "approval.asked":
            span = _asking(now, event, position)
            if event.type == "model.asked":
                now = _as_agent(now, position)
            return replace(
                now, requests={**now.requests, str(fields.get("key", "")): (position, span)}
            )
        case "model.replied" | "tool.returned" | "command.finished" | "approval.given":
            return _answered(now, event, done)
        case "state.left":
            return _left(now, event, position, done)
        case "transition.taken" | "run.paused" | "run.resumed":
            return _noted(now, event)
        case "run.finished":
            return _finished(now, event, done)
        case _:
            return _evaluated(now, event, position)


def _run_span(now: TraceState, event: Event) -> Span:
    return Span(
        id=_number(f"{now.run}/run", 8),
        parent=None,
        name=f"invoke_workflow {now.pack}",
        begin=event.at,
        attributes={
            "gen_ai.operation.name": "invoke_workflow",
            "gen_ai.agent.name": now.pack,
            **_ids(now),
            "signalbox.driver": str(event.fields.get("driver", "")),
        },
    )


def _stay_span(now: TraceState, event: Event) -> Span:
    state = str(event.fields.get("state", ""))
    return Span(
        id=_number(f"{now.run}/{event.n}", 8),
        parent=now.whole.id if now.whole else None,
        name=f"state {state}",
        begin=event.at,
        attributes={
            **_ids(now),
            "signalbox.state": state,
            "signalbox.visit": int(event.fields.get("visit", 1)),
            "signalbox.position": str(event.fields.get("position", "")),
        },
    )


def _asking(now: TraceState, event: Event, position: str) -> Span:
    stay = now.visits.get(position, now.whole)
    name, attributes, client = _named(event)
    return Span(
        id=_number(f"{now.run}/{event.n}", 8),
        parent=stay.id if stay else None,
        name=name,
        begin=event.at,
        attributes={**attributes, **_ids(now)},
        client=client,
    )


def _ids(now: TraceState) -> dict[str, Value]:
    return {"gen_ai.conversation.id": now.run, "signalbox.run.id": now.run}


def _as_agent(now: TraceState, position: str) -> TraceState:
    """Make the visit an invocation of an agent: it asks a model."""
    stay = now.visits.get(position)
    if stay is None:
        return now
    state = str(stay.attributes["signalbox.state"])
    about = {"gen_ai.operation.name": "invoke_agent", "gen_ai.agent.name": state}
    agent = replace(stay, name=f"invoke_agent {state}", attributes={**about, **stay.attributes})
    return replace(now, visits={**now.visits, position: agent})


def _named(event: Event) -> tuple[str, dict[str, Value], bool]:
    """Name and attributes of an effect, and whether it is a call outside this server."""
    fields = event.fields
    match event.type:
        case "model.asked":
            return "chat", {"gen_ai.operation.name": "chat"}, True
        case "tool.asked" | "tool.called":
            tool = str(fields.get("name", ""))
            about: dict[str, Value] = {"gen_ai.operation.name": "execute_tool"}
            about |= {"gen_ai.tool.name": tool, "gen_ai.tool.type": "function"}
            call = str(fields.get("call_id") or fields.get("key") or "")
            if call:
                about["gen_ai.tool.call.id"] = call
            return f"execute_tool {tool}", about, False
        case "command.asked":
            command = fields.get("command") or ("",)
            program = str(command[0]).rpartition("/")[2]
            return f"command {program}", {"process.executable.name": program}, False
        case _:
            kind = str(fields.get("kind", ""))
            return f"ask a person: {kind}", {"signalbox.approval.kind": kind}, False


def _answered(now: TraceState, event: Event, done: list[Span]) -> TraceState:
    key = str(event.fields.get("key", ""))
    if key not in now.requests:
        return now
    _, span = now.requests[key]
    done.append(_ended(_with_answer(span, event), event.at))
    return replace(
        now, requests={other: now.requests[other] for other in now.requests if other != key}
    )


def _with_answer(span: Span, event: Event) -> Span:
    fields = event.fields
    about = dict(span.attributes)
    error = event.type.partition(".")[0] if fields.get("error") else ""
    act = act_of(event.type, fields)
    if act:
        about["signalbox.person"] = act.words
    name = span.name
    match event.type:
        case "model.replied":
            usage = fields.get("usage") or {}
            model, provider = str(fields.get("model", "")), str(fields.get("provider", ""))
            if model:
                about["gen_ai.request.model"] = model
                name = f"chat {model}"
            if provider:
                about["gen_ai.provider.name"] = PROVIDERS.get(provider, provider)
            about["gen_ai.usage.input_tokens"] = int(usage.get("input_tokens", 0))
            about["gen_ai.usage.output_tokens"] = int(usage.get("output_tokens", 0))
            if usage.get("cost"):
                about["signalbox.cost"] = float(usage["cost"])
            if fields.get("response_model"):
                about["gen_ai.response.model"] = str(fields["response_model"])
            finish = str(fields.get("finish_reason") or ("error" if error else ""))
            if finish:
                about["gen_ai.response.finish_reasons"] = (finish,)
        case "command.finished":
            about["process.exit.code"] = int(fields.get("exit") or 0)
            error = "" if about["process.exit.code"] == 0 else "command"
        case "approval.given":
            about["signalbox.approved"] = bool(fields.get("approve", True))
    if is_denial(event.type, fields):
        error = ""
    if error:
        about["error.type"] = "_OTHER"
    return replace(span, name=name, attributes=about, error=error)


def _left(now: TraceState, event: Event, position: str, done: list[Span]) -> TraceState:
    """End the span of a visit and of its unanswered effects."""
    for asked_at, span in now.requests.values():
        if asked_at == position:
            done.append(_ended(span, event.at))
    requests = {key: one for key, one in now.requests.items() if one[0] != position}
    if position in now.visits:
        done.append(_ended(now.visits[position], event.at))
    stays = {other: span for other, span in now.visits.items() if other != position}
    return replace(now, requests=requests, visits=stays)


def _evaluated(now: TraceState, event: Event, position: str) -> TraceState:
    """Add the result of an evaluation to the visit. The model's own span has ended by then."""
    about = evaluations.evaluation(event)
    stay = now.visits.get(position)
    if about is None or stay is None or len(stay.notes) >= MAX_SPAN_EVENTS:
        return now
    note = SpanEvent(name=evaluations.NAME, at=event.at, attributes=about)
    stay = replace(stay, notes=(*stay.notes, note))
    return replace(now, visits={**now.visits, position: stay})


def _noted(now: TraceState, event: Event) -> TraceState:
    if now.whole is None or len(now.whole.notes) >= MAX_SPAN_EVENTS:
        return now
    about = {
        f"signalbox.{name}": str(event.fields[name])
        for name in ("source", "label", "target", "breakpoint")
        if event.fields.get(name)
    }
    note = SpanEvent(name=event.type, at=event.at, attributes=about)
    return replace(now, whole=replace(now.whole, notes=(*now.whole.notes, note)))


def _finished(now: TraceState, event: Event, done: list[Span]) -> TraceState:
    for position in sorted({at for at, _ in now.requests.values()} | set(now.visits)):
        now = _left(now, event, position, done)
    if now.whole is not None:
        status = str(event.fields.get("status", ""))
        about: dict[str, Value] = {**now.whole.attributes, "signalbox.status": status}
        error = status if status in FAILED else ""
        if error:
            about["error.type"] = status
        done.append(_ended(replace(now.whole, attributes=about, error=error), event.at))
    return replace(now, whole=None)


def _ended(span: Span, at: float) -> Span:
    return replace(span, end=max(at, span.begin))


def _number(text: str, size: int) -> int:
    """An id of this many bytes, never 0."""
    return int.from_bytes(sha256(text.encode()).digest()[:size], "big") or 1
