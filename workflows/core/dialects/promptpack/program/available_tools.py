"""The tools of a model in a state: the pack's tools, the transition tool, artifacts and skills."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.workflow_tools import SET_ARTIFACT, TRANSITION
from workflows.core.dialects.promptpack.program.replies import (
    ERROR,
    AvailableTools,
    OwnTool,
    ParsedReply,
)
from workflows.core.dialects.promptpack.program.skills import Skills
from workflows.core.dialects.promptpack.program.state_machine import Machine, Spec
from workflows.core.dialects.promptpack.program.tools import (
    ACTIVATE,
    DEACTIVATE,
    READ_RESOURCE,
    Policy,
    choices,
    pack_tools,
    skill_tools,
    workflow_tools,
)
from workflows.core.engine.effects import Choice
from workflows.core.engine.events import Draft
from workflows.core.engine.signals import ToolCall


@dataclass(frozen=True, slots=True, kw_only=True)
class StateTools:
    """The tools of a model in a state, and the choices of its answer. All visits share them."""

    available: AvailableTools
    choices: tuple[Choice, ...]


def state_tools(
    parts: Parts, machine: Machine, skills: Skills, spec: Spec, prompt: Object
) -> StateTools:
    """The tools of a state's prompt, together with those for transitions, artifacts and skills, and
    with what executes these."""
    policy = Policy.of(prompt, skills.behaviour)
    pack_specs = pack_tools(parts, prompt, policy)
    offered = skills.offered(spec.skills)
    resources = [name for name in offered if skills.own[name].resources]
    closed = machine.ends(spec.name) or spec.orchestration == "external"
    outside = frozenset(tool.name for tool in pack_specs)
    own: dict[str, OwnTool] = {
        TRANSITION: partial(_transition, machine, spec),
        SET_ARTIFACT: partial(_set_artifact, machine, spec),
    }
    if skills.own:
        names = tuple(tool.name for tool in pack_specs)
        own[ACTIVATE] = partial(_activate, skills, offered, spec, names)
        own[DEACTIVATE] = _deactivate
        own[READ_RESOURCE] = partial(_read_resource, skills, offered)
    tools = (
        *pack_specs,
        *workflow_tools(machine, spec),
        *skill_tools(offered.items(), resources),
    )
    return StateTools(
        available=AvailableTools(policy=policy, tools=tools, outside=outside, own=own),
        choices=() if closed else choices(spec),
    )


def _transition(machine: Machine, spec: Spec, parsed: ParsedReply, call: ToolCall) -> str:
    """Record the transition. It is taken once all calls of the round are made; the last valid one
    wins."""
    event = str(call.arguments.get("event", ""))
    if machine.ends(spec.name):
        return f"{ERROR}{spec.name} is an end and has no transitions."
    if spec.orchestration == "external":
        return f"{ERROR}{spec.name} waits for an event from outside; you cannot choose one."
    if event not in spec.events:
        events = ", ".join(spec.events)
        return f"{ERROR}{spec.name} has no event {event!r}. Its events are: {events}."
    parsed.event = event
    parsed.context = _text(call.arguments.get("context", ""))
    target = spec.events[event]
    return _json({"status": "transition_scheduled", "event": event, "target_state": target})


def _set_artifact(machine: Machine, spec: Spec, parsed: ParsedReply, call: ToolCall) -> str:
    name, text = str(call.arguments.get("name", "")), _text(call.arguments.get("value", ""))
    if not name:
        return f"{ERROR}artifact name is required"
    mode = machine.mode(spec.name, name)
    fields = {"name": name, "value": text, "mode": mode}
    parsed.drafts.append(Draft(type="artifact.set", fields=fields))
    return _json({"status": "artifact_set", "artifact": name})


def _activate(
    skills: Skills,
    offered: Mapping[str, str],
    spec: Spec,
    tools: tuple[str, ...],
    parsed: ParsedReply,
    call: ToolCall,
) -> str:
    name = str(call.arguments.get("name", ""))
    if name not in skills.own:
        return f"{ERROR}there is no skill {name!r}. Available: {', '.join(offered) or 'none'}."
    if name not in offered:
        return (
            f'{ERROR}skill "{name}" is not available in the current state (filter: "{spec.skills}")'
        )
    before = parsed.active() if parsed.skills is None else parsed.skills
    parsed.skills = list(dict.fromkeys([*before, name]))
    added = [tool for tool in tools if tool in skills.own[name].allowed_tools]
    return _json({"instructions": skills.instructions(name), "added_tools": added})


def _read_resource(
    skills: Skills, offered: Mapping[str, str], parsed: ParsedReply, call: ToolCall
) -> str:
    """The text of a file of a skill. The files are those of the pack; no other path is read."""
    name, path = str(call.arguments.get("skill_name", "")), str(call.arguments.get("path", ""))
    if name not in offered:
        return f"{ERROR}there is no skill {name!r}. Available: {', '.join(offered) or 'none'}."
    files = skills.own[name].resources
    data = files.get(path.removeprefix("./"))
    if data is None:
        return f"{ERROR}the skill {name!r} has no file {path!r}. Its files: {', '.join(files)}."
    try:
        return _json({"content": data.decode("utf-8")})
    except UnicodeDecodeError:
        return f"{ERROR}the file {path!r} is not text."


def _deactivate(parsed: ParsedReply, call: ToolCall) -> str:
    name = str(call.arguments.get("name", ""))
    before = parsed.active() if parsed.skills is None else parsed.skills
    if name not in before:
        return f"{ERROR}the skill {name!r} is not active."
    parsed.skills = [other for other in before if other != name]
    return _json({"removed_tools": []})


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_json = json.JSONEncoder(ensure_ascii=False).encode
