"""Rules over compositions: their steps and what these refer to (promptpack.md section 5.3)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from workflows.core.dialects.promptpack.format.parts import (
    Object,
    Parts,
    Pointer,
    listed,
    steps_of,
    word,
    words,
)
from workflows.core.dialects.promptpack.rules.kit import pack_rule, set_fix, unset_fix
from workflows.core.pack.edits import AddObject, RemoveObject
from workflows.core.pack.naming import closest
from workflows.core.rules.kit import Note, make_fix

RESERVED = ("workflow__transition", "workflow__set_artifact")
COMMON = {"id", "kind", "description", "depends_on", "modifiers"}
ALLOWED = {
    "prompt": {"prompt_task", "provider", "input", "output_schema"},
    "agent": {"prompt_task", "provider", "input", "tools", "termination", "output_schema"},
    "tool": {"tool", "args"},
    "branch": {"predicate", "then", "else"},
    "parallel": {"branches", "reduce"},
}
_REFERENCE = re.compile(r"\$\{([^}.]+)[^}]*\}")


def _each(parts: Parts) -> Iterator[tuple[str, Object, list[tuple[Pointer, Object]]]]:
    """Every composition with all its steps, nested ones included."""
    for name, composition in parts.compositions.items():
        base: Pointer = ("compositions", name, "steps")
        yield name, composition, list(steps_of(base, composition.get("steps")))


@pack_rule("PP601", "error", "Reserved name")
def reserved_name(parts: Parts) -> Iterable[Note]:
    """The composition has the name of one of the workflow's own tools. Choose another one."""
    for name in parts.compositions:
        if name in RESERVED:
            yield Note(
                message=f"A composition cannot be called {name!r}.", pointer=("compositions", name)
            )


@pack_rule("PP602", "error", "Step id is taken")
def repeated_step(parts: Parts) -> Iterable[Note]:
    """Two steps of one composition have the same id, branches of parallel steps included, so a
    reference to it has two meanings. Rename one of them."""
    for name, _, steps in _each(parts):
        seen: set[str] = set()
        for pointer, step in steps:
            id = word(step.get("id"))
            if id and id in seen:
                yield Note(
                    message=f"Two steps of {name!r} are called {id!r}.", pointer=(*pointer, "id")
                )
            seen.add(id)


@pack_rule("PP603", "error", "Step uses what is not there")
def missing_object(parts: Parts) -> Iterable[Note]:
    """The step names a prompt, tool or eval that the pack does not have, so the composition fails
    when it gets there. Correct the name or add the object. Evals have to be those of the pack, not
    those of a prompt."""
    evals = {word(item.get("id")) for pointer, item in parts.evals if len(pointer) == 2}
    known = {"prompt": set(parts.prompts), "tool": set(parts.tools), "eval": evals}
    for pointer, step in parts.steps:
        for where, kind, name in _named(pointer, step):
            if isinstance(name, str) and name not in known[kind]:
                near = closest(name, known[kind])
                yield Note(
                    message=f"The step {word(step.get('id'))!r} uses the {kind} {name!r}, "
                    "which does not exist.",
                    pointer=where,
                    fix=set_fix(parts, f"Use {near}", where, near)
                    if near
                    else make_fix(f"Add {name}", AddObject(kind=kind, key=name)),
                )


def _named(pointer: Pointer, step: Object) -> Iterator[tuple[Pointer, str, Any]]:
    if "prompt_task" in step:
        yield (*pointer, "prompt_task"), "prompt", step["prompt_task"]
    if "tool" in step:
        yield (*pointer, "tool"), "tool", step["tool"]
    tools = step.get("tools")
    for index, name in enumerate(tools if isinstance(tools, list) else []):
        yield (*pointer, "tools", index), "tool", name
    modifiers = step.get("modifiers")
    evals = modifiers.get("eval") if isinstance(modifiers, dict) else None
    for index, name in enumerate(evals if isinstance(evals, list) else []):
        yield (*pointer, "modifiers", "eval", index), "eval", name


