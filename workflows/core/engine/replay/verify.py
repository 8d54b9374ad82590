"""Whether a recorded run would go the same way under today's pack. No model is ever called.

The recorded answers are given to today's program one after the other, and what it says to each is
held against what was recorded. Only what makes the run what it is counts: where it was, what it
asked for, which checks held, which arrows it took, what it kept and how it ended. A prompt or a
question with other words is noted and no departure, since the recorded answer still stands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from workflows.core.engine.events import Event
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
)
"""Fields of the program's own events that say how something is put: a difference is noted."""

IGNORED_FIELDS = ("budget", "memory", "run_memory", "driver", "forked_from", "run", "code", "by")
"""Fields that nobody outside sees the run by."""

ANSWER_TEXT_EVENTS = ("model.replied", "approval.given", "run.told")
"""Events whose `text` is what somebody answered."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Divergence:
    """The first event that would be another. `recorded` and `now` have `type` and the fields that
    count; None where nothing was recorded, or nothing would happen."""

    n: int
    type: str
    recorded: Mapping[str, Any] | None
    now: Mapping[str, Any] | None
    why: str = ""
    """A sentence that says it all, where nobody has the recorded event."""

    @property
    def message(self) -> str:
        """One sentence."""
        if self.why:
            return f"Event {self.n} ({self.type}): {self.why}"
        apart = _apart(self.recorded, self.now)
        was = _told(self.recorded, apart, self.now) if self.recorded else "nothing"
        now = "nothing more happens"
        if self.now:
            now = _told(self.now, apart, self.recorded)
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
    """What became of one recorded run. `reworded`: numbers of events that ask in other words."""

    events: int
    departure: Divergence | None = None
    reworded: tuple[int, ...] = field(default=())

    @property
    def holds(self) -> bool:
        return self.departure is None

    def to_json(self) -> dict[str, Any]:
        """The shape of `signalbox verify --format json`, for one run."""
        return {
            "holds": self.holds,
            "events": self.events,
            "reworded": list(self.reworded),
            "departure": self.departure.to_json() if self.departure else None,
        }


def script_verdict(events: Sequence[Event], why: str, n: int = 0) -> Verdict:
    """What became of a script, whose recorded events nobody has: `why` it is another run, "" where
    it is the same, and the number of the event that shows it (0: the last)."""
    if not why:
        return Verdict(events=len(events))
    last = events[(n or len(events)) - 1] if events else None
    departure = Divergence(
        n=last.n if last else 1,
        type=last.type if last else "run.started",
        recorded=None,
        now=_what_counts(last) if last else None,
        why=why,
    )
    return Verdict(events=len(events), departure=departure)


def verify(program: Program | CannotRun, log: Sequence[Event]) -> Verdict:
    """Replay the log's answers. `log` is a whole recording (`recording.read_recording`), `program`
    how the pack runs today, or why it cannot."""
    run, reworded = RunState(), list[int]()
    while run.n < len(log):
        events = _redo(program, run, log)
        for recorded, event in zip(log[run.n :], events or (None,), strict=False):
            if event is None or _what_counts(event) != _what_counts(recorded):
                departure = _departure(recorded, event)
                return Verdict(events=len(log), departure=departure, reworded=tuple(reworded))
            if _wording(event) != _wording(recorded):
                reworded.append(event.n)
        run = fold_all(events, run)
    return Verdict(events=len(log), reworded=tuple(reworded))


def _redo(program: Program | CannotRun, run: RunState, log: Sequence[Event]) -> tuple[Event, ...]:
    """What happens now where the log goes on after `run.n` events."""
    head = log[run.n]
    if isinstance(program, CannotRun):
        return _cannot_start(program, head) if run.n == 0 else ()
    if _by_hand(head):
        return () if run.finished else (head,)
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
    """A fork under another revision: how it began is the old revision's and stands as it is."""
    if run.n < until:
        return tuple(log[run.n : until])
    return repeat_requests(program, run, log[run.n].at, budget=_budget(log[0]))


