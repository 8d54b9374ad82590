"""Rules over the conditions of gates, asserts and cases, and over their paths (section 16.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from workflows.core.dialects.stages.format.paths import Path
from workflows.core.dialects.stages.format.predicates import (
    ROOTS,
    RUN_FIELDS,
    paths,
    problems,
    subconditions,
)
from workflows.core.dialects.stages.format.templates import RESERVED_FIELDS
from workflows.core.dialects.stages.rules.handover import RESULT_FIELDS
from workflows.core.dialects.stages.rules.kit import (
    set_in_stage,
    stage_rule,
)
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.dialects.stages.schemas.validity import encoded, problem, validator
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import closest_name
from workflows.core.rules.kit import Note, make_fix, quoted_list

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
        for index, item in enumerate(checks if isinstance(checks, list) else ()):
            if isinstance(item, dict) and "unless" in item:
                where = ("assert", index, "unless")
                yield Condition(stage=stage, pointer=where, value=item["unless"])
        cases = after.get("cases") if isinstance(after, dict) else None
        for index, item in enumerate(cases if isinstance(cases, list) else ()):
            if isinstance(item, dict):
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
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


@stage_rule("ST503", "warning", "Condition contradicts the schema", profiles=EVERY)
def ruled_out(facts: Facts) -> Iterable[Note]:
    """The condition reads a property that the stage's own completion schema does not allow, or
    compares it with a value that the schema rules out, so it always has the same outcome. Correct
    the name or the value, or change the schema."""
    for condition in conditions(facts):
        schema = facts.values(condition.stage).get("completionSchema")
        if not isinstance(schema, dict) or problem(schema) is not None:
            continue
        for pointer, simple in _simple(condition.value, ()):
            reason = _never(schema, simple)
            if reason:
                yield Note(
                    message=f"In a condition of {condition.stage!r}: {reason}.",
                    place=facts.entry(condition.stage, *condition.pointer, *pointer),
                )


def _simple(condition: Any, at: Pointer) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """The simple comparisons inside a condition."""
    if len(at) > 64:
        return
    if isinstance(condition, dict) and isinstance(condition.get("path"), str):
        yield at, condition
    for inner, part in subconditions(condition):
        yield from _simple(part, (*at, *inner))


def _never(schema: dict[str, Any], simple: dict[str, Any]) -> str:
    """The reason why a comparison always has the same outcome, or ""."""
    place = next(iter(paths(simple)), None)
    if place is None or place.path.root != "result" or place.path.steps[:1] != ("parsed",):
        return ""
    inner: Any = schema
    for step in place.path.steps[1:]:
        properties = _properties(inner)
        if not isinstance(step, str) or not properties:
            return ""
        if step not in properties:
            return f"the schema allows no {step!r}" if _closed(inner) else ""
        inner = properties[step]
    if simple.get("op") not in ("equals", "notEquals") or "value" not in simple:
        return ""
    if not isinstance(inner, dict) or _refers(inner) or problem(inner) is not None:
        return ""
    value = json.dumps(simple["value"], ensure_ascii=False)
    fits = validator(inner).is_valid(simple["value"])
    return "" if fits else f"{place.path.text} is never {value}"


def _closed(schema: Any) -> bool:
    return schema.get("additionalProperties") is False and "patternProperties" not in schema


def _refers(schema: Any) -> bool:
    return "$ref" in encoded(schema)


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
