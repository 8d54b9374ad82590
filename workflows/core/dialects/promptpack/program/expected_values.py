"""Values that later steps of a composition expect, as a schema and as sample answers.

The JSON Schema of a step's output is usually outside the pack. The expected shape is derived from
the references and predicates of later steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.dialects.promptpack.program.composition_plan import Plan, Step
from workflows.core.dialects.promptpack.program.predicates import PathValues, values_for
from workflows.core.dialects.promptpack.program.references import paths_in
from workflows.core.text.json.pointer import unescape
from workflows.core.text.tolerant import as_object, as_str, is_number

Path = tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class BranchAnswer:
    """A value that decides a branch: `step` is the branch step, `to` its target."""

    step: Step
    taken: str
    to: str
    value: Any


def schema_at(reference: str, tree: Object) -> Object | None:
    """The schema that `#/a/b` refers to inside the pack, None for a schema outside it."""
    if not reference.startswith("#/"):
        return None
    value: Any = tree
    for name in reference[2:].split("/"):
        value = as_object(value).get(unescape(name))
    return value if isinstance(value, dict) else None


def values_read(plan: Plan, start: Path) -> dict[Path, Any]:
    """The paths below `start` that steps read, each with a value that it is compared with (None if
    it is only passed on)."""
    values: dict[Path, Any] = {}
    for step in plan.steps_by_id.values():
        for path in paths_in({key: step.body.get(key) for key in ("input", "args")}):
            values.setdefault(path, None)
        predicate = step.body.get("predicate") if step.kind == "branch" else None
        for path, value in (values_for(predicate, True) | _compared_values(predicate)).items():
            if values.get(path) is None:
                values[path] = value
    size = len(start)
    return {path[size:]: value for path, value in values.items() if path[:size] == start}


def _compared_values(predicate: Any) -> PathValues:
    """Every path of a predicate with its compared value, including all parts of `any_of`."""
    both = values_for(predicate, False)
    return {path: value for path, value in both.items() if value is not None}


def schema_of(read: Mapping[Path, Any]) -> dict[str, Any]:
    """The minimal schema of a value with these paths."""
    names: dict[str, dict[Path, Any]] = {}
    for path, value in read.items():
        if path:
            names.setdefault(path[0], {})[path[1:]] = value
    if not names:
        return _type_of(read.get(()))
    return {
        "type": "object",
        "properties": {name: schema_of(rest) for name, rest in names.items()},
        "required": list(names),
    }


def _type_of(value: Any) -> dict[str, Any]:
    match value:
        case bool():
            return {"type": "boolean"}
        case str():
            return {"type": "string"}
        case list():
            return {"type": "array"}
    return {"type": "number"} if is_number(value) else {}


def input_schema(plan: Plan, tree: Object) -> Object | None:
    """The schema of a composition's input; None if any text is accepted."""
    declared = schema_at(as_str(plan.body.get("input_schema")), tree)
    if declared is not None:
        return declared
    read = values_read(plan, ("input",))
    return schema_of(read) if any(read) else None


def output_schema(plan: Plan, step: Step, tree: Object) -> Object | None:
    """The schema of a step's answer; None if it declares none, or nothing defines its shape."""
    if not step.structured:
        return None
    declared = schema_at(as_str(step.body.get("output_schema")), tree)
    return (
        declared
        if declared is not None
        else schema_of(values_read(plan, (step.id, "output"))) or None
    )


def branch_answers(plan: Plan, start: Iterable[str]) -> Iterator[BranchAnswer]:
    """Values for `start` that decide a branch step, one for each of its targets."""
    prefix = tuple(start)
    for step in plan.steps:
        if step.kind != "branch":
            continue
        for wanted, taken in ((True, "then"), (False, "else")):
            wish = {
                path[len(prefix) :]: value
                for path, value in values_for(step.body.get("predicate"), wanted).items()
                if path[: len(prefix)] == prefix
            }
            if wish:
                to = as_str(step.body.get(taken))
                yield BranchAnswer(step=step, taken=taken, to=to, value=build_value(wish))


def build_value(wish: PathValues) -> Any:
    """One value that has all of these values at their paths."""
    if () in wish:
        return wish[()]
    names: dict[str, PathValues] = {}
    for path, value in wish.items():
        names.setdefault(path[0], {})[path[1:]] = value
    return {name: build_value(rest) for name, rest in names.items()}


def example(read: Mapping[Path, Any], decided: Any) -> Any:
    """A value that contains `decided` and every path that is read."""
    if not isinstance(decided, dict):
        return decided
    names = dict.fromkeys(path[0] for path in read if path)
    result = dict(decided)
    for name in names:
        below = {path[1:]: value for path, value in read.items() if path and path[0] == name}
        if any(below):
            result[name] = example(below, result.get(name, {}))
        elif name not in result:
            result[name] = below[()] if below[()] is not None else f"some {name}"
    return result
