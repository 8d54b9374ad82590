"""Rules about compositions: their steps and the references between them (promptpack.md section
5.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer, steps_of
from workflows.core.dialects.promptpack.format.workflow_tools import RESERVED
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject, RemoveObject
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix
from workflows.core.rules.strong_components import cyclic_components
from workflows.core.text.tolerant import as_list, as_object, as_str, as_str_list, indexed_objects

COMMON = {"id", "kind", "description", "depends_on", "modifiers"}
ALLOWED = {
    "prompt": {"prompt_task", "provider", "input", "output_schema"},
    "agent": {"prompt_task", "provider", "input", "tools", "termination", "output_schema"},
    "tool": {"tool", "args"},
    "branch": {"predicate", "then", "else"},
    "parallel": {"branches", "reduce"},
}
_REFERENCE = re.compile(r"\$\{([^{}.]+)(?:\.[^{}]*)?\}")


def _each(parts: Parts) -> Iterator[tuple[str, Object, list[tuple[Pointer, Object]]]]:
    """Every composition with all its steps, including nested ones."""
    for name, composition in parts.compositions.items():
        base: Pointer = ("compositions", name, "steps")
        yield name, composition, list(steps_of(base, composition.get("steps")))


@pack_rule("PP601", "error", "Reserved composition name", profiles=EVERY)
def reserved_name(parts: Parts) -> Iterable[Note]:
    """The composition has the name of a tool of the workflow itself. Choose another name."""
    for name in parts.compositions:
        if name in RESERVED:
            yield Note(
                message=f"Composition name {name!r} is reserved for a tool of the workflow.",
                pointer=("compositions", name),
            )


@pack_rule("PP602", "error", "Duplicate step id", profiles=EVERY)
def repeated_step(parts: Parts) -> Iterable[Note]:
    """Two steps of one composition have the same id, including branches of parallel steps, so
    references to it are ambiguous. Rename one of them."""
    for name, _, steps in _each(parts):
        ids: set[str] = set()
        for pointer, step in steps:
            id = as_str(step.get("id"))
            if id and id in ids:
                yield Note(
                    message=f"Two steps of composition {name!r} have the id {id!r}.",
                    pointer=(*pointer, "id"),
                )
            ids.add(id)


@pack_rule("PP603", "error", "Step uses a missing object", profiles=EVERY)
def missing_object(parts: Parts) -> Iterable[Note]:
    """The step names a prompt, tool or eval that the pack does not have, so the composition fails
    at this step. Correct the name or add the object. Evals must be those of the pack, not those of
    a prompt."""
    evals = {as_str(item.get("id")) for pointer, item in parts.evals if len(pointer) == 2}
    names = {"prompt": set(parts.prompts), "tool": set(parts.tools), "eval": evals}
    for pointer, step in parts.steps:
        for where, kind, name in _named_objects(pointer, step):
            if isinstance(name, str) and name not in names[kind]:
                near = closest_name(name, names[kind])
                yield Note(
                    message=f"Step {as_str(step.get('id'))!r} uses {kind} {name!r}, "
                    "which does not exist.",
                    pointer=where,
                    fix=set_fix(parts, f"Use {near}", where, near)
                    if near
                    else make_fix(f"Add {name}", AddObject(kind=kind, key=name)),
                )


def _named_objects(pointer: Pointer, step: Object) -> Iterator[tuple[Pointer, str, Any]]:
    if "prompt_task" in step:
        yield (*pointer, "prompt_task"), "prompt", step["prompt_task"]
    if "tool" in step:
        yield (*pointer, "tool"), "tool", step["tool"]
    for index, name in enumerate(as_list(step.get("tools"))):
        yield (*pointer, "tools", index), "tool", name
    for index, name in enumerate(as_list(as_object(step.get("modifiers")).get("eval"))):
        yield (*pointer, "modifiers", "eval", index), "eval", name


@pack_rule("PP604", "error", "Reference to a missing step", profiles=EVERY)
def missing_step(parts: Parts) -> Iterable[Note]:
    """`then`, `else`, `depends_on`, `output` and every ${…} name a step by its id, or the input of
    the composition. This reference matches neither, so the composition fails."""
    for name, composition, steps in _each(parts):
        ids = {as_str(step.get("id")) for _, step in steps}
        wanted: list[tuple[Pointer, Any]] = []
        if "output" in composition:
            wanted.append((("compositions", name, "output"), composition["output"]))
        for pointer, step in steps:
            wanted += _steps_named(pointer, step)
            for field in ("input", "args", "predicate"):
                for root in _roots(step.get(field)):
                    if root != "input":
                        wanted.append(((*pointer, field), root))
        for where, id in wanted:
            if isinstance(id, str) and id not in ids:
                near = closest_name(id, ids)
                plain = where[-1] in ("then", "else", "output") or isinstance(where[-1], int)
                yield Note(
                    message=f"Composition {name!r} has no step {id!r}, which is referenced here.",
                    pointer=where,
                    hint=f"Did you mean {near!r}?" if near else "",
                    fix=set_fix(parts, f"Change to {near}", where, near)
                    if near and plain
                    else None,
                )


def _steps_named(pointer: Pointer, step: Object) -> Iterator[tuple[Pointer, Any]]:
    if step.get("kind") == "branch":
        for field in ("then", "else"):
            if field in step:
                yield (*pointer, field), step[field]
    for index, id in enumerate(as_str_list(step.get("depends_on"))):
        yield (*pointer, "depends_on", index), id


def _roots(value: Any) -> Iterator[str]:
    """The first name of every ${…} in a value, at any depth."""
    if isinstance(value, str):
        yield from _REFERENCE.findall(value)
    elif isinstance(value, dict):
        for item in value.values():
            yield from _roots(item)
    elif isinstance(value, list):
        for item in value:
            yield from _roots(item)


@pack_rule("PP605", "error", "Field does not belong to this kind of step", profiles=EVERY)
def foreign_field(parts: Parts) -> Iterable[Note]:
    """Each kind of step has its own fields. This field belongs to another kind, and runtimes refuse
    it. Remove it, or change the kind."""
    for pointer, step in parts.steps:
        own = ALLOWED.get(as_str(step.get("kind")))
        for field in step if own is not None else ():
            if own is not None and field not in own and field not in COMMON:
                here = (*pointer, field)
                yield Note(
                    message=f"A {step['kind']} step has no field {field!r}.",
                    pointer=here,
                    fix=unset_fix(parts, f"Remove {field}", here),
                )


@pack_rule("PP606", "error", "Unknown reduce strategy", profiles=EVERY)
def reducer(parts: Parts) -> Iterable[Note]:
    """The outputs of parallel branches are combined by append, replace or barrier. No other
    strategy exists."""
    for pointer, step in parts.steps:
        strategy = as_object(step.get("reduce")).get("strategy")
        if isinstance(strategy, str) and strategy not in ("append", "replace", "barrier"):
            here = (*pointer, "reduce", "strategy")
            yield Note(
                message=f"The reduce strategy {strategy!r} is unknown.",
                hint="Use append, replace or barrier.",
                pointer=here,
                fix=set_fix(parts, "Change to append", here, "append"),
            )


@pack_rule("PP607", "error", "Nested branches", profiles=EVERY)
def nested_branches(parts: Parts) -> Iterable[Note]:
    """The branches of a parallel step must be single steps: prompt, agent or tool. Runtimes refuse
    a branch step or a nested parallel step there, although the schema allows it."""
    for pointer, step in parts.steps:
        if "branches" in pointer and step.get("kind") in ("branch", "parallel"):
            yield Note(
                message=f"Step {as_str(step.get('id'))!r} cannot be nested in a parallel step.",
                pointer=pointer,
            )


@pack_rule("PP608", "error", "Steps in a cycle", profiles=EVERY)
def step_cycle(parts: Parts) -> Iterable[Note]:
    """The steps of a composition depend on each other in a cycle, so none of them can run first.
    Move the loop to the workflow."""
    for name, composition, _ in _each(parts):
        after = _order(composition)
        cyclic = {id for part in cyclic_components(after) for id in part}
        first = next((id for id in after if id in cyclic), None)
        if first is not None:
            yield Note(
                message=f"The steps of composition {name!r} form a cycle at {first!r}.",
                pointer=("compositions", name, "steps"),
            )


def _order(composition: Object) -> dict[str, set[str]]:
    """Step → its successors: by depends_on, else by list order, or by branch."""
    after: dict[str, set[str]] = {}
    before = ""
    for _, step in indexed_objects(composition.get("steps")):
        id = as_str(step.get("id"))
        after.setdefault(id, set())
        earlier = as_str_list(step.get("depends_on"))
        for _, inner in indexed_objects(step.get("branches")):
            earlier += as_str_list(inner.get("depends_on"))
        for other in earlier or ([before] if before else []):
            after.setdefault(other, set()).add(id)
        if step.get("kind") == "branch":
            after[id] |= {as_str(step.get(field)) for field in ("then", "else") if field in step}
        before = id
    return after


@pack_rule("PP609", "warning", "Implicit join", profiles=EVERY)
def implicit_join(parts: Parts) -> Iterable[Note]:
    """The step follows a branch or a parallel step without `depends_on`, so readers and viewers
    cannot see where the paths join. Add `depends_on`."""
    for name, composition in parts.compositions.items():
        steps = indexed_objects(composition.get("steps"))
        targets = {as_str(step.get(field)) for _, step in steps for field in ("then", "else")}
        for (_, before), (index, step) in pairwise(steps):
            if before.get("kind") not in ("branch", "parallel") or "depends_on" in step:
                continue
            if before.get("kind") == "branch" and as_str(step.get("id")) in targets:
                continue
            here = ("compositions", name, "steps", index)
            yield Note(
                message=f"Step {as_str(step.get('id'))!r} follows a {before['kind']} step "
                "without depends_on.",
                pointer=here,
                fix=set_fix(
                    parts,
                    f"Depend on {as_str(before.get('id'))}",
                    (*here, "depends_on"),
                    [as_str(before.get("id"))],
                ),
            )


@pack_rule("PP610", "warning", "Depends on a later step", profiles=EVERY)
def later_dependency(parts: Parts) -> Iterable[Note]:
    """Steps run in list order; `depends_on` does not change it. A step that depends on a later step
    runs before it. Move one of the two."""
    for name, composition in parts.compositions.items():
        steps = indexed_objects(composition.get("steps"))
        place = {as_str(step.get("id")): index for index, step in steps}
        for index, step in steps:
            for at, other in enumerate(as_str_list(step.get("depends_on"))):
                if place.get(other, -1) >= index:
                    yield Note(
                        message=f"Step {as_str(step.get('id'))!r} depends on {other!r}, "
                        "which runs after it.",
                        pointer=("compositions", name, "steps", index, "depends_on", at),
                    )


@pack_rule("PP611", "warning", "Composition is never used", profiles=EVERY)
def unused_composition(parts: Parts) -> Iterable[Note]:
    """No state runs this composition, so no run reaches it. Run it from a state, or remove it."""
    used = {as_str(state.get("composition")) for state in parts.states.values()}
    for name in parts.compositions:
        if name not in used:
            yield Note(
                message=f"Composition {name!r} is never used.",
                pointer=("compositions", name),
                fix=make_fix("Remove it", RemoveObject(element=f"composition:{name}")),
            )


@pack_rule("PP612", "warning", "Composition output is a branch step", profiles=EVERY)
def output_of_a_branch(parts: Parts) -> Iterable[Note]:
    """A branch step only chooses the next step and has no output, so it cannot be the output of a
    composition. Name the step that produces the result."""
    for name, composition, steps in _each(parts):
        kinds = {as_str(step.get("id")): step.get("kind") for _, step in steps}
        if kinds.get(as_str(composition.get("output"))) == "branch":
            yield Note(
                message=f"The output of {name!r} is a branch step, which has no output.",
                pointer=("compositions", name, "output"),
            )
