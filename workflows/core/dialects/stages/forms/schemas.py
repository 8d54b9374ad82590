"""JSON Schemas of the forms: what the format's page says about every key, in one place."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from workflows.core.dialects.stages.format.tools import REGISTERED
from workflows.core.dialects.stages.graph.labels import SIGNS
from workflows.core.dialects.stages.graph.projection import most_calls
from workflows.core.pack.forms import Json

Schema = dict[str, Any]
KEBAB = "^[a-z][a-z0-9]*(-[a-z0-9]+)*$"


def text(title: str, description: str = "", **more: Any) -> Schema:
    return {"type": "string", "title": title, "description": description, **more}


def integer(title: str, description: str = "", **more: Any) -> Schema:
    return {"type": "integer", "minimum": 1, "title": title, "description": description, **more}


def text_list(title: str, description: str = "", **more: Any) -> Schema:
    item = {"type": "string"}
    return {"type": "array", "items": item, "title": title, "description": description, **more}


def raw(title: str, description: str = "", **more: Any) -> Schema:
    return {"title": title, "description": description, "x-widget": "json", **more}


def record(title: str, properties: Mapping[str, Schema], **more: Any) -> Schema:
    return {"type": "object", "title": title, "properties": dict(properties), **more}


def stage_schema(
    values: Mapping[str, Json], stages: Iterable[str], paths: Iterable[str]
) -> dict[str, Schema]:
    """Every field of a stage, grouped as one reads a stage: its file first, then its entry."""
    sources = list(paths)
    return {
        **_heading(),
        "body": text(
            "Prompt",
            "Sent as the system prompt, once, at the start. {{ctx.task}} is a field that setup "
            "writes, {{ctx.upstream[0].parsed.x}} what the stage before handed over, "
            "{{stage.name}} this stage. There are no conditions and no loops.",
            **{"x-widget": "prompt", "x-group": "Prompt"},
        ),
        **_completion(),
        **_limits(values),
        **_inputs(sources),
        **_checks(),
        **_flow(list(stages)),
    }


def _heading() -> dict[str, Schema]:
    return _in_group("Stage", {
        "id": text("Id", "Small letters, digits and hyphens. Rename the stage to change it.",
                   readOnly=True, pattern=KEBAB),
        "name": text("Name", "What people see on the canvas, in logs and in the audit."),
        "description": text("Description", "Shown by `/sm show`.", **{"x-widget": "text"}),
        "tags": text_list("Tags", "For authors; nothing interprets them."),
    })  # fmt: skip


def _completion() -> dict[str, Schema]:
    return _in_group("Tools and result", {
        "allowedTools": text_list(
            "Allowed tools",
            "Exact names, capitals included. The list narrows what the session has, and what is in "
            "it needs no approval any more. Empty leaves the completion tool alone.",
            **{"x-choices": list(REGISTERED)},
        ),
        "completionTool": text(
            "Completion tool",
            "The one call that ends the work. Its name must not be that of a registered tool.",
            minLength=1,
        ),
        "completionSchema": raw(
            "Completion schema",
            "JSON Schema of what the completion tool hands over. It checks the shape, not whether "
            "the answer is right.",
        ),
    })  # fmt: skip


def _limits(values: Mapping[str, Json]) -> dict[str, Schema]:
    worst = most_calls(values)
    policy = values.get("retryPolicy")
    attempts = policy.get("maxAttempts") if isinstance(policy, dict) else None
    turns = values.get("turnCap")
    said = f"At worst {worst} replies in one visit ({turns} × {attempts}). " if worst else ""
    return _in_group("Limits", {
        "turnCap": integer(
            "Turn cap",
            f"{said}How many replies of the model one attempt may take: a safety net, no budget.",
        ),
        "retryPolicy": record("Retry policy", {
            "maxAttempts": integer(
                "Attempts",
                f"{said}How often the model may work at it in all, 1 being never again. A new "
                "attempt goes on in the same conversation.",
            ),
            "backoff": text(
                "Backoff",
                "How long to wait in between. The format names none alone; linear and exponential "
                "are additions of Signalbox.",
                **{"x-choices": ["none", "linear", "exponential"]},
            ),
        }, description="When a check says retry."),
        "resolutionPolicy": text(
            "Resolution policy",
            "What to do when the gate says defer or block. The format names retry-later: the run "
            "waits. skip and fail are additions of Signalbox.",
            **{"x-choices": ["retry-later", "skip", "fail"]},
        ),
    })  # fmt: skip


def _inputs(sources: list[str]) -> dict[str, Schema]:
    return _in_group("Input", {
        "setup": {
            "type": "object",
            "title": "Setup",
            "description": "The fields of ctx that the prompt may name, and where each comes from.",
            "additionalProperties": record("Field", setup_schema(sources)),
        },
        "inputsSchema": raw(
            "Inputs schema",
            "JSON Schema that each result handed over to this stage has to satisfy.",
        ),
    })  # fmt: skip


def setup_schema(sources: Iterable[str]) -> dict[str, Schema]:
    """One field that setup writes."""
    return {
        "from": text(
            "From",
            "run.input.x, slot.x (what an earlier stage put there) or upstream[0].parsed.x.",
            **{"x-choices": list(sources)},
        ),
        "default": raw("Default", "Used where there is no such value."),
        "optional": {
            "type": "boolean",
            "title": "Optional",
            "description": "Without a value and a default the prompt has an empty text here, "
            "instead of the stage failing.",
        },
    }


def _checks() -> dict[str, Schema]:
    verdicts = ["retry", "fail", "skip"]
    return _in_group("Checks", {
        "gate": record("Gate", {
            "when": condition_schema("Go on when"),
            "else": {**text("Otherwise", "Handled by the resolution policy."),
                     "enum": ["defer", "block"]},
            "reason": text("Reason"),
        }, description="Asked before the model is."),
        "assert": {
            "type": "array",
            "title": "Asserts",
            "description": "Asked once the model has handed over its result, in order.",
            "items": record("Assert", {
                "unless": condition_schema("Unless"),
                "verdict": {**text("Verdict", "What follows where the condition is not true."),
                            "enum": verdicts},
                "reason": text("Reason", "With retry the model reads it."),
            }),
        },
        "exit": record("Exit", {
            "slot": _paths("Slot", "What later stages can read as slot.x."),
            "output": _paths("Output", "A digest for the next stage: upstream[0].output.x."),
        }, description="What to keep of the result."),
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
        "maxVisits": integer("Visits", "How often a run may enter this stage. It bounds a loop."),
        "next": raw(
            "Next",
            "What comes after, as the canvas draws it: a NextResult, or cases and an else.",
        ),
        "onParallelFailure": raw(
            "When a branch fails", "A NextResult: where to go instead of the join."
        ),
        "file": text("File", "Where the stage is written, from the pipeline's folder."),
    })  # fmt: skip


def condition_schema(title: str) -> Schema:
    """A condition: one comparison, or several put together."""
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
        "name": text("Name", "What people call this pipeline."),
        "id": text("Id", "Small letters, digits and hyphens.", pattern=KEBAB),
        "entryStage": text(
            "Entry stage",
            "Where a run begins.",
            **{"x-element": "state", "x-choices": list(stages)},
        ),
        "runInputSchema": raw("Run input", "JSON Schema of what a run is given at its start."),
        "format": text("Format", "Says which reader this file is for.", readOnly=True),
    }


def grant_schema(stages: Iterable[str]) -> dict[str, Schema]:
    """A call outside a stage's tools that is allowed beforehand."""
    return {
        "tool": text("Tool", "Exact name.", **{"x-choices": list(REGISTERED)}),
        "stages": text_list(
            "Stages", "Where it may be called. Without: everywhere.", **{"x-choices": list(stages)}
        ),
        "max": integer("Times", "How often in a whole run. Without: any number of times."),
    }
