"""Drawing, removing and changing arrows between the steps of a composition.

An arrow is a `depends_on` of its target, a `then` or `else` of its source, or a branch of a
parallel step. Steps run in the order in which they stand (section 5.4), so an arrow that would
lead backwards puts one of its two ends elsewhere, where nothing else forbids it.
"""

from __future__ import annotations

from workflows.core.dialects.promptpack.edits.steps import need_step, without_needs
from workflows.core.dialects.promptpack.format.parts import Pointer
from workflows.core.dialects.promptpack.graph import step_offers
from workflows.core.dialects.promptpack.graph.composition_flow import (
    AIMS,
    DEPENDS,
    Flow,
    Link,
    Step,
)
from workflows.core.dialects.promptpack.graph.levels import box_of, link_at
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import Connect, Disconnect, EditRefused, Relabel, Retarget
from workflows.core.text.json.document import JsonText

BRANCHES = "branches"


def connect(source: PackSource, edit: Connect) -> JsonText:
    """`then`, `else` and `depends_on` say what their names say; `branches` takes the target into
    the parallel step. No label is `depends_on`."""
    flow, begin = need_step(source.parts, edit.source)
    _, end = _both_in(source, flow, edit.target)
    match edit.label:
        case "then" | "else":
            return _aim(source, flow, begin, end, edit.label)
        case step_offers.FORK:
            return _take_in(source, flow, begin, end)
        case "" | "depends_on":
            return _depend(source, flow, begin, end)
    raise EditRefused(
        f"No arrow between steps is called {edit.label!r}.",
        where=f"state:{edit.source}",
        hint="There are depends_on, then and else of a branch, and branches of a parallel step.",
    )


def _both_in(source: PackSource, flow: Flow, id: str) -> tuple[Flow, Step]:
    other, step = need_step(source.parts, id)
    if other.name != flow.name:
        raise EditRefused(
            f"{id!r} is not in the composition {flow.name!r}.", hint="Arrows stay in one."
        )
    return other, step


def _aim(source: PackSource, flow: Flow, begin: Step, end: Step, field: str) -> JsonText:
    if begin.kind != "branch":
        raise _refused(flow, begin, f"{begin.name!r} is no branch, so it has no {field!r}.")
    if begin.aim(field):
        raise _refused(
            flow,
            begin,
            f"{begin.name!r} has a {field!r} already, to {begin.aim(field)!r}.",
            "Move the end of that arrow instead.",
        )
    return _in_order(source.json.set((*begin.pointer, field), end.name), flow, begin, end)


def _depend(source: PackSource, flow: Flow, begin: Step, end: Step) -> JsonText:
    """The target names the source, and besides it what the order alone led to it, unless one of
    the two goes elsewhere for it."""
    known = flow.top(begin.name) if begin.parent and begin.parent != end.parent else begin.name
    if known in end.depends_on:
        raise _refused(flow, end, f"{end.name!r} depends on {known!r} already.")
    if known in (end.name, flow.top(end.name)):
        raise _refused(flow, end, f"{end.name!r} cannot wait for itself.")
    stands = flow.order.index(flow.top(known)) < flow.order.index(flow.top(end.name))
    before = _implied_before(flow, end) if stands and not end.depends_on else []
    text = _with_needs(source.json, end, [*(one for one in before if one != known), known])
    return _in_order(text, flow, flow.steps[known], end)


def _implied_before(flow: Flow, step: Step) -> list[str]:
    """The steps that the order alone leads to this one, if they run before it."""
    return list(
        dict.fromkeys(
            link.named for link in flow.links() if link.target == step.name and _implied(link)
        )
    )


def _implied(link: Link) -> bool:
    return link.label == "" and link.kind != "fork"


def _with_needs(text: JsonText, step: Step, names: list[str]) -> JsonText:
    """The step with these added to what it depends on."""
    here = (*step.pointer, DEPENDS)
    if not isinstance(text.get(here), list):
        return text.set(here, list(names))
    for name in names:
        text = text.insert((*here, "-"), name)
    return text


def _take_in(source: PackSource, flow: Flow, begin: Step, end: Step) -> JsonText:
    """The target becomes a branch of the parallel step."""
    if begin.kind != "parallel" or not isinstance(begin.spec.get(BRANCHES), list):
        raise _refused(flow, begin, f"{begin.name!r} is no parallel step.")
    if end.parent == begin.name:
        raise _refused(flow, end, f"{end.name!r} is a branch of {begin.name!r} already.")
    if end.parent or end.kind in step_offers.SINGLE:
        raise _refused(flow, end, "Only a single step can become a branch: prompt, agent or tool.")
    behind = flow.order[flow.order.index(end.name) + 1 :]
    passed = set(behind[: behind.index(begin.name) + 1] if begin.name in behind else ())
    if passed & _after(flow, end.name):
        raise _refused(flow, end, f"{begin.name!r} or a step before it waits for {end.name!r}.")
    return _put(source, flow, end, (*begin.pointer, BRANCHES))


