"""Transitions that can be added to a stage. Forks and joins consist of transitions only."""

from __future__ import annotations

import json
from collections.abc import Iterator

from workflows.core.dialects.stages.format.parts import Route, failure_plan, forks, routes
from workflows.core.dialects.stages.graph.labels import (
    ELSE,
    FAILURE,
    JOIN,
    PARALLEL,
    RESERVED_LABELS,
    THEN,
)
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.graph import Offer
from workflows.core.text.tolerant import as_list, as_object, as_object_map

MAX_CONDITIONS = 12
"""Maximum number of suggested conditions."""


def offers(source: StagesSource, state: str) -> tuple[Offer, ...]:
    """Labels for a new transition: the next stage, a further branch, conditions on the payload, any
    other condition, a join, and the step after a failed branch."""
    if not source.readable or state not in source.stages:
        return ()
    stage_routes = routes(source, state)
    plain = (
        stage_routes[0]
        if len(stage_routes) == 1 and stage_routes[0].label in (THEN, PARALLEL)
        else None
    )
    return (
        *(_unconditional(source, state, plain) if plain is not None or not stage_routes else ()),
        *(
            ()
            if plain is not None or not stage_routes
            else _conditional(source, state, stage_routes)
        ),
        *_joins(source, state),
        *_conditions(source, state, stage_routes),
        Offer(source=state, kind="conditional"),
        *_failure(source, state, stage_routes),
    )


def _unconditional(source: StagesSource, state: str, route: Route | None) -> Iterator[Offer]:
    """A stage with one unconditional route, or none."""
    if route is None or route.plan.ends:
        yield Offer(source=state, label=THEN)
        yield Offer(source=state, label=PARALLEL, kind="fork")
    else:
        yield Offer(source=state, label=PARALLEL, kind="fork", targets=_free_targets(source, route))


def _conditional(
    source: StagesSource, state: str, stage_routes: tuple[Route, ...]
) -> Iterator[Offer]:
    """A stage with conditions: each route may lead to several stages in parallel."""
    for route in stage_routes:
        kind = "conditional" if route.plan.ends else "fork"
        targets = None if route.plan.ends else _free_targets(source, route)
        yield Offer(source=state, label=route.label, kind=kind, targets=targets)  # type: ignore[arg-type]
    if all(route.label != ELSE for route in stage_routes):
        yield Offer(source=state, label=ELSE, kind="conditional")


def _free_targets(source: StagesSource, route: Route) -> tuple[str, ...]:
    taken = {*route.plan.stages, route.plan.join}
    return tuple(stage for stage in source.stages if stage not in taken)


def _joins(source: StagesSource, state: str) -> Iterator[Offer]:
    """A branch may lead to the join of its fork, unless the fork has one already."""
    open_forks = [
        fork for fork in forks(source) if fork.plan.join is None and state in fork.plan.siblings
    ]
    if open_forks:
        branches = {stage for fork in open_forks for stage in fork.plan.siblings}
        yield Offer(
            source=state,
            label=JOIN,
            kind="join",
            targets=tuple(stage for stage in source.stages if stage not in branches),
            reason="A join is a stage that is not one of the branches.",
        )


def _conditions(
    source: StagesSource, state: str, stage_routes: tuple[Route, ...]
) -> Iterator[Offer]:
    """Suggested conditions without a transition: true and false, each value of an enum."""
    taken = {route.label for route in stage_routes}
    properties = as_object(source.stages[state].values.get("completionSchema")).get("properties")
    labels: list[str] = []
    for name, item in as_object_map(properties).items():
        if not any(sign in name for sign in " =<>()"):
            choices = [True, False] if item.get("type") == "boolean" else item.get("enum")
            for choice in as_list(choices):
                labels.append(f"{name} = {json.dumps(choice, ensure_ascii=False)}")
    labels.append('verdict = "fail"')
    free = [label for label in labels if label not in taken and label not in RESERVED_LABELS]
    for label in free[:MAX_CONDITIONS]:
        yield Offer(source=state, label=label, kind="conditional")


def _failure(source: StagesSource, state: str, stage_routes: tuple[Route, ...]) -> Iterator[Offer]:
    plan = failure_plan(source, state)
    if any(route.plan.parallel for route in stage_routes) and (plan is None or plan.ends):
        yield Offer(source=state, label=FAILURE, kind="fallback")
