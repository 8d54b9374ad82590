"""PP630: branches and references that read a field of a text answer (promptpack.md section 5.4)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts, Pointer, steps_of
from workflows.core.dialects.promptpack.program.branch_answers import reference_path
from workflows.core.dialects.promptpack.program.composition_plan import Plan
from workflows.core.dialects.promptpack.program.references import paths_in
from workflows.core.dialects.promptpack.rules.kit import pack_rule
from workflows.core.limits import VALUE_DEPTH
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note

Path = tuple[str, ...]
MODEL_STEPS = ("prompt", "agent")


@pack_rule("PP630", "warning", "Field of a text answer", profiles=EVERY)
def field_of_text(parts: Parts) -> Iterable[Note]:
    """The output of a prompt or agent step without `output_schema` is text, even if the text is
    JSON, and a text has no fields. A branch that reads a field of it always takes the same way, and
    any other reference to the field ends the run. Give the step an `output_schema`, or read its
    whole output."""
    for name, composition in parts.compositions.items():
        texts = _text_outputs(name, composition)
        for pointer, step in steps_of(("compositions", name, "steps"), composition.get("steps")):
            for where, path in _references(pointer, step):
                source = _text_step(path, texts)
                if source:
                    yield Note(
                        message=f"${{{'.'.join(path)}}} reads a field of the answer of {source!r}, "
                        "which is text.",
                        pointer=where,
                        hint=f"Add an output_schema to the step {source!r}.",
                    )


def _text_outputs(name: str, composition: Object) -> Mapping[Path, str]:
    """The path of the output of each model step that answers with text → the step."""
    plan = Plan(name=name, body=composition)
    if plan.problem:
        return {}
    return {
        reference_path(plan, step): step.id
        for step in plan.steps_by_id.values()
        if step.kind in MODEL_STEPS and not step.structured
    }


def _references(pointer: Pointer, step: Object) -> Iterator[tuple[Pointer, Path]]:
    for field in ("input", "args"):
        for path in paths_in(step.get(field)):
            yield (*pointer, field), path
    yield from _paths_of(step.get("predicate"), (*pointer, "predicate"))


def _paths_of(predicate: Any, pointer: Pointer) -> Iterator[tuple[Pointer, Path]]:
    """The paths that a predicate reads, at any depth that a run evaluates."""
    if len(pointer) > 2 * VALUE_DEPTH:
        return
    match predicate:
        case {"path": str(path)}:
            for each in paths_in(path):
                yield (*pointer, "path"), each
        case {"not": part}:
            yield from _paths_of(part, (*pointer, "not"))
        case {"all_of": list(listed)} | {"any_of": list(listed)}:
            key = "all_of" if "all_of" in predicate else "any_of"
            for index, part in enumerate(listed):
                yield from _paths_of(part, (*pointer, key, index))


def _text_step(path: Path, texts: Mapping[Path, str]) -> str:
    """The step whose text a path leads into, "" if it leads into none."""
    longer = (texts[path[:size]] for size in range(2, len(path)) if path[:size] in texts)
    return next(longer, "")
