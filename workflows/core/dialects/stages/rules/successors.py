"""Rules over what comes after a stage: NextResults, branches and joins (section 10)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.stages.rules.kit import (
    set_in_pipeline,
    set_in_stage,
    stage_rule,
    unset_in_stage,
    upstream,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts, in_form
from workflows.core.pack.edits import AddState
from workflows.core.pack.findings import Fix
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, count_of, make_fix, quoted_list


@stage_rule("ST401", "error", "Pipeline without stages")
def no_stages(facts: Facts) -> Iterable[Note]:
    """The pipeline declares no stage, so there is nothing to draw or run. Add a stage; a new one
    comes with all its keys."""
    if facts.has_pipeline and not facts.source.stages:
        empty = isinstance(facts.whole.get("stages", {}), dict)
        yield Note(
            message="The pipeline has no stages.",
            place=facts.top("stages"),
            hint=upstream("StageDefinitionInvalid"),
            fix=make_fix("Add a stage", AddState(id="start", name="Start")) if empty else None,
        )


@stage_rule("ST402", "error", "Entry is no stage")
def missing_entry(facts: Facts) -> Iterable[Note]:
    """`entryStage` says where every run begins. Here it is missing or names a stage that the
    pipeline does not declare, so no run can start. Name an existing stage."""
    if not facts.has_pipeline or not facts.source.stages:
        return
    entry = facts.whole.get("entryStage")
    if isinstance(entry, str) and entry in facts.source.stages:
        return
    near = closest(entry, facts.source.stages) if isinstance(entry, str) else ""
    first = near or next(iter(facts.source.stages))
    said = "names no stage" if entry is None else f"is {entry!r}, which is no stage"
    yield Note(
        message=f"The pipeline's entryStage {said}.",
        place=facts.top("entryStage"),
        hint=upstream("StageDefinitionInvalid"),
        fix=make_fix(f"Begin with {first}", set_in_pipeline("entryStage", value=first)),
    )


@stage_rule("ST403", "error", "Successor is not declared")
def missing_successor(facts: Facts) -> Iterable[Note]:
    """A stage names a successor that the pipeline does not declare. stud-cli never checks this and
    fails in the middle of the run. Correct the name, add the stage, or take it off the list."""
    known = facts.source.stages
    for stage, plan in facts.plans():
        if plan.terminate:
            continue
        for index, target in enumerate(plan.stages):
            if target in known or target == plan.join:
                continue
            yield Note(
                message=f"{stage!r} leads to {target!r}, and there is no such stage.",
                place=facts.plan(stage, plan, "nextStages", index),
                hint="stud-cli notices only when the run gets there.",
                fix=_instead(facts, stage, in_form(plan, "nextStages", index), target),
            )


def _instead(facts: Facts, stage: str, field: tuple[str | int, ...], target: str) -> Fix | None:
    near = closest(target, facts.source.stages)
    if near:
        return make_fix(f"Lead to {near}", set_in_stage(stage, *field, value=near))
    return make_fix(f"Add the stage {target}", AddState(id=target)) if target.strip() else None


@stage_rule("ST404", "error", "Join is not declared")
def missing_join(facts: Facts) -> Iterable[Note]:
    """The branches are to meet in a stage that the pipeline does not declare anywhere, so what they
    did would be lost. Correct the name, add the stage, or remove the join: the branches then end
    by themselves."""
    for stage, plan in facts.plans():
        if plan.parallel and plan.join is not None and plan.join not in facts.source.stages:
            yield Note(
                message=f"The branches of {stage!r} join in {plan.join!r}, and there is no such"
                " stage.",
                place=facts.plan(stage, plan, "join"),
                hint=upstream("StageJoinDangling", "/next#join"),
                fix=_instead(facts, stage, in_form(plan, "join"), plan.join),
            )


def _unlisted(facts: Facts) -> Iterator[Note]:
    for stage, plan in facts.plans():
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
                    "List it there",
                    set_in_stage(stage, *in_form(plan, "nextStages"), value=[*listed]),
                ),
            )


@stage_rule("ST405", "warning", "Join is not listed", profiles=("documented",))
def unlisted_join(facts: Facts) -> Iterable[Note]:
    """The format's page wants the join among the `nextStages`; every real pipeline has it outside,
    and so does stud-cli's own. Both forms run the same here. stud-cli's check rejects this one, but
    its scheduler runs a listed join twice. Choose the form for whom you hand the files to."""
    return _unlisted(facts)


@stage_rule("ST406", "error", "Join is not listed (strict)", profiles=("strict",))
def unlisted_join_strictly(facts: Facts) -> Iterable[Note]:
    """Read to the letter, the format's page rejects a join that is not among the `nextStages`, when
    the file is loaded. List the join there: the branches are then the other stages."""
    return _unlisted(facts)


@stage_rule("ST407", "error", "Fewer than two branches")
def too_few_branches(facts: Facts) -> Iterable[Note]:
    """A parallel step starts two stages or more; a join that is listed with them does not count.
    With one stage there is nothing to run beside it, and stud-cli fails when it gets there. Make
    the step sequential, or add a branch."""
    for stage, plan in facts.plans():
        siblings = set(plan.siblings)
        if plan.parallel and len(siblings) < 2 and not plan.terminate:
            branches = count_of(len(siblings), "branch", "branches")
            fix = set_in_stage(stage, *in_form(plan, "execution"), value="sequential")
            left = " besides its join" if plan.join_listed else ""
            yield Note(
                message=f"The parallel step after {stage!r} has {branches}{left}, not two or more.",
                place=facts.plan(stage, plan, "nextStages"),
                hint=upstream("InvalidParallelPlan", kind="ExtensionHost"),
                fix=make_fix("Make it sequential", fix) if plan.join is None else None,
            )


@stage_rule("ST408", "error", "Branch is there twice")
def repeated_branch(facts: Facts) -> Iterable[Note]:
    """A parallel step names the same stage twice, so it would run beside itself, and the join could
    not tell the two results apart. Runs refuse it. Remove one of the two."""
    return _repeated(facts, parallel=True)


def _repeated(facts: Facts, *, parallel: bool) -> Iterator[Note]:
    for stage, plan in facts.plans():
        seen: set[str] = set()
        for index, target in enumerate(plan.stages if plan.parallel == parallel else ()):
            if target in seen:
                field = in_form(plan, "nextStages", index)
                yield Note(
                    message=f"{stage!r} names {target!r} twice in one step.",
                    place=facts.plan(stage, plan, "nextStages", index),
                    fix=make_fix("Remove the second one", unset_in_stage(stage, *field)),
                )
            seen.add(target)


@stage_rule("ST409", "warning", "Join on a sequential step")
def join_without_branches(facts: Facts) -> Iterable[Note]:
    """A join is where branches meet, so it means something on a parallel step alone. On this one it
    is passed over and the stage it names is not run. Remove it, or make the step parallel."""
    for stage, plan in facts.plans():
        if plan.join is not None and not plan.parallel:
            yield Note(
                message=f"The join {plan.join!r} of {stage!r} has no effect on a sequential step.",
                place=facts.plan(stage, plan, "join"),
                fix=make_fix("Remove the join", unset_in_stage(stage, *in_form(plan, "join"))),
            )


@stage_rule("ST410", "warning", "Branch and successor at once")
def branch_and_successor(facts: Facts) -> Iterable[Note]:
    """One stage is started as a branch here and follows another stage there. As a branch it gets no
    results of the stage before, as a successor it does, so its prompt has to serve both. Two stages
    with a prompt each are easier to understand."""
    for stage, uses in facts.uses.items():
        branch = next((use.source for use in uses if use.kind == "sibling"), None)
        after = next((use.source for use in uses if use.kind == "sequential"), None)
        if branch is not None and after is not None:
            yield Note(
                message=f"{stage!r} is a branch of {branch!r} and also follows {after!r}.",
                place=facts.entry(stage),
            )


@stage_rule("ST411", "warning", "Several successors one by one")
def several_successors(facts: Facts) -> Iterable[Note]:
    """A sequential step names more than one stage. They run one after the other, each with all that
    follows from it, and each gets the result of this stage, not of the one before it. The two
    walkers of stud-cli disagree about the order. A chain of stages says what is meant."""
    for stage, plan in facts.plans():
        if not plan.parallel and not plan.terminate and len(set(plan.stages)) > 1:
            yield Note(
                message=f"{quoted_list(plan.stages)} follow {stage!r} one by one.",
                place=facts.plan(stage, plan, "nextStages"),
                hint="Let each lead to the next, or make the step parallel.",
            )


@stage_rule("ST412", "warning", "Branch that leads on")
def branch_leads_on(facts: Facts) -> Iterable[Note]:
    """This stage runs as a branch and names successors of its own. They are followed as part of
    the branch here: the last of them decides whether the branch succeeded, and the join gets the
    result of this stage. stud-cli's scheduler passes over them."""
    for stage, uses in facts.uses.items():
        forks = [use.source for use in uses if use.kind == "sibling"]
        onward = [way.plan for way in facts.ways[stage] if not way.plan.ends]
        if forks and onward:
            yield Note(
                message=f"The branch {stage!r} of {forks[0]!r} leads on to"
                f" {quoted_list(onward[0].stages)}.",
                place=facts.plan(stage, onward[0]),
                hint="stud-cli passes over it; what follows belongs after the join.",
            )


