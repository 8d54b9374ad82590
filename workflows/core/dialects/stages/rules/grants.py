"""Rules over grants: tools that stages may call outside their list (section 6.2)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.core.dialects.stages.format.tools import suggestion
from workflows.core.dialects.stages.rules.kit import set_in_pipeline, stage_rule, unset_in_pipeline
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.tolerant import as_list, indexed_objects
from workflows.core.tools.mcp_names import server_of
from workflows.core.tools.standard import STANDARD


def _grants(facts: Facts) -> list[tuple[int, dict[str, Any]]]:
    return indexed_objects(facts.whole.get("grants"))


@stage_rule("ST540", "error", "Grant is not valid", profiles=EVERY)
def grant_shape(facts: Facts) -> Iterable[Note]:
    """A grant lets stages call a tool outside their list without approval. It is an object with
    `tool`, `stages` (a list) and `max` (the number of calls, an integer of at least 1). A grant of
    another shape has no effect."""
    grants = facts.whole.get("grants", [])
    if not isinstance(grants, list):
        yield Note(message="'grants' is not a list.", place=facts.top("grants"))
        return
    for index, grant in enumerate(grants):
        problem = _wrong_grant(grant)
        if problem:
            yield Note(message=f"Grant {index + 1} {problem}.", place=facts.top("grants", index))


def _wrong_grant(grant: Any) -> str:
    if not isinstance(grant, dict) or not isinstance(grant.get("tool"), str):
        return "names no tool"
    stages, most = grant.get("stages"), grant.get("max")
    if stages is not None and not isinstance(stages, list):
        return "has 'stages' that is not a list"
    if most is not None and (not isinstance(most, int) or isinstance(most, bool) or most < 1):
        return f"has 'max' {most!r}, not an integer of at least 1"
    return ""


@stage_rule("ST541", "error", "Grant for an unknown stage", profiles=EVERY)
def grant_stage(facts: Facts) -> Iterable[Note]:
    """The grant names a stage that the pipeline does not declare, so it has no effect there.
    Correct the name, or remove it from the list."""
    stage_ids = facts.source.stages
    for index, grant in _grants(facts):
        for at, stage in enumerate(as_list(grant.get("stages"))):
            if isinstance(stage, str) and stage not in stage_ids:
                near = closest_name(stage, stage_ids)
                here = ("grants", index, "stages", at)
                yield Note(
                    message=f"Grant {index + 1} names {stage!r}, which is not a stage.",
                    place=facts.top(*here),
                    fix=make_fix(f"Use {near}", set_in_pipeline(*here, value=near))
                    if near
                    else make_fix("Remove it from the list", unset_in_pipeline(*here)),
                )


@stage_rule("ST542", "warning", "Grant for an unknown tool", profiles=EVERY)
def grant_tool(facts: Facts) -> Iterable[Note]:
    """The grant names a tool that stud-cli does not register. Names are case-sensitive. The grant
    is never used unless the session provides the tool. Correct the name."""
    for index, grant in _grants(facts):
        tool = grant.get("tool")
        if isinstance(tool, str) and tool not in STANDARD and not server_of(tool):
            near = suggestion(tool)
            here = ("grants", index, "tool")
            yield Note(
                message=f"Grant {index + 1} names {tool!r}, which is not a registered tool.",
                place=facts.top(*here),
                fix=make_fix(f"Grant {near}", set_in_pipeline(*here, value=near)) if near else None,
            )


@stage_rule("ST543", "hint", "Grant has no effect", profiles=EVERY)
def needless_grant(facts: Facts) -> Iterable[Note]:
    """The stage lists this tool in `allowedTools`, which approves every call, so the grant has no
    effect there. Remove the stage from the grant, or the tool from the stage."""
    for index, grant in _grants(facts):
        for at, stage in enumerate(as_list(grant.get("stages"))):
            allowed = facts.values(stage).get("allowedTools") if isinstance(stage, str) else None
            if isinstance(allowed, list) and grant.get("tool") in allowed:
                yield Note(
                    message=f"Stage {stage!r} already allows {grant['tool']!r}, so grant"
                    f" {index + 1} has no effect.",
                    place=facts.top("grants", index, "stages", at),
                    fix=make_fix(
                        "Remove it from the list", unset_in_pipeline("grants", index, "stages", at)
                    ),
                )
