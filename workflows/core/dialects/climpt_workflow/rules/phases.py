"""CW10x: keys of the file, phases and their agents."""

from __future__ import annotations

from workflows.core.dialects.climpt_workflow.format.parts import PHASE_TYPES, ROLES
from workflows.core.dialects.climpt_workflow.rules.kit import workflow_rule
from workflows.core.dialects.climpt_workflow.source import WorkflowSource
from workflows.core.pack.edits import AddObject, AddState, SetField
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name, did_you_mean
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.tolerant import as_object

REQUIRED = {
    "version": (str, "WF-SCHEMA-001"),
    "phases": (dict, "WF-SCHEMA-002"),
    "labelMapping": (dict, "WF-SCHEMA-003"),
    "agents": (dict, "WF-SCHEMA-004"),
}


@workflow_rule("CW101", "error", "Missing workflow key", profiles=EVERY)
def required_keys(source: WorkflowSource) -> Notes:
    """A workflow needs `version` (a text), and the objects `phases`, `labelMapping` and `agents`.
    Climpt refuses a file without them before any other check (WF-SCHEMA-001 to 004)."""
    for key, (kind, code) in REQUIRED.items():
        if not isinstance(source.parts.value.get(key), kind):
            what = "a text" if kind is str else "an object"
            yield Note(
                message=f"The workflow needs {key!r}, {what} ({code}).",
                pointer=(key,) if key in source.parts.value else (),
                hint=did_you_mean(key, source.parts.value, "Add the key at the top of the file."),
            )


@workflow_rule("CW102", "error", "Invalid phase type", profiles=EVERY)
def phase_types(source: WorkflowSource) -> Notes:
    """The type of a phase is `actionable`, `terminal` or `blocking` (WF-PHASE-001)."""
    for id, phase in source.parts.phases.items():
        if phase.type not in PHASE_TYPES:
            text = repr(phase.value["type"]) if "type" in phase.value else "no type"
            yield Note(
                message=f"Phase {id!r} has {text}, which is not a type of phase (WF-PHASE-001).",
                pointer=("phases", id),
                element=f"state:{id}",
                hint=did_you_mean(
                    phase.value.get("type"), PHASE_TYPES, f"The types are {', '.join(PHASE_TYPES)}."
                ),
            )


@workflow_rule("CW103", "error", "Actionable phase without an agent", profiles=EVERY)
def phase_agents(source: WorkflowSource) -> Notes:
    """An agent works in every actionable phase (WF-PHASE-002)."""
    for id, phase in source.parts.phases.items():
        if phase.type == "actionable" and phase.value.get("agent") is None:
            yield Note(
                message=f"The actionable phase {id!r} has no agent (WF-PHASE-002).",
                pointer=("phases", id),
                element=f"state:{id}",
                hint="Choose an agent, or make the phase blocking.",
            )


@workflow_rule("CW104", "error", "Actionable phase without a priority", profiles=EVERY)
def phase_priorities(source: WorkflowSource) -> Notes:
    """An actionable phase needs a `priority`. Of several phases of an issue, the one with the
    lowest number is worked on (WF-PHASE-003)."""
    for id, phase in source.parts.phases.items():
        if phase.type == "actionable" and "priority" not in phase.value:
            edit = SetField(element=f"state:{id}", field="/priority", value=1)
            yield Note(
                message=f"The actionable phase {id!r} has no priority (WF-PHASE-003).",
                pointer=("phases", id),
                element=f"state:{id}",
                fix=make_fix("Set the priority to 1", edit),
            )


