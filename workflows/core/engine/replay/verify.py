"""Verification of a recorded run: would it take the same path with the pack as it is today?

The recorded answers are delivered to today's program one after the other, and its events are
compared with the recorded ones. No model is called. States, effects, checks, transitions, artifacts
and the end count. Another wording of a prompt or a question is reported and is not a divergence,
because the recorded answer remains valid.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflows.core.engine.events import Event, confirms_call
from workflows.core.engine.fold import ANSWER_EVENTS, fold_all
from workflows.core.engine.program import Budget, CannotRun, Program
from workflows.core.engine.replay.fork import repeat_requests
from workflows.core.engine.replay.recording import CONTEXT_FIELDS, recorded_answer
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import Breakpoints, Control, Fire, Signal, Start, Tell
from workflows.core.engine.transition import transition

WORDING_FIELDS = (
    "effect",
    "text",
    "hash",
    "blocks",
    "block_hashes",
    "header_hash",
    "wire_text",
    "question",
    "choices",
    "message",
    "why",
    "reason",
    "template",
    "fallback",
)
"""Fields with texts of the program's own events. A difference is reported only."""

UNCOMPARED_FIELDS = ("usage", "sent", "reasoning", "warnings")
"""Fields of an answer's event about the call, not about the answer."""
IGNORED_FIELDS = (
    "budget",
    "memory",
    "run_memory",
    "driver",
    "forked_from",
    "run",
    "code",
    "by",
    "workspace",
    "simulated_inputs",
    "commit",
    "trigger",
    "revision",
    "connection",
    "model",
    "commands",
    "bindings",
    "cause",
)
"""Fields that are not part of a run's visible behaviour."""

AFTER_THE_END = ("workspace.closed", "workspace.kept")
"""Events of the runner about a run that has ended."""