@pack_rule("PP604", "error", "Reference to a missing step")
def missing_step(parts: Parts) -> Iterable[Note]:
    """`then`, `else`, `depends_on`, `output` and every ${…} name a step by its id, or the input of
    the composition. This one names neither, so the composition fails."""
    for name, composition, steps in _each(parts):
        ids = {word(step.get("id")) for _, step in steps}
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
                near = closest(id, ids)
                plain = where[-1] in ("then", "else", "output") or isinstance(where[-1], int)
                yield Note(
                    message=f"There is no step {id!r} in the composition {name!r}.",
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
    for index, id in enumerate(words(step.get("depends_on"))):
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


@pack_rule("PP605", "error", "Field does not belong to this kind of step")
def foreign_field(parts: Parts) -> Iterable[Note]:
    """Each kind of step has its own fields. This one belongs to another kind and is refused by
    runtimes. Remove it, or change the kind."""
    for pointer, step in parts.steps:
        own = ALLOWED.get(word(step.get("kind")))
        for field in step if own is not None else ():
            if own is not None and field not in own and field not in COMMON:
                here = (*pointer, field)
                yield Note(
                    message=f"A {step['kind']} step has no field {field!r}.",
                    pointer=here,
                    fix=unset_fix(parts, f"Remove {field}", here),
                )


@pack_rule("PP606", "error", "Unknown way to put branches together")
def reducer(parts: Parts) -> Iterable[Note]:
    """What comes out of parallel branches is put together by append, replace or barrier. There is
    no other way."""
    for pointer, step in parts.steps:
        reduce = step.get("reduce")
        strategy = reduce.get("strategy") if isinstance(reduce, dict) else None
        if isinstance(strategy, str) and strategy not in ("append", "replace", "barrier"):
            here = (*pointer, "reduce", "strategy")
            yield Note(
                message=f"Branches cannot be put together by {strategy!r}.",
                pointer=here,
                fix=set_fix(parts, "Change to append", here, "append"),
            )


@pack_rule("PP607", "error", "Branches inside branches")
def nested_branches(parts: Parts) -> Iterable[Note]:
    """The branches of a parallel step have to be single steps: prompt, agent or tool. Runtimes
    refuse a branch or another parallel step there, although the schema allows it."""
    for pointer, step in parts.steps:
        if "branches" in pointer and step.get("kind") in ("branch", "parallel"):
            yield Note(
                message=f"The step {word(step.get('id'))!r} cannot stand inside a parallel step.",
                pointer=pointer,
            )


@pack_rule("PP608", "error", "Steps in a circle")
def circle(parts: Parts) -> Iterable[Note]:
    """The steps of a composition depend on each other in a circle, so none of them could be the
    first. Loops belong into the workflow, not into a composition."""
    for name, composition, _ in _each(parts):
        after = _order(composition)
        done: set[str] = set()
        for id in after:
            if _reaches(id, id, after, done):
                yield Note(
                    message=f"The steps of {name!r} depend on each other in a circle at {id!r}.",
                    pointer=("compositions", name, "steps"),
                )
                break


def _order(composition: Object) -> dict[str, set[str]]:
    """Step → the steps that come after it: by depends_on, else by standing next, or by branch."""
    after: dict[str, set[str]] = {}
    before = ""
    for _, step in listed(composition.get("steps")):
        id = word(step.get("id"))
        after.setdefault(id, set())
        earlier = words(step.get("depends_on"))
        for _, inner in listed(step.get("branches")):
            earlier += words(inner.get("depends_on"))
        for other in earlier or ([before] if before else []):
            after.setdefault(other, set()).add(id)
        if step.get("kind") == "branch":
            after[id] |= {word(step.get(field)) for field in ("then", "else") if field in step}
        before = id
    return after


def _reaches(start: str, goal: str, after: dict[str, set[str]], done: set[str]) -> bool:
    waiting, seen = list(after.get(start, ())), set[str]()
    while waiting:
        one = waiting.pop()
        if one == goal:
            return True
        if one not in seen and one not in done:
            seen.add(one)
            waiting += after.get(one, ())
    done.add(start)
    return False


@pack_rule("PP609", "warning", "Join is not written down")
def implicit_join(parts: Parts) -> Iterable[Note]:
    """The step stands after a branch or a parallel step without saying what it depends on, so
    readers and viewers cannot tell where the ways meet again. Write `depends_on`."""
    for name, composition in parts.compositions.items():
        steps = listed(composition.get("steps"))
        targets = {word(step.get(field)) for _, step in steps for field in ("then", "else")}
        for (_, before), (index, step) in pairwise(steps):
            if before.get("kind") not in ("branch", "parallel") or "depends_on" in step:
                continue
            if before.get("kind") == "branch" and word(step.get("id")) in targets:
                continue
            here = ("compositions", name, "steps", index)
            yield Note(
                message=f"{word(step.get('id'))!r} follows a {before['kind']} step "
                "without saying what it depends on.",
                pointer=here,
                fix=set_fix(
                    parts,
                    f"Depend on {word(before.get('id'))}",
                    (*here, "depends_on"),
                    [word(before.get("id"))],
                ),
            )


@pack_rule("PP610", "warning", "Depends on a later step")
def later_dependency(parts: Parts) -> Iterable[Note]:
    """Steps run in the order in which they stand; `depends_on` does not change that. A step that
    depends on a later one runs before it. Move one of the two."""
    for name, composition in parts.compositions.items():
        steps = listed(composition.get("steps"))
        place = {word(step.get("id")): index for index, step in steps}
        for index, step in steps:
            for at, other in enumerate(words(step.get("depends_on"))):
                if place.get(other, -1) >= index:
                    yield Note(
                        message=f"{word(step.get('id'))!r} depends on {other!r}, "
                        "which runs after it.",
                        pointer=("compositions", name, "steps", index, "depends_on", at),
                    )


@pack_rule("PP611", "warning", "Composition is never used")
def unused_composition(parts: Parts) -> Iterable[Note]:
    """No state runs this composition, and there is no other way to reach one. Let a state run it,
    or remove it."""
    used = {word(state.get("composition")) for state in parts.states.values()}
    for name in parts.compositions:
        if name not in used:
            yield Note(
                message=f"No state runs the composition {name!r}.",
                pointer=("compositions", name),
                fix=make_fix("Remove it", RemoveObject(element=f"composition:{name}")),
            )


@pack_rule("PP612", "warning", "Result of a step without one")
def output_of_a_branch(parts: Parts) -> Iterable[Note]:
    """A branch only chooses the way and has no output of its own, so it cannot be the result of a
    composition. Name the step that the result comes from."""
    for name, composition, steps in _each(parts):
        kinds = {word(step.get("id")): step.get("kind") for _, step in steps}
        if kinds.get(word(composition.get("output"))) == "branch":
            yield Note(
                message=f"The result of {name!r} is a branch, which has none.",
                pointer=("compositions", name, "output"),
            )
