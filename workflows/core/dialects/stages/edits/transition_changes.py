"""Removing transitions, moving their ends, and changing their conditions."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.stages.edits.common import (
    need_stage,
    next_result,
    text_of,
    with_execution,
    without_join,
    without_target,
)
from workflows.core.dialects.stages.edits.transitions import connect, with_case
from workflows.core.dialects.stages.format.parts import Plan, Route, routes
from workflows.core.dialects.stages.graph.labels import ELSE, PARALLEL, THEN, parse_condition
from workflows.core.dialects.stages.graph.transitions import StageTransition, find_transition
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import (
    Connect,
    Disconnect,
    EditRefused,
    Relabel,
    Retarget,
    missing_element,
)
from workflows.core.text.json.document import JsonText


def need_transition(source: StagesSource, transition: str) -> tuple[StageTransition, ...]:
    """The transition, once per plan that has it. Raises EditRefused if there is none."""
    transitions = find_transition(source, transition)
    if not transitions:
        raise missing_element(f"transition:{transition}")
    return transitions


def disconnect(source: StagesSource, edit: Disconnect) -> StagesSource:
    """Remove a transition: the last one of a case removes the condition, and the last branch
    removes the join. Removing a transition to a join removes the join, and with it the transitions
    of the other branches."""
    text = text_of(source)
    for each in need_transition(source, edit.transition):
        text = without_transition(text, each)
    return source.with_pipeline(text)


def without_transition(text: JsonText, each: StageTransition) -> JsonText:
    """The pipeline without a transition."""
    if each.part == "join":
        return without_join(text, each.plan)
    if set(each.plan.siblings) > {each.target}:
        return without_target(text, each.plan, each.target)
    if each.part == "failure":
        return text.delete(each.plan.pointer)
    if each.plan.pointer[-1] != "next":
        return without_route(text, each.plan)
    return with_execution(without_target(text, each.plan, each.target), each.plan, parallel=False)


def without_route(text: JsonText, plan: Plan) -> JsonText:
    """The pipeline without the case (or the else) that has this plan. If no case is left, the else
    becomes the unconditional step."""
    here = plan.pointer[:3]
    text = text.delete(plan.pointer[:-1] if plan.pointer[-1] == "then" else plan.pointer)
    rest = text.get(here)
    if rest.get("cases"):
        return text
    return text.set(here, rest.get("else", next_result()))


def retarget(source: StagesSource, edit: Retarget) -> StagesSource:
    """Replace the target, or move the transition to another source."""
    transitions = need_transition(source, edit.transition)
    target = transitions[0].target
    if edit.target is not None:
        need_stage(source, edit.target)
        target = edit.target
    if edit.source is not None and edit.source != transitions[0].source:
        return _set_source(source, transitions[0], edit.source, target)
    text = text_of(source)
    for each in transitions if target != transitions[0].target else ():
        text = _set_target(text, each, target)
    return source.with_pipeline(text)


def _set_target(text: JsonText, each: StageTransition, target: str) -> JsonText:
    plan, taken = each.plan, set(each.plan.stages)
    taken |= {plan.join} if plan.join is not None and each.part != "join" else set()
    if target in taken:
        raise EditRefused(
            f"{each.owner!r} already leads to {target!r}.",
            where=f"state:{each.owner}",
            hint="Remove one of the two transitions.",
        )
    if each.part == "join":
        text = text.set((*plan.pointer, "join"), target)
        if not plan.join_listed:
            return text
    here = (*plan.pointer, "nextStages")
    return text.set((*here, text.get(here).index(each.target)), target)


def _set_source(
    source: StagesSource, each: StageTransition, begin: str, target: str
) -> StagesSource:
    """Move the transition to another source."""
    need_stage(source, begin)
    if each.part == "join":
        raise EditRefused(
            "Only the branches of a fork can lead to its join.",
            where=f"transition:{each.id}",
            hint="Add a parallel transition to make another stage a branch.",
        )
    left = source.with_pipeline(without_transition(text_of(source), each))
    if each.route is None or each.route.when is None:
        return connect(left, Connect(source=begin, target=target, label=each.label))
    need_stage(source, target)
    case = {"when": dict(each.route.when), "then": next_result(target)}
    return left.with_pipeline(with_case(text_of(left), begin, case, routes(left, begin)))


def relabel(source: StagesSource, edit: Relabel) -> StagesSource:
    """Change the condition of a route. All transitions of one route share it, so branches change
    together."""
    each = need_transition(source, edit.transition)[0]
    label = edit.label.strip()
    if label == each.label:
        return source
    if each.route is None:
        raise EditRefused(
            f"A transition with the label {each.label!r} has no condition.",
            where=f"transition:{each.id}",
            hint="Remove it and add another one.",
        )
    others = [route for route in routes(source, each.owner) if route.label != each.label]
    if any(route.label == label and not route.plan.ends for route in others):
        raise EditRefused(
            f"{each.owner!r} already has a transition with the label {label!r}.",
            where=f"transition:{each.id}",
            hint="To make both targets branches, remove this one and add it with that label.",
        )
    return source.with_pipeline(_set_label(text_of(source), each, each.route, label, others))


def _set_label(
    text: JsonText, each: StageTransition, route: Route, label: str, others: list[Route]
) -> JsonText:
    here = ("stages", each.owner, "next")
    value = text.get(route.plan.pointer)
    if label in (THEN, PARALLEL):
        return _set_unconditional(text, each, route, label, others)
    if label == ELSE:
        if route.plan.pointer == here:
            raise EditRefused(f"{each.owner!r} has no conditions, so it can't have an else.")
        text = text.set((*here, "else"), value).delete(route.plan.pointer[:-1])
        return text if text.get((*here, "cases")) else text.set(here, value)
    return _set_condition(text, each, route, _need_condition(label), value)


def _set_unconditional(
    text: JsonText, each: StageTransition, route: Route, label: str, others: list[Route]
) -> JsonText:
    """Make the only route of a stage unconditional, with its stages in parallel or in sequence."""
    here = ("stages", each.owner, "next")
    if any(not other.plan.ends for other in others):
        raise EditRefused(
            f"{each.owner!r} has other conditions.",
            where=f"transition:{each.id}",
            hint="Use else, or remove its other transitions first.",
        )
    if label == THEN and len(route.plan.siblings) > 1:
        raise EditRefused(
            f"{each.owner!r} leads to several stages in parallel.",
            where=f"transition:{each.id}",
            hint="Remove its other branches first.",
        )
    if label == THEN:
        text = without_join(text, route.plan)
    text = with_execution(text, route.plan, parallel=label == PARALLEL)
    return text if route.plan.pointer == here else text.set(here, text.get(route.plan.pointer))


def _set_condition(
    text: JsonText, each: StageTransition, route: Route, predicate: dict[str, Any], value: Any
) -> JsonText:
    here = ("stages", each.owner, "next")
    case = {"when": predicate, "then": value}
    match route.plan.pointer[-1]:
        case "then":
            return text.set((*route.plan.pointer[:-1], "when"), predicate)
        case "else":
            text = text.delete(route.plan.pointer)
            if isinstance(text.get((*here, "cases")), list):
                return text.insert((*here, "cases", "-"), case)
            return text.set(here, {"cases": [case]})
    return text.set(here, {"cases": [case]})


def _need_condition(label: str) -> dict[str, Any]:
    predicate = parse_condition(label)
    if predicate is None:
        raise EditRefused(
            f"{label!r} is not a condition.",
            hint="Write a field, an operator and a value, such as approved = true or score >= 3.",
        )
    return predicate
