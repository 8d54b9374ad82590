"""Form schemas of all elements except steps, from the format's document."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.vocabulary import (
    EXTRACTORS,
    MODELS,
    PERMISSIONS,
    VERDICTS,
)
from workflows.core.dialects.steps_registry.forms.step_schemas import address_schema
from workflows.core.dialects.steps_registry.forms.widgets import STEP_ID, step_name
from workflows.core.json_schemas.fields import (
    RARE,
    Schema,
    choice,
    flag,
    integer,
    mapping,
    named,
    raw,
    record,
    text,
    texts,
)
from workflows.core.tools.claude_tools import CLAUDE_TOOLS


def entry_schema(steps: Iterable[str], *, paired: bool) -> dict[str, Schema]:
    """An entry. Since 1.14 (`paired`), it has two steps for each verdict type."""
    names = list(steps)
    if not paired:
        return {"step": step_name("Step", names)}
    return {
        "initial": step_name("First step", names, "The step at which a run starts."),
        "continuation": step_name(
            "Next step", names, "Its prompt is used after the first iteration."
        ),
    }


def pack_schema(steps: Iterable[str], *, paired: bool) -> dict[str, Schema]:
    """The top-level keys of the registry (section 1.1). Its tables are separate elements."""
    names = list(steps)
    entry = step_name("Step", names)
    return {
        "agentId": text("Agent", "Must equal the name in agent.json and the folder name."),
        "version": text("Version", pattern=r"^\d+\.\d+\.\d+$"),
        "c1": text("c1", "Second half of the path config's file name."),
        "entryStep": step_name("Entry step", names),
        "entryStepMapping": mapping(
            "Entry by verdict type",
            record("Entry", entry_schema(names, paired=True)) if paired else entry,
            "Wins over the entry step.",
        ),
        "userPromptsBase": text(
            "Prompts base", "Folder of the prompts. Climpt does not read it since 1.13.23.", **RARE
        ),
        "schemasBase": text(
            "Schemas base", "Folder of the schemas. Climpt does not read it since 1.13.23.", **RARE
        ),
        "pathTemplate": text(
            "Path template",
            "Path of a prompt in its folder. Used in the profile documented only.",
            **{**RARE, "x-choices": ["{c1}/{c2}/{c3}/f_{edition}_{adaptation}.md"]},
        ),
        "pathTemplateNoAdaptation": text(
            "Path template without adaptation",
            "The same for steps without an adaptation.",
            **{**RARE, "x-choices": ["{c1}/{c2}/{c3}/f_{edition}.md"]},
        ),
    }


def validator_schema(patterns: Iterable[str]) -> dict[str, Schema]:
    """A validator (section 1.7)."""
    return {
        "type": choice("Type", ["command", "file", "custom", "semantic"]),
        "phase": choice("Phase (1.14)", ["preflight", "postllm"]),
        "command": text(
            "Command",
            "Runs as `sh -c`, if the server and the run allow commands.",
            **{"x-widget": "code"},
        ),
        "successWhen": text(
            "Success when",
            "empty, exitCode:N, contains:S or matches:RE",
            **{"x-choices": ["empty", "exitCode:0"]},
        ),
        "failurePattern": named("Failure pattern", "failurePattern", patterns),
        "extractParams": mapping(
            "Extract",
            {**text("Extractor"), "x-choices": list(EXTRACTORS)},
            "Parameter → extractor.",
        ),
        "path": text("Path", "For the type `file`: the file must exist."),
        "semanticConfig": record(
            "Semantic check",
            {"checkType": text("Check", "", **{"x-choices": ["commit-message"]})},
            description="For the type `semantic`.",
        ),
        "recoverableByDefault": flag(
            "Recoverable", "If off, the first failure ends the run.", default=True
        ),
    }


def pattern_schema() -> dict[str, Schema]:
    """A failure pattern (section 1.6)."""
    return {
        "description": text("Description"),
        "edition": text("Edition", "Selects the retry prompt."),
        "adaptation": text("Adaptation"),
        "params": texts("Parameters", "Documentation only.", **RARE),
        "semanticMatch": texts(
            "Words to match", "Selects this pattern if a validator names an unknown one."
        ),
    }


def validation_schema(validators: Iterable[str]) -> dict[str, Schema]:
    """A validation step (section 1.7)."""
    condition = record(
        "Condition",
        {
            "validator": named("Validator", "validator", validators),
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
        "address": record("Address (1.14)", address_schema()),
        "validationConditions": {**conditions, "title": "Conditions"},
        "preflightConditions": {**conditions, "title": "Before the model call (1.14)"},
        "postLLMConditions": {**conditions, "title": "After the model call (1.14)"},
        "onFailure": record(
            "On failure",
            {
                "action": choice("Action", ["retry", "abort", "skip"], default="retry"),
                "maxAttempts": integer("Maximum attempts", minimum=1, default=3),
            },
        ),
        "outputSchemaRef": record(
            "Answer schema",
            {"file": text("File"), "schema": text("Name or pointer")},
            description="Not used by runs.",
            **RARE,
        ),
        "outputSchema": raw(
            "Answer format", description="The answer's ```json block must fit this schema."
        ),
        "description": text("Description"),
    }


def agent_schema() -> dict[str, Schema]:
    """The parts of agent.json that a registry depends on (section 1.10)."""
    return {
        "name": text("Name", pattern="^[a-z][a-z0-9-]*$"),
        "displayName": text("Display name"),
        "description": text("Description", **{"x-widget": "text"}),
        "version": text("Version"),
        "parameters": mapping("Parameters", _parameter(), "Each becomes a prompt variable."),
        "runner": record(
            "Runner",
            {
                "verdict": record("Verdict", _verdict()),
                "flow": record(
                    "Flow",
                    {
                        "systemPromptPath": text("System prompt", default="prompts/system.md"),
                        "defaultModel": choice("Default model", MODELS, default="opus"),
                    },
                ),
                "boundaries": record(
                    "Boundaries",
                    {
                        "allowedTools": {
                            **texts(
                                "Allowed tools",
                                "The tools that the agent's steps may call. Default: all of "
                                "Climpt's base tools.",
                            ),
                            "x-choices": list(CLAUDE_TOOLS),
                            "x-tools": True,
                        },
                        "permissionMode": choice("Permission mode", PERMISSIONS),
                    },
                ),
                "integrations": record("Integrations", {"github": record("GitHub", _github())}),
            },
        ),
    }


def _parameter() -> Schema:
    return record(
        "Parameter",
        {
            "type": text("Type", "", **{"x-choices": ["string", "number", "boolean"]}),
            "description": text("Description"),
            "required": flag("Required", default=False),
            "default": raw("Default"),
            "cli": text("Option", "The command-line option.", examples=["--issue"]),
        },
    )


def _verdict() -> dict[str, Schema]:
    return {
        "type": choice(
            "Type",
            VERDICTS,
            "Selects the entry and the condition for the end of a run.",
            default="count:iteration",
        ),
        "config": record(
            "Configuration",
            {
                "maxIterations": integer("Maximum iterations", minimum=1, default=10),
                "maxChecks": integer("Maximum checks", "For count:check.", minimum=1),
                "verdictKeyword": text("Keyword", "For detect:keyword.", default="TASK_COMPLETE"),
                "signalType": text("Signal", "For detect:structured."),
                "requiredFields": raw("Required fields", description="For detect:structured."),
                "operator": choice("Operator", ["and", "or", "first"], "For meta:composite."),
                "conditions": raw("Conditions", description="For meta:composite."),
                "handlerPath": text("Handler", "For meta:custom, which Signalbox does not run."),
                "entryStep": text("Entry step", "For detect:graph.", **STEP_ID),
            },
        ),
    }


def _github() -> dict[str, Schema]:
    return {
        "enabled": flag("Enabled", "Signalbox never calls GitHub.", default=False),
        "defaultClosureAction": choice(
            "Closure action",
            ["close", "label-only", "label-and-close"],
            "Selects the adaptation of closure prompts.",
        ),
    }
