"""Adding transitions: unconditional ones, branches, conditions, joins and steps after a failure."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.edits.common import (
    need_stage,
    next_result,
    text_of,
    with_target,
)
from workflows.core.dialects.stages.edits.pipeline import with_pipeline
from workflows.core.dialects.stages.format.parts import Route, failure_plan, forks, routes
from workflows.core.dialects.stages.graph import labels
from workflows.core.dialects.stages.graph.labels import ELSE, PARALLEL, THEN, parse_condition
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import Connect, EditRefused
from workflows.core.text.json.document import JsonText


def connect(source: StagesSource, edit: Connect) -> StagesSource:
    """Add a transition; its label decides its kind. The label of a route that already has a target
    adds a branch to it."""
    need_stage(source, edit.source)
    need_stage(source, edit.target)
    source = with_pipeline(source, edit.source)
    return source.with_pipeline(_connect(source, edit.source, edit.label.strip(), edit.target))


def _connect(source: StagesSource, stage: str, label: str, target: str) -> JsonText:
    stage_routes = routes(source, stage)
    same = next((route for route in stage_routes if route.label == label), None)
    match label:
        case "":
            raise EditRefused(
                "A transition needs a label.",
                where=f"state:{stage}",
                hint="Choose then, parallel, or a condition such as approved = true.",
            )
        case labels.JOIN:
            return _add_join(source, stage, target)
        case labels.FAILURE:
            return _add_failure_step(source, stage, target)
        case labels.THEN | labels.PARALLEL:
            return _add_unconditional(
                source, stage, target, stage_routes, parallel=label == PARALLEL
            )
    if same is not None:
        return _add_branch(text_of(source), stage, same, target)
    if label == ELSE:
        return _add_else(source, stage, target, stage_routes)
    return _add_condition(source, stage, label, target, stage_routes)


def _add_unconditional(
    source: StagesSource,
    stage: str,
    target: str,
    stage_routes: tuple[Route, ...],
    *,
    parallel: bool,
) -> JsonText:
    """Add a transition without a condition."""
    text = text_of(source)
    if not stage_routes:
        return text.put(("stages", stage, "next"), next_result(target, parallel=parallel))
    route = stage_routes[0]
    if route.label not in (THEN, PARALLEL):
        raise EditRefused(
            f"{stage!r} has conditions.",
            where=f"state:{stage}",
            hint="Use else, or another condition.",
        )
    if route.plan.ends:
        return with_target(text, route.plan, target, parallel=parallel)
    if not parallel:
        raise EditRefused(
            f"{stage!r} already leads to {route.plan.stages[0]!r}.",
            where=f"state:{stage}",
            hint="Use parallel to run both stages in parallel, or a condition.",
        )
    return _add_branch(text, stage, route, target)


def _add_branch(text: JsonText, stage: str, route: Route, target: str) -> JsonText:
    """Add a branch to a route, or the first target to a route that ended."""
    if target in route.plan.stages or target == route.plan.join:
        raise EditRefused(
            f"{stage!r} already leads to {target!r} with {route.label!r}.", where=f"state:{stage}"
        )
    return with_target(
        text, route.plan, target, parallel=not route.plan.ends or route.plan.parallel
    )


def _add_else(
    source: StagesSource, stage: str, target: str, stage_routes: tuple[Route, ...]
) -> JsonText:
    """Add the step for the case that no condition is true."""
    here = ("stages", stage, "next")
    if not stage_routes or any(route.label in (THEN, PARALLEL) for route in stage_routes):
        raise EditRefused(
            f"{stage!r} has no conditions, so it can't have an else.",
            where=f"state:{stage}",
            hint="Use then.",
        )
    return text_of(source).set((*here, "else"), next_result(target))


def _add_condition(
    source: StagesSource, stage: str, label: str, target: str, stage_routes: tuple[Route, ...]
) -> JsonText:
    """Add a condition. An existing unconditional step becomes the else."""
    predicate = parse_condition(label)
    if predicate is None:
        raise EditRefused(
            f"{label!r} is not a condition.",
            where=f"state:{stage}",
            hint="Write a field, an operator and a value, such as approved = true or score >= 3.",
        )
    case = {"when": predicate, "then": next_result(target)}
    return with_case(text_of(source), stage, case, stage_routes)


def with_case(
    text: JsonText, stage: str, case: dict[str, Any], stage_routes: tuple[Route, ...]
) -> JsonText:
    """The stage with a case after its other ones."""
    here = ("stages", stage, "next")
    now = text.get(here)
    if not stage_routes:
        return text.put(here, {"cases": [case]})
    if stage_routes[0].label in (THEN, PARALLEL):
        return text.set(here, {"cases": [case], "else": now})
    if isinstance(now.get("cases"), list):
        return text.insert((*here, "cases", "-"), case)
    text = text.delete((*here, "cases")) if "cases" in now else text
    return text.insert((*here, "cases"), [case], index=0)


def _add_join(source: StagesSource, stage: str, target: str) -> JsonText:
    """Set the join of the fork that starts this stage."""
    mine = [fork for fork in forks(source) if stage in fork.plan.siblings]
    if not mine:
        raise EditRefused(
            f"{stage!r} is not a branch, so it can't lead to a join.",
            where=f"state:{stage}",
            hint="Add parallel transitions to it and to another stage first.",
        )
    fresh = [fork for fork in mine if fork.plan.join is None]
    if not fresh:
        raise EditRefused(
            f"The branches with {stage!r} already join in {mine[0].plan.join!r}.",
            where=f"state:{stage}",
            hint="Change the target of that transition instead.",
        )
    text = text_of(source)
    for fork in fresh:
        if target in fork.plan.siblings:
            raise EditRefused(
                f"{target!r} is a branch itself.",
                where=f"state:{target}",
                hint="A join is a stage that is not one of the branches.",
            )
        text = text.set((*fork.plan.pointer, "join"), target)
        text = text.insert((*fork.plan.pointer, "nextStages", "-"), target)
    return text


def _add_failure_step(source: StagesSource, stage: str, target: str) -> JsonText:
    """Set the step after a failed branch."""
    if not any(route.plan.parallel for route in routes(source, stage)):
        raise EditRefused(
            f"{stage!r} starts no branches.",
            where=f"state:{stage}",
            hint='For a failure of the stage itself, use the condition verdict = "fail".',
        )
    plan = failure_plan(source, stage)
    if plan is None:
        here = ("stages", stage, "onParallelFailure")
        return text_of(source).put(here, next_result(target))
    if not plan.ends:
        raise EditRefused(
            f"A failed branch of {stage!r} already leads to {plan.stages[0]!r}.",
            where=f"state:{stage}",
            hint="Change the target of that transition instead.",
        )
    return with_target(text_of(source), plan, target, parallel=False)
