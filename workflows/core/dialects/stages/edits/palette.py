"""Templates of new stages: all eight keys and a first prompt."""

from __future__ import annotations

from workflows.core.dialects.stages.format.repair import KEBAB, KEBAB_RULE, kebab, title_of
from workflows.core.pack.edits import EditRefused
from workflows.core.pack.forms import palette_of
from workflows.core.text.frontmatter import Frontmatter

PALETTE = palette_of(
    (
        "stage",
        "Stage",
        "The model works with tools that may change files, and returns a result.",
        "new-stage",
    ),
    (
        "reader",
        "Read-only stage",
        "The model only reads and reports. Suitable for parallel branches.",
        "new-review",
    ),
    (
        "join",
        "Joining stage",
        "Combines the results of branches. It needs no tools.",
        "new-verdict",
    ),
    id_pattern=KEBAB.pattern,
    id_rule=KEBAB_RULE,
)

_STAGE = """\
---
id: x
name: x
allowedTools: [{tools}]
completionTool: {tool}
completionSchema:
  type: object
  additionalProperties: false
  required: [{fields}]
  properties:
{properties}
retryPolicy: {{ maxAttempts: {attempts}, backoff: none }}
turnCap: {turns}
resolutionPolicy: retry-later
---

{body}
"""
_SUMMARY = "    summary: { type: string, minLength: 1 }"
_VERDICT = "    approved: { type: boolean }\n    feedback: { type: string }"
_WORK = "Describe the task here, and when it is complete."
_READ = "Describe here what to review. This stage only reads; it changes nothing."
_JOIN = """\
Combine the results of the branches.

First: {{ctx.upstream[0].parsed}}
Second: {{ctx.upstream[1].parsed}}"""


def new_stage(stage: str, kind: str, name: str) -> bytes:
    """The file of a valid stage. Raises EditRefused for an unknown kind."""
    name = name.strip() or title_of(stage)
    tool = f"submit_{kebab(stage).replace('-', '_')}"
    text = _template(kind, tool)
    front = Frontmatter.parse(text.encode("utf-8"))
    head = front.head
    assert head is not None
    return front.with_head(head.set(("id",), stage).set(("name",), name)).data


def _template(kind: str, tool: str) -> str:
    match kind:
        case "" | "stage":
            tools, turns, work = "read, grep, glob, edit, write", 20, _WORK
        case "reader":
            tools, turns, work = "read, grep, glob", 10, _READ
        case "join":
            body = f"{_JOIN}\n\nCall `{tool}` with `approved` and `feedback`."
            return _STAGE.format(
                tools="", tool=tool, fields="approved, feedback", properties=_VERDICT, attempts=1,
                turns=4, body=body,
            )  # fmt: skip
        case _:
            raise EditRefused(f"Unknown kind of stage {kind!r}.")
    return _STAGE.format(
        tools=tools, tool=tool, fields="summary", properties=_SUMMARY, attempts=2, turns=turns,
        body=f"{work}\n\nCall `{tool}` with a `summary` at the end.",
    )  # fmt: skip