ANSWER_TEXT_EVENTS = ("model.replied", "approval.given", "run.told")
"""Events whose `text` is an answer or a message of a person or model."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first event that differs. `recorded` and `now` have `type` and the fields that count;
    None if no event was recorded, or none would happen."""

    n: int
    type: str
    recorded: Mapping[str, Any] | None
    now: Mapping[str, Any] | None
    taken: Mapping[str, Any] | None = None
    """The fields of the transition that would be taken next, if the same answer takes one."""
    why: str = ""
    """The whole message, if the recorded event is not available."""

    @property
    def message(self) -> str:
        """A description of the divergence."""
        if self.why:
            return f"Event {self.n} ({self.type}): {self.why}"
        differing = _differing_fields(self.recorded, self.now)
        was = _describe(self.recorded, differing, self.now) if self.recorded else "nothing"
        now = "nothing more happens"
        if self.now:
            now = _describe(self.now, differing, self.recorded)
        return f"Event {self.n} was {was}; now {now}."

    def to_json(self) -> dict[str, Any]:
        return {
            "n": self.n,
            "type": self.type,
            "recorded": self.recorded,
            "now": self.now,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """The result for one recorded run. `reworded`: numbers of events with another wording. `note`:
    why a script that holds reaches no end, "" if it does."""

    events: int
    divergence: Divergence | None = None
    reworded: tuple[int, ...] = field(default=())
    note: str = ""

    @property
    def holds(self) -> bool:
        return self.divergence is None

    def to_json(self) -> dict[str, Any]:
        """The shape of `signalbox verify --format json`, for one run."""
        return {
            "holds": self.holds,
            "events": self.events,
            "reworded": list(self.reworded),
            "departure": self.divergence.to_json() if self.divergence else None,
        }


def script_verdict(events: Sequence[Event], why: str, n: int = 0, *, note: str = "") -> Verdict:
    """The result for a script, which has no recorded events: `why` it differs, "" if it does not,
    and the number of the event that shows it (0: the last). `note`: why it reaches no end."""
    if not why:
        return Verdict(events=len(events), note=note)
    last = events[(n or len(events)) - 1] if events else None
    divergence = Divergence(
        n=last.n if last else 1,
        type=last.type if last else "run.started",
        recorded=None,
        now=_significant_fields(last) if last else None,
        why=why,
    )
    return Verdict(events=len(events), divergence=divergence)


def verify(program: Program | CannotRun, log: Sequence[Event], first: int = 0) -> Verdict:
    """Replay the log's answers. `log` is a whole recording (`recording.read_recording`), or its
    beginning; `program` the pack's program today, or the reason why it cannot run. The events
    before index `first`, with which a step begins, happen as recorded."""
    run, reworded = fold_all(log[:first]), list[int]()
    while run.n < len(log):
        events = _redo(program, run, log)
        for recorded, event in zip(log[run.n :], events or (None,), strict=False):
            if event is None or _significant_fields(event) != _significant_fields(recorded):
                divergence = _divergence(recorded, event, events)
                return Verdict(events=len(log), divergence=divergence, reworded=tuple(reworded))
            if _wording(event) != _wording(recorded):
                reworded.append(event.n)
        run = fold_all(events, run)
    return Verdict(events=len(log), reworded=tuple(reworded))


def _redo(program: Program | CannotRun, run: RunState, log: Sequence[Event]) -> tuple[Event, ...]:
    """Today's events after the first `run.n` events of the log."""
    head = log[run.n]
    if isinstance(program, CannotRun):
        return _cannot_start(program, head) if run.n == 0 else ()
    if _is_from_runner(head):
        return () if run.finished and head.type not in AFTER_THE_END else (head,)
    fork = log[0].fields.get("forked_from") or {}
    if fork.get("revision") and run.n <= fork["at"]:
        return _another_revision(program, run, log, fork["at"])
    signal = _cause(log[run.n :])
    if signal is None:
        return ()
    return transition(program, run, signal, budget=_budget(log[0]))[0]


def _another_revision(
    program: Program, run: RunState, log: Sequence[Event], until: int
) -> tuple[Event, ...]:
    """A fork under another revision: its first events are those of the old revision and are
    kept."""
    if run.n < until:
        return tuple(log[run.n : until])
    return repeat_requests(program, run, log[run.n].at, budget=_budget(log[0]))


def _is_from_runner(head: Event) -> bool:
    """Return True for events of the runner, which no program decides: an effect is left to a
    person, allowed by one, repeated or unanswered, or the run cannot continue."""
    match head.type:
        case "run.waiting":
            return "effect" not in head.fields
        case "effect.allowed" | "effect.repeated" | "tool.allowed" | "tool.revoked":
            return True
        case "run.paused":
            return "unanswered" in head.fields
        case "run.finished":
            return head.fields.get("status") != "cancelled"
        case _:
            return head.type in AFTER_THE_END


def _cause(rest: Sequence[Event]) -> Signal | None:
    """The signal that caused the first of these events."""
    head = rest[0]
    reason = str(head.fields.get("reason", ""))
    called = confirms_call(head.type, head.fields)
    answer = recorded_answer(rest[1] if called and len(rest) > 1 else head, called=called)
    if answer is not None:
        return answer
    match head.type:
        case "run.started":
            return _start(rest)
        case "run.paused":
            return Control(at=head.at, what="pause", reason=reason)
        case "run.breakpoints":
            ids, until = tuple(head.fields["ids"]), str(head.fields.get("until", ""))
            return Breakpoints(at=head.at, ids=ids, until=until)
        case "run.fired":
            return Fire(at=head.at, event=head.fields["event"], state=head.fields["state"])
        case "run.told":
            message = {name: head.fields[name] for name in ("state", "text", "interrupt")}
            return Tell(at=head.at, **message)
        case "run.resumed":
            step = bool(head.fields.get("step"))
            return Control(at=head.at, what="step" if step else "resume", reason=reason)
        case _:
            return _external_signal(rest)


def _start(rest: Sequence[Event]) -> Start:
    head = rest[0]
    paused = len(rest) > 1 and rest[1].type == "run.paused"
    return Start(
        at=head.at,
        inputs=head.fields.get("inputs") or {},
        paused=paused,
        run=head.fields.get("run", ""),
        started_by=str(head.fields.get("started_by", "")),
        breakpoints=tuple(head.fields.get("breakpoints") or ()),
    )


def _external_signal(rest: Sequence[Event]) -> Signal | None:
    """The cancel or external event that caused these events, which contain no answer."""
    for event in rest:
        if event.type in ANSWER_EVENTS and event is not rest[0]:
            break
        if event.type == "transition.taken":
            return Fire(at=rest[0].at, event=event.fields["label"], state=event.fields["source"])
        if event.type == "run.finished" and event.fields.get("status") == "cancelled":
            reason = str(event.fields.get("reason", ""))
            return Control(at=rest[0].at, what="cancel", reason=reason)
    return None


def _cannot_start(cannot: CannotRun, head: Event) -> tuple[Event, ...]:
    fields = {"status": "failed", "reason": cannot.message}
    return (head, Event(n=2, at=head.at, type="run.finished", fields=fields))


def _budget(started: Event) -> Budget | None:
    limits = started.fields.get("budget")
    return Budget(**limits) if limits else None


def _significant_fields(event: Event) -> dict[str, Any]:
    wording = () if event.type in ANSWER_TEXT_EVENTS else WORDING_FIELDS
    context: tuple[str, ...] = CONTEXT_FIELDS if event.type == "run.started" else ()
    if event.type == "run.finished":
        context = ("transition",)  # Older recordings do not name the transition to the end.
    significant = {
        name: value
        for name, value in event.fields.items()
        if name not in (*IGNORED_FIELDS, *wording, *context, *UNCOMPARED_FIELDS)
    }
    # Older recordings have requests of this type.
    request = event.type == "tool.called" and "effect" in event.fields
    return {"type": "tool.asked" if request else event.type, **significant}


def _wording(event: Event) -> dict[str, Any]:
    return {name: event.fields[name] for name in WORDING_FIELDS if name in event.fields}


def _divergence(recorded: Event, now: Event | None, events: Sequence[Event]) -> Divergence:
    later = (one for one in events if one.type == "transition.taken" and one.n >= recorded.n)
    return Divergence(
        taken=next((one.fields for one in later), None),
        n=recorded.n,
        type=recorded.type,
        recorded=_significant_fields(recorded),
        now=_significant_fields(now) | _reason(now) if now else None,
    )


def _reason(event: Event) -> dict[str, Any]:
    """The reason of an end or of a failed check. It is part of the message although it does not
    count."""
    return {name: event.fields[name] for name in ("reason", "message") if event.fields.get(name)}


SUMMARY_FIELDS = (
    "label",
    "source",
    "target",
    "state",
    "name",
    "status",
    "command",
    "value",
    "intent",
)


MAX_VALUE_LENGTH = 80
"""Maximum number of characters of a value in the message."""


def _differing_fields(
    recorded: Mapping[str, Any] | None, now: Mapping[str, Any] | None
) -> tuple[str, ...]:
    """Fields that differ between two events of one type, besides those that are always shown."""
    if recorded is None or now is None or recorded["type"] != now["type"]:
        return ()
    return tuple(
        name
        for name in {**recorded, **now}
        if name not in (*SUMMARY_FIELDS, "reason", "message")
        and recorded.get(name) != now.get(name)
    )


def _describe(
    what: Mapping[str, Any], differing: tuple[str, ...] = (), other: Mapping[str, Any] | None = None
) -> str:
    """An event in a few words; of long values the part that differs."""
    words = [
        f"{name} {_cut(repr(what[name]), repr((other or {}).get(name)))}"
        for name in (*SUMMARY_FIELDS, *differing)
        if what.get(name) not in (None, "", [])
    ]
    why = what.get("reason") or what.get("message")
    return " ".join([what["type"], *(["(" + ", ".join(words) + ")"] if words else [])]) + (
        f": {str(why).rstrip('.')}" if why else ""
    )


def _cut(text: str, other: str) -> str:
    if len(text) <= MAX_VALUE_LENGTH:
        return text
    pairs = enumerate(zip(text, other, strict=False))
    shared = next((place for place, (one, two) in pairs if one != two), len(other))
    start = max(0, min(shared - MAX_VALUE_LENGTH // 4, len(text) - MAX_VALUE_LENGTH))
    end = start + MAX_VALUE_LENGTH
    return ("…" if start else "") + text[start:end] + ("…" if end < len(text) else "")