@stage_rule("ST415", "warning", "Failure that cannot happen")
def failure_without_branches(facts: Facts) -> Iterable[Note]:
    """`onParallelFailure` says where a run goes once a branch of this stage has failed. This stage
    starts no branches, so it is never looked at. Remove it, or make the step parallel."""
    for stage in facts.failures:
        if not any(way.plan.parallel for way in facts.ways[stage]):
            yield Note(
                message=f"{stage!r} says what follows a failed branch, but starts none.",
                place=facts.entry(stage, "onParallelFailure"),
                fix=make_fix("Remove it", unset_in_stage(stage, "onParallelFailure")),
            )


@stage_rule("ST417", "error", "Stage among its own branches")
def own_branch(facts: Facts) -> Iterable[Note]:
    """A stage starts itself as one of the stages that run at once. The branch would start the same
    branches again, and so on without an end. Lead to other stages, or go back to this one after the
    join."""
    for stage, plan in facts.plans():
        if plan.parallel and stage in plan.siblings:
            yield Note(
                message=f"{stage!r} starts itself as one of its branches.",
                place=facts.plan(stage, plan, "nextStages"),
            )


@stage_rule("ST419", "warning", "Successor is there twice")
def repeated_successor(facts: Facts) -> Iterable[Note]:
    """A sequential step names the same stage twice, so it is run a second time with the same input,
    and with all that follows from it. A loop that is meant to come back looks at a result instead.
    Remove one of the two."""
    return _repeated(facts, parallel=False)
