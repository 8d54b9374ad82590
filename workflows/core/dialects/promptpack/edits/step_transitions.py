"""Adding, removing and changing transitions between the steps of a composition.

A transition is a `depends_on` of its target, a `then` or `else` of its source, or a branch of a
parallel step. Steps run in list order (section 5.4), so a transition to an earlier step moves one
of its two ends, if no other link forbids it.
"""

from __future__ import annotations

from workflows.core.dialects.promptpack.edits.steps import need_step, remove_dependencies
from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.graph import step_offers
from workflows.core.dialects.promptpack.graph.composition_flow import (
    BRANCH_FIELDS,
    DEPENDS,
    Flow,
    Link,
    Step,
)
from workflows.core.dialects.promptpack.graph.levels import link_at, step_state_id
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import (
    Connect,
    Disconnect,
    EditRefused,
    Relabel,
    Retarget,
    missing_element,
)
from workflows.core.text.json.document import JsonText

BRANCHES = "branches"


def connect(source: PackSource, edit: Connect) -> JsonText:
    """Add a transition. `then`, `else` and `depends_on` set these fields; `branches` moves the
    target into the parallel step. An empty label means `depends_on`."""
    flow, begin = need_step(source.parts, edit.source)
    _, end = _step_in_flow(source, flow, edit.target)
    match edit.label:
        case "then" | "else":
            return _set_branch_target(source, flow, begin, end, edit.label)
        case step_offers.FORK:
            return _add_branch(source, flow, begin, end)
        case "" | "depends_on":
            return _add_dependency(source, flow, begin, end)
    raise EditRefused(
        f"Transitions between steps cannot have the label {edit.label!r}.",
        where=f"state:{edit.source}",
        hint="Use depends_on, then or else of a branch step, or branches of a parallel step.",
    )


def _step_in_flow(source: PackSource, flow: Flow, id: str) -> tuple[Flow, Step]:
    other, step = need_step(source.parts, id)
    if other.name != flow.name:
        raise EditRefused(
            f"Step {id!r} is not in composition {flow.name!r}.",
            hint="Transitions connect steps of one composition.",
        )
    return other, step


def _set_branch_target(
    source: PackSource, flow: Flow, begin: Step, end: Step, field: str
) -> JsonText:
    if begin.kind != "branch":
        raise _refusal(
            flow, begin, f"Step {begin.name!r} is not a branch step, so it has no {field!r}."
        )
    if begin.branch_target(field):
        raise _refusal(
            flow,
            begin,
            f"Step {begin.name!r} already has a {field!r}: {begin.branch_target(field)!r}.",
            "Change the target of that transition instead.",
        )
    return _reorder(source.json.set((*begin.pointer, field), end.name), flow, begin, end)


def _add_dependency(source: PackSource, flow: Flow, begin: Step, end: Step) -> JsonText:
    """Add the source to the target's `depends_on`, together with its implicit predecessors, which
    would otherwise be lost. They are not added if one of the two steps is moved."""
    begin_name = flow.top(begin.name) if begin.parent and begin.parent != end.parent else begin.name
    if begin_name in end.depends_on:
        raise _refusal(flow, end, f"Step {end.name!r} already depends on {begin_name!r}.")
    if begin_name in (end.name, flow.top(end.name)):
        raise _refusal(flow, end, f"Step {end.name!r} cannot depend on itself.")
    is_earlier = flow.order.index(flow.top(begin_name)) < flow.order.index(flow.top(end.name))
    before = _implicit_predecessors(flow, end) if is_earlier and not end.depends_on else []
    text = _append_dependencies(
        source.json, end, [*(one for one in before if one != begin_name), begin_name]
    )
    return _reorder(text, flow, flow.steps[begin_name], end)


def _implicit_predecessors(flow: Flow, step: Step) -> list[str]:
    """The earlier steps that lead to this one by list order alone."""
    return list(
        dict.fromkeys(
            link.dependency
            for link in flow.links()
            if link.target == step.name and _is_implicit(link)
        )
    )


