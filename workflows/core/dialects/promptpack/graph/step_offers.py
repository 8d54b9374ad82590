"""Which arrows may still be drawn out of a step of a composition."""

from __future__ import annotations

from workflows.core.dialects.promptpack.graph.composition_flow import AIMS, DEPENDS, Flow, Step
from workflows.core.dialects.promptpack.graph.levels import box_of
from workflows.core.pack.graph import Offer

FORK = "branches"
SINGLE = ("branch", "parallel")
"""Steps that cannot become branches of a parallel one."""


def step_offers(flow: Flow, step: Step) -> tuple[Offer, ...]:
    """The ways out of a branch that it does not have yet, branches for a parallel step, and for
    every step those that may wait for it."""
    id = box_of(flow.name, step.name)
    found = [
        Offer(
            source=id,
            label=field,
            kind="conditional",
            targets=_boxes(flow, _later(flow, step)),
        )
        for field in (AIMS if step.kind == "branch" else ())
        if not step.aim(field)
    ]
    if step.kind == "parallel":
        free = [name for name in _later(flow, step) if flow.steps[name].kind not in SINGLE]
        found.append(Offer(source=id, label=FORK, kind="fork", targets=_boxes(flow, free)))
    if step.name not in flow.branches:
        waited = flow.top(step.name)
        free = [n for n in _later(flow, step) if waited not in flow.steps[n].depends_on]
        reason = "" if free else "No other step can wait for it."
        found.append(Offer(source=id, label=DEPENDS, targets=_boxes(flow, free), reason=reason))
    return tuple(found)


def _later(flow: Flow, step: Step) -> list[str]:
    """Steps that can run after this one: all that it does not have to wait for itself."""
    top = flow.top(step.name)
    before, waiting = {top}, [top]
    needs = flow.needs()
    while waiting:
        for other in needs[waiting.pop()] - before:
            before.add(other)
            waiting.append(other)
    return [name for name in flow.order if name not in before]


def _boxes(flow: Flow, names: list[str]) -> tuple[str, ...]:
    return tuple(box_of(flow.name, name) for name in names)
