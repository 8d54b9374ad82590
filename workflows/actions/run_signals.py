"""Signals from people: their meaning to a run, and the reason if one is refused."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, assert_never

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


def as_answer(run: RunState, signal: Signal) -> Signal:
    """Convert an `Approve` to the answer that its effect takes: people can also answer for models,
    tools and commands that may not run here. Other signals are returned unchanged."""
    if not isinstance(signal, Approve):
        return signal
    match _asked(run, signal.key):
        case RunCommand(key=key):
            return _ended(key, signal)
        case CallTool(key=key):
            error = "" if signal.approve else signal.text or "A person declined to do this."
            return ToolDone(
                at=signal.at, key=key, result=_text(signal) if not error else "", error=error
            )
        case AskModel(key=key):
            error = "" if signal.approve else signal.text or "A person declined to answer."
            text, structured = ("", None) if error else (signal.text, signal.structured)
            return Reply(at=signal.at, key=key, text=text, structured=structured, error=error)
        case AskHuman() | Wait() | None:
            return signal
        case _ as effect:
            assert_never(effect)


def _asked(run: RunState, key: str) -> Effect | None:
    effects = [effect for effect in pending_effects(run) if effect.performer != "time"]
    if key:
        return next((effect for effect in effects if effect.key == key), None)
    return effects[0] if len(effects) == 1 else None


def _ended(key: str, signal: Approve) -> CommandDone:
    """Result of a command as a person reports it: approved is exit 0, denied is exit 1, unless they
    give another."""
    told: Mapping[str, Any] = signal.structured if isinstance(signal.structured, Mapping) else {}
    exit = told.get("exit")
    return CommandDone(
        at=signal.at,
        key=key,
        exit=exit if isinstance(exit, int) else int(not signal.approve),
        stdout=str(told.get("stdout", signal.text if signal.approve else "")),
        stderr=str(told.get("stderr", "" if signal.approve else signal.text)),
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
            return _not_asked(run, key)
        case TimeUp(key=key):
            return _not_asked(run, key)
        case _:
            assert_never(signal)


def _not_asked(run: RunState, key: str) -> str:
    if not run.pending:
        return "The run is not waiting for any answer."
    if not key:
        return "Several effects are pending; add the key of the one you answer."
    if key in run.pending:
        return f"The effect {key!r} takes another kind of answer."
    return f"The run is not waiting for an answer to {key!r}; it may have been answered already."
