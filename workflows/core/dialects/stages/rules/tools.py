"""Rules over the tools of a stage: those it may call, and the one that completes it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.stages.format.tools import MUTATING, REGISTERED, exact, suggestion
from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule, unset_in_stage
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note, make_fix, quoted_list


def _tools(facts: Facts) -> Iterator[tuple[str, list[str]]]:
    """Each stage with the names it lists."""
    for stage, file in facts.heads:
        names = file.values.get("allowedTools")
        if isinstance(names, list) and all(isinstance(name, str) for name in names):
            yield stage, [str(name) for name in names]


@stage_rule("ST220", "warning", "Tool is not registered")
def unknown_tool(facts: Facts) -> Iterable[Note]:
    """No tool of stud-cli has this name. Names are compared letter by letter, and capitals count:
    `Read` is not `read`. If the session brings no tool of that name, for instance from an MCP
    server, the stage fails when it starts. Use the registered name."""
    for stage, names in _tools(facts):
        finish = facts.values(stage).get("completionTool")
        for index, name in enumerate(names):
            if name in REGISTERED or name == finish:
                continue
            meant = suggestion(name)
            drifted = exact(name)
            why = f" It is called {drifted!r}." if drifted else ""
            yield Note(
                message=f"The stage {stage!r} allows {name!r}, which is no registered tool.{why}",
                place=facts.head(stage, "allowedTools", index),
                hint="stud-cli audits it as StageInitFailed when the stage starts.",
                fix=_renamed(stage, names, index, meant) if meant else None,
            )


def _renamed(stage: str, names: list[str], index: int, meant: str) -> Fix:
    if meant in names:
        return make_fix(f"Use {meant}", unset_in_stage(stage, "allowedTools", index))
    return make_fix(f"Use {meant}", set_in_stage(stage, "allowedTools", index, value=meant))


@stage_rule("ST221", "error", "Completion tool has a registered name")
def reserved_name(facts: Facts) -> Iterable[Note]:
    """The completion tool is made for this stage alone; calling it hands over the result. A name
    that a registered tool has would make the two one, so stud-cli's page rejects the stage when it
    starts. Name it after what it hands over, such as `submit_plan`."""
    for stage, file in facts.heads:
        name = file.values.get("completionTool")
        if isinstance(name, str) and name in REGISTERED:
            free = f"submit_{stage.replace('-', '_')}"
            yield Note(
                message=f"The completion tool of {stage!r} is called {name!r}, as a registered "
                "tool is.",
                place=facts.head(stage, "completionTool"),
                hint="stud-cli audits it as StageInitFailed when the stage starts.",
                fix=make_fix(f"Call it {free}", set_in_stage(stage, "completionTool", value=free)),
            )


@stage_rule("ST222", "hint", "Tool listed twice")
def repeated_tool(facts: Facts) -> Iterable[Note]:
    """The stage allows the same tool twice. The second one changes nothing; remove it so that the
    list says what it means."""
    for stage, names in _tools(facts):
        seen: set[str] = set()
        for index, name in enumerate(names):
            if name in seen:
                yield Note(
                    message=f"The stage {stage!r} allows {name!r} twice.",
                    place=facts.head(stage, "allowedTools", index),
                    fix=make_fix(
                        "Remove the second one", unset_in_stage(stage, "allowedTools", index)
                    ),
                )
            seen.add(name)


@stage_rule("ST223", "hint", "Completion tool among the allowed ones")
def completion_listed(facts: Facts) -> Iterable[Note]:
    """The completion tool is always offered to the model, even with `allowedTools: []`, and it is
    no registered tool. Listing it changes nothing, and a reader that resolves every listed name
    finds none for it. Take it off the list."""
    for stage, names in _tools(facts):
        finish = facts.values(stage).get("completionTool")
        if isinstance(finish, str) and finish in names and finish not in REGISTERED:
            index = names.index(finish)
            yield Note(
                message=f"The stage {stage!r} lists its completion tool {finish!r}.",
                place=facts.head(stage, "allowedTools", index),
                fix=make_fix("Take it off the list", unset_in_stage(stage, "allowedTools", index)),
            )


@stage_rule("ST224", "hint", "Every tool is allowed")
def every_tool(facts: Facts) -> Iterable[Note]:
    """A stage object without `allowedTools` may call every tool of the session, and what it may
    call is approved in advance. That is not the same as an empty list, which allows none. List the
    tools the stage needs."""
    for stage, file in facts.heads:
        if file.form == "object" and "allowedTools" not in file.values:
            yield Note(
                message=f"The stage {stage!r} lists no tools, so it may call every one.",
                place=facts.head(stage),
                hint="A narrow list is easier to audit.",
            )


@stage_rule("ST225", "hint", "Branch that may change something")
def mutating_branch(facts: Facts) -> Iterable[Note]:
    """This stage runs beside others and may call tools that change files or more. Branches do not
    see each other's changes, and a branch that fails leaves its changes behind. Let branches read,
    and put what changes something into the stage after the join."""
    for stage, names in _tools(facts):
        changing = [name for name in dict.fromkeys(names) if name in MUTATING]
        beside = [use for use in facts.uses[stage] if use.kind == "sibling"]
        if changing and any(len(use.siblings) > 1 for use in beside):
            yield Note(
                message=f"{stage!r} runs beside others and may call {quoted_list(changing)}.",
                place=facts.head(stage, "allowedTools"),
                hint="Prefer branches that only read.",
            )
