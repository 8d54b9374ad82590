"""Rules over the allowed tools and the completion tool of a stage."""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.stages.format.tools import (
    MUTATING,
    registered_name,
    suggestion,
)
from workflows.core.dialects.stages.rules.kit import (
    set_in_stage,
    stage_rule,
    unset_in_stage,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.rules.kit import Note, make_fix, quoted_list
from workflows.core.tools.mcp_names import server_of
from workflows.core.tools.standard import STANDARD


@stage_rule("ST220", "warning", "Tool is not registered", profiles=EVERY)
def unknown_tool(facts: Facts) -> Iterable[Note]:
    """Neither stud-cli nor another known agent has a tool of this name. Names are case-sensitive.
    Unless the session provides the tool, for instance from an MCP server, the stage fails when it
    starts. Use the registered name, or bind the tool on the server: see GR115."""
    for stage, names in facts.tools:
        finish = facts.values(stage).get("completionTool")
        for index, name in enumerate(names):
            if name in STANDARD or name == finish or server_of(name):
                continue
            meant = suggestion(name)
            current = registered_name(name)
            advice = f" Use {current!r}." if current else ""
            yield Note(
                message=f"Stage {stage!r} allows {name!r}, which is not a registered tool.{advice}",
                place=facts.head(stage, "allowedTools", index),
                hint="stud-cli reports StageInitFailed when the stage starts.",
                fix=_rename_fix(stage, names, index, meant) if meant else None,
            )


def _rename_fix(stage: str, names: list[str], index: int, meant: str) -> Fix:
    if meant in names:
        return make_fix(f"Use {meant}", unset_in_stage(stage, "allowedTools", index))
    return make_fix(f"Use {meant}", set_in_stage(stage, "allowedTools", index, value=meant))


@stage_rule("ST221", "error", "Completion tool has a registered name", profiles=EVERY)
def reserved_name(facts: Facts) -> Iterable[Note]:
    """The completion tool exists for this stage only; the model calls it to return the result. It
    must not have the name of any tool of the session: a bundled one, one of an MCP server, or one
    that another stage may call. The real tool would vanish, so the stage is rejected when it
    starts. Name it after its payload, such as `submit_plan`."""
    for stage, file in facts.heads:
        name = file.values.get("completionTool")
        if isinstance(name, str) and _is_tool(facts, stage, name):
            free = f"submit_{stage.replace('-', '_')}"
            yield Note(
                message=f"The completion tool of {stage!r} has the name of a registered tool,"
                f" {name!r}.",
                place=facts.head(stage, "completionTool"),
                hint="stud-cli reports StageInitFailed when the stage starts.",
                fix=make_fix(
                    f"Rename it to {free}", set_in_stage(stage, "completionTool", value=free)
                ),
            )


def _is_tool(facts: Facts, stage: str, name: str) -> bool:
    """True for a tool that the session has, as far as the files show."""
    if name in STANDARD or server_of(name):
        return True
    others = ((other, names) for other, names in facts.tools if other != stage)
    return any(
        name in names and facts.values(other).get("completionTool") != name
        for other, names in others
    )


@stage_rule("ST222", "hint", "Tool listed twice", profiles=EVERY)
def repeated_tool(facts: Facts) -> Iterable[Note]:
    """The stage allows the same tool twice. The second entry has no effect. Remove it."""
    for stage, names in facts.tools:
        visited: set[str] = set()
        for index, name in enumerate(names):
            if name in visited:
                yield Note(
                    message=f"Stage {stage!r} allows {name!r} twice. Remove one.",
                    place=facts.head(stage, "allowedTools", index),
                    fix=make_fix(
                        "Remove the second one", unset_in_stage(stage, "allowedTools", index)
                    ),
                )
            visited.add(name)


@stage_rule("ST223", "hint", "Completion tool is listed in allowedTools", profiles=EVERY)
def completion_listed(facts: Facts) -> Iterable[Note]:
    """The completion tool is always available to the model, even with `allowedTools: []`, and it is
    not a registered tool. The entry has no effect, and a reader that looks up every listed name
    does not find it. Remove it from the list."""
    for stage, names in facts.tools:
        finish = facts.values(stage).get("completionTool")
        if isinstance(finish, str) and finish in names and not _is_tool(facts, stage, finish):
            index = names.index(finish)
            yield Note(
                message=f"Stage {stage!r} lists its completion tool {finish!r} in allowedTools.",
                place=facts.head(stage, "allowedTools", index),
                fix=make_fix(
                    "Remove it from the list", unset_in_stage(stage, "allowedTools", index)
                ),
            )


@stage_rule("ST224", "hint", "Every tool is allowed", profiles=EVERY)
def every_tool(facts: Facts) -> Iterable[Note]:
    """A stage object without `allowedTools` may call every tool of the session, and all these calls
    are approved in advance. An empty list allows none. List the tools that the stage needs."""
    for stage, file in facts.heads:
        if file.form == "object" and "allowedTools" not in file.values:
            yield Note(
                message=f"Stage {stage!r} has no 'allowedTools', so it may call every tool.",
                place=facts.head(stage),
                hint="List the tools that the stage needs.",
            )


@stage_rule("ST225", "hint", "Branch may change files", profiles=EVERY)
def mutating_branch(facts: Facts) -> Iterable[Note]:
    """This stage runs in parallel with others and may call tools that change files or other state.
    Branches do not see each other's changes, and a failed branch leaves its changes behind. Only
    read in branches, and make changes in a stage after the join."""
    for stage, names in facts.tools:
        changing = [name for name in dict.fromkeys(names) if name in MUTATING]
        if changing and any(
            use.kind == "sibling" and len(use.siblings) > 1 for use in facts.uses[stage]
        ):
            yield Note(
                message=f"{stage!r} runs in parallel with others and may call"
                f" {quoted_list(changing)}.",
                place=facts.head(stage, "allowedTools"),
                hint="Only read in branches; make changes after the join.",
            )
