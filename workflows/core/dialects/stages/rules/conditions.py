"""Rules over the conditions of gates, asserts and cases, and over their paths (section 16.2)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from workflows.core.dialects.stages.format.paths import Path, read_path
from workflows.core.dialects.stages.format.predicates import (
    ROOTS,
    RUN_FIELDS,
    paths,
    problems,
    subconditions,
)
from workflows.core.dialects.stages.format.templates import RESERVED_FIELDS
from workflows.core.dialects.stages.rules.handover import RESULT_FIELDS
from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.engine.rehearsal.answer_gaps import ANY, Gap
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix, quoted_list
from workflows.core.text.tolerant import as_object, indexed_objects

Pointer = tuple[str | int, ...]
GATE_ROOTS = ("ctx", "slot", "run")
"""Roots of a gate's paths. A gate is tested before the stage has a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A condition of a stage: its pointer in the stage's entry, and the roots that it may use."""

    stage: str
    pointer: Pointer
    value: Any
    roots: tuple[str, ...] = ROOTS


@lru_cache(maxsize=2)
def conditions(facts: Facts) -> tuple[Condition, ...]:
    """All conditions of the pipeline, stage by stage. Cached, because most rules need them."""
    return tuple(_conditions(facts))


def _conditions(facts: Facts) -> Iterator[Condition]:
    for stage in facts.entries:
        entry = facts.source.entry(stage)
        gate, checks, after = entry.get("gate"), entry.get("assert"), entry.get("next")
        if isinstance(gate, dict) and "when" in gate:
            yield Condition(
                stage=stage, pointer=("gate", "when"), value=gate["when"], roots=GATE_ROOTS
            )
        for index, item in indexed_objects(checks):
            if "unless" in item:
                where = ("assert", index, "unless")
                yield Condition(stage=stage, pointer=where, value=item["unless"])
        for index, item in indexed_objects(as_object(after).get("cases")):
            pointer = ("next", "cases", index, "when")
            yield Condition(stage=stage, pointer=pointer, value=item.get("when"))


def _paths(facts: Facts, root: str) -> Iterator[tuple[Condition, Pointer, Path]]:
    """Every path with this root in a condition, with its pointer in the stage's entry."""
    return (use for use in _all_paths(facts) if use[2].root == root)


@lru_cache(maxsize=2)
def _all_paths(facts: Facts) -> tuple[tuple[Condition, Pointer, Path], ...]:
    return tuple(
        (condition, (*condition.pointer, *use.pointer), use.path)
        for condition in conditions(facts)
        for use in paths(condition.value)
    )


@stage_rule("ST501", "error", "Condition is not valid", profiles=EVERY)
def malformed(facts: Facts) -> Iterable[Note]:
    """A condition is `{path, op, value}`, or `all`, `any` or `not` around others. This one has
    another shape, or reads a value that does not exist yet: a gate is tested before there is a
    result. Runs refuse it. The message names the problem."""
    for condition in conditions(facts):
        for fault in problems(condition.value, condition.roots):
            yield Note(
                message=f"In a condition of {condition.stage!r}: {fault.message}.",
                place=facts.entry(condition.stage, *condition.pointer, *fault.pointer),
                hint="A path begins with result, ctx, slot or run. Expressions are not supported.",
            )


@stage_rule("ST502", "warning", "Unknown field of a result", profiles=EVERY)
def unknown_result(facts: Facts) -> Iterable[Note]:
    """The condition reads a field that results do not have. The fields are verdict, reason, parsed,
    capHit, attemptCount and output; the payload of the completion tool is in `parsed`."""
    for condition, pointer, path in _paths(facts, "result"):
        first = path.steps[0] if path.steps else None
        if first is None or first in RESULT_FIELDS:
            continue
        properties = _properties(facts.values(condition.stage).get("completionSchema"))
        meant = f"result.parsed{path.text[len('result') :]}" if first in properties else ""
        yield Note(
            message=f"A condition of {condition.stage!r} reads {path.text!r}, but a result has no"
            f" {str(first)!r}.",
            place=facts.entry(condition.stage, *pointer),
            hint=f"Fields: {quoted_list(RESULT_FIELDS, 6)}.",
            fix=make_fix(f"Read {meant}", set_in_stage(condition.stage, *pointer, value=meant))
            if meant
            else None,
        )


def _properties(schema: Any) -> dict[str, Any]:
    return as_object(as_object(schema).get("properties"))


@stage_rule("ST503", "error", "Condition contradicts the schema", profiles=EVERY)
def ruled_out(facts: Facts) -> Iterable[Note]:
    """The condition reads a property that the stage's own completion schema does not have, or
    compares it with a value that the schema rules out, so it always has the same outcome. Correct
    the name or the value, or change the schema. Objects of a schema have the properties that it
    lists, unless it has `additionalProperties`."""
    for condition in conditions(facts):
        for pointer, simple in _simple(condition.value, ()):
            missing = _never(facts, condition, simple)
            if missing is not None:
                yield Note(
                    message=f"In a condition of {condition.stage!r}: {missing.reason}.",
                    place=facts.entry(condition.stage, *condition.pointer, *pointer),
                    hint=missing.next_step,
                )


