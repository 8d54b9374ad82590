"""PP630 and PP631: branches and references that read a value no answer of the step has
(promptpack.md section 5.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.promptpack.format.parts import (
    Object,
    Parts,
    Pointer,
    as_str,
    steps_of,
)
from workflows.core.dialects.promptpack.program.branch_answers import reference_path
from workflows.core.dialects.promptpack.program.composition_plan import Plan
from workflows.core.dialects.promptpack.program.expected_values import schema_at
from workflows.core.dialects.promptpack.program.references import paths_in
from workflows.core.dialects.promptpack.rules.kit import pack_rule
from workflows.core.engine.rehearsal.answer_gaps import ANY, read_gap
from workflows.core.limits import VALUE_DEPTH
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note

Path = tuple[str, ...]
MODEL_STEPS = ("prompt", "agent")
TEXT: Object = {"type": "string"}
"""The schema of an answer without `output_schema`."""


@pack_rule("PP630", "error", "Field of a text answer", profiles=EVERY)
def field_of_text(parts: Parts) -> Iterable[Note]:
    """The output of a prompt or agent step without `output_schema` is text, even if the text is
    JSON, and a text has no fields. A branch that reads a field of it always takes the same way, and
    any other reference to the field ends the run. Give the step an `output_schema`, or read its
    whole output."""
    for read in _reads(parts):
        if read.schema is TEXT and read.inner:
            yield Note(
                message=f"${{{'.'.join(read.path)}}} reads a field of the answer of "
                f"{read.step!r}, which is text.",
                pointer=read.pointer,
                hint=f"Add an output_schema to the step {read.step!r}.",
            )


@pack_rule("PP631", "error", "Value that the schema does not allow", profiles=EVERY)
def field_outside_schema(parts: Parts) -> Iterable[Note]:
    """The `output_schema` of a step lists what its model may answer. A branch compares the answer
    with a value that the schema rules out, or a reference reads a property that it does not have:
    the branch always takes the same way, and the reference ends the run. Correct the name or the
    value, or change the schema."""
    for read in _reads(parts):
        if read.schema is TEXT:
            continue
        gaps = [read_gap(read.schema, _steps_in(read.inner), value) for value in read.values]
        if gaps and gaps[0] is not None and None not in gaps:
            yield Note(
                message=f"${{{'.'.join(read.path)}}} reads the answer of {read.step!r}, but "
                f"{gaps[0].reason}.",
                pointer=read.pointer,
                hint=gaps[0].next_step,
            )


@dataclass(frozen=True, slots=True, kw_only=True)
class _Read:
    """A reference to the output of a model step. `inner` is the path inside the output, `values`
    those that it is compared with; one of them has to be possible."""

    pointer: Pointer
    path: Path
    step: str
    inner: Path
    schema: Object
    values: tuple[Any, ...]


def _steps_in(path: Path) -> tuple[str | int, ...]:
    return tuple(int(part) if part.isdecimal() else part for part in path)


def _reads(parts: Parts) -> Iterator[_Read]:
    for name, composition in parts.compositions.items():
        outputs = _outputs(parts, name, composition)
        for pointer, step in steps_of(("compositions", name, "steps"), composition.get("steps")):
            for where, path, values in _references(pointer, step) if outputs else ():
                size = next((n for n in range(2, len(path) + 1) if path[:n] in outputs), 0)
                if size:
                    source, schema = outputs[path[:size]]
                    yield _Read(
                        pointer=where,
                        path=path,
                        step=source,
                        inner=path[size:],
                        schema=schema,
                        values=values,
                    )


def _outputs(parts: Parts, name: str, composition: Object) -> Mapping[Path, tuple[str, Object]]:
    """The path of the output of each model step: the step, and the schema of its answer. Those of
    a schema outside the pack are left out."""
    plan = Plan(name=name, body=composition)
    if plan.problem:
        return {}
    outputs: dict[Path, tuple[str, Object]] = {}
    for step in plan.steps_by_id.values():
        reference = as_str(step.body.get("output_schema"))
        schema = schema_at(reference, parts.tree) if reference else TEXT
        if step.kind in MODEL_STEPS and schema is not None:
            outputs[reference_path(plan, step)] = step.id, schema
    return outputs


def _references(pointer: Pointer, step: Object) -> Iterator[tuple[Pointer, Path, tuple[Any, ...]]]:
    for field in ("input", "args"):
        for path in paths_in(step.get(field)):
            yield (*pointer, field), path, (ANY,)
    yield from _compared(step.get("predicate"), (*pointer, "predicate"))


def _compared(predicate: Any, pointer: Pointer) -> Iterator[tuple[Pointer, Path, tuple[Any, ...]]]:
    """The paths that a predicate reads, at any depth that a run evaluates, each with the values of
    its comparison."""
    if len(pointer) > 2 * VALUE_DEPTH:
        return
    match predicate:
        case {"path": str(path)}:
            values: tuple[Any, ...] = (ANY,)
            match predicate:
                case {"op": "equals" | "not_equals", "value": value}:
                    values = (value,)
                case {"op": "in" | "not_in", "value": list(several)}:
                    values = tuple(several)
            for each in paths_in(path):
                yield (*pointer, "path"), each, values
        case {"not": part}:
            yield from _compared(part, (*pointer, "not"))
        case {"all_of": list(listed)} | {"any_of": list(listed)}:
            key = "all_of" if "all_of" in predicate else "any_of"
            for index, part in enumerate(listed):
                yield from _compared(part, (*pointer, key, index))
