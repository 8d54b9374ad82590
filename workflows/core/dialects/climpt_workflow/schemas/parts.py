"""JSON Schemas of the parts of a workflow, as the forms show them."""

from __future__ import annotations

from workflows.core.dialects.climpt_workflow.format.parts import (
    DEFAULT_CYCLES,
    PHASE_TYPES,
    ROLES,
    Parts,
)
from workflows.core.json_schemas.fields import Schema, mapping, text


def phase(parts: Parts, title: str, description: str = "") -> Schema:
    return {**text(title, description), "x-choices": list(parts.phases), "x-element": "state"}


def phase_map(parts: Parts, title: str, description: str) -> Schema:
    return mapping(title, phase(parts, "Phase"), description)


def phase_schema(parts: Parts) -> dict[str, Schema]:
    return {
        "type": text("Type", "Terminal and blocking phases end a run.", enum=list(PHASE_TYPES)),
        "priority": {
            "type": "number",
            "title": "Priority",
            "description": "Of several phases, the one with the lowest number is worked on.",
        },
        "agent": {
            **text("Agent", "The agent that works on an issue in this phase."),
            "x-choices": list(parts.agents),
            "x-element": "agent",
        },
    }


def agent_schema(parts: Parts) -> dict[str, Schema]:
    return {
        "role": text(
            "Role",
            "A transformer has the outcome success; a validator names its outcomes.",
            enum=list(ROLES),
        ),
        "directory": text("Directory", "Folder below .agent. By default, the agent's name."),
        "outputPhase": phase(parts, "Output phase", "After success. Transformers only."),
        "outputPhases": phase_map(parts, "Output phases", "Outcome to phase. Validators only."),
        "fallbackPhases": phase_map(
            parts, "Fallback phases", "Other outcomes to phase. Transformers only."
        ),
        "fallbackPhase": phase(parts, "Fallback phase", "For every other outcome."),
    }


def label_schema(parts: Parts) -> dict[str, Schema]:
    return {
        "phase": phase(parts, "Phase", "The phase of an issue with this label."),
        "color": text("Colour", "Six hexadecimal digits.", pattern="^[0-9a-fA-F]{6}$"),
        "description": text("Description", "Shown on GitHub."),
        "role": text("Role", "Marker labels only identify issues.", enum=["routing", "marker"]),
    }


def pack_schema() -> dict[str, Schema]:
    return {
        "version": text("Version"),
        "labelPrefix": text("Label prefix", "`docs` makes `docs:ready` of the label `ready`."),
        "rules": {
            "type": "object",
            "title": "Rules",
            "properties": {
                "maxCycles": {
                    "type": "number",
                    "title": "Cycles",
                    "description": "Transitions of one issue before the run ends.",
                    "default": DEFAULT_CYCLES,
                },
                "cycleDelayMs": {"type": "number", "title": "Delay between cycles (ms)"},
                "maxConsecutivePhases": {
                    "type": "integer",
                    "title": "Repetitions of a phase",
                    "description": "Transitions in a row to one phase before the run ends.",
                },
            },
        },
    }
