"""Output of a run on the terminal: JSON lines, or text for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, assert_never

from workflows.core.engine.effects import (
    AskHuman,
    AskModel,
    CallTool,
    Effect,
    RunCommand,
    Wait,
)
from workflows.core.engine.events import Event, confirms_call
from workflows.core.engine.fold import headline, pending_effects
from workflows.core.engine.people import act_of
from workflows.core.engine.run import RunState

LONGEST = 160


class Narrator:
    """Prints events as they happen."""

    def __init__(self, *, as_json: bool) -> None:
        self._as_json = as_json

    def tell(self, event: Event) -> None:
        if self._as_json:
            print(json.dumps(event.to_json(), ensure_ascii=False))
            return
        text = line(event.type, event.fields)
        if text:
            print(f"{event.n:>4}  {text}")

    def close(self, run: RunState) -> None:
        """Print the final status, and the pending effects of a waiting run."""
        if self._as_json or run.finished:
            return
        print("Waiting:")
        for effect in pending_effects(run):
            words = _request(effect)
            kind = type(effect).__name__
            print(f"      {kind} in {effect.state}" + (f": {_short(words)}" if words else ""))


def _request(effect: Effect) -> str:
    match effect:
        case AskHuman():
            return effect.question
        case RunCommand():
            return " ".join(effect.command)
        case CallTool():
            return f"{effect.name} {json.dumps(dict(effect.arguments), ensure_ascii=False)}"
        case AskModel() | Wait():
            return ""
        case _:
            assert_never(effect)


def line(type: str, fields: Mapping[str, Any]) -> str:
    """One event as a line; "" for events that are not shown. Acts of people are at its end."""
    act = act_of(type, fields)
    if act is None:
        return _line(type, fields)
    if type in SHOWN_ANYWAY:
        shown = _line(type, fields)
        return f"{shown} ({act.words})" if shown else act.words
    return f"  {_short(act.sentence)}"


SHOWN_ANYWAY = ("transition.taken", "run.paused", "run.resumed", "run.finished")
"""Events of people that have a line of their own."""


def _line(type: str, fields: Mapping[str, Any]) -> str:
    match type:
        case "run.started":
            return "started"
        case "state.entered":
            again = f" (visit {fields['visit']})" if fields["visit"] > 1 else ""
            return f"● {fields['state']}{again}"
        case "transition.taken":
            turned = f" (instead of {fields.get('original_target')})"
            return f"→ {fields['label']} → {fields['target']}" + (
                turned if fields["redirected"] else ""
            )
        case "model.replied":
            warnings = "".join(f"\n      warning: {one}" for one in fields.get("warnings") or ())
            return f"  model: {_short(_answer(fields))}{warnings}"
        case "tool.called" if confirms_call(type, fields):
            return ""
        case "tool.asked" | "tool.called":
            arguments = _short(json.dumps(fields.get("arguments")))
            return f"  asks for tool {fields.get('name')}: {arguments}"
        case "tool.returned" if fields.get("error"):
            return f"  the call failed: {_short(fields['error'])}"
        case "tool.refused":
            return f"  tool {fields['name']} was not called: {_short(fields['error'])}"
        case "command.asked":
            return f"  command: {_short(' '.join(fields.get('command', ())))}"
        case "command.finished":
            return f"  command ended with {fields['exit']}"
        case "approval.asked":
            return f"  asks: {_short(fields['question'])}"
        case "check.failed":
            return f"  check failed: {fields.get('name', '')} {_short(fields.get('message', ''))}"
        case "promptpack.eval" if "passed" in fields:
            how = "passed" if fields["passed"] else "failed"
            return f"  eval {fields.get('id', '')} {how} {_short(str(fields.get('score', '')))}"
        case "artifact.set":
            return f"  {fields['name']} = {_short(str(fields.get('value')))}"
        case "run.paused" if fields.get("reason"):
            return f"paused: {fields['reason']}"
        case "run.finished":
            why = headline(fields)
            return f"{fields['status']}: {why}" if why else str(fields["status"])
        case _:
            return ""


def _answer(fields: Mapping[str, Any]) -> str:
    if fields.get("error"):
        return f"error: {fields['error']}"
    if fields.get("structured") is not None:
        return json.dumps(fields["structured"], ensure_ascii=False)
    calls = ", ".join(
        f"{call['name']}({json.dumps(call['arguments'], ensure_ascii=False)})"
        for call in fields.get("tool_calls") or []
    )
    return " ".join(part for part in (fields.get("text"), calls) if part)


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= LONGEST else f"{flat[: LONGEST - 1]}…"
