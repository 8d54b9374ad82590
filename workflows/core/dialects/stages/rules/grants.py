"""Rules over grants: tools that stages may call outside their list (section 6.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.format.tools import REGISTERED, suggestion
from workflows.core.dialects.stages.rules.kit import set_in_pipeline, stage_rule, unset_in_pipeline
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, make_fix


def _grants(facts: Facts) -> Iterator[tuple[int, dict[str, Any]]]:
    grants = facts.whole.get("grants")
    for index, grant in enumerate(grants if isinstance(grants, list) else ()):
        if isinstance(grant, dict):
            yield index, grant


@stage_rule("ST540", "error", "Grant is written in a wrong way")
def grant_shape(facts: Facts) -> Iterable[Note]:
    """A grant lets stages call a tool outside their list without asking anybody: an object with
    `tool`, `stages` (a list) and `max` (how often, a whole number from 1 on). A grant of another
    shape grants nothing."""
    grants = facts.whole.get("grants", [])
    if not isinstance(grants, list):
        yield Note(message="'grants' is not a list.", place=facts.top("grants"))
        return
    for index, grant in enumerate(grants):
        said = _wrong_grant(grant)
        if said:
            yield Note(message=f"Grant {index + 1} {said}.", place=facts.top("grants", index))


def _wrong_grant(grant: Any) -> str:
    if not isinstance(grant, dict) or not isinstance(grant.get("tool"), str):
        return "names no tool"
    stages, most = grant.get("stages"), grant.get("max")
    if stages is not None and not isinstance(stages, list):
        return "has stages that are no list"
    if most is not None and (not isinstance(most, int) or isinstance(most, bool) or most < 1):
        return f"may be used {most!r} times, which is no whole number from 1 on"
    return ""


@stage_rule("ST541", "error", "Grant for a stage that is not there")
def grant_stage(facts: Facts) -> Iterable[Note]:
    """The grant names a stage that the pipeline does not declare, so nobody can use it there.
    Correct the name, or take it off the list."""
    known = facts.source.stages
    for index, grant in _grants(facts):
        stages = grant.get("stages")
        for at, stage in enumerate(stages if isinstance(stages, list) else ()):
            if isinstance(stage, str) and stage not in known:
                near = closest(stage, known)
                here = ("grants", index, "stages", at)
                yield Note(
                    message=f"Grant {index + 1} names {stage!r}, and there is no such stage.",
                    place=facts.top(*here),
                    fix=make_fix(f"Name {near}", set_in_pipeline(*here, value=near))
                    if near
                    else make_fix("Take it off the list", unset_in_pipeline(*here)),
                )


@stage_rule("ST542", "warning", "Grant for an unknown tool")
def grant_tool(facts: Facts) -> Iterable[Note]:
    """The grant names a tool that stud-cli does not register. Names are compared letter by letter.
    If the session brings no such tool, the grant is never used."""
    for index, grant in _grants(facts):
        tool = grant.get("tool")
        if isinstance(tool, str) and tool not in REGISTERED:
            near = suggestion(tool)
            here = ("grants", index, "tool")
            yield Note(
                message=f"Grant {index + 1} is for {tool!r}, which is no registered tool.",
                place=facts.top(*here),
                fix=make_fix(f"Grant {near}", set_in_pipeline(*here, value=near)) if near else None,
            )


@stage_rule("ST543", "hint", "Grant that is not needed")
def needless_grant(facts: Facts) -> Iterable[Note]:
    """The stage lists this tool among its allowed ones, which approves every call, so the grant
    changes nothing there. Remove the stage from the grant, or the tool from the stage."""
    for index, grant in _grants(facts):
        stages = grant.get("stages")
        for at, stage in enumerate(stages if isinstance(stages, list) else ()):
            allowed = facts.values(stage).get("allowedTools") if isinstance(stage, str) else None
            if isinstance(allowed, list) and grant.get("tool") in allowed:
                yield Note(
                    message=f"{stage!r} may call {grant['tool']!r} anyway; grant {index + 1} adds"
                    " nothing.",
                    place=facts.top("grants", index, "stages", at),
                    fix=make_fix(
                        "Take it off the list", unset_in_pipeline("grants", index, "stages", at)
                    ),
                )
