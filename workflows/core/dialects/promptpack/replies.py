"""Reading a model's reply: which calls are ours to carry out, and what the model hears of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from workflows.core.dialects.promptpack.machine import Machine, Spec
from workflows.core.dialects.promptpack.tools import SET_ARTIFACT, TRANSITION, Policy
from workflows.core.engine.events import Draft
from workflows.core.engine.signals import Reply, ToolCall

ERROR = "Error: "
"""What a tool result begins with where the call was refused or failed."""


@dataclass(slots=True, kw_only=True)
class Reading:
    """What a reply comes to. `waiting` are calls of the pack's own tools, to be made outside;
    `counted` are the calls answered on the spot; `event` is the last valid wish to move on."""

    messages: list[dict[str, Any]] = field(default_factory=list)
    drafts: list[Draft] = field(default_factory=list)
    waiting: list[dict[str, Any]] = field(default_factory=list)
    counted: int = 0
    event: str = ""
    context: str = ""


def read_reply(
    *,
    machine: Machine,
    spec: Spec,
    policy: Policy,
    known: frozenset[str],
    calls: int,
    reply: Reply,
) -> Reading:
    """Take the calls of one reply in order. `calls` were made in this turn before; those over the
    policy's number are refused, like blocked and unknown tools, and the model is told so."""
    reading = Reading()
    turn: dict[str, Any] = {"role": "assistant", "text": reply.text}
    if reply.tool_calls:
        turn["tool_calls"] = [
            {"name": call.name, "arguments": dict(call.arguments), "id": _id(call, index)}
            for index, call in enumerate(reply.tool_calls)
        ]
    reading.messages.append(turn)
    for index, call in enumerate(reply.tool_calls):
        _read_call(reading, machine, spec, policy, known, calls + index, call, _id(call, index))
    return reading


def _id(call: ToolCall, index: int) -> str:
    return call.id or f"call-{index + 1}"


def _read_call(
    reading: Reading,
    machine: Machine,
    spec: Spec,
    policy: Policy,
    known: frozenset[str],
    before: int,
    call: ToolCall,
    id: str,
) -> None:
    refusal = _refused(policy, before, call.name)
    if not refusal and call.name in known and policy.choice != "none":
        waiting = {"name": call.name, "arguments": dict(call.arguments), "id": id}
        reading.waiting.append(waiting)
        return
    about = {"name": call.name, "arguments": dict(call.arguments), "call_id": id}
    reading.drafts.append(Draft(type="tool.called", fields=about))
    result = refusal or _carried_out(reading, machine, spec, call)
    error = result.removeprefix(ERROR) if result.startswith(ERROR) else ""
    answer = {"name": call.name, "result": "" if error else result, "error": error}
    reading.drafts.append(Draft(type="tool.returned", fields=answer))
    reading.counted += 1
    reading.messages.append({"role": "tool", "text": result, "tool_call_id": id})


def _refused(policy: Policy, before: int, name: str) -> str:
    if before >= policy.calls:
        return f"{ERROR}only {policy.calls} tool calls are allowed in one turn."
    return f"{ERROR}Tool {name} is blocked by policy" if name in policy.blocked else ""


def _carried_out(reading: Reading, machine: Machine, spec: Spec, call: ToolCall) -> str:
    """The answer to a call that needs nobody else."""
    if call.name == TRANSITION:
        return _transition(reading, machine, spec, call)
    if call.name == SET_ARTIFACT:
        return _set_artifact(reading, machine, spec, call)
    return f"{ERROR}there is no tool {call.name} here."


def _transition(reading: Reading, machine: Machine, spec: Spec, call: ToolCall) -> str:
    """Only noted here, and taken once every call of the round is made. The last valid one wins."""
    event = str(call.arguments.get("event", ""))
    if machine.ends(spec.name):
        return f"{ERROR}{spec.name} is an end; there is nowhere to go from here."
    if event not in spec.events:
        known = ", ".join(spec.events)
        return f"{ERROR}{spec.name} has no event {event!r}. Its events are: {known}."
    reading.event = event
    reading.context = str(call.arguments.get("context", ""))
    target = spec.events[event]
    body = {"status": "transition_scheduled", "event": event, "target_state": target}
    return json.dumps(body, ensure_ascii=False)


def _set_artifact(reading: Reading, machine: Machine, spec: Spec, call: ToolCall) -> str:
    name, value = str(call.arguments.get("name", "")), call.arguments.get("value", "")
    if not name:
        return f"{ERROR}artifact name is required"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    mode = machine.mode(spec.name, name)
    reading.drafts.append(
        Draft(type="artifact.set", fields={"name": name, "value": text, "mode": mode})
    )
    return json.dumps({"status": "artifact_set", "artifact": name}, ensure_ascii=False)
