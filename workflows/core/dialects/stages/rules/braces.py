"""Placeholders that lack a brace."""

from __future__ import annotations

import re
from collections.abc import Iterable

from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, make_fix

_LACKING = re.compile(
    r"(?<![${])(?P<open>\{\{?)[ \t]*(?P<path>(?:ctx|stage)(?:\.[A-Za-z_]\w*|\[\d+\])+)"
    r"(?![\w.\[-])[ \t]*(?P<close>\}{0,2})(?!\})"
)


@stage_rule("ST317", "warning", "Placeholder lacks a brace", profiles=EVERY)
def lacking_brace(facts: Facts) -> Iterable[Note]:
    """A placeholder has two braces on each side. With fewer it is not filled in: the model gets
    `{ctx.task}` or `{{ctx.task}` as it is written, instead of the task. Add the missing braces."""
    for stage, file in facts.heads:
        for match in _LACKING.finditer(file.body):
            opened, closed = match["open"], match["close"]
            if (len(opened), len(closed)) in ((2, 2), (1, 0)):
                continue
            meant = "{{" + match["path"] + "}}"
            body = f"{file.body[: match.start()]}{meant}{file.body[match.end() :]}"
            yield Note(
                message=f"{match[0].strip()} in {stage!r} is not filled in. Write {meant}.",
                place=facts.body(stage, file.body.count("\n", 0, match.start()) + 1),
                fix=make_fix(f"Write {meant}", set_in_stage(stage, "body", value=body)),
            )
