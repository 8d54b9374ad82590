"""The tools of a model in a state: the pack's tools, the transition tool, artifacts and skills."""

from __future__ import annotations

import json
from collections.abc import Mapping
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
    SET_ARTIFACT,
    TRANSITION,
    Policy,
    pack_tools,
    skill_tools,
    workflow_tools,
)
from workflows.core.engine.events import Draft
from workflows.core.engine.run import RunState
from workflows.core.engine.signals import ToolCall


def available_tools(
    parts: Parts, machine: Machine, skills: Skills, run: RunState, spec: Spec, prompt: Object
) -> AvailableTools:
    """The tools of a state's prompt, together with those for transitions, artifacts and skills."""
    policy = Policy.of(prompt, promptkit=skills.promptkit)
    pack_specs = pack_tools(parts, prompt, policy)
    offered = skills.offered(spec.skills)
    active_skills = partial(skills.active, run, spec.skills)
    own: dict[str, OwnTool] = {
        TRANSITION: partial(_transition, machine, spec),
        SET_ARTIFACT: partial(_set_artifact, machine, spec),
    }
    if skills.own:
        own[ACTIVATE] = partial(_activate, skills, offered, active_skills, spec)
        own[DEACTIVATE] = partial(_deactivate, active_skills)
    return AvailableTools(
        policy=policy,
        tools=(*pack_specs, *workflow_tools(machine, spec), *skill_tools(offered.items())),
        outside=frozenset(tool.name for tool in pack_specs),
        own=own,
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
        known = ", ".join(spec.events)
        return f"{ERROR}{spec.name} has no event {event!r}. Its events are: {known}."
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
    return _json({"instructions": skills.instructions(name), "added_tools": []})


def _deactivate(active_skills: Any, parsed: ParsedReply, call: ToolCall) -> str:
    name = str(call.arguments.get("name", ""))
    before = active_skills() if parsed.skills is None else parsed.skills
    if name not in before:
        return f"{ERROR}the skill {name!r} is not active."
    parsed.skills = [other for other in before if other != name]
    return _json({"removed_tools": []})


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