def _simple(condition: Any, at: Pointer) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """The simple comparisons inside a condition."""
    if len(at) > 64:
        return
    if isinstance(condition, dict) and isinstance(condition.get("path"), str):
        yield at, condition
    for inner, part in subconditions(condition):
        yield from _simple(part, (*at, *inner))


def _never(facts: Facts, condition: Condition, simple: dict[str, Any]) -> Gap | None:
    """The gap for which a comparison always has the same outcome."""
    use = next(iter(paths(simple)), None)
    if use is None:
        return None
    path = use.path
    if condition.pointer[0] == "next":
        path = _copied(facts, condition.stage, path)
    values: list[Any] = [ANY]
    match simple:
        case {"op": "equals" | "notEquals", "value": value}:
            values = [value]
        case {"op": "in", "value": list(several)} if several:
            values = several
    gaps = [facts.result_gap(condition.stage, path, value) for value in values]
    return None if None in gaps else gaps[0]


def _copied(facts: Facts, stage: str, path: Path) -> Path:
    """The path that the stage's own `exit` copies to the slot or to the output, if this reads it
    there."""
    leaving = facts.source.entry(stage).get("exit")
    whole = (path.root, *path.steps)
    for place, prefix in (("slot", ("slot",)), ("output", ("result", "output"))):
        kept = as_object(leaving).get(place)
        at = len(prefix)
        if whole[:at] == prefix and len(whole) > at and isinstance(kept, dict):
            origin = read_path(kept.get(str(whole[at])))
            if origin is not None:
                return replace(origin, steps=(*origin.steps, *whole[at + 1 :]))
    return path


@stage_rule("ST504", "warning", "Condition reads an undeclared field", profiles=EVERY)
def undeclared_ctx(facts: Facts) -> Iterable[Note]:
    """The condition reads a field of ctx that the stage's `setup` does not set, so it compares
    nothing. Add the field to `setup`, or correct its name."""
    for condition, pointer, path in _paths(facts, "ctx"):
        first = path.steps[0] if path.steps else None
        declared = facts.fields.get(condition.stage, {})
        if first is None or first in declared or first in RESERVED_FIELDS:
            continue
        near = closest_name(str(first), declared)
        meant = f"ctx.{near}{path.text[len('ctx.') + len(str(first)) :]}"
        yield Note(
            message=f"A condition of {condition.stage!r} reads {path.text!r}, but setup does not"
            f" set {str(first)!r}.",
            place=facts.entry(condition.stage, *pointer),
            fix=make_fix(f"Read {meant}", set_in_stage(condition.stage, *pointer, value=meant))
            if near
            else None,
        )


@stage_rule("ST505", "warning", "Condition reads a slot that is never written", profiles=EVERY)
def unwritten_slot(facts: Facts) -> Iterable[Note]:
    """The condition reads a name of the state slot that no stage's `exit` writes, so it never has a
    value. Write the name in the `exit` of a stage, or correct it."""
    for condition, pointer, path in _paths(facts, "slot"):
        first = path.steps[0] if path.steps else None
        if first is None or first in facts.slots:
            continue
        near = closest_name(str(first), facts.slots)
        meant = f"slot.{near}{path.text[len('slot.') + len(str(first)) :]}"
        yield Note(
            message=f"A condition of {condition.stage!r} reads {path.text!r}, but no exit writes"
            f" {str(first)!r}.",
            place=facts.entry(condition.stage, *pointer),
            fix=make_fix(f"Read {meant}", set_in_stage(condition.stage, *pointer, value=meant))
            if near
            else None,
        )


@stage_rule("ST506", "warning", "Unknown value of a run", profiles=EVERY)
def unknown_run(facts: Facts) -> Iterable[Note]:
    """The condition reads a value that runs do not have. A run has `run.input` with its inputs,
    `run.workflowRunId`, and `run.visits` by stage. An input that `runInputSchema` does not describe
    is probably misspelt."""
    for condition, pointer, path in _paths(facts, "run"):
        reason = unknown_in_run(facts, path)
        if reason:
            yield Note(
                message=f"A condition of {condition.stage!r} reads {path.text!r}, but {reason}.",
                place=facts.entry(condition.stage, *pointer),
            )


def unknown_in_run(facts: Facts, path: Path) -> str:
    """The reason why a path into the run has no value, or ""."""
    steps = path.steps
    if not steps:
        return ""
    if steps[0] not in RUN_FIELDS:
        return f"a run only has {quoted_list(RUN_FIELDS)}"
    if len(steps) < 2:
        return ""
    name = steps[1]
    if steps[0] == "input" and facts.inputs is not None and name not in facts.inputs:
        return f"the run's input has no {str(name)!r}"
    if steps[0] == "visits" and name not in facts.source.stages:
        return f"there is no stage {str(name)!r}"
    return ""
