"""Rows for files: unreadable, missing and unused files, and other forms."""

from __future__ import annotations

import json
from typing import Any

from tests.dialects.stages.rules.packs import ENDS, FROM_SLOT, GONE, SCHEMA, head, written
from workflows.core.dialects.stages.format.repair import DEFAULT_MARK

Rows = list[tuple[dict[str, Any], str]]
"""Changes of the valid pack, and the codes of all its findings. The row is about the first one."""

OBJECT: dict[str, Any] = {
    "id": "done",
    "body": "Write ${ctx.text} down.",
    "allowedTools": ["read"],
    "turnCap": 5,
    "completionTool": "submit_done",
    "completionSchema": SCHEMA,
}
OWN = {"done/setup": {"text": {"from": "run.input.task"}}}
FLAT = """---
id: done
name: Done
allowedTools: [read]
completionTool: submit_done
completionSchema:
type: object
properties:
summary: { type: string }
retryPolicy:
maxAttempts: 2
backoff: none
turnCap: 5
resolutionPolicy: retry-later
---
Write it down.
"""
DONE = "file stages/done.md"


def stage_object(**more: Any) -> dict[str, Any]:
    """The last stage as a stage object, with these keys added or (GONE) removed."""
    values = {key: item for key, item in {**OBJECT, **more}.items() if item is not GONE}
    return {
        "done/file": "stages/done.json",
        DONE: GONE,
        "file stages/done.json": json.dumps(values),
        **OWN,
    }


WRONG: Rows = [
    ({"file pipeline.json": '{"format": "signalbox.stud-pipeline/1", "stages": {'}, "ST101"),
    ({"file pipeline.json": "[]"}, "ST102"),
    (
        {"file pipeline.json": '{"format": "signalbox.stud-pipeline/1", "id": 1, "id": 2}'},
        "ST103 ST115 ST401",
    ),
    ({DONE: "---\nid: [\n---\n"}, "ST104"),
    ({DONE: "Write it down."}, "ST105"),
    ({DONE: written(head("done"), "x").replace("---\n", "---\nid: done\n", 1)}, "ST106"),
    ({DONE: written(head("done"), "").encode() + b"\xff\xfe"}, "ST107"),
    ({DONE: written(head("done"), "x").replace("name: Done", 'name: "\\ud83d"')}, "ST108"),
    ({DONE: FLAT}, "ST110"),
    (stage_object(), "ST111"),
    ({DONE: GONE}, "ST112"),
    ({"done/file": "stages/gone.md"}, "ST112 ST115"),
    ({"done/file": GONE}, "ST112 ST115"),
    ({"done.id": "finish"}, "ST113"),
    ({"file pipeline.json": GONE}, "ST114 ST316"),
    ({"file stages/more.md": written(head("more"), "More.")}, "ST115"),
    ({"/format": "signalbox.stud-pipeline/2"}, "ST116"),
    ({"/entrystage": "plan"}, "ST117"),
    ({"done/maxvisits": 3}, "ST117"),
    ({"done/next/exit": {}}, "ST121"),
    ({"done": "stages/done.md"}, "ST118 ST112 ST115"),
    ({"/stages": []}, "ST118 ST115 ST401"),
    (
        {DONE: written(head("done"), "x").replace("turnCap: 8", f"turnCap: 8  {DEFAULT_MARK}")},
        "ST119",
    ),
    (stage_object(name="Done"), "ST120 ST111"),
]

FINE: list[dict[str, Any]] = [
    {},
    {"/name": "Größe — №1"},
    {"/x-note": {"any": "thing"}},
    {"/$schema": "https://example.org/pipeline.json"},
    {"/description": "What this is for."},
    {"done/x-colour": "red"},
    {"/name": GONE},
    {"done.owner": "team"},
    {"done.x-editor": {"colour": "#36f"}},
    {DONE: written(head("done"), "x").replace("\n", "\r\n")},
    {DONE: "\ufeff" + written(head("done"), "x")},
    {DONE: written(head("done"), "no final newline")},
    {DONE: written(head("done"), "---\nA rule.\n\n---\n")},
    {DONE: written(head("done"), "x").replace("---\n", "---\n# A note.\n", 1)},
    {"file README.md": "# Notes\n\nNo stage.\n"},
    {"file notes/plan.md": "---\ntitle: Notes\n---\n"},
    {"file data.json": '{"any": 1}'},
    {"done/file": "./stages/done.md"},
    {"done/file": "flow/end.md", DONE: GONE, "file flow/end.md": written(head("done"), "x")},
    {"file stages/.gitkeep": b""},
    {"look/setup": FROM_SLOT},
    {"done.tags": ["last"], "done.description": "The last one."},
    {"done/next": {**ENDS, "x-note": "the end"}},
    {"/runInputSchema": GONE},
    {"done.description": "Hand over: type, properties and items."},
]
