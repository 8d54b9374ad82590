"""What lies within a model's reach in a state: the pack's tools, moving on, artifacts, skills."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.program.replies import ERROR, Bench, Own, Reading
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


def bench_for(
    parts: Parts, machine: Machine, skills: Skills, run: RunState, spec: Spec, prompt: Object
) -> Bench:
    """The tools of a state's prompt, with what moving on, artifacts and skills add to them."""
    policy = Policy.of(prompt, promptkit=skills.promptkit)
    theirs = pack_tools(parts, prompt, policy)
    offered = skills.offered(spec.skills)
    taken_up = partial(skills.active, run, spec.skills)
    own: dict[str, Own] = {
        TRANSITION: partial(_transition, machine, spec),
        SET_ARTIFACT: partial(_set_artifact, machine, spec),
    }
    if skills.own:
        own[ACTIVATE] = partial(_activate, skills, offered, taken_up, spec)
        own[DEACTIVATE] = partial(_deactivate, taken_up)
    return Bench(
        policy=policy,
        tools=(*theirs, *workflow_tools(machine, spec), *skill_tools(offered.items())),
        outside=frozenset(tool.name for tool in theirs),
        own=own,
    )


def _transition(machine: Machine, spec: Spec, reading: Reading, call: ToolCall) -> str:
    """Only noted here, and taken once every call of the round is made. The last valid one wins."""
    event = str(call.arguments.get("event", ""))
    if machine.ends(spec.name):
        return f"{ERROR}{spec.name} is an end; there is nowhere to go from here."
    if spec.orchestration == "external":
        return f"{ERROR}{spec.name} waits for an event from outside; you cannot move on from here."
    if event not in spec.events:
        known = ", ".join(spec.events)
        return f"{ERROR}{spec.name} has no event {event!r}. Its events are: {known}."
    reading.event = event
    reading.context = _text(call.arguments.get("context", ""))
    target = spec.events[event]
    return _json({"status": "transition_scheduled", "event": event, "target_state": target})


def _set_artifact(machine: Machine, spec: Spec, reading: Reading, call: ToolCall) -> str:
    name, text = str(call.arguments.get("name", "")), _text(call.arguments.get("value", ""))
    if not name:
        return f"{ERROR}artifact name is required"
    mode = machine.mode(spec.name, name)
    fields = {"name": name, "value": text, "mode": mode}
    reading.drafts.append(Draft(type="artifact.set", fields=fields))
    return _json({"status": "artifact_set", "artifact": name})


def _activate(
    skills: Skills,
    offered: Mapping[str, str],
    taken_up: Any,
    spec: Spec,
    reading: Reading,
    call: ToolCall,
) -> str:
    name = str(call.arguments.get("name", ""))
    if name not in skills.own:
        return f"{ERROR}there is no skill {name!r}. Available: {', '.join(offered) or 'none'}."
    if name not in offered:
        return (
            f'{ERROR}skill "{name}" is not available in the current state (filter: "{spec.skills}")'
        )
    before = taken_up() if reading.skills is None else reading.skills
    reading.skills = list(dict.fromkeys([*before, name]))
    return _json({"instructions": skills.instructions(name), "added_tools": []})


def _deactivate(taken_up: Any, reading: Reading, call: ToolCall) -> str:
    name = str(call.arguments.get("name", ""))
    before = taken_up() if reading.skills is None else reading.skills
    if name not in before:
        return f"{ERROR}the skill {name!r} is not active."
    reading.skills = [other for other in before if other != name]
    return _json({"removed_tools": []})


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
