"""Rules over successors: NextResults, branches and joins (section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.stages.rules.kit import (
    Say,
    button,
    counted,
    named,
    off_stage,
    on_pipeline,
    on_stage,
    stage_rule,
    upstream,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts, stage_pointer
from workflows.core.pack.edits import AddState
from workflows.core.pack.findings import Fix
from workflows.core.pack.naming import closest


@stage_rule("ST401", "error", "Pipeline without stages")
def no_stages(facts: Facts) -> Iterable[Say]:
    """The pipeline declares no stage, so it cannot be drawn or run. Add a stage; a new one has all
    required keys."""
    if facts.has_pipeline and not facts.source.stages:
        empty = isinstance(facts.whole.get("stages", {}), dict)
        yield Say(
            message="The pipeline has no stages. Add one.",
            place=facts.top("stages"),
            hint=upstream("StageDefinitionInvalid"),
            fix=button("Add a stage", AddState(id="start", name="Start")) if empty else None,
        )


@stage_rule("ST402", "error", "Entry is not a stage")
def missing_entry(facts: Facts) -> Iterable[Say]:
    """`entryStage` is the first stage of every run. It is missing here, or names a stage that the
    pipeline does not declare, so no run can start. Name a declared stage."""
    if not facts.has_pipeline or not facts.source.stages:
        return
    entry = facts.whole.get("entryStage")
    if isinstance(entry, str) and entry in facts.source.stages:
        return
    near = closest(entry, facts.source.stages) if isinstance(entry, str) else ""
    first = near or next(iter(facts.source.stages))
    problem = "is missing" if entry is None else f"is {entry!r}, which is not a stage"
    yield Say(
        message=f"The pipeline's 'entryStage' {problem}.",
        place=facts.top("entryStage"),
        hint=upstream("StageDefinitionInvalid"),
        fix=button(f"Begin with {first}", on_pipeline("entryStage", value=first)),
    )


@stage_rule("ST403", "error", "Successor is not declared")
def missing_successor(facts: Facts) -> Iterable[Say]:
    """A stage names a successor that the pipeline does not declare. stud-cli does not check this
    and fails in the middle of the run. Correct the name, add the stage, or remove it from the
    list."""
    known = facts.source.stages
    for stage, plan in facts.plans():
        if plan.terminate:
            continue
        for index, target in enumerate(plan.stages):
            if target in known or target == plan.join:
                continue
            yield Say(
                message=f"{stage!r} leads to {target!r}, which is not a stage.",
                place=facts.plan(stage, plan, "nextStages", index),
                hint="stud-cli only fails when a run takes this transition.",
                fix=_target_fix(facts, stage, stage_pointer(plan, "nextStages", index), target),
            )


def _target_fix(facts: Facts, stage: str, field: tuple[str | int, ...], target: str) -> Fix | None:
    near = closest(target, facts.source.stages)
    if near:
        return button(f"Lead to {near}", on_stage(stage, *field, value=near))
    return button(f"Add the stage {target}", AddState(id=target)) if target.strip() else None


@stage_rule("ST404", "error", "Join is not declared")
def missing_join(facts: Facts) -> Iterable[Say]:
    """The join of these branches is a stage that the pipeline does not declare, so the results of
    the branches are lost. Correct the name, add the stage, or remove the join: each branch then
    ends on its own."""
    for stage, plan in facts.plans():
        if plan.parallel and plan.join is not None and plan.join not in facts.source.stages:
            yield Say(
                message=f"The branches of {stage!r} join in {plan.join!r}, which is not a stage.",
                place=facts.plan(stage, plan, "join"),
                hint=upstream("StageJoinDangling", "/next#join"),
                fix=_target_fix(facts, stage, stage_pointer(plan, "join"), plan.join),
            )


def _unlisted(facts: Facts) -> Iterator[Say]:
    for stage, plan in facts.plans():
        if (
            plan.parallel
            and plan.join is not None
            and not plan.join_listed
            and plan.join in facts.source.stages
        ):
            listed = [*plan.stages, plan.join]
            yield Say(
                message=f"The join {plan.join!r} of {stage!r} is not listed in its nextStages.",
                place=facts.plan(stage, plan, "join"),
                hint=upstream("StageJoinDangling", "/next#join"),
                fix=button(
                    "Add it to nextStages",
                    on_stage(stage, *stage_pointer(plan, "nextStages"), value=[*listed]),
                ),
            )


@stage_rule("ST405", "warning", "Join is not listed", profiles=("documented",))
def unlisted_join(facts: Facts) -> Iterable[Say]:
    """The format's page requires the join in `nextStages`; every real pipeline, including
    stud-cli's own, leaves it out. Signalbox runs both forms in the same way. stud-cli's check
    rejects this form, but its scheduler runs a listed join twice. Choose the form that the readers
    of the files accept."""
    return _unlisted(facts)


@stage_rule("ST406", "error", "Join is not listed (strict)", profiles=("strict",))
def unlisted_join_strictly(facts: Facts) -> Iterable[Say]:
    """The format's page rejects a join that is not in `nextStages` when the file is loaded. List
    the join there: the branches are then the other stages."""
    return _unlisted(facts)


@stage_rule("ST407", "error", "Fewer than two branches")
def too_few_branches(facts: Facts) -> Iterable[Say]:
    """A parallel step starts at least two stages, not counting a listed join. stud-cli fails when a
    run reaches a parallel step with one stage. Make the step sequential, or add a branch."""
    for stage, plan in facts.plans():
        siblings = set(plan.siblings)
        if plan.parallel and len(siblings) < 2 and not plan.terminate:
            branches = counted(len(siblings), "branch", "branches")
            fix = on_stage(stage, *stage_pointer(plan, "execution"), value="sequential")
            left = " besides its join" if plan.join_listed else ""
            yield Say(
                message=f"The parallel step after {stage!r} has {branches}{left}. It needs two.",
                place=facts.plan(stage, plan, "nextStages"),
                hint=upstream("InvalidParallelPlan", kind="ExtensionHost"),
                fix=button("Make it sequential", fix) if plan.join is None else None,
            )


@stage_rule("ST408", "error", "Duplicate branch")
def repeated_branch(facts: Facts) -> Iterable[Say]:
    """A parallel step names the same stage twice, so the stage would run in parallel with itself,
    and the join could not distinguish the two results. Runs refuse it. Remove one of the two."""
    return _repeated(facts, parallel=True)


def _repeated(facts: Facts, *, parallel: bool) -> Iterator[Say]:
    for stage, plan in facts.plans():
        seen: set[str] = set()
        for index, target in enumerate(plan.stages if plan.parallel == parallel else ()):
            if target in seen:
                field = stage_pointer(plan, "nextStages", index)
                yield Say(
                    message=f"{stage!r} names {target!r} twice in one step. Remove one.",
                    place=facts.plan(stage, plan, "nextStages", index),
                    fix=button("Remove the second one", off_stage(stage, *field)),
                )
            seen.add(target)


@stage_rule("ST409", "warning", "Join on a sequential step")
def join_without_branches(facts: Facts) -> Iterable[Say]:
    """A join is the stage where branches meet, so it only has a meaning on a parallel step. On this
    step it is ignored, and the stage that it names does not run. Remove it, or make the step
    parallel."""
    for stage, plan in facts.plans():
        if plan.join is not None and not plan.parallel:
            yield Say(
                message=f"The join {plan.join!r} of {stage!r} has no effect on a sequential step.",
                place=facts.plan(stage, plan, "join"),
                fix=button("Remove the join", off_stage(stage, *stage_pointer(plan, "join"))),
            )


@stage_rule("ST410", "warning", "Stage is both a branch and a successor")
def branch_and_successor(facts: Facts) -> Iterable[Say]:
    """This stage is a branch of one stage and a successor of another. A branch gets no results of
    the previous stage and a successor does, so the prompt must fit both cases. Use two stages with
    a prompt each."""
    for stage, uses in facts.uses.items():
        branch = next((use.source for use in uses if use.kind == "sibling"), None)
        after = next((use.source for use in uses if use.kind == "sequential"), None)
        if branch is not None and after is not None:
            yield Say(
                message=f"{stage!r} is a branch of {branch!r} and a successor of {after!r}.",
                place=facts.entry(stage),
            )


@stage_rule("ST411", "warning", "Several sequential successors")
def several_successors(facts: Facts) -> Iterable[Say]:
    """A sequential step names more than one stage. They run one after the other, each with its own
    successors, and each gets the result of this stage, not of the one before it. The two executors
    of stud-cli differ in the order. Use a chain of stages instead."""
    for stage, plan in facts.plans():
        if not plan.parallel and not plan.terminate and len(set(plan.stages)) > 1:
            yield Say(
                message=f"{named(plan.stages)} run one after the other after {stage!r}.",
                place=facts.plan(stage, plan, "nextStages"),
                hint="Chain the stages, or make the step parallel.",
            )


@stage_rule("ST412", "warning", "Branch has successors")
def branch_leads_on(facts: Facts) -> Iterable[Say]:
    """This stage runs as a branch and has its own successors. Signalbox runs them as part of the
    branch: the last of them decides whether the branch succeeds, and the join gets the result of
    this stage. stud-cli's scheduler ignores them. Move them after the join."""
    for stage, uses in facts.uses.items():
        forks = [use.source for use in uses if use.kind == "sibling"]
        onward = [route.plan for route in facts.routes[stage] if not route.plan.ends]
        if forks and onward:
            yield Say(
                message=f"The branch {stage!r} of {forks[0]!r} has successors:"
                f" {named(onward[0].stages)}.",
                place=facts.plan(stage, onward[0]),
                hint="stud-cli ignores them. Move them after the join.",
            )


