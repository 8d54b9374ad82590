"""Transitions that can be added to a step of a composition."""

from __future__ import annotations

from workflows.core.dialects.promptpack.graph.composition_flow import (
    BRANCH_FIELDS,
    DEPENDS,
    Flow,
    Step,
)
from workflows.core.dialects.promptpack.graph.levels import step_state_id
from workflows.core.pack.graph import Offer

FORK = "branches"
NON_BRANCH_KINDS = ("branch", "parallel")
"""Kinds of step that cannot become branches of a parallel step."""


def step_offers(flow: Flow, step: Step) -> tuple[Offer, ...]:
    """The missing targets of a branch step, new branches of a parallel step, and, for every step,
    the steps that can depend on it."""
    id = step_state_id(flow.name, step.name)
    result = [
        Offer(
            source=id,
            label=field,
            kind="conditional",
            targets=_state_ids(flow, _later_steps(flow, step)),
        )
        for field in (BRANCH_FIELDS if step.kind == "branch" else ())
        if not step.branch_target(field)
    ]
    if step.kind == "parallel":
        free = [
            name
            for name in _later_steps(flow, step)
            if flow.steps[name].kind not in NON_BRANCH_KINDS
        ]
        result.append(Offer(source=id, label=FORK, kind="fork", targets=_state_ids(flow, free)))
    if step.name not in flow.branches:
        waited = flow.top(step.name)
        free = [n for n in _later_steps(flow, step) if waited not in flow.steps[n].depends_on]
        reason = "" if free else "No other step can depend on this step."
        result.append(
            Offer(source=id, label=DEPENDS, targets=_state_ids(flow, free), reason=reason)
        )
    return tuple(result)


def _later_steps(flow: Flow, step: Step) -> list[str]:
    """The steps that can run after this one: all that it does not depend on."""
    top = flow.top(step.name)
    before, waiting = {top}, [top]
    needs = flow.needs()
    while waiting:
        for other in needs[waiting.pop()] - before:
            before.add(other)
            waiting.append(other)
    return [name for name in flow.order if name not in before]


def _state_ids(flow: Flow, names: list[str]) -> tuple[str, ...]:
    return tuple(step_state_id(flow.name, name) for name in names)
