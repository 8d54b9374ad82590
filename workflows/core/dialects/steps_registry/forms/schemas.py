"""JSON Schemas of the forms: what the format's page says about every key, in one place."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.steps_registry.words import (
    EXTRACTORS,
    INTENTS,
    KINDS,
    MODELS,
    PERMISSIONS,
    VERDICTS,
)

Schema = dict[str, Any]


def text(title: str, description: str = "", **more: Any) -> Schema:
    return {"type": "string", "title": title, "description": description, **more}


def flag(title: str, description: str = "", **more: Any) -> Schema:
    return {"type": "boolean", "title": title, "description": description, **more}


def number(title: str, description: str = "", **more: Any) -> Schema:
    return {"type": "integer", "title": title, "description": description, **more}


def choice(title: str, values: Iterable[str], description: str = "", **more: Any) -> Schema:
    return {**text(title, description, **more), "enum": list(values)}


def texts(title: str, description: str = "", **more: Any) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string"},
        "title": title,
        "description": description,
        **more,
    }


def record(title: str, properties: dict[str, Schema], **more: Any) -> Schema:
    return {"type": "object", "title": title, "properties": properties, **more}


def mapping(title: str, item: Schema, description: str = "", **more: Any) -> Schema:
    return {
        "type": "object",
        "title": title,
        "description": description,
        "additionalProperties": item,
        **more,
    }


def raw(title: str, **more: Any) -> Schema:
    """A key we do not know: shown as JSON and kept as it is."""
    return {"title": title, "x-widget": "json", **more}


STEP_ID: Schema = {"x-element": "state"}


def step_schema(steps: Iterable[str]) -> dict[str, Schema]:
    """Every key of a step (section 1.2), grouped as one reads a step."""
    names = list(steps)
    return {
        "name": text("Name", "What people see; no run reads it.", **_in("Step")),
        "stepKind": choice("Kind", KINDS, "Which intents the step may answer.", **_in("Step")),
        "kind": choice("Kind (1.14)", KINDS, **_in("Step")),
        "description": text("Description", **_in("Step"), **{"x-widget": "text"}),
        "stepId": text(
            "Step id",
            "Must equal the key. Rename the step to change both.",
            readOnly=True,
            **_in("Step"),
        ),
        "type": choice("Type", ["prompt"], **_in("Step")),
        "prompt": record(
            "Prompt", {"text": text("Prompt", **{"x-widget": "prompt"})}, **_in("Prompt")
        ),
        "c2": text(
            "c2",
            "First folder of the prompt path; the kind is inferred from it.",
            **{"x-choices": ["initial", "continuation", "verification", "closure", "section"]},
            **_in("Prompt"),
        ),
        "c3": text(
            "c3",
            "Second folder: lower-case words with hyphens, no digits.",
            pattern="^[a-z]+(-[a-z]+)*$",
            **_in("Prompt"),
        ),
        "edition": text("Edition", "`f_<edition>.md`", default="default", **_in("Prompt")),
        "adaptation": text("Adaptation", "`f_<edition>_<adaptation>.md`", **_in("Prompt")),
        "address": raw("Address (1.14)", **_in("Prompt")),
        "fallbackKey": text(
            "Fallback key", "Built-in prompt of 1.13.22 and before.", **_in("Prompt")
        ),
        "uvVariables": texts(
            "Variables", "Each must be filled when the prompt is made.", **_in("Prompt")
        ),
        "usesStdin": flag(
            "Uses stdin", "No run passes input text: leave it off.", default=False, **_in("Prompt")
        ),
        "inputs": mapping(
            "Inputs", input_schema(), "Values handed over by earlier steps.", **_in("Prompt")
        ),
        "structuredGate": record("Gate", gate_schema(), **_in("Gate")),
        "transitions": mapping(
            "Transitions", rule_schema(names), "Intent → where it leads.", **_in("Gate")
        ),
        "outputSchemaRef": record(
            "Answer schema",
            {"file": text("File"), "schema": text("Name or pointer")},
            required=["file", "schema"],
            **_in("Answer"),
        ),
        "schema": raw("Schema", description="The definition in the schema file.", **_in("Answer")),
        "model": choice("Model", MODELS, "Else runner.flow.defaultModel, else opus.", **_in("Run")),
        "permissionMode": choice("Permission mode", PERMISSIONS, **_in("Run")),
        "runner": record(
            "Runner",
            {
                "command": text("Command"),
                "args": texts("Arguments"),
                "timeout": number("Timeout (ms)", default=30000, minimum=1),
            },
            description="A process instead of the model; closure steps only.",
            **_in("Run"),
        ),
        "adaptationChain": texts("Adaptation chain (1.14)", **_in("Run")),
    }


def _in(group: str) -> Schema:
    return {"x-group": group}


def _named(title: str, kind: str, names: Iterable[str]) -> Schema:
    """The key of another element of this kind."""
    return {**text(title), "x-choices": list(names), "x-element": kind}


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
            "target": {"type": "string", "title": "Target", "x-choices": names, **STEP_ID},
            "condition": text("Condition", "Key of a handed-over value."),
            "targets": mapping("Targets", {"type": "string", "x-choices": names, **STEP_ID}),
            "fallback": {
                "type": "string",
                "title": "Fallback",
                "x-choices": names,
                **STEP_ID,
                "description": "Checked, never followed.",
            },
        },
    )


def pack_schema(steps: Iterable[str]) -> dict[str, Schema]:
    names = list(steps)
    return {
        "agentId": text("Agent", "Must equal agent.json's name and the folder's."),
        "version": text("Version", pattern=r"^\d+\.\d+\.\d+$"),
        "c1": text("c1", "Second half of the path config's file name."),
        "entryStep": {"type": "string", "title": "Entry step", "x-choices": names, **STEP_ID},
        "entryStepMapping": mapping(
            "Entry by verdict type",
            {"type": "string", "x-choices": names, **STEP_ID},
            "Wins over the entry step.",
        ),
        "userPromptsBase": text("Prompts base", "Not read since 1.13.23."),
        "schemasBase": text("Schemas base", "Not read since 1.13.23."),
        "pathTemplate": text("Path template", "No release reads it."),
        "pathTemplateNoAdaptation": text(
            "Path template without adaptation", "No release reads it."
        ),
    }


def validator_schema(patterns: Iterable[str]) -> dict[str, Schema]:
    return {
        "type": choice("Type", ["command", "file", "custom", "semantic"]),
        "phase": choice("Phase (1.14)", ["preflight", "postllm"]),
        "command": text(
            "Command", "Run as `sh -c`, only where that is allowed.", **{"x-widget": "code"}
        ),
        "successWhen": text(
            "Success when",
            "empty, exitCode:N, contains:S or matches:RE",
            **{"x-choices": ["empty", "exitCode:0"]},
        ),
        "failurePattern": _named("Failure pattern", "failurePattern", patterns),
        "extractParams": mapping(
            "Extract",
            {**text("Extractor"), "x-choices": list(EXTRACTORS)},
            "Parameter → extractor.",
        ),
    }


def pattern_schema() -> dict[str, Schema]:
    return {
        "description": text("Description"),
        "edition": text("Edition", "Which retry prompt."),
        "adaptation": text("Adaptation"),
        "params": texts("Parameters", "Documentation only."),
        "semanticMatch": texts("Words to match", "Tried when a validator's pattern is unknown."),
    }


def validation_schema(validators: Iterable[str]) -> dict[str, Schema]:
    condition = record(
        "Condition",
        {
            "validator": _named("Validator", "validator", validators),
            "params": mapping("Parameters", text("Value")),
        },
        required=["validator"],
    )
    conditions = {"type": "array", "items": condition}
    return {
        "stepId": text("Step id"),
        "name": text("Name"),
        "c2": text("c2", "First folder of the retry prompts."),
        "c3": text("c3", "Second folder of the retry prompts."),
        "validationConditions": {**conditions, "title": "Conditions"},
        "preflightConditions": {**conditions, "title": "Before the model (1.14)"},
        "postLLMConditions": {**conditions, "title": "After the model (1.14)"},
        "onFailure": record(
            "On failure",
            {
                "action": choice("Action", ["retry", "abort", "skip"], default="retry"),
                "maxAttempts": number("Most attempts", minimum=1, default=3),
            },
        ),
        "outputSchema": raw("Answer format"),
        "description": text("Description"),
    }


def agent_schema() -> dict[str, Schema]:
    return {
        "name": text("Name", pattern="^[a-z][a-z0-9-]*$"),
        "displayName": text("Shown name"),
        "description": text("Description", **{"x-widget": "text"}),
        "version": text("Version"),
        "parameters": raw("Parameters", description="Each becomes a prompt variable."),
        "runner": record(
            "Runner",
            {
                "verdict": record(
                    "Verdict",
                    {
                        "type": choice(
                            "Type",
                            VERDICTS,
                            "Selects the entry and when a run is finished.",
                            default="count:iteration",
                        ),
                        "config": raw("Configuration"),
                    },
                ),
                "flow": record(
                    "Flow",
                    {
                        "systemPromptPath": text("System prompt", default="prompts/system.md"),
                        "defaultModel": choice("Default model", MODELS, default="opus"),
                    },
                ),
            },
        ),
    }