def _is_implicit(link: Link) -> bool:
    return link.label == "" and link.kind != "fork"


def _append_dependencies(text: JsonText, step: Step, names: list[str]) -> JsonText:
    """The step with these names added to its `depends_on`."""
    here = (*step.pointer, DEPENDS)
    if not isinstance(text.get(here), list):
        return text.set(here, list(names))
    for name in names:
        text = text.insert((*here, "-"), name)
    return text


def _add_branch(source: PackSource, flow: Flow, begin: Step, end: Step) -> JsonText:
    """Make the target a branch of the parallel step."""
    if begin.kind != "parallel" or not isinstance(begin.spec.get(BRANCHES), list):
        raise _refusal(flow, begin, f"Step {begin.name!r} is not a parallel step.")
    if end.parent == begin.name:
        raise _refusal(flow, end, f"Step {end.name!r} is already a branch of {begin.name!r}.")
    if end.parent or end.kind in step_offers.NON_BRANCH_KINDS:
        raise _refusal(flow, end, "Only a prompt, agent or tool step can become a branch.")
    behind = flow.order[flow.order.index(end.name) + 1 :]
    passed = set(behind[: behind.index(begin.name) + 1] if begin.name in behind else ())
    if passed & _after(flow, end.name):
        raise _refusal(
            flow, end, f"Step {begin.name!r} or a step before it depends on {end.name!r}."
        )
    return _move_step(source, flow, end, (*begin.pointer, BRANCHES))


def _move_step(
    source: PackSource, flow: Flow, step: Step, base: Pointer, index: int = -1
) -> JsonText:
    """Move the step to another place in the composition and remove its dependencies."""
    text = remove_dependencies(source.json, step, {*flow.steps})
    spec = text.get(step.pointer)
    if index >= 0:
        return text.delete(step.pointer).insert((*base, index), spec)
    return text.insert((*base, "-"), spec).delete(step.pointer)


def _reorder(text: JsonText, flow: Flow, first: Step, second: Step) -> JsonText:
    """The text with `first` placed before `second`.

    Either `first` is moved right before `second`, or `second` right after `first`, depending on
    which move breaks no other link.
    """
    one, other = flow.order.index(flow.top(first.name)), flow.order.index(flow.top(second.name))
    if one == other:
        raise _refusal(
            flow, second, "Branches of a parallel step run in parallel and cannot be ordered."
        )
    if one < other:
        return text
    early, late = flow.order[other], flow.order[one]
    between = set(flow.order[other:one])
    if not between & flow.needs()[late]:
        return text.move(_step_pointer(flow, late), index=_index(flow, early))
    behind = set(flow.order[other + 1 : one + 1])
    if not behind & _after(flow, early):
        return text.move(_step_pointer(flow, early), index=_index(flow, late))
    raise _refusal(
        flow,
        second,
        f"Step {early!r} must run before {late!r}, so no transition can lead back to it.",
        "Move the loop to the workflow; a composition runs its steps once, in order.",
    )


def _step_pointer(flow: Flow, name: str) -> Pointer:
    return flow.steps[name].pointer


def _index(flow: Flow, name: str) -> int:
    return int(flow.steps[name].pointer[-1])


def _after(flow: Flow, name: str) -> set[str]:
    return {other for other, needs in flow.needs().items() if name in needs}


