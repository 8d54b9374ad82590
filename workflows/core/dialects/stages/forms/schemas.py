"""JSON Schemas of the forms, with a help text for every key of the format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from workflows.core.dialects.stages.graph.labels import SIGNS
from workflows.core.dialects.stages.graph.projection import most_calls
from workflows.core.json_schemas.fields import RARE, Schema, integer, raw, record, text, texts
from workflows.core.pack.forms import Json
from workflows.core.text.tolerant import as_object
from workflows.core.tools.standard import STANDARD

KEBAB = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"


def stage_schema(
    values: Mapping[str, Json], stages: Iterable[str], paths: Iterable[str]
) -> dict[str, Schema]:
    """Every field of a stage, of its file and of its entry in the pipeline, in the order of use."""
    sources = list(paths)
    return {
        "body": text(
            "Prompt",
            "Sent as the system prompt, once, at the start. {{ctx.task}} is a field of setup, "
            "{{ctx.upstream[0].parsed.x}} a value of the previous stage, {{stage.name}} the name "
            "of this stage. Conditions and loops are not supported.",
            **{"x-widget": "prompt", "x-group": "Prompt"},
        ),
        **_flow(list(stages)),
        **_completion(),
        **_inputs(sources),
        **_limits(values),
        **_checks(),
        **_heading(),
    }


def _heading() -> dict[str, Schema]:
    return _in_group("Stage", {
        "id": text("Id", "Lowercase letters, digits and hyphens. Rename the stage to change it.",
                   readOnly=True, pattern=KEBAB, **RARE),
        "name": text("Name", "Shown on the canvas, in logs and in the audit.", **RARE),
        "description": text("Description", "Shown by `/sm show`.", **{"x-widget": "text"}, **RARE),
        "tags": texts("Tags", "For authors; without effect on a run.", **RARE),
    })  # fmt: skip


def _completion() -> dict[str, Schema]:
    return _in_group("Tools and result", {
        "allowedTools": texts(
            "Allowed tools",
            "Exact, case-sensitive names. The stage can only call these tools, without approval. "
            "If the list is empty, it can only call the completion tool.",
            **{"x-choices": list(STANDARD), "x-tools": True},
        ),
        "completionTool": text(
            "Completion tool",
            "The call that ends the stage. Must not be the name of a registered tool.",
            minLength=1,
        ),
        "completionSchema": raw(
            "Completion schema",
            "JSON Schema of the payload of the completion tool. It checks the shape, not the "
            "correctness.",
        ),
    })  # fmt: skip


def _limits(values: Mapping[str, Json]) -> dict[str, Schema]:
    worst = most_calls(values)
    attempts = as_object(values.get("retryPolicy")).get("maxAttempts")
    turns = values.get("turnCap")
    total = f"At most {worst} replies in one visit ({turns} × {attempts}). " if worst else ""
    return _in_group("Limits", {
        "turnCap": integer(
            "Turn cap",
            f"{total}Maximum number of model replies in one attempt.",
            minimum=1,
        ),
        "retryPolicy": record("Retry policy", {
            "maxAttempts": integer(
                "Attempts",
                f"{total}Number of attempts in one visit; 1 means no retry. A retry continues "
                "the same conversation.",
                minimum=1,
            ),
            "backoff": text(
                "Backoff",
                "Wait between attempts. The format only defines none; linear and exponential "
                "are additions of Signalbox.",
                **{"x-choices": ["none", "linear", "exponential"]},
            ),
        }, description="Applies if an assert has the verdict retry."),
        "resolutionPolicy": text(
            "Resolution policy",
            "Applies if the gate defers or blocks. With retry-later the run waits; skip and fail "
            "are additions of Signalbox.",
            **{"x-choices": ["retry-later", "skip", "fail"]},
            **RARE,
        ),
    })  # fmt: skip


def _inputs(sources: list[str]) -> dict[str, Schema]:
    return _in_group("Input", {
        "setup": {
            "type": "object",
            "title": "Setup",
            "description": "The fields of ctx for the prompt, each with its source.",
            "additionalProperties": record("Field", setup_schema(sources)),
        },
        "inputsSchema": raw(
            "Inputs schema",
            "JSON Schema of each result that this stage gets.",
            **RARE,
        ),
    })  # fmt: skip


def setup_schema(sources: Iterable[str]) -> dict[str, Schema]:
    """One field of setup."""
    return {
        "from": text(
            "From",
            "run.input.x, slot.x (written by an earlier stage) or upstream[0].parsed.x.",
            **{"x-choices": list(sources)},
        ),
        "default": raw("Default", "Used if the source has no value."),
        "optional": {
            "type": "boolean",
            "title": "Optional",
            "description": "Without a value and a default, the text is empty instead of failing "
            "the stage.",
        },
    }


def _checks() -> dict[str, Schema]:
    verdicts = ["retry", "fail", "skip"]
    return _in_group("Checks", {
        "gate": record("Gate", {
            "when": condition_schema("Pass if"),
            "else": {**text("Otherwise", "Handled by the resolution policy."),
                     "enum": ["defer", "block"]},
            "reason": text("Reason"),
        }, description="Tested before the model call."),
        "assert": {
            "type": "array",
            "title": "Asserts",
            "description": "Tested in order after the model has returned its result.",
            "items": record("Assert", {
                "unless": condition_schema("Unless"),
                "verdict": {**text("Verdict", "Applies if the condition is false."),
                            "enum": verdicts},
                "reason": text("Reason", "Sent to the model with a retry."),
            }),
        },
        "exit": record("Exit", {
            "slot": _paths("Slot", "Values for later stages, read as slot.x."),
            "output": _paths("Output", "Values for the next stage, read as upstream[0].output.x."),
        }, description="Values of the result to keep."),
    })  # fmt: skip


def _paths(title: str, description: str) -> Schema:
    return {
        "type": "object",
        "title": title,
        "description": description,
        "additionalProperties": text("Path", examples=["result.parsed.summary"]),
    }


def _flow(stages: list[str]) -> dict[str, Schema]:
    return _in_group("Flow", {
        "next": raw(
            "Next",
            "The outgoing transitions: a NextResult, or cases and an else.",
        ),
        "maxVisits": integer(
"Visits", "Maximum number of visits in a run. It limits a cycle.", minimum=1),
        "onParallelFailure": raw(
            "When a branch fails", "A NextResult: the step instead of the join.", **RARE
        ),
        "file": text("File", "Path of the stage's file, relative to the pipeline.", **RARE),
    })  # fmt: skip


def condition_schema(title: str) -> Schema:
    """A condition: one comparison, or a combination of several."""
    comparison = record("Comparison", {
        "path": text("Path", examples=["result.parsed.approved", "result.verdict", "slot.x"]),
        "op": {**text("Comparison"), "enum": [*SIGNS, "in", "exists"]},
        "value": raw("Value", "As JSON: true, 3, \"text\", [1, 2]."),
    }, required=["path", "op"])  # fmt: skip
    several = [
        record(name, {key: raw("Conditions", "A list of conditions.")}, required=[key])
        for name, key in (("All of", "all"), ("Any of", "any"))
    ]
    denied = record("Not", {"not": raw("Condition", "A condition.")}, required=["not"])
    return {"title": title, "oneOf": [comparison, *several, denied]}


def _in_group(group: str, properties: dict[str, Schema]) -> dict[str, Schema]:
    return {name: {**schema, "x-group": group} for name, schema in properties.items()}


def pack_schema(stages: Iterable[str]) -> dict[str, Schema]:
    """The pipeline's own fields."""
    return {
        "name": text("Name", "The name of this pipeline."),
        "id": text("Id", "Lowercase letters, digits and hyphens.", pattern=KEBAB),
        "entryStage": text(
            "Entry stage",
            "The first stage of a run.",
            **{"x-element": "state", "x-choices": list(stages)},
        ),
        "runInputSchema": raw("Run input", "JSON Schema of the inputs of a run."),
        "format": text("Format", "The format of this file.", readOnly=True),
    }


def grant_schema(stages: Iterable[str]) -> dict[str, Schema]:
    """A grant for calls of a tool outside a stage's list."""
    return {
        "tool": text("Tool", "Exact name.", **{"x-choices": list(STANDARD), "x-tools": True}),
        "stages": texts(
            "Stages", "Stages that may call it. Default: all.", **{"x-choices": list(stages)}
        ),
        "max": integer("Times", "Maximum number of calls in a run. Default: unlimited.", minimum=1),
    }
