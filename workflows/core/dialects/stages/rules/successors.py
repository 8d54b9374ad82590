"""Rules over successors: NextResults, branches and joins (section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.stages.rules.kit import (
    set_in_pipeline,
    set_in_stage,
    stage_rule,
    unset_in_stage,
    upstream,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts, stage_pointer
from workflows.core.pack.edits import AddState
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import closest_name, did_you_mean
from workflows.core.rules.kit import Note, count_of, make_fix, quoted_list


@stage_rule("ST401", "error", "Pipeline without stages", profiles=EVERY)
def no_stages(facts: Facts) -> Iterable[Note]:
    """The pipeline declares no stage, so it cannot be drawn or run. Add a stage; a new one has all
    required keys."""
    if facts.has_pipeline and not facts.source.stages:
        empty = isinstance(facts.whole.get("stages", {}), dict)
        yield Note(
            message="The pipeline has no stages. Add one.",
            place=facts.top("stages"),
            hint=upstream("StageDefinitionInvalid"),
            fix=make_fix("Add a stage", AddState(id="start", name="Start")) if empty else None,
        )


@stage_rule("ST402", "error", "Entry is not a stage", profiles=EVERY)
def missing_entry(facts: Facts) -> Iterable[Note]:
    """`entryStage` is the first stage of every run. It is missing here, or names a stage that the
    pipeline does not declare, so no run can start. Name a declared stage."""
    if not facts.has_pipeline or not facts.source.stages:
        return
    entry, stages = facts.whole.get("entryStage"), facts.source.stages
    if isinstance(entry, str) and entry in stages:
        return
    near = closest_name(entry, stages) if isinstance(entry, str) else ""
    first = near or next(iter(stages))
    problem = "is missing" if entry is None else f"is {entry!r}, which is not a stage"
    yield Note(
        message=f"The pipeline's 'entryStage' {problem}.",
        place=facts.top("entryStage"),
        hint=f"{did_you_mean(entry, stages)} {upstream('StageDefinitionInvalid')}".strip(),
        fix=make_fix(f"Begin with {first}", set_in_pipeline("entryStage", value=first)),
    )


@stage_rule("ST403", "error", "Successor is not declared", profiles=EVERY)
def missing_successor(facts: Facts) -> Iterable[Note]:
    """A stage names a successor that the pipeline does not declare. stud-cli does not check this
    and fails in the middle of the run. Correct the name, add the stage, or remove it from the
    list."""
    stages = facts.source.stages
    for stage, plan in facts.plans:
        if plan.terminate:
            continue
        for index, target in enumerate(plan.stages):
            if target in stages or target == plan.join:
                continue
            yield Note(
                message=f"{stage!r} leads to {target!r}, which is not a stage.",
                place=facts.plan(stage, plan, "nextStages", index),
                hint=did_you_mean(
                    target, stages, "stud-cli only fails when a run takes this transition."
                ),
                fix=_target_fix(facts, stage, stage_pointer(plan, "nextStages", index), target),
            )


def _target_fix(facts: Facts, stage: str, field: tuple[str | int, ...], target: str) -> Fix | None:
    near = closest_name(target, facts.source.stages)
    if near:
        return make_fix(f"Lead to {near}", set_in_stage(stage, *field, value=near))
    return make_fix(f"Add the stage {target}", AddState(id=target)) if target.strip() else None


@stage_rule("ST404", "error", "Join is not declared", profiles=EVERY)
def missing_join(facts: Facts) -> Iterable[Note]:
    """The join of these branches is a stage that the pipeline does not declare, so the results of
    the branches are lost. Correct the name, add the stage, or remove the join: each branch then
    ends on its own."""
    dangling = upstream("StageJoinDangling", "/next#join")
    for stage, plan in facts.plans:
        if plan.parallel and plan.join is not None and plan.join not in facts.source.stages:
            yield Note(
                message=f"The branches of {stage!r} join in {plan.join!r}, which is not a stage.",
                place=facts.plan(stage, plan, "join"),
                hint=f"{did_you_mean(plan.join, facts.source.stages)} {dangling}".strip(),
                fix=_target_fix(facts, stage, stage_pointer(plan, "join"), plan.join),
            )


@stage_rule("ST405", "error", "Join is not listed", profiles=EVERY)
def unlisted_join(facts: Facts) -> Iterable[Note]:
    """The format's page rejects a join that is not in `nextStages` when the file is loaded
    (StageJoinDangling), and so do runs. stud-cli's own pipelines leave it out, because its
    scheduler runs a listed join twice; the export to stud-cli writes its form. List the join."""
    for stage, plan in facts.plans:
        if (
            plan.parallel
            and plan.join is not None
            and not plan.join_listed
            and plan.join in facts.source.stages
        ):
            listed = [*plan.stages, plan.join]
            yield Note(
                message=f"The join {plan.join!r} of {stage!r} is not listed in its nextStages.",
                place=facts.plan(stage, plan, "join"),
                hint=upstream("StageJoinDangling", "/next#join"),
                fix=make_fix(
                    "Add it to nextStages",
                    set_in_stage(stage, *stage_pointer(plan, "nextStages"), value=[*listed]),
                ),
            )


@stage_rule("ST407", "error", "Fewer than two branches", profiles=EVERY)
def too_few_branches(facts: Facts) -> Iterable[Note]:
    """A parallel step starts at least two stages, not counting a listed join. stud-cli fails when a
    run reaches a parallel step with one stage. Make the step sequential, or add a branch."""
    for stage, plan in facts.plans:
        siblings = set(plan.siblings)
        if plan.parallel and len(siblings) < 2 and not plan.terminate:
            branches = count_of(len(siblings), "branch", "branches")
            fix = set_in_stage(stage, *stage_pointer(plan, "execution"), value="sequential")
            left = " besides its join" if plan.join_listed else ""
            yield Note(
                message=f"The parallel step after {stage!r} has {branches}{left}. It needs two.",
                place=facts.plan(stage, plan, "nextStages"),
                hint=upstream("InvalidParallelPlan", kind="ExtensionHost"),
                fix=make_fix("Make it sequential", fix) if plan.join is None else None,
            )


@stage_rule("ST408", "error", "Duplicate branch", profiles=EVERY)
def repeated_branch(facts: Facts) -> Iterable[Note]:
    """A parallel step names the same stage twice, so the stage would run in parallel with itself,
    and the join could not distinguish the two results. Runs refuse it. Remove one of the two."""
    return _repeated(facts, parallel=True)


def _repeated(facts: Facts, *, parallel: bool) -> Iterator[Note]:
    for stage, plan in facts.plans:
        targets: set[str] = set()
        for index, target in enumerate(plan.stages if plan.parallel == parallel else ()):
            if target in targets:
                field = stage_pointer(plan, "nextStages", index)
                yield Note(
                    message=f"{stage!r} names {target!r} twice in one step. Remove one.",
                    place=facts.plan(stage, plan, "nextStages", index),
                    fix=make_fix("Remove the second one", unset_in_stage(stage, *field)),
                )
            targets.add(target)


@stage_rule("ST409", "warning", "Join on a sequential step", profiles=EVERY)
def join_without_branches(facts: Facts) -> Iterable[Note]:
    """A join is the stage where branches meet, so it only has a meaning on a parallel step. On this
    step it is ignored, and the stage that it names does not run. Remove it, or make the step
    parallel."""
    for stage, plan in facts.plans:
        if plan.join is not None and not plan.parallel:
            yield Note(
                message=f"The join {plan.join!r} of {stage!r} has no effect on a sequential step.",
                place=facts.plan(stage, plan, "join"),
                fix=make_fix(
                    "Remove the join", unset_in_stage(stage, *stage_pointer(plan, "join"))
                ),
            )


@stage_rule("ST410", "warning", "Stage is both a branch and a successor", profiles=EVERY)
def branch_and_successor(facts: Facts) -> Iterable[Note]:
    """This stage is a branch of one stage and a successor of another. A branch gets no results of
    the previous stage and a successor does, so the prompt must fit both cases. Use two stages with
    a prompt each."""
    for stage, uses in facts.uses.items():
        branch = next((use.source for use in uses if use.kind == "sibling"), None)
        after = next((use.source for use in uses if use.kind == "sequential"), None)
        if branch is not None and after is not None:
            yield Note(
                message=f"{stage!r} is a branch of {branch!r} and a successor of {after!r}.",
                place=facts.entry(stage),
            )


@stage_rule("ST411", "warning", "Several sequential successors", profiles=EVERY)
def several_successors(facts: Facts) -> Iterable[Note]:
    """A sequential step names more than one stage. They run one after the other, each with its own
    successors, and each gets the result of this stage, not of the one before it. The two executors
    of stud-cli differ in the order. Use a chain of stages instead."""
    for stage, plan in facts.plans:
        if not plan.parallel and not plan.terminate and len(set(plan.stages)) > 1:
            yield Note(
                message=f"{quoted_list(plan.stages)} run one after the other after {stage!r}.",
                place=facts.plan(stage, plan, "nextStages"),
                hint="Chain the stages, or make the step parallel.",
            )


@stage_rule("ST412", "hint", "Branch has successors", profiles=EVERY)
def branch_leads_on(facts: Facts) -> Iterable[Note]:
    """This stage runs as a branch and has its own successors. Signalbox runs them as part of the
    branch: the last of them decides whether the branch succeeds, and the join gets the result of
    this stage. The document recommends it for a stage that recovers from a failure. stud-cli's
    scheduler ignores the successors; move them after the join if the stages must run there."""
    for stage, uses in facts.uses.items():
        forks = [use.source for use in uses if use.kind == "sibling"]
        onward = [route.plan for route in facts.routes[stage] if not route.plan.ends]
        if forks and onward:
            yield Note(
                message=f"The branch {stage!r} of {forks[0]!r} has successors:"
                f" {quoted_list(onward[0].stages)}.",
                place=facts.plan(stage, onward[0]),
                hint="stud-cli's scheduler ignores them. Signalbox runs them with the branch.",
            )


@stage_rule("ST415", "warning", "onParallelFailure has no effect", profiles=EVERY)
def failure_without_branches(facts: Facts) -> Iterable[Note]:
    """`onParallelFailure` is the step after a failed branch of this stage. This stage starts no
    branches, so it has no effect. Remove it, or make the step parallel."""
    for stage in facts.failures:
        if not any(route.plan.parallel for route in facts.routes[stage]):
            yield Note(
                message=f"{stage!r} has 'onParallelFailure' but starts no branches.",
                place=facts.entry(stage, "onParallelFailure"),
                fix=make_fix("Remove it", unset_in_stage(stage, "onParallelFailure")),
            )


@stage_rule("ST417", "error", "Stage starts itself as a branch", profiles=EVERY)
def own_branch(facts: Facts) -> Iterable[Note]:
    """A stage starts itself as one of its parallel branches. The branch would start the same
    branches again, without end. Lead to other stages, or return to this stage after the join."""
    for stage, plan in facts.plans:
        if plan.parallel and stage in plan.siblings:
            yield Note(
                message=f"{stage!r} starts itself as a branch. Remove it from nextStages.",
                place=facts.plan(stage, plan, "nextStages"),
            )


@stage_rule("ST419", "warning", "Duplicate successor", profiles=EVERY)
def repeated_successor(facts: Facts) -> Iterable[Note]:
    """A sequential step names the same stage twice, so the stage and its successors run a second
    time with the same input. Remove one of the two. For an intended loop, use a case that reads the
    result."""
    return _repeated(facts, parallel=False)
