"""Form schemas of a step: what the format's page says of each of its keys (sections 1.2 to 1.5)."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.vocabulary import (
    INTENTS,
    KINDS,
    MODELS,
    PERMISSIONS,
)
from workflows.core.dialects.steps_registry.forms.widgets import (
    Schema,
    choice,
    flag,
    mapping,
    number,
    raw,
    record,
    step_name,
    text,
    texts,
    under,
)


def step_schema(steps: Iterable[str]) -> dict[str, Schema]:
    """Every key of a step (section 1.2), grouped as one reads a step."""
    names = list(steps)
    return {
        "name": text("Name", "What people see; no run reads it.", **under("Step")),
        "stepKind": choice("Kind", KINDS, "Which intents the step may answer.", **under("Step")),
        "kind": choice("Kind (1.14)", KINDS, **under("Step")),
        "description": text("Description", **under("Step"), **{"x-widget": "text"}),
        "stepId": text(
            "Step id",
            "Must equal the key. Rename the step to change both.",
            readOnly=True,
            **under("Step"),
        ),
        "type": choice("Type", ["prompt"], **under("Step")),
        "prompt": record(
            "Prompt", {"text": text("Prompt", **{"x-widget": "prompt"})}, **under("Prompt")
        ),
        "c2": text(
            "c2",
            "First folder of the prompt path; the kind is inferred from it.",
            **{"x-choices": ["initial", "continuation", "verification", "closure", "section"]},
            **under("Prompt"),
        ),
        "c3": text(
            "c3",
            "Second folder: lower-case words with hyphens, no digits.",
            pattern="^[a-z]+(-[a-z]+)*$",
            **under("Prompt"),
        ),
        "edition": text("Edition", "`f_<edition>.md`", default="default", **under("Prompt")),
        "adaptation": text("Adaptation", "`f_<edition>_<adaptation>.md`", **under("Prompt")),
        "address": record("Address (1.14)", address_schema(), **under("Prompt")),
        "fallbackKey": text(
            "Fallback key", "Built-in prompt of 1.13.22 and before.", **under("Prompt")
        ),
        "uvVariables": texts(
            "Variables", "Each must be filled when the prompt is made.", **under("Prompt")
        ),
        "usesStdin": flag(
            "Uses stdin",
            "No run passes input text: leave it off.",
            default=False,
            **under("Prompt"),
        ),
        "inputs": mapping(
            "Inputs", input_schema(), "Values handed over by earlier steps.", **under("Prompt")
        ),
        "structuredGate": record("Gate", gate_schema(), **under("Gate")),
        "transitions": mapping(
            "Transitions", rule_schema(names), "Intent → where it leads.", **under("Gate")
        ),
        "outputSchemaRef": record(
            "Answer schema",
            {"file": text("File"), "schema": text("Name or pointer")},
            required=["file", "schema"],
            **under("Answer"),
        ),
        "schema": raw(
            "Schema", description="The definition in the schema file.", **under("Answer")
        ),
        "model": choice(
            "Model", MODELS, "Else runner.flow.defaultModel, else opus.", **under("Run")
        ),
        "permissionMode": choice("Permission mode", PERMISSIONS, **under("Run")),
        "runner": record(
            "Runner",
            {
                "command": text("Command"),
                "args": texts("Arguments"),
                "timeout": number("Timeout (ms)", default=30000, minimum=1),
            },
            description="A process instead of the model; closure steps only.",
            **under("Run"),
        ),
        "adaptationChain": texts(
            "Adaptation chain (1.14)",
            "Each repeat takes the next one's prompt; past the end the run is over.",
            **under("Run"),
        ),
    }


def address_schema() -> dict[str, Schema]:
    """Where a prompt lies, as 1.14 writes it."""
    return {
        "c1": text("c1"),
        "c2": text("c2", "First folder of the prompt path."),
        "c3": text("c3", "Second folder: lower-case words with hyphens."),
        "edition": text("Edition", default="default"),
        "adaptation": text("Adaptation"),
    }


def input_schema() -> Schema:
    return record(
        "Input",
        {
            "from": text("From", "`stepId.key`, split at the last dot."),
            "required": flag("Required", default=False),
            "default": raw("Default"),
        },
    )


def gate_schema() -> dict[str, Schema]:
    intent = choice("Intent", INTENTS)
    return {
        "allowedIntents": {
            "type": "array",
            "title": "Allowed intents",
            "items": intent,
            "description": "Changing these changes the schema's enum with them.",
        },
        "intentSchemaRef": text(
            "Where the enum is",
            "A pointer inside the answer schema.",
            pattern="^#/",
            examples=["#/properties/next_action/properties/action"],
        ),
        "intentField": text(
            "Where the intent is", "A dotted path in the answer.", examples=["next_action.action"]
        ),
        "targetField": text("Where a jump's target is", "Read for `jump` alone."),
        "handoffFields": texts("Handed over", "Dotted paths; the last part is the key."),
        "failFast": flag("Fail fast", "Off: fall back instead of failing.", default=True),
        "fallbackIntent": text(
            "Fallback intent", "Used only with fail fast off.", **{"x-choices": list(INTENTS)}
        ),
        "targetMode": choice(
            "Target mode",
            ["explicit", "dynamic", "conditional"],
            "No run reads it.",
            default="explicit",
        ),
    }


def rule_schema(steps: Iterable[str]) -> Schema:
    names = list(steps)
    return record(
        "Rule",
        {
            "target": step_name("Target", names),
            "condition": text("Condition", "Key of a handed-over value."),
            "targets": mapping("Targets", step_name("Step", names), "Value → step."),
            "fallback": step_name("Fallback", names, "Checked, never followed."),
        },
    )
