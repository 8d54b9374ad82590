"""One step of a run: a signal comes in, events and newly wanted effects come out.

The state is the fold of the log, always: every draft is numbered and folded before the next
decision is made, so that folding the returned events over `run` gives exactly the run that this
step ended with.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from workflows.core.engine.effect_events import answer_event, matching_answer
from workflows.core.engine.effects import Effect, effect_from_json, performer_of
from workflows.core.engine.events import Event
from workflows.core.engine.program import Budget, CannotRun, ExternalOutcome, Program
from workflows.core.engine.run import Position, RunState
from workflows.core.engine.signals import (
    Answer,
    Approve,
    Breakpoints,
    CommandDone,
    Control,
    Fire,
    Reply,
    Signal,
    Start,
    Tell,
    TimeUp,
    ToolDone,
)
from workflows.core.engine.step_context import StepContext

Step = tuple[tuple[Event, ...], tuple[Effect, ...]]

NOTHING: Step = ((), ())


def transition(
    program: Program, run: RunState, signal: Signal, *, budget: Budget | None = None
) -> Step:
    """What happens when `signal` reaches `run`: new events, and the effects that became pending.

    A late, repeated, misplaced or unknown signal returns `NOTHING`. `budget` is the starter's own;
    the smaller of it and the program's holds. What `ask`, `answer` or `fire` raise is not caught:
    it is a bug of the program, and the shell decides what becomes of the run.
    """
    if run.finished:
        return NOTHING
    return _strode(program, run, signal, budget).result()


def advance(
    program: Program, run: RunState, signal: Signal, *, budget: Budget | None = None
) -> tuple[tuple[Event, ...], RunState]:
    """The same for whoever goes on with the run that these events lead to: it is folded already."""
    if run.finished:
        return (), run
    stride = _strode(program, run, signal, budget)
    return tuple(stride.events), stride.run


def _strode(program: Program, run: RunState, signal: Signal, budget: Budget | None) -> StepContext:
    stride = StepContext(program=program, run=run, at=signal.at, budget=budget)
    match signal:
        case Start():
            _start(stride, signal)
        case Control():
            _control(stride, signal)
        case Breakpoints():
            _stop_at(stride, signal)
        case Fire():
            _fire(stride, signal)
        case Tell():
            _tell(stride, signal)
        case Reply() | ToolDone() | CommandDone() | Approve() | TimeUp():
            _answer(stride, signal)
        case _:
            assert_never(signal)
    return stride


def _start(stride: StepContext, signal: Start) -> None:
    if stride.run.status != "new":
        return
    named = {"run": signal.run} if signal.run else {}
    stops = {"breakpoints": signal.breakpoints} if signal.breakpoints else {}
    stride.write("run.started", {"inputs": signal.inputs, **named, **stops})
    if signal.paused:
        stride.write("run.paused", {"reason": "Started paused."})
    try:
        states = stride.program.start(stride.run)
    except CannotRun as cannot:
        stride.finish("failed", cannot.message, code=cannot.code)
        return
    for number, state in enumerate(states):
        stride.enter(Position(id=str(number), state=state))
        stride.agenda.append(str(number))
    if not states:
        stride.finish("failed", "There is no state to start in.")
    stride.go()


def _control(stride: StepContext, signal: Control) -> None:
    run = stride.run
    reason = {"reason": signal.reason} if signal.reason else {}
    match signal.what:
        case "cancel":
            _cancel(stride, signal.reason)
        case "pause":
            if run.status in ("running", "waiting"):
                stride.write("run.paused", reason)
        case "resume":
            if run.status == "paused":
                stride.write("run.resumed", reason)
                _let_through(stride, run, run.held)
        case "step":
            if run.status == "paused" and run.held:
                stride.allowed = 1
                stride.write("run.resumed", {**reason, "step": True, "position": run.held[0]})
                _let_through(stride, run, run.held[:1])
        case _:
            assert_never(signal.what)


def _stop_at(stride: StepContext, signal: Breakpoints) -> None:
    """With `until` a paused run goes on right away."""
    before = stride.run
    if before.status == "new" or (signal.ids, signal.until) == (before.breakpoints, before.until):
        return
    until = {"until": signal.until} if signal.until else {}
    stride.write("run.breakpoints", {"ids": signal.ids, **until})
    if signal.until and before.status == "paused":
        stride.write("run.resumed", {})
        _let_through(stride, before, before.held)


def _cancel(stride: StepContext, reason: str) -> None:
    """A program that has something to say about what is broken off says it before the end."""
    for draft in stride.program.on_cancel(stride.run) if stride.run.status != "new" else ():
        stride.write(draft.type, draft.fields)
    stride.finish("cancelled", reason)


def _let_through(stride: StepContext, before: RunState, held: tuple[str, ...]) -> None:
    for id in held:
        if stride.run.finished:
            return
        if id in before.kept:
            stride.ask_for(stride.run.position(id), effect_from_json(before.kept[id]))
        else:
            stride.agenda.append(id)
    stride.go()


def _fire(stride: StepContext, signal: Fire) -> None:
    looking = replace(stride.run, now=signal.at)
    for position in stride.run.positions:
        if signal.state not in ("", position.state) or stride.run.forked(position.id):
            continue
        outcome = stride.program.fire(looking, position, signal.event)
        if outcome is None:
            continue
        if isinstance(outcome, ExternalOutcome):
            stride.write("run.fired", {"event": signal.event, "state": signal.state})
            stride.hear(outcome)
        else:
            stride.follow(position.id, outcome)
        stride.go()
        return


def _tell(stride: StepContext, signal: Tell) -> None:
    heard = stride.program.on_message(replace(stride.run, now=signal.at), signal)
    if heard is None or stride.run.status == "new":
        return
    said = {"state": signal.state, "text": signal.text, "interrupt": signal.interrupt}
    stride.write("run.told", said)
    stride.hear(heard)
    stride.go()


def _answer(stride: StepContext, signal: Answer) -> None:
    asked = _asked(stride.run, signal.key)
    answer = matching_answer(asked, signal) if asked else None
    if asked is None or answer is None:
        return
    draft = answer_event(asked, answer)
    stride.write(draft.type, draft.fields)
    position = stride.run.position(asked.position)
    stride.follow(position.id, stride.program.answer(stride.run, position, asked, answer))
    stride.go()


def _asked(run: RunState, key: str) -> Effect | None:
    """The pending effect with this key; with "" the only question to a person there is."""
    if key:
        return effect_from_json(run.pending[key]) if key in run.pending else None
    questions = [item for item in run.pending.values() if performer_of(item) == "person"]
    return effect_from_json(questions[0]) if len(questions) == 1 else None
