"""The tools of a model in a state: the pack's tools, the transition tool, artifacts and skills."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
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
    SET_ARTIFACT,
    TRANSITION,
    Policy,
    choices,
    pack_tools,
    skill_tools,
    workflow_tools,
)
from workflows.core.engine.effects import Choice, ToolSpec
from workflows.core.engine.events import Draft
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import ToolCall
from workflows.core.text.json.encoder import make_encoder


@dataclass(frozen=True, slots=True, kw_only=True)
class StateTools:
    """Values that all visits of a state share: the policy, the tools that the model sees and the
    pack's own among them, the skills on offer, and the choices of an answer."""

    policy: Policy
    pack_tools: tuple[ToolSpec, ...]
    outside: frozenset[str]
    tools: tuple[ToolSpec, ...]
    offered: Mapping[str, str]
    choices: tuple[Choice, ...]


def state_tools(
    parts: Parts, machine: Machine, skills: Skills, spec: Spec, prompt: Object
) -> StateTools:
    """The tools of a state's prompt, together with those for transitions, artifacts and skills."""
    policy = Policy.of(prompt, skills.behaviour)
    pack_specs = pack_tools(parts, prompt, policy)
    offered = skills.offered(spec.skills)
    resources = [name for name in offered if skills.own[name].resources]
    closed = machine.ends(spec.name) or spec.orchestration == "external"
    return StateTools(
        policy=policy,
        pack_tools=pack_specs,
        outside=frozenset(tool.name for tool in pack_specs),
        tools=(
            *pack_specs,
            *workflow_tools(machine, spec),
            *skill_tools(offered.items(), resources),
        ),
        offered=offered,
        choices=() if closed else choices(spec),
    )


def available_tools(
    common: StateTools, machine: Machine, skills: Skills, run: RunState, spec: Spec
) -> AvailableTools:
    """The tools of a visit, with what executes those of the workflow and of skills."""
    offered = common.offered
    active_skills = partial(skills.active, run, spec.skills)
    own: dict[str, OwnTool] = {
        TRANSITION: partial(_transition, machine, spec),
        SET_ARTIFACT: partial(_set_artifact, machine, spec),
    }
    if skills.own:
        tools = tuple(tool.name for tool in common.pack_tools)
        own[ACTIVATE] = partial(_activate, skills, offered, active_skills, spec, tools)
        own[DEACTIVATE] = partial(_deactivate, active_skills)
        own[READ_RESOURCE] = partial(_read_resource, skills, offered)
    return AvailableTools(policy=common.policy, tools=common.tools, outside=common.outside, own=own)


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
    active_skills: Any,
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
    before = active_skills() if parsed.skills is None else parsed.skills
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


def _deactivate(active_skills: Any, parsed: ParsedReply, call: ToolCall) -> str:
    name = str(call.arguments.get("name", ""))
    before = active_skills() if parsed.skills is None else parsed.skills
    if name not in before:
        return f"{ERROR}the skill {name!r} is not active."
    parsed.skills = [other for other in before if other != name]
    return _json({"removed_tools": []})


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


_json = make_encoder(ensure_ascii=False)