def _by_hand(head: Event) -> bool:
    """Events that no program has a say in: who runs a run says whom it waits for, that nobody could
    answer, and that it cannot go on."""
    match head.type:
        case "run.waiting":
            return "effect" not in head.fields
        case "run.paused":
            return "unanswered" in head.fields
        case "run.finished":
            return head.fields.get("status") != "cancelled"
        case _:
            return False


def _cause(rest: Sequence[Event]) -> Signal | None:
    """The signal that the first of these events came of."""
    head = rest[0]
    reason = str(head.fields.get("reason", ""))
    answer = recorded_answer(head)
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
            said = {name: head.fields[name] for name in ("state", "text", "interrupt")}
            return Tell(at=head.at, **said)
        case "run.resumed":
            step = bool(head.fields.get("step"))
            return Control(at=head.at, what="step" if step else "resume", reason=reason)
        case _:
            return _from_outside(rest)


def _start(rest: Sequence[Event]) -> Start:
    head = rest[0]
    paused = len(rest) > 1 and rest[1].type == "run.paused"
    return Start(
        at=head.at,
        inputs=head.fields.get("inputs") or {},
        paused=paused,
        run=head.fields.get("run", ""),
        breakpoints=tuple(head.fields.get("breakpoints") or ()),
    )


def _from_outside(rest: Sequence[Event]) -> Signal | None:
    """Nothing was answered, so somebody cancelled the run or fired an event."""
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


def _what_counts(event: Event) -> dict[str, Any]:
    worded = () if event.type in ANSWER_TEXT_EVENTS else WORDING_FIELDS
    beside = CONTEXT_FIELDS if event.type == "run.started" else ()
    left = {
        name: value
        for name, value in event.fields.items()
        if name not in (*IGNORED_FIELDS, *worded, *beside, "usage")
    }
    return {"type": event.type, **left}


def _wording(event: Event) -> dict[str, Any]:
    return {name: event.fields[name] for name in WORDING_FIELDS if name in event.fields}


def _departure(recorded: Event, now: Event | None) -> Divergence:
    return Divergence(
        n=recorded.n,
        type=recorded.type,
        recorded=_what_counts(recorded),
        now=_what_counts(now) | _reason(now) if now else None,
    )


def _reason(event: Event) -> dict[str, Any]:
    """Why a run ends or a check fails belongs to the answer, though it does not count."""
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
"""So many characters of a value go into the sentence."""


def _apart(recorded: Mapping[str, Any] | None, now: Mapping[str, Any] | None) -> tuple[str, ...]:
    """Fields that two events of one type have different, beyond those that are always told."""
    if recorded is None or now is None or recorded["type"] != now["type"]:
        return ()
    return tuple(
        name
        for name in {**recorded, **now}
        if name not in (*SUMMARY_FIELDS, "reason", "message")
        and recorded.get(name) != now.get(name)
    )


def _told(
    what: Mapping[str, Any], apart: tuple[str, ...] = (), other: Mapping[str, Any] | None = None
) -> str:
    """An event in a few words; of long values what is not the same in the other one."""
    words = [
        f"{name} {_cut(repr(what[name]), repr((other or {}).get(name)))}"
        for name in (*SUMMARY_FIELDS, *apart)
        if what.get(name) not in (None, "", [])
    ]
    why = what.get("reason") or what.get("message")
    return " ".join([what["type"], *(["(" + ", ".join(words) + ")"] if words else [])]) + (
        f": {str(why).rstrip('.')}" if why else ""
    )


def _cut(said: str, other: str) -> str:
    if len(said) <= MAX_VALUE_LENGTH:
        return said
    pairs = enumerate(zip(said, other, strict=False))
    shared = next((place for place, (one, two) in pairs if one != two), len(other))
    start = max(0, min(shared - MAX_VALUE_LENGTH // 4, len(said) - MAX_VALUE_LENGTH))
    end = start + MAX_VALUE_LENGTH
    return ("…" if start else "") + said[start:end] + ("…" if end < len(said) else "")
