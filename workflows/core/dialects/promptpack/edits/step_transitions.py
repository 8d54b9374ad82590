"""Drawing, removing and changing arrows between the steps of a composition.

An arrow is a `depends_on` of its target, a `then` or `else` of its source, or a branch of a
parallel step. Steps run in the order in which they stand (section 5.4), so an arrow that would
lead backwards puts one of its two ends elsewhere, where nothing else forbids it.
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
from workflows.core.pack.edits import Connect, Disconnect, EditRefused, Relabel, Retarget
from workflows.core.text.json.document import JsonText

BRANCHES = "branches"


def connect(source: PackSource, edit: Connect) -> JsonText:
    """`then`, `else` and `depends_on` say what their names say; `branches` takes the target into
    the parallel step. No label is `depends_on`."""
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
        f"No arrow between steps is called {edit.label!r}.",
        where=f"state:{edit.source}",
        hint="There are depends_on, then and else of a branch, and branches of a parallel step.",
    )


def _step_in_flow(source: PackSource, flow: Flow, id: str) -> tuple[Flow, Step]:
    other, step = need_step(source.parts, id)
    if other.name != flow.name:
        raise EditRefused(
            f"{id!r} is not in the composition {flow.name!r}.", hint="Arrows stay in one."
        )
    return other, step


def _set_branch_target(
    source: PackSource, flow: Flow, begin: Step, end: Step, field: str
) -> JsonText:
    if begin.kind != "branch":
        raise _refusal(flow, begin, f"{begin.name!r} is no branch, so it has no {field!r}.")
    if begin.branch_target(field):
        raise _refusal(
            flow,
            begin,
            f"{begin.name!r} has a {field!r} already, to {begin.branch_target(field)!r}.",
            "Move the end of that arrow instead.",
        )
    return _reorder(source.json.set((*begin.pointer, field), end.name), flow, begin, end)


def _add_dependency(source: PackSource, flow: Flow, begin: Step, end: Step) -> JsonText:
    """The target names the source, and besides it what the order alone led to it, unless one of
    the two goes elsewhere for it."""
    known = flow.top(begin.name) if begin.parent and begin.parent != end.parent else begin.name
    if known in end.depends_on:
        raise _refusal(flow, end, f"{end.name!r} depends on {known!r} already.")
    if known in (end.name, flow.top(end.name)):
        raise _refusal(flow, end, f"{end.name!r} cannot wait for itself.")
    stands = flow.order.index(flow.top(known)) < flow.order.index(flow.top(end.name))
    before = _implicit_predecessors(flow, end) if stands and not end.depends_on else []
    text = _append_dependencies(source.json, end, [*(one for one in before if one != known), known])
    return _reorder(text, flow, flow.steps[known], end)


def _implicit_predecessors(flow: Flow, step: Step) -> list[str]:
    """The steps that the order alone leads to this one, if they run before it."""
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
    """The step with these added to what it depends on."""
    here = (*step.pointer, DEPENDS)
    if not isinstance(text.get(here), list):
        return text.set(here, list(names))
    for name in names:
        text = text.insert((*here, "-"), name)
    return text


def _add_branch(source: PackSource, flow: Flow, begin: Step, end: Step) -> JsonText:
    """The target becomes a branch of the parallel step."""
    if begin.kind != "parallel" or not isinstance(begin.spec.get(BRANCHES), list):
        raise _refusal(flow, begin, f"{begin.name!r} is no parallel step.")
    if end.parent == begin.name:
        raise _refusal(flow, end, f"{end.name!r} is a branch of {begin.name!r} already.")
    if end.parent or end.kind in step_offers.NON_BRANCH_KINDS:
        raise _refusal(flow, end, "Only a single step can become a branch: prompt, agent or tool.")
    behind = flow.order[flow.order.index(end.name) + 1 :]
    passed = set(behind[: behind.index(begin.name) + 1] if begin.name in behind else ())
    if passed & _after(flow, end.name):
        raise _refusal(flow, end, f"{begin.name!r} or a step before it waits for {end.name!r}.")
    return _move_step(source, flow, end, (*begin.pointer, BRANCHES))


def _move_step(
    source: PackSource, flow: Flow, step: Step, base: Pointer, index: int = -1
) -> JsonText:
    """The step at another place of the composition, and no longer after those that ran before."""
    text = remove_dependencies(source.json, step, {*flow.steps})
    spec = text.get(step.pointer)
    if index >= 0:
        return text.delete(step.pointer).insert((*base, index), spec)
    return text.insert((*base, "-"), spec).delete(step.pointer)


def _reorder(text: JsonText, flow: Flow, first: Step, second: Step) -> JsonText:
    """The text with `first` standing before `second`. Either the first one goes right before the
    second or the second right behind the first, whichever breaks no other arrow."""
    one, other = flow.order.index(flow.top(first.name)), flow.order.index(flow.top(second.name))
    if one == other:
        raise _refusal(flow, second, "Branches of one parallel step run at once.")
    if one < other:
        return text
    early, late = flow.order[other], flow.order[one]
    between = set(flow.order[other:one])
    if not between & _before(flow, late):
        return text.move(_step_pointer(flow, late), index=_index(flow, early))
    behind = set(flow.order[other + 1 : one + 1])
    if not behind & _after(flow, early):
        return text.move(_step_pointer(flow, early), index=_index(flow, late))
    raise _refusal(
        flow,
        second,
        f"{early!r} has to run before {late!r} already, so no arrow can lead back to it.",
        "Loops belong into the workflow; a composition runs from its first step to its last.",
    )


def _step_pointer(flow: Flow, name: str) -> Pointer:
    return flow.steps[name].pointer


def _index(flow: Flow, name: str) -> int:
    return int(flow.steps[name].pointer[-1])


def _before(flow: Flow, name: str) -> set[str]:
    return flow.needs()[name]


def _after(flow: Flow, name: str) -> set[str]:
    return {other for other, needs in flow.needs().items() if name in needs}


def disconnect(source: PackSource, edit: Disconnect) -> JsonText:
    """What stands behind the arrow goes. A step that depends on nothing any more follows the order
    again; a branch that leaves its parallel step runs right behind it."""
    flow, link = _need_link(source, edit.transition)
    begin, end = flow.steps[link.source], flow.steps.get(link.target)
    if link.label in BRANCH_FIELDS:
        return source.json.delete((*begin.pointer, link.label))
    if end is None:
        raise _refusal(flow, begin, f"There is no step {link.target!r}.")
    if link.kind == "fork":
        return _remove_branch(source, flow, begin, end)
    if link.label == DEPENDS:
        return remove_dependencies(source.json, end, {link.dependency})
    left = [name for name in _implicit_predecessors(flow, end) if name != link.dependency]
    if not left:
        raise _refusal(
            flow,
            end,
            f"{end.name!r} runs after {link.dependency!r} because it stands behind it.",
            "Draw another arrow to it, or let it be the first step.",
        )
    return _append_dependencies(source.json, end, left)


def _remove_branch(source: PackSource, flow: Flow, parallel: Step, step: Step) -> JsonText:
    if len(flow.branches.get(parallel.name, ())) <= 2:
        raise _refusal(
            flow,
            parallel,
            f"{parallel.name!r} needs two branches.",
            "Draw an arrow to another one first, or remove the parallel step.",
        )
    *base, index = flow.steps[flow.top(parallel.name)].pointer
    return _move_step(source, flow, step, tuple(base), int(index) + 1)


def retarget(source: PackSource, edit: Retarget) -> JsonText:
    """Another step at the arrow's end, or at its beginning."""
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
            "This arrow is the order in which steps stand, so its end cannot be moved."
            if link.kind != "fork"
            else "A branch is moved by removing this arrow and drawing another.",
        )
    if _is_implicit(link):
        return _set_source(source, flow, link, other)
    text = disconnect(source, Disconnect(transition=edit.transition))
    return connect(source.with_text(text), Connect(source=begin, target=end, label=link.label))


