"""The tools of a model: the pack's own, and those of the workflow and of skills (sections 4.5, 4.8,
4.12, 4.15)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.profiles import DEFAULT, Behaviour
from workflows.core.dialects.promptpack.format.workflow_tools import SET_ARTIFACT, TRANSITION
from workflows.core.dialects.promptpack.program.state_machine import Machine, Spec
from workflows.core.engine.effects import Choice, ToolSpec
from workflows.core.text.tolerant import as_positive_int, as_str, as_str_list

ACTIVATE = "skill__activate"
DEACTIVATE = "skill__deactivate"
READ_RESOURCE = "skill__read_resource"
DELEGATE = "a2a__"
"""Name prefix of the tools that call another agent of the pack."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """Limits of tool use: the prompt's `tool_policy` with the profile's defaults."""

    choice: str = "auto"
    rounds: int = DEFAULT.default_rounds
    calls: int = DEFAULT.default_calls
    blocked: frozenset[str] = frozenset()

    @classmethod
    def of(cls, prompt: Object, behaviour: Behaviour = DEFAULT) -> Policy:
        block = prompt.get("tool_policy")
        block = block if isinstance(block, dict) and not behaviour.ignores_policy else {}
        return cls(
            choice=as_str(block.get("tool_choice")) or "auto",
            rounds=as_positive_int(block.get("max_rounds")) or behaviour.default_rounds,
            calls=as_positive_int(block.get("max_tool_calls_per_turn")) or behaviour.default_calls,
            blocked=frozenset(as_str_list(block.get("blocklist"))),
        )


def pack_tools(
    parts: Parts, prompt: Object, policy: Policy, *, only: Iterable[str] | None = None
) -> tuple[ToolSpec, ...]:
    """The tools that this prompt lists and the pack defines, by key, and a tool for each agent that
    it lists. `only` restricts them."""
    if policy.choice == "none":
        return ()
    wanted = None if only is None else set(only)
    tools: list[ToolSpec] = []
    for key in dict.fromkeys(as_str_list(prompt.get("tools"))):
        if key in policy.blocked or (wanted is not None and key not in wanted):
            continue
        if key in parts.tools:
            tools.append(_pack_tool(key, parts.tools[key]))
        elif key in parts.members and f"{DELEGATE}{key}" not in policy.blocked:
            tools.append(_delegate(key, parts))
    return tuple(tools)


def declared_tools(parts: Parts) -> tuple[ToolSpec, ...]:
    """Every tool that the pack declares."""
    return tuple(_pack_tool(key, body) for key, body in parts.tools.items())


def _pack_tool(key: str, body: Object) -> ToolSpec:
    return ToolSpec(
        name=key,
        description=as_str(body.get("description")),
        parameters=_schema(body.get("parameters")),
    )


def _delegate(key: str, parts: Parts) -> ToolSpec:
    own, prompt = parts.members[key], parts.prompts.get(key, {})
    about = as_str(own.get("description")) or as_str(prompt.get("description"))
    query = _string("The question to this agent.")
    return _tool(f"{DELEGATE}{key}", about or f"Ask the agent {key}.", query=query)


def _schema(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"type": "object", "properties": {}}


def workflow_tools(machine: Machine, spec: Spec) -> tuple[ToolSpec, ...]:
    """The transition tool, if the model may choose the event, and the artifact tool, if a state
    declares an artifact."""
    tools: list[ToolSpec] = []
    if not machine.ends(spec.name) and spec.orchestration != "external":
        tools.append(_transition_tool(spec))
    slots = sorted({slot for state in machine.states.values() for slot in state.artifacts})
    if slots:
        tools.append(artifact_tool(slots))
    return tuple(tools)


def _transition_tool(spec: Spec) -> ToolSpec:
    event = {
        "type": "string",
        "enum": list(spec.events),
        "description": "The event that happened.",
    }
    context = _string("A short summary for the next state.")
    return _tool(
        TRANSITION,
        "Move the workflow to its next state by naming the event that happened.",
        event=event,
        context=context,
    )


def artifact_tool(slots: list[str]) -> ToolSpec:
    """The tool by which a model sets artifacts with these names."""
    name = {"type": "string", "enum": slots, "description": "The name of the value."}
    return _tool(
        SET_ARTIFACT,
        "Store a value under a name, for later states.",
        name=name,
        value=_string("The value itself."),
    )


def skill_tools(
    skills: Iterable[tuple[str, str]], resources: Iterable[str] = ()
) -> tuple[ToolSpec, ...]:
    """The tools to activate and deactivate skills, and to read files of those named in `resources`;
    `skills` are names with descriptions."""
    pairs = list(skills)
    if not pairs:
        return ()
    name = {
        "type": "string",
        "enum": [name for name, _ in pairs],
        "description": "The name of the skill.",
    }
    listed = "\n".join(f"- {name}: {about}" for name, about in pairs)
    return (
        _tool(
            ACTIVATE, f"Load the instructions of a skill. Available skills:\n{listed}", name=name
        ),
        _tool(DEACTIVATE, "Deactivate a skill that is no longer needed.", name=name),
        *_resource_tool(list(resources)),
    )


def _resource_tool(names: list[str]) -> tuple[ToolSpec, ...]:
    if not names:
        return ()
    name = {"type": "string", "enum": names, "description": "The name of the skill."}
    path = _string("The path of the file in the skill's folder.")
    return (_tool(READ_RESOURCE, "Read a file of a skill.", skill_name=name, path=path),)


def _string(description: str) -> dict[str, Any]:
    return {"type": "string", "description": description}


def _tool(tool: str, about: str, **properties: Any) -> ToolSpec:
    """A tool whose arguments are all required."""
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return ToolSpec(name=tool, description=about, parameters=parameters)


def choices(spec: Spec) -> tuple[Choice, ...]:
    """One choice per event, for rehearsals and for buttons."""
    return tuple(
        Choice(
            label=event,
            transition=f"{spec.name}|{event}|{target}",
            reply={
                "tool_calls": [{"name": TRANSITION, "arguments": {"event": event, "context": ""}}]
            },
        )
        for event, target in spec.events.items()
    )