@stage_rule("ST415", "warning", "onParallelFailure has no effect")
def failure_without_branches(facts: Facts) -> Iterable[Say]:
    """`onParallelFailure` is the step after a failed branch of this stage. This stage starts no
    branches, so it has no effect. Remove it, or make the step parallel."""
    for stage in facts.failures:
        if not any(route.plan.parallel for route in facts.routes[stage]):
            yield Say(
                message=f"{stage!r} has 'onParallelFailure' but starts no branches.",
                place=facts.entry(stage, "onParallelFailure"),
                fix=button("Remove it", off_stage(stage, "onParallelFailure")),
            )


@stage_rule("ST417", "error", "Stage starts itself as a branch")
def own_branch(facts: Facts) -> Iterable[Say]:
    """A stage starts itself as one of its parallel branches. The branch would start the same
    branches again, without end. Lead to other stages, or return to this stage after the join."""
    for stage, plan in facts.plans():
        if plan.parallel and stage in plan.siblings:
            yield Say(
                message=f"{stage!r} starts itself as a branch. Remove it from nextStages.",
                place=facts.plan(stage, plan, "nextStages"),
            )


@stage_rule("ST419", "warning", "Duplicate successor")
def repeated_successor(facts: Facts) -> Iterable[Say]:
    """A sequential step names the same stage twice, so the stage and its successors run a second
    time with the same input. Remove one of the two. For an intended loop, use a case that reads the
    result."""
    return _repeated(facts, parallel=False)
