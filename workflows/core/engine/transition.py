"""One step of a run: from a signal to events and new effects.

The state is always the fold of the log: every draft is numbered and folded before the next
decision, so folding the returned events over `run` gives exactly the run at the end of this step.
"""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from workflows.core.engine.effect_events import answer_events, matching_answer
from workflows.core.engine.effects import Effect, effect_from_json, performer_of
from workflows.core.engine.events import Event
from workflows.core.engine.program import Again, Budget, CannotRun, ExternalOutcome, Program
from workflows.core.engine.run import RunState
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
    """The new events and the effects that became pending when `signal` reaches `run`.

    A late, repeated or misplaced signal returns `NOTHING`. `budget` is the starter's own; the
    smaller of it and the program's applies. Exceptions of `ask`, `answer` and `fire` are bugs of
    the program and are not caught; the caller decides how the run ends.
    """
    if run.finished:
        return NOTHING
    return _carry_out(program, run, signal, budget).result()


def advance(
    program: Program, run: RunState, signal: Signal, *, budget: Budget | None = None
) -> tuple[tuple[Event, ...], RunState]:
    """The new events and the run that they lead to, for callers that continue with it."""
    if run.finished:
        return (), run
    step = _carry_out(program, run, signal, budget)
    return tuple(step.events), step.run


def _carry_out(
    program: Program, run: RunState, signal: Signal, budget: Budget | None
) -> StepContext:
    step = StepContext(program=program, run=run, at=signal.at, budget=budget)
    match signal:
        case Reply() | ToolDone() | CommandDone() | Approve() | TimeUp():
            _answer(step, signal)
        case Start():
            _start(step, signal)
        case Control():
            _control(step, signal)
        case Breakpoints():
            _set_breakpoints(step, signal)
        case Fire():
            _fire(step, signal)
        case Tell():
            _tell(step, signal)
        case _:
            assert_never(signal)
    return step


def _start(step: StepContext, signal: Start) -> None:
    if step.run.status != "new":
        return
    run_id = {"run": signal.run} if signal.run else {}
    stops = {"breakpoints": signal.breakpoints} if signal.breakpoints else {}
    origin = {"started_by": signal.started_by} if signal.started_by else {}
    step.write("run.started", {"inputs": signal.inputs, **run_id, **origin, **stops})
    if signal.paused:
        step.write("run.paused", {"reason": "Started paused."})
    try:
        states = step.program.start(step.run)
    except CannotRun as cannot:
        step.finish("failed", cannot.message, code=cannot.code)
        return
    for number, state in enumerate(states):
        step.enter(str(number), state)
        step.agenda.append(str(number))
    if not states:
        step.finish("failed", "There is no state to start in.")
    step.go()


def _control(step: StepContext, signal: Control) -> None:
    run = step.before
    reason = {"reason": signal.reason} if signal.reason else {}
    match signal.what:
        case "cancel":
            _cancel(step, signal.reason)
        case "pause":
            if run.status in ("running", "waiting"):
                step.write("run.paused", reason)
        case "resume":
            if run.status == "paused":
                step.write("run.resumed", reason)
                _release(step, run.held)
        case "step":
            if run.status == "paused" and run.held:
                step.allowed = 1
                step.write("run.resumed", {**reason, "step": True, "position": run.held[0]})
                _release(step, run.held[:1])
        case _:
            assert_never(signal.what)


def _set_breakpoints(step: StepContext, signal: Breakpoints) -> None:
    """A paused run resumes at once if the signal has `until`."""
    before = step.before
    if before.status == "new" or (signal.ids, signal.until) == (before.breakpoints, before.until):
        return
    until = {"until": signal.until} if signal.until else {}
    step.write("run.breakpoints", {"ids": signal.ids, **until})
    if signal.until and before.status == "paused":
        step.write("run.resumed", {})
        _release(step, before.held)


def _cancel(step: StepContext, reason: str) -> None:
    """Write the program's last drafts, then the end."""
    for draft in step.program.on_cancel(step.before) if step.before.status != "new" else ():
        step.write(draft.type, draft.fields)
    step.finish("cancelled", reason)


def _release(step: StepContext, held: tuple[str, ...]) -> None:
    for id in held:
        if step.run.finished:
            return
        if id in step.before.kept:
            step.ask_for(step.run.position(id), effect_from_json(step.before.kept[id]))
        else:
            step.agenda.append(id)
    step.go()


def _fire(step: StepContext, signal: Fire) -> None:
    current = replace(step.before, now=signal.at)
    for position in step.run.positions:
        if signal.state not in ("", position.state) or step.run.forked(position.id):
            continue
        outcome = step.program.fire(current, position, signal.event)
        if outcome is None:
            continue
        if isinstance(outcome, ExternalOutcome):
            step.write("run.fired", {"event": signal.event, "state": signal.state})
            step.apply_external(outcome)
        else:
            if isinstance(outcome.next, Again):
                step.drop_pending(position.id)
            step.follow(position, outcome)
        step.go()
        return


def _tell(step: StepContext, signal: Tell) -> None:
    outcome = step.program.on_message(replace(step.before, now=signal.at), signal)
    if outcome is None or step.run.status == "new":
        return
    message = {"state": signal.state, "text": signal.text, "interrupt": signal.interrupt}
    step.write("run.told", message)
    step.apply_external(outcome)
    step.go()


def _answer(step: StepContext, signal: Answer) -> None:
    effect = _pending_effect(step.run, signal.key)
    answer = matching_answer(effect, signal) if effect else None
    if effect is None or answer is None:
        return
    for type, fields in answer_events(effect, answer):
        step.write(type, fields)
    position = step.run.position(effect.position)
    step.follow(position, step.program.answer(step.run, position, effect, answer))
    step.go()


def _pending_effect(run: RunState, key: str) -> Effect | None:
    """The pending effect with this key; for "" the question to a person if only one is open."""
    if key:
        return effect_from_json(run.pending[key]) if key in run.pending else None
    questions = [item for item in run.pending.values() if performer_of(item) == "person"]
    return effect_from_json(questions[0]) if len(questions) == 1 else None
