"""Signals from people: their meaning to a run, and the reason if one is refused.

A person who approves a command or a call of a tool allows it, and a worker performs it. Where it
cannot be performed, the person reports what happened. Neither is assumed of the other.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, assert_never

from workflows.core.conversation.check import refusals
from workflows.core.engine.effect_events import NOT_EXECUTED
from workflows.core.engine.effects import AskHuman, AskModel, CallTool, Effect, RunCommand, Wait
from workflows.core.engine.fold import pending_effects
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import (
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
from workflows.errors import BadRequest, SignalRefused

BY_PERSON = "manual"
"""Driver that leaves every model call to a person."""

HINTS = {
    "command": "Run it yourself, then report it: `edited` with `exit`, `stdout` and `stderr`.",
    "call": "Write what the call returned in `edited`, or deny it.",
}


def allowed_effect(run: RunState, signal: Signal) -> RunCommand | CallTool | None:
    """The command or call that this signal allows, None if it does something else. Raises
    BadRequest if it approves one that cannot be performed here, without the result."""
    if not isinstance(signal, Approve) or not signal.approve:
        return None
    effect = _answered_effect(run, signal.key)
    if not isinstance(effect, RunCommand | CallTool) or _reports(effect, signal):
        return None
    if effect.key in run.can_allow and effect.key in run.left_to_people:
        return effect
    what = "command" if isinstance(effect, RunCommand) else "call"
    reason = run.left_reasons.get(effect.key, "")
    raise BadRequest(
        " ".join(filter(None, (f"Approving does not perform this {what}.", reason))),
        hint=HINTS[what],
        where="edited",
    )


def tool_allowed_by(run: RunState, signal: Signal) -> str:
    """The tool that this signal allows for the rest of the run, "" for none. Raises BadRequest if
    it is no approval of a call that a worker can make."""
    if not isinstance(signal, Approve) or not signal.rest:
        return ""
    effect = _answered_effect(run, signal.key)
    if signal.approve and isinstance(effect, CallTool) and effect.key in run.can_allow:
        return effect.name
    if signal.approve and isinstance(effect, AskHuman) and effect.call:
        return str(effect.call["name"])
    raise BadRequest(
        "Only the call of a tool that runs here is approved for the rest of a run.",
        hint="Leave out `rest`.",
        where="rest",
    )


def _reports(effect: RunCommand | CallTool, signal: Approve) -> bool:
    """Return True if the signal has a result: of a command its exit code, of a call anything."""
    if isinstance(effect, CallTool):
        return bool(signal.text) or signal.structured is not None
    report = signal.structured
    return isinstance(report, Mapping) and type(report.get("exit")) is int


def as_answer(run: RunState, signal: Signal, *, driver: str = "") -> Signal:
    """Convert an `Approve` to the answer that its effect takes: people can also answer for models,
    tools and commands that are left to them. Other signals are returned unchanged. `driver`: of
    the run. Raises SignalRefused for an effect that a worker performs."""
    if not isinstance(signal, Approve | Reply):
        return signal
    effect = _answered_effect(run, signal.key)
    if effect is not None and not _takes_answer(run, effect, driver):
        raise SignalRefused(_performed(effect))
    if isinstance(signal, Reply):
        return signal
    match effect:
        case RunCommand(key=key):
            return _ended(key, signal)
        case CallTool(key=key):
            error = "" if signal.approve else signal.text or "A person declined to do this."
            result = "" if error else _text(signal)
            return ToolDone(at=signal.at, key=key, result=result, error=error, called=False)
        case AskModel(key=key) as question:
            error = "" if signal.approve else signal.text or "A person declined to answer."
            text, structured = ("", None) if error else (signal.text, signal.structured)
            calls = () if error else signal.tool_calls
            return Reply(
                at=signal.at,
                key=key,
                text=text,
                structured=structured,
                tool_calls=calls,
                error=error,
                warnings=refusals(question).by_some,
            )
        case AskHuman() | Wait() | None:
            return signal
        case _:
            assert_never(effect)


def _takes_answer(run: RunState, effect: Effect, driver: str) -> bool:
    """Return True if a person answers this effect: a question, or an effect that a worker left to
    people or could not perform."""
    if effect.performer == "person" or (isinstance(effect, AskModel) and driver == BY_PERSON):
        return True
    return effect.key in (*run.left_to_people, *run.unanswered)


def _performed(effect: Effect) -> str:
    """The reason why an effect takes no answer of a person."""
    match effect:
        case AskModel():
            what = "The model call"
        case CallTool():
            what = "The call of the tool"
        case RunCommand():
            what = "The command"
        case AskHuman() | Wait():
            what = "The effect"
        case _:
            assert_never(effect)
    return f"{what} {effect.key!r} is not left to a person; its result comes from a worker."


def _answered_effect(run: RunState, key: str) -> Effect | None:
    effects = [effect for effect in pending_effects(run) if effect.performer != "time"]
    if key:
        return next((effect for effect in effects if effect.key == key), None)
    return effects[0] if len(effects) == 1 else None


def _ended(key: str, signal: Approve) -> CommandDone:
    """Result of a command as a person reports it. A denied command was not executed."""
    if not signal.approve:
        reason = signal.text or "A person declined to run this."
        return CommandDone(at=signal.at, key=key, exit=NOT_EXECUTED, stderr=reason)
    report: Mapping[str, Any] = signal.structured if isinstance(signal.structured, Mapping) else {}
    return CommandDone(
        at=signal.at,
        key=key,
        exit=int(report["exit"]),
        stdout=str(report.get("stdout", "")),
        stderr=str(report.get("stderr", "")),
    )


def _text(signal: Approve) -> str:
    if signal.structured is None:
        return signal.text
    return json.dumps(signal.structured, ensure_ascii=False)


def refusal(run: RunState, signal: Signal) -> str:
    """One sentence: the reason why this signal changed nothing."""
    if run.finished:
        return f"The run has ended ({run.status})."
    match signal:
        case Control(what="pause"):
            return f"The run is {run.status}, so it cannot be paused."
        case Control(what="step") if run.status == "paused":
            return "No step is held back. Wait for the effects in progress."
        case Control(what=what):
            return f"The run is {run.status}, not paused, so there is nothing to {what}."
        case Breakpoints():
            return "The run has these breakpoints already."
        case Start():
            return "The run has already begun."
        case Tell(state=state):
            return f"No agent in {state!r} can receive a message."
        case Fire(event=event):
            return f"None of the current states has an event {event!r}."
        case Reply(key=key) | Approve(key=key) | ToolDone(key=key) | CommandDone(key=key):
            return _no_question(run, key)
        case TimeUp(key=key):
            return _no_question(run, key)
        case _:
            assert_never(signal)


def _no_question(run: RunState, key: str) -> str:
    if not run.pending:
        return "The run is not waiting for any answer."
    if not key:
        return "Several effects are pending; add the key of the one you answer."
    if key in run.pending:
        return f"The effect {key!r} takes another kind of answer."
    return f"The run is not waiting for an answer to {key!r}; it may have been answered already."
