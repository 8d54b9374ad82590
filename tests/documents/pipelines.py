"""The examples of the document about stage definitions, each completed to a pipeline."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from tests.documents.example import Arrow, Completed, Contradiction, Example
from tests.documents.quotes import after, document

DOCUMENT = "stage-definitions"
DEPTHS = {
    "type: object": 1,
    "required: [summary, steps]": 1,
    "properties:": 1,
    "summary: { type: string }": 2,
    "steps:": 2,
    "type: array": 3,
    "items: { type: string }": 3,
    "maxAttempts: 2": 1,
    "backoff: none": 1,
}
"""The indentation of the lines of the example, which the document's text lost."""
PLAN = {"summary": "Count the bees.", "steps": ["Count."]}
RESULT = ("verdict", "reason", "parsed", "capHit", "attemptCount", "output")
Tree = dict[str, Any]


def plan_stage() -> str:
    """The stage of the document, indented again."""
    text = after(DOCUMENT, "(see Changelog) and has no independent semver;")
    start = text.index("---\nid: plan")
    end = text.index("| Field | Type | Meaning |", start)
    lines = text[start:end].splitlines()
    return "\n".join("  " * DEPTHS.get(line, 0) + line for line in lines) + "\n"


def stage(id: str, body: str = "Do it: {{ctx.task}}", **more: Any) -> str:
    """A stage with the eight required keys."""
    head = {
        "id": id,
        "name": id.title(),
        "allowedTools": [],
        "completionTool": f"submit_{id}",
        "completionSchema": {"type": "object", "properties": {"summary": {"type": "string"}}},
        "retryPolicy": {"maxAttempts": 2, "backoff": "none"},
        "turnCap": 5,
        "resolutionPolicy": "retry-later",
        **more,
    }
    keys = "\n".join(f"{key}: {json.dumps(value)}" for key, value in head.items())
    return f"---\n{keys}\n---\n{body}\n"


def to(*stages: str, join: str = "") -> Tree:
    execution = "parallel" if len(stages) > 1 else "sequential"
    found: Tree = {"nextStages": list(stages), "execution": execution}
    return {**found, "join": join} if join else found


def pipeline(
    texts: Mapping[str, str],
    nexts: Mapping[str, Tree],
    arrows: Iterable[Arrow],
    replies: Iterable[Tree],
    *,
    entries: Mapping[str, Tree] | None = None,
    **more: Any,
) -> Completed:
    """A pipeline of these stages; each gets `task` from the run's input."""
    stages = {
        id: {
            "file": f"stages/{id}.md",
            "setup": {"task": {"from": "run.input.task"}},
            "next": nexts.get(id, to()),
            **(entries or {}).get(id, {}),
        }
        for id in texts
    }
    main = {
        "format": "signalbox.stud-pipeline/1",
        "id": "example",
        "name": "Example",
        "entryStage": next(iter(texts)),
        "stages": stages,
    }
    given = tuple(replies)
    return Completed(
        files={"pipeline.json": main, **{f"stages/{id}.md": text for id, text in texts.items()}},
        path="pipeline.json",
        states=frozenset(texts),
        transitions=frozenset(arrows),
        **{
            "walk": tuple(str(reply["state"]) for reply in given),
            "inputs": {"task": "Count"},
            **more,
        },
        replies=given,
    )


def done(id: str, **payload: Any) -> Tree:
    return {"state": id, "structured": payload or {"summary": "Done."}}


def plan() -> Completed:
    """The stage of the document, alone in its pipeline."""
    return pipeline({"plan": plan_stage()}, {}, [], [done("plan", **PLAN)])


def optional_keys() -> Completed:
    """description, tags, an inputsSchema that each result satisfies, and unknown keys."""
    schema = {"type": "object", "required": ["verdict", "parsed"]}
    texts = {
        "plan": stage("plan", description="Plans.", tags=["first"], owner="us"),
        "act": stage("act", inputsSchema=schema),
    }
    return pipeline(
        texts, {"plan": to("act")}, [("plan", "then", "act")], [done("plan"), done("act")]
    )