def _put(source: PackSource, flow: Flow, step: Step, base: Pointer, index: int = -1) -> JsonText:
    """The step at another place of the composition, and no longer after those that ran before."""
    text = without_needs(source.json, step, {*flow.steps})
    spec = text.get(step.pointer)
    if index >= 0:
        return text.delete(step.pointer).insert((*base, index), spec)
    return text.insert((*base, "-"), spec).delete(step.pointer)


def _in_order(text: JsonText, flow: Flow, first: Step, second: Step) -> JsonText:
    """The text with `first` standing before `second`. Either the first one goes right before the
    second or the second right behind the first, whichever breaks no other arrow."""
    one, other = flow.order.index(flow.top(first.name)), flow.order.index(flow.top(second.name))
    if one == other:
        raise _refused(flow, second, "Branches of one parallel step run at once.")
    if one < other:
        return text
    early, late = flow.order[other], flow.order[one]
    between = set(flow.order[other:one])
    if not between & _before(flow, late):
        return text.move(_top_place(flow, late), index=_index(flow, early))
    behind = set(flow.order[other + 1 : one + 1])
    if not behind & _after(flow, early):
        return text.move(_top_place(flow, early), index=_index(flow, late))
    raise _refused(
        flow,
        second,
        f"{early!r} has to run before {late!r} already, so no arrow can lead back to it.",
        "Loops belong into the workflow; a composition runs from its first step to its last.",
    )


def _top_place(flow: Flow, name: str) -> Pointer:
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
    flow, link = _need(source, edit.transition)
    begin, end = flow.steps[link.source], flow.steps.get(link.target)
    if link.label in AIMS:
        return source.json.delete((*begin.pointer, link.label))
    if end is None:
        raise _refused(flow, begin, f"There is no step {link.target!r}.")
    if link.kind == "fork":
        return _let_out(source, flow, begin, end)
    if link.label == DEPENDS:
        return without_needs(source.json, end, {link.named})
    left = [name for name in _implied_before(flow, end) if name != link.named]
    if not left:
        raise _refused(
            flow,
            end,
            f"{end.name!r} runs after {link.named!r} because it stands behind it.",
            "Draw another arrow to it, or let it be the first step.",
        )
    return _with_needs(source.json, end, left)


def _let_out(source: PackSource, flow: Flow, parallel: Step, step: Step) -> JsonText:
    if len(flow.branches.get(parallel.name, ())) <= 2:
        raise _refused(
            flow,
            parallel,
            f"{parallel.name!r} needs two branches.",
            "Draw an arrow to another one first, or remove the parallel step.",
        )
    *base, index = flow.steps[flow.top(parallel.name)].pointer
    return _put(source, flow, step, tuple(base), int(index) + 1)


def retarget(source: PackSource, edit: Retarget) -> JsonText:
    """Another step at the arrow's end, or at its beginning."""
    flow, link = _need(source, edit.transition)
    begin = edit.source or box_of(flow.name, link.source)
    end = edit.target or box_of(flow.name, link.target)
    _, other = _both_in(source, flow, begin)
    _, target = _both_in(source, flow, end)
    if (other.name, target.name) == (link.source, link.target):
        return source.json
    if link.label in AIMS and other.name == link.source:
        text = source.json.set(link.pointer, target.name)
        return _in_order(text, flow, other, target)
    if link.kind == "fork" or (_implied(link) and target.name != link.target):
        raise _refused(
            flow,
            flow.steps[link.source],
            "This arrow is the order in which steps stand, so its end cannot be moved."
            if link.kind != "fork"
            else "A branch is moved by removing this arrow and drawing another.",
        )
    if _implied(link):
        return _with_other_source(source, flow, link, other)
    text = disconnect(source, Disconnect(transition=edit.transition))
    return connect(source.with_text(text), Connect(source=begin, target=end, label=link.label))


def _with_other_source(source: PackSource, flow: Flow, link: Link, begin: Step) -> JsonText:
    """The order led here from one step; now it is written down that another one does."""
    end = flow.steps[link.target]
    known = flow.top(begin.name) if begin.parent else begin.name
    left = [name for name in _implied_before(flow, end) if name not in (link.named, known)]
    text = _with_needs(source.json, end, [*left, known])
    return _in_order(text, flow, flow.steps[known], end)


def relabel(source: PackSource, edit: Relabel) -> JsonText:
    """`then` becomes `else` and the other way round; where a branch has both, they change."""
    flow, link = _need(source, edit.transition)
    step = flow.steps[link.source]
    if edit.label == link.label:
        return source.json
    if link.label not in AIMS or edit.label not in AIMS:
        raise _refused(
            flow, step, "Only the two ways out of a branch have names: 'then' and 'else'."
        )
    here = (*step.pointer, link.label)
    if not step.aim(edit.label):
        return source.json.rename(here, edit.label)
    text = source.json.set(here, step.aim(edit.label))
    return text.set((*step.pointer, edit.label), link.target)


def _need(source: PackSource, transition: str) -> tuple[Flow, Link]:
    found = link_at(source.parts, transition)
    if found is None:
        raise EditRefused(
            f"There is no arrow {transition!r} in this pack.", where=f"transition:{transition}"
        )
    return found


def _refused(flow: Flow, step: Step, message: str, hint: str = "") -> EditRefused:
    return EditRefused(message, where=f"state:{box_of(flow.name, step.name)}", hint=hint)