@workflow_rule("CW105", "error", "Unknown agent", profiles=EVERY)
def known_agents(source: WorkflowSource) -> Notes:
    """The agent of a phase must be declared in `agents` (WF-REF-001)."""
    for id, phase in source.parts.phases.items():
        name = phase.value.get("agent")
        if name is not None and not (isinstance(name, str) and name in source.parts.agents):
            near = closest_name(str(name), source.parts.agents)
            fix = make_fix(f"Add the agent {name}", AddObject(kind="agent", key=str(name)))
            if near:
                edit = SetField(element=f"state:{id}", field="/agent", value=near)
                fix = make_fix(f"Use {near}", edit)
            yield Note(
                message=f"Phase {id!r} names the unknown agent {name!r} (WF-REF-001).",
                pointer=("phases", id, "agent"),
                element=f"state:{id}",
                hint=did_you_mean(name, source.parts.agents),
                fix=fix,
            )


CODES = {"outputPhase": "WF-REF-003", "outcome": "WF-REF-004", "fallbackPhase": "WF-REF-002"}


@workflow_rule("CW106", "error", "Outcome leads to an unknown phase", profiles=EVERY)
def known_targets(source: WorkflowSource) -> Notes:
    """The phases that an agent's outcomes lead to must be declared in `phases` (WF-REF-002 to
    004)."""
    phases = source.parts.phases
    for id, agent in source.parts.agents.items():
        for outcome in agent.outcomes():
            if outcome.target in phases:
                continue
            code = CODES[outcome.part]
            if outcome.part == "outcome" and agent.role != "validator":
                code = "not checked by Climpt"
            at = next(iter(source.parts.phases_of(id)), "")
            yield Note(
                message=f"The outcome {outcome.label!r} of agent {id!r} leads to the unknown "
                f"phase {outcome.target!r} ({code}).",
                pointer=outcome.pointer,
                element=f"transition:{at}|{outcome.label}|{outcome.target}"
                if at
                else f"agent:{id}",
                hint=did_you_mean(outcome.target, phases),
                fix=make_fix(
                    f"Add the phase {outcome.target}",
                    AddState(id=outcome.target, kind="blocking"),
                ),
            )


@workflow_rule("CW107", "error", "Incomplete agent", profiles=EVERY)
def agent_outcomes(source: WorkflowSource) -> Notes:
    """An agent has a `role`. A transformer needs `outputPhase`, the phase after success. A
    validator needs `outputPhases`, a map from its outcomes to phases."""
    for id, agent in source.parts.agents.items():
        key = {"transformer": "outputPhase", "validator": "outputPhases"}.get(agent.role)
        value = agent.value.get(key) if key else None
        problem = ""
        if key is None:
            problem = f"needs a role: {' or '.join(ROLES)}"
        elif not isinstance(value, str if key == "outputPhase" else dict):
            problem = f"is a {agent.role} and needs {key!r}"
        if problem:
            yield Note(
                message=f"Agent {id!r} {problem}.",
                pointer=("agents", id),
                element=f"agent:{id}",
                hint=did_you_mean(key, agent.value)
                if key
                else did_you_mean(
                    agent.value.get("role"), ROLES, did_you_mean("role", agent.value)
                ),
            )


@workflow_rule("CW108", "hint", "Agent without a fallback phase", profiles=EVERY)
def agent_fallback(source: WorkflowSource) -> Notes:
    """Without `fallbackPhase`, an outcome that the agent does not list ends the run with an
    error, and the issue keeps its labels."""
    for id, agent in source.parts.agents.items():
        if "fallbackPhase" not in agent.value and source.parts.phases_of(id):
            yield Note(
                message=f"Agent {id!r} has no fallbackPhase for an outcome it does not list.",
                pointer=("agents", id),
                element=f"agent:{id}",
            )


@workflow_rule("CW109", "hint", "Agent without a phase", profiles=EVERY)
def unused_agents(source: WorkflowSource) -> Notes:
    """An agent that no phase names is never started by the orchestrator."""
    named = as_object(source.parts.value.get("prioritizer")).get("agent")
    for id in source.parts.agents:
        if not source.parts.phases_of(id) and id != named:
            yield Note(
                message=f"No phase names the agent {id!r}.",
                pointer=("agents", id),
                element=f"agent:{id}",
            )