def placeholders() -> Completed:
    """Every placeholder of the table, and a reduced result in `output`."""
    named = re.findall(
        r"\{\{(ctx\.(?:task|branch|files)|stage\.(?:id|name)|ctx\.workflowRunId"
        r"|ctx\.stageExecutionId)\}\}",
        document(DOCUMENT),
    )
    assert {"ctx.task", "ctx.branch", "ctx.files", "stage.id", "stage.name"} <= set(named)
    fields = [f"ctx.upstream[0].{name}" for name in RESULT]
    assert all(name in document(DOCUMENT) for name in RESULT)
    body = "\n".join("{{" + name + "}}" for name in dict.fromkeys([*named, *fields]))
    body += "\n{{ctx.upstream[0].output.digest}}"
    texts = {"plan": stage("plan"), "act": stage("act", body)}
    entries = {
        "plan": {"exit": {"output": {"digest": "result.parsed.summary"}}},
        "act": {
            "setup": {
                "task": {"from": "run.input.task"},
                "branch": {"from": "run.input.branch"},
                "files": {"from": "run.input.files"},
            }
        },
    }
    return pipeline(
        texts,
        {"plan": to("act")},
        [("plan", "then", "act")],
        [done("plan"), done("act")],
        entries=entries,
        inputs={"task": "Count", "branch": "main", "files": "a.py"},
    )


def older_placeholder() -> Completed:
    """The changelog of the document has `${ctx.*}`, its rules have `{{ctx.*}}`."""
    return pipeline(
        {"plan": stage("plan", "Do ${ctx.task}.")},
        {},
        [],
        [done("plan")],
        admitted={
            "ST305": Contradiction(
                reason="The changelog and the table of placeholders differ.",
                one="${ctx.*}",
                other="{{ctx.<sm-field>}}",
            )
        },
    )


def parallel() -> Completed:
    """Two siblings and a join that is among nextStages, as StageJoinDangling demands."""
    texts = {id: stage(id) for id in ("split", "left", "right", "merge")}
    arrows = [
        ("split", "parallel", "left"),
        ("split", "parallel", "right"),
        ("left", "join", "merge"),
        ("right", "join", "merge"),
    ]
    nexts = {"split": to("left", "right", "merge", join="merge")}
    return pipeline(
        texts, nexts, arrows, [done("split"), done("left"), done("right"), done("merge")]
    )


def recovery() -> Completed:
    """A recover stage as the terminal branch of a sibling, not as the join."""
    texts = {id: stage(id) for id in ("split", "left", "right", "recover", "merge")}
    arrows = [
        ("split", "parallel", "left"),
        ("split", "parallel", "right"),
        ("left", "join", "merge"),
        ("right", "join", "merge"),
        ("right", "then", "recover"),
    ]
    nexts = {"split": to("left", "right", "merge", join="merge"), "right": to("recover")}
    return pipeline(
        texts,
        nexts,
        arrows,
        [done("split"), done("left"), done("right"), done("recover"), done("merge")],
        walk=("split", "left", "right", "recover", "merge"),
    )


def retry() -> Completed:
    """A payload that fails its schema, a plain text, then an Assert that asks for a second
    attempt."""
    schema = {
        "type": "object",
        "required": ["fixed"],
        "properties": {"fixed": {"type": "boolean"}},
    }
    texts = {"plan": stage("plan", completionSchema=schema)}
    unless = {"path": "result.parsed.fixed", "op": "equals", "value": True}
    entries = {"plan": {"assert": [{"unless": unless, "verdict": "retry", "reason": "Not fixed."}]}}
    replies = [
        {"state": "plan", "structured": {"fixed": "yes"}},
        {"state": "plan", "text": "I am not sure."},
        done("plan", fixed=False),
        done("plan", fixed=True),
    ]
    return pipeline(texts, {}, [], replies, entries=entries)


EXAMPLES = tuple(
    Example(place=f"{DOCUMENT}: {heading}", complete=make)
    for heading, make in (
        ("Example", plan),
        ("Optional fields", optional_keys),
        ("Placeholders", placeholders),
        ("Changelog", older_placeholder),
        ("NextResult", parallel),
        ("Recover stage", recovery),
        ("How Act ends", retry),
    )
)