def _set_source(source: PackSource, flow: Flow, link: Link, begin: Step) -> JsonText:
    """The order led here from one step; now it is written down that another one does."""
    end = flow.steps[link.target]
    known = flow.top(begin.name) if begin.parent else begin.name
    left = [
        name for name in _implicit_predecessors(flow, end) if name not in (link.dependency, known)
    ]
    text = _append_dependencies(source.json, end, [*left, known])
    return _reorder(text, flow, flow.steps[known], end)


def relabel(source: PackSource, edit: Relabel) -> JsonText:
    """`then` becomes `else` and the other way round; where a branch has both, they change."""
    flow, link = _need_link(source, edit.transition)
    step = flow.steps[link.source]
    if edit.label == link.label:
        return source.json
    if link.label not in BRANCH_FIELDS or edit.label not in BRANCH_FIELDS:
        raise _refusal(
            flow, step, "Only the two ways out of a branch have names: 'then' and 'else'."
        )
    here = (*step.pointer, link.label)
    if not step.branch_target(edit.label):
        return source.json.rename(here, edit.label)
    text = source.json.set(here, step.branch_target(edit.label))
    return text.set((*step.pointer, edit.label), link.target)


def _need_link(source: PackSource, transition: str) -> tuple[Flow, Link]:
    found = link_at(source.parts, transition)
    if found is None:
        raise EditRefused(
            f"There is no arrow {transition!r} in this pack.", where=f"transition:{transition}"
        )
    return found


def _refusal(flow: Flow, step: Step, message: str, hint: str = "") -> EditRefused:
    return EditRefused(message, where=f"state:{step_state_id(flow.name, step.name)}", hint=hint)
