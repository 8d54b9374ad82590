"""The tools a model sees: the pack's own, and the two of the workflow (sections 4.5, 4.8, 4.12)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.machine import Machine, Spec
from workflows.core.dialects.promptpack.parts import Object, Parts, whole, word, words
from workflows.core.engine.effects import Choice, ToolSpec

TRANSITION = "workflow__transition"
SET_ARTIFACT = "workflow__set_artifact"


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """How freely tools may be used: the prompt's `tool_policy` with the schema's defaults."""

    choice: str = "auto"
    rounds: int = 5
    calls: int = 10
    blocked: frozenset[str] = frozenset()

    @classmethod
    def of(cls, prompt: Object) -> Policy:
        block = prompt.get("tool_policy")
        block = block if isinstance(block, dict) else {}
        return cls(
            choice=word(block.get("tool_choice")) or "auto",
            rounds=whole(block.get("max_rounds")) or 5,
            calls=whole(block.get("max_tool_calls_per_turn")) or 10,
            blocked=frozenset(words(block.get("blocklist"))),
        )


def pack_tools(parts: Parts, prompt: Object, policy: Policy) -> tuple[ToolSpec, ...]:
    """The tools this prompt lists and the pack has, by the key that prompts use."""
    if policy.choice == "none":
        return ()
    return tuple(
        ToolSpec(
            name=key,
            description=word(parts.tools[key].get("description")),
            parameters=_schema(parts.tools[key].get("parameters")),
        )
        for key in dict.fromkeys(words(prompt.get("tools")))
        if key in parts.tools and key not in policy.blocked
    )


def _schema(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {"type": "object", "properties": {}}


def workflow_tools(machine: Machine, spec: Spec) -> tuple[ToolSpec, ...]:
    """Moving on, where the model may, and setting artifacts, where any state declares one."""
    found: list[ToolSpec] = []
    if not machine.ends(spec.name) and spec.orchestration != "external":
        found.append(_transition_tool(spec))
    slots = sorted({slot for state in machine.states.values() for slot in state.artifacts})
    if slots:
        found.append(_artifact_tool(slots))
    return tuple(found)


def _transition_tool(spec: Spec) -> ToolSpec:
    return ToolSpec(
        name=TRANSITION,
        description="Move the workflow on to its next state by naming the event that happened.",
        parameters={
            "type": "object",
            "properties": {
                "event": {
                    "type": "string",
                    "enum": list(spec.events),
                    "description": "The event that happened.",
                },
                "context": {
                    "type": "string",
                    "description": "What the next state has to know of this one, in short.",
                },
            },
            "required": ["event", "context"],
        },
    )


def _artifact_tool(slots: list[str]) -> ToolSpec:
    return ToolSpec(
        name=SET_ARTIFACT,
        description="Keep a value under a name, for later states to read.",
        parameters={
            "type": "object",
            "properties": {
                "name": {"type": "string", "enum": slots, "description": "Which value."},
                "value": {"type": "string", "description": "The value itself."},
            },
            "required": ["name", "value"],
        },
    )


def choices(spec: Spec) -> tuple[Choice, ...]:
    """One answer per event: what a walker picks from and a person clicks on."""
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