def disconnect(source: PackSource, edit: Disconnect) -> JsonText:
    """Remove the definition of the transition. A step without dependencies follows the list order
    again; a branch that leaves its parallel step is placed right after it."""
    flow, link = _need_link(source, edit.transition)
    begin, end = flow.steps[link.source], flow.steps.get(link.target)
    if link.label in BRANCH_FIELDS:
        return source.json.delete((*begin.pointer, link.label))
    if end is None:
        raise _refusal(flow, begin, f"The composition has no step {link.target!r}.")
    if link.kind == "fork":
        return _remove_branch(source, flow, begin, end)
    if link.label == DEPENDS:
        return remove_dependencies(source.json, end, {link.dependency})
    left = [name for name in _implicit_predecessors(flow, end) if name != link.dependency]
    if not left:
        raise _refusal(
            flow,
            end,
            f"Step {end.name!r} runs after {link.dependency!r} because of the list order.",
            "Add another transition to it, or make it the first step.",
        )
    return _append_dependencies(source.json, end, left)


def _remove_branch(source: PackSource, flow: Flow, parallel: Step, step: Step) -> JsonText:
    if len(flow.branches.get(parallel.name, ())) <= 2:
        raise _refusal(
            flow,
            parallel,
            f"Parallel step {parallel.name!r} needs at least two branches.",
            "Add another branch first, or remove the parallel step.",
        )
    *base, index = flow.steps[flow.top(parallel.name)].pointer
    return _move_step(source, flow, step, tuple(base), int(index) + 1)


def retarget(source: PackSource, edit: Retarget) -> JsonText:
    """Move the end of a transition, or its beginning, to another step."""
    flow, link = _need_link(source, edit.transition)
    begin = edit.source or step_state_id(flow.name, link.source)
    end = edit.target or step_state_id(flow.name, link.target)
    _, other = _step_in_flow(source, flow, begin)
    _, target = _step_in_flow(source, flow, end)
    if (other.name, target.name) == (link.source, link.target):
        return source.json
    if link.label in BRANCH_FIELDS and other.name == link.source:
        text = source.json.set(link.pointer, target.name)
        return _reorder(text, flow, other, target)
    if link.kind == "fork" or (_is_implicit(link) and target.name != link.target):
        raise _refusal(
            flow,
            flow.steps[link.source],
            "This transition is defined by the list order, so its target cannot be changed."
            if link.kind != "fork"
            else "To move a branch, remove this transition and add another.",
        )
    if _is_implicit(link):
        return _set_source(source, flow, link, other)
    text = disconnect(source, Disconnect(transition=edit.transition))
    return connect(source.with_text(text), Connect(source=begin, target=end, label=link.label))


def _set_source(source: PackSource, flow: Flow, link: Link, begin: Step) -> JsonText:
    """Replace an implicit predecessor by an explicit dependency on another step."""
    end = flow.steps[link.target]
    begin_name = flow.top(begin.name) if begin.parent else begin.name
    left = [
        name
        for name in _implicit_predecessors(flow, end)
        if name not in (link.dependency, begin_name)
    ]
    text = _append_dependencies(source.json, end, [*left, begin_name])
    return _reorder(text, flow, flow.steps[begin_name], end)


def relabel(source: PackSource, edit: Relabel) -> JsonText:
    """Change `then` to `else` or the reverse. If the branch has both, they are swapped."""
    flow, link = _need_link(source, edit.transition)
    step = flow.steps[link.source]
    if edit.label == link.label:
        return source.json
    if link.label not in BRANCH_FIELDS or edit.label not in BRANCH_FIELDS:
        raise _refusal(
            flow, step, "Only the labels 'then' and 'else' of a branch step can be changed."
        )
    here = (*step.pointer, link.label)
    if not step.branch_target(edit.label):
        return source.json.rename(here, edit.label)
    text = source.json.set(here, step.branch_target(edit.label))
    return text.set((*step.pointer, edit.label), link.target)


def _need_link(source: PackSource, transition: str) -> tuple[Flow, Link]:
    place = link_at(source.parts, transition)
    if place is None:
        raise missing_element(f"transition:{transition}")
    return place


def _refusal(flow: Flow, step: Step, message: str, hint: str = "") -> EditRefused:
    return EditRefused(message, where=f"state:{step_state_id(flow.name, step.name)}", hint=hint)
