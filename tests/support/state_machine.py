"""A plain state machine as a Program and as a Graph: the smallest thing the engine can run.

A table maps each state to what it does there:
`{"model": {event: target}}`, `{"human": {event: target}}`, `{"approve": (yes, no)}`,
`{"command": (good, bad)}`, `{"tool": target}`, `{"wait": target}`, `{"auto": target}`,
`{"fork": (branches, then)}`, `{"join": None}`, `{"flee": None}` (join, and cancel the others),
`{"beside": (entered, crossed, then)}` (states started in parallel, with a transition to each but
the first; a transition that is only taken; its own next state), `{"end": status}`. `caps` limit
visits and redirect. Every state but an end receives messages: an urgent one repeats the question,
any other starts one more position. The event `nudge` takes no transition; the model is called
again.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Choice,
    Effect,
    RunCommand,
    Wait,
)
from workflows.core.engine.events import Draft
from workflows.core.engine.program import (
    Again,
    Ask,
    Budget,
    CannotRun,
    End,
    Enter,
    ExternalOutcome,
    Fork,
    Join,
    Outcome,
    Program,
    Take,
)
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import Approve, CommandDone, Reply, Signal, Tell
from workflows.core.pack.findings import Place
from workflows.core.pack.graph import Entry, Graph, State, Transition

NO_LIMITS = Budget()
COMMAND = ("true",)
"""The command of every state with a command."""
Table = dict[str, dict[str, Any]]


@dataclass(frozen=True)
class Machine(Program):
    table: Table
    entries: tuple[str, ...] = ("start",)
    caps: dict[str, tuple[int, str | None]] = field(default_factory=dict)
    budget: Budget = NO_LIMITS

    @property
    def terminals(self) -> frozenset[str]:
        return frozenset(name for name, spec in self.table.items() if "end" in spec)

    def start(self, run: RunState) -> tuple[str, ...]:
        if run.inputs.get("broken"):
            raise CannotRun("The input 'broken' was given.", code="XX001")
        return self.entries

    def ask(self, run: RunState, position: Position, key: str) -> Outcome:
        at: dict[str, Any] = {"key": key, "position": position.id, "state": position.state}
        ((kind, spec),) = self.table[position.state].items()
        match kind:
            case "model":
                return Outcome(next=Ask(effect=self._model(run, position, at, spec)))
            case "human":
                choices = self._choices(position.state, spec)
                question = AskHuman(kind="event", question="Which way?", choices=choices, **at)
                return Outcome(next=Ask(effect=question))
            case "approve":
                return Outcome(next=Ask(effect=AskHuman(kind="approve", question="Well?", **at)))
            case "command":
                return Outcome(next=Ask(effect=RunCommand(command=COMMAND, **at)))
            case "tool":
                return Outcome(next=Ask(effect=CallTool(name="look", arguments={}, **at)))
            case "wait":
                return Outcome(next=Ask(effect=Wait(seconds=1.0, **at)))
            case "auto":
                return Outcome(next=self._take(run, spec, "auto"))
            case "again":
                return Outcome(next=Again())
            case "fork":
                branches, then = spec
                if position.memory.get("forked"):
                    return Outcome(next=self._take(run, then, "joined"))
                note = Draft(type="machine.forked", fields={"memory": {"forked": True}})
                takes = tuple(Take(target=branch, label=branch) for branch in branches)
                return Outcome(drafts=(note,), next=Fork(takes=takes))
            case "beside":
                (first, *others), crossed, then = spec
                beside = (
                    Enter(state=first, memory=(("begun", "beside"),)),
                    *(Take(target=other, label=other) for other in others),
                    Take(target=crossed, label=crossed, enters=False),
                )
                return Outcome(beside=beside, next=self._take(run, then, "then"))
            case "join":
                return Outcome(next=Join())
            case "flee":
                return Outcome(next=Join(cancel_others=True))
            case _:
                return Outcome(next=End(status=spec))

    def answer(self, run: RunState, position: Position, effect: Effect, signal: Signal) -> Outcome:
        ((kind, spec),) = self.table[position.state].items()
        match kind, signal:
            case "model", Reply(error="") as reply:
                event = (reply.structured or {}).get("go", "")
                if event in spec:
                    return Outcome(next=self._take(run, spec[event], event))
                note = Draft(
                    type="check.failed", fields={"name": "event", "run_memory": {"odd": event}}
                )
                return Outcome(drafts=(note,), next=Again())
            case "model", _:
                return Outcome(next=End(status="failed", reason="The model did not answer."))
            case "human", Approve(event=event) if event in spec:
                return Outcome(next=self._take(run, spec[event], event))
            case "approve", Approve(approve=yes):
                return Outcome(next=self._take(run, spec[0 if yes else 1], "yes" if yes else "no"))
            case "command", CommandDone(exit=code):
                good = code == 0
                label = "good" if good else "bad"
                return Outcome(next=self._take(run, spec[0 if good else 1], label))
            case (("tool" | "wait"), _):
                return Outcome(next=self._take(run, spec, kind))
            case _:
                return Outcome(next=Again())

    def on_message(self, run: RunState, signal: Tell) -> ExternalOutcome | None:
        if signal.state not in self.table or "end" in self.table[signal.state]:
            return None
        here = tuple(
            place.id
            for place in run.positions
            if place.state == signal.state and not run.forked(place.id)
        )
        if here and signal.interrupt:
            note = Draft(type="machine.told", fields={"run_memory": {"heard": signal.text}})
            return ExternalOutcome(drafts=(note,), again=here)
        return ExternalOutcome(beside=(Enter(state=signal.state),))

    def fire(
        self, run: RunState, position: Position, event: str
    ) -> Outcome | ExternalOutcome | None:
        ((kind, spec),) = self.table[position.state].items()
        if event == "nudge":
            note = Draft(type="machine.nudged", fields={"run_memory": {"nudged": position.id}})
            return ExternalOutcome(drafts=(note,), again=(position.id,) if kind == "model" else ())
        if kind in ("human", "model") and event in spec:
            return Outcome(next=self._take(run, spec[event], event))
        return None

    def _model(
        self, run: RunState, position: Position, at: dict[str, Any], spec: dict[str, str]
    ) -> AskModel:
        schema = {
            "type": "object",
            "properties": {"go": {"enum": sorted(spec)}, "why": {"type": "string"}},
            "required": ["go", "why"],
        }
        choices = self._choices(position.state, spec)
        return AskModel(
            system=f"You are in {position.state}.", schema=schema, choices=choices, **at
        )

    def _choices(self, state: str, spec: dict[str, str]) -> tuple[Choice, ...]:
        return tuple(
            Choice(
                label=event,
                transition=f"{state}|{event}|{target}",
                reply={"structured": {"go": event}},
            )
            for event, target in spec.items()
        )

    def _take(self, run: RunState, target: str, label: str) -> Take | End:
        limit, redirect = self.caps.get(target, (0, None))
        if not limit or run.visits.get(target, 0) < limit:
            return Take(target=target, label=label)
        if redirect is None:
            return End(status="budget_exhausted", reason=f"{target} was visited {limit} times")
        return Take(target=redirect, label=label, redirected=True, original_target=target)

    def graph(self) -> Graph:
        states = tuple(
            State(id=name, kind=next(iter(spec)), terminal="end" in spec, place=Place())
            for name, spec in self.table.items()
        )
        transitions = [
            Transition(source=name, target=target, label=label, event=label, place=Place())
            for name, spec in self.table.items()
            for label, target in _arrows(spec)
        ]
        transitions += [
            Transition(
                source=capped, target=target, label="max visits", kind="redirect", place=Place()
            )
            for capped, (_, target) in self.caps.items()
            if target
        ]
        return Graph(
            dialect="machine",
            profile="plain",
            name="machine",
            entries=tuple(Entry(state=entry) for entry in self.entries),
            states=states,
            transitions=tuple(transitions),
        )


def _arrows(spec: dict[str, Any]) -> list[tuple[str, str]]:
    ((kind, body),) = spec.items()
    match kind:
        case "model" | "human":
            return list(body.items())
        case "approve":
            return [("yes", body[0]), ("no", body[1])]
        case "command":
            return [("good", body[0]), ("bad", body[1])]
        case "tool" | "wait" | "auto":
            return [(kind, body)]
        case "fork":
            return [*((branch, branch) for branch in body[0]), ("joined", body[1])]
        case "beside":
            (_, *others), crossed, then = body
            return [*((other, other) for other in others), (crossed, crossed), ("then", then)]
        case _:
            return []


EVERYTHING: Table = {
    "start": {"model": {"work": "build", "split": "split", "ask": "ask", "stay": "start"}},
    "build": {"command": ("look", "start")},
    "look": {"tool": "rest"},
    "rest": {"wait": "start"},
    "split": {"fork": (("left", "right"), "sure")},
    "left": {"model": {"go": "leave", "split": "inner", "panic": "bolt"}},
    "right": {"human": {"go": "leave", "again": "right"}},
    "inner": {"fork": (("right", "nap"), "left")},
    "nap": {"tool": "leave"},
    "leave": {"join": None},
    "bolt": {"flee": None},
    "ask": {"human": {"back": "start", "on": "sure"}},
    "sure": {"approve": ("done", "hop")},
    "hop": {"auto": "start"},
    "done": {"end": "completed"},
}
"""Every kind of state once, with loops, a fork and a join."""

BESIDE: Table = {
    **EVERYTHING,
    "start": {"model": {**EVERYTHING["start"]["model"], "herd": "herd"}},
    "left": {"model": {**EVERYTHING["left"]["model"], "herd": "herd"}},
    "herd": {"beside": (("left", "right"), "inner", "nap")},
}
"""The same machine, with a state that starts parallel states."""
