"""Form schemas of a step, from the format's document (sections 1.2 to 1.5)."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.vocabulary import (
    INTENTS,
    KINDS,
    MODELS,
    PERMISSIONS,
)
from workflows.core.dialects.steps_registry.forms.widgets import step_name
from workflows.core.json_schemas.fields import (
    RARE,
    Schema,
    choice,
    flag,
    integer,
    mapping,
    raw,
    record,
    text,
    texts,
    under,
)


def step_schema(steps: Iterable[str]) -> dict[str, Schema]:
    """Every key of a step (section 1.2), in groups and in the order of use."""
    names = list(steps)
    return {
        "prompt": record(
            "Prompt", {"text": text("Prompt", **{"x-widget": "prompt"})}, **under("Prompt")
        ),
        "transitions": mapping(
            "Transitions", rule_schema(names), "Intent → target.", **under("Gate")
        ),
        "structuredGate": record("Gate", gate_schema(), **under("Gate")),
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
            "Model", MODELS, "Default: runner.flow.defaultModel, else opus.", **under("In a run")
        ),
        "permissionMode": choice("Permission mode", PERMISSIONS, **under("In a run")),
        "runner": record(
            "Runner",
            {
                "command": text("Command"),
                "args": texts("Arguments"),
                "timeout": integer("Timeout (ms)", default=30000, minimum=1),
            },
            description="A process instead of a model call. Closure steps only.",
            **under("In a run"),
        ),
        "adaptationChain": texts(
            "Adaptation chain (1.14)",
            "Each repeat uses the next adaptation. After the last one, the run ends.",
            **RARE,
        ),
        "uvVariables": texts(
            "Variables", "Each needs a value when the prompt is rendered.", **under("Input")
        ),
        "inputs": mapping(
            "Inputs", input_schema(), "Values handed over by earlier steps.", **under("Input")
        ),
        "stepKind": choice("Kind", KINDS, "Determines the intents of the step.", **under("Step")),
        "kind": choice("Kind (1.14)", KINDS, **under("Step")),
        "name": text("Name", "Shown to people; not used by runs.", **RARE),
        "description": text("Description", **RARE, **{"x-widget": "text"}),
        "c2": text(
            "c2",
            "First folder of the prompt path; the kind is inferred from it.",
            **{"x-choices": ["initial", "continuation", "verification", "closure", "section"]},
            **RARE,
        ),
        "c3": text(
            "c3",
            "Second folder: lower-case words joined by hyphens, no digits.",
            pattern="^[a-z]+(-[a-z]+)*$",
            **RARE,
        ),
        "edition": text("Edition", "`f_<edition>.md`", default="default", **RARE),
        "adaptation": text("Adaptation", "`f_<edition>_<adaptation>.md`", **RARE),
        "address": record("Address (1.14)", address_schema(), **RARE),
        "stepId": text(
            "Step id",
            "Must equal the key. Rename the step to change both.",
            readOnly=True,
            **RARE,
        ),
        "type": choice("Type", ["prompt"], **RARE),
        "usesStdin": flag(
            "Uses stdin",
            "Leave this off: no run passes input text.",
            default=False,
            **RARE,
        ),
        "fallbackKey": text("Fallback key", "A built-in prompt, up to 1.13.22.", **RARE),
    }


def address_schema() -> dict[str, Schema]:
    """The address of a prompt since 1.14."""
    return {
        "c1": text("c1"),
        "c2": text("c2", "First folder of the prompt path."),
        "c3": text("c3", "Second folder: lower-case words joined by hyphens."),
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
            "description": "A change also updates the enum in the schema.",
        },
        "intentSchemaRef": text(
            "Enum pointer",
            "A pointer inside the answer schema.",
            pattern="^#/",
            examples=["#/properties/next_action/properties/action"],
        ),
        "intentField": text(
            "Intent field", "A dotted path in the answer.", examples=["next_action.action"]
        ),
        "targetField": text("Target field", "The target of a jump: a dotted path in the answer."),
        "handoffFields": texts("Handoff fields", "Dotted paths; the last part is the key."),
        "failFast": flag(
            "Fail fast", "If off, an unreadable answer counts as the fallback intent.", default=True
        ),
        "fallbackIntent": text(
            "Fallback intent", "Used if fail fast is off.", **{"x-choices": list(INTENTS)}
        ),
        "targetMode": choice(
            "Target mode",
            ["explicit", "dynamic", "conditional"],
            "Where targets come from: transitions, targetField, or conditional targets.",
        ),
    }


def rule_schema(steps: Iterable[str]) -> Schema:
    names = list(steps)
    return record(
        "Rule",
        {
            "target": step_name("Target", names),
            "condition": text("Condition", "Key of a value that the gate hands over."),
            "targets": mapping("Targets", step_name("Step", names), "Value → step."),
            "fallback": {**step_name("Fallback", names, "Checked, but never used."), **RARE},
        },
    )
