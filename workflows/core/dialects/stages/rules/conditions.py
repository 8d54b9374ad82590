"""Rules over conditions: those of gates, asserts and cases, and where their paths lead
(section 16.2)."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.paths import Path
from workflows.core.dialects.stages.predicates import ROOTS, RUN_FIELDS, parts, paths, problems
from workflows.core.dialects.stages.rules.facts import Facts
from workflows.core.dialects.stages.rules.handover import RESULT_FIELDS
from workflows.core.dialects.stages.rules.saying import (
    Say,
    button,
    closest,
    named,
    off_stage,
    on_stage,
    stage_rule,
)
from workflows.core.dialects.stages.schemas import problem, validator
from workflows.core.dialects.stages.templates import RESERVED_FIELDS

Pointer = tuple[str | int, ...]
GATE_ROOTS = ("ctx", "slot", "run")
"""A gate is asked before there is a result."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """One condition of a stage: where it stands in its entry, and what it may look at."""

    stage: str
    pointer: Pointer
    value: Any
    roots: tuple[str, ...] = ROOTS


def conditions(facts: Facts) -> Iterator[Condition]:
    """Every condition of the pipeline, stage by stage."""
    for stage in facts.entries:
        entry = facts.source.entry(stage)
        gate, checks, after = entry.get("gate"), entry.get("assert"), entry.get("next")
        if isinstance(gate, dict) and "when" in gate:
            yield Condition(
                stage=stage, pointer=("gate", "when"), value=gate["when"], roots=GATE_ROOTS
            )
        for index, item in enumerate(checks if isinstance(checks, list) else ()):
            if isinstance(item, dict) and "unless" in item:
                asked = ("assert", index, "unless")
                yield Condition(stage=stage, pointer=asked, value=item["unless"])
        cases = after.get("cases") if isinstance(after, dict) else None
        for index, item in enumerate(cases if isinstance(cases, list) else ()):
            if isinstance(item, dict):
                pointer = ("next", "cases", index, "when")
                yield Condition(stage=stage, pointer=pointer, value=item.get("when"))


def _paths(facts: Facts, root: str) -> Iterator[tuple[Condition, Pointer, Path]]:
    """Every path with this root that a condition looks at, with its place in the stage's entry."""
    for condition in conditions(facts):
        for use in paths(condition.value):
            if use.path.root == root:
                yield condition, (*condition.pointer, *use.pointer), use.path


@stage_rule("ST501", "error", "Condition cannot be decided")
def malformed(facts: Facts) -> Iterable[Say]:
    """A condition is `{path, op, value}`, or `all`, `any` or `not` around others. This one is
    neither, or looks at something that is not there when it is asked: a gate comes before the
    result. Runs refuse it. The message says what is wrong."""
    for condition in conditions(facts):
        for found in problems(condition.value, condition.roots):
            yield Say(
                message=f"In a condition of {condition.stage!r}: {found.message}.",
                place=facts.entry(condition.stage, *condition.pointer, *found.pointer),
                hint="Paths begin with result, ctx, slot or run; there is no expression language.",
            )


@stage_rule("ST502", "warning", "Result has no such field")
def unknown_result(facts: Facts) -> Iterable[Say]:
    """The condition looks at a part of the result that no result has. There are verdict, reason,
    parsed, capHit, attemptCount and output; what the model handed over is under `parsed`."""
    for condition, pointer, path in _paths(facts, "result"):
        first = path.steps[0] if path.steps else None
        if first is None or first in RESULT_FIELDS:
            continue
        properties = _properties(facts.values(condition.stage).get("completionSchema"))
        meant = f"result.parsed{path.text[len('result') :]}" if first in properties else ""
        yield Say(
            message=f"{path.text!r} in a condition of {condition.stage!r}: a result has no"
            f" {str(first)!r}.",
            place=facts.entry(condition.stage, *pointer),
            hint=f"It has {named(RESULT_FIELDS, 6)}.",
            fix=button(f"Look at {meant}", on_stage(condition.stage, *pointer, value=meant))
            if meant
            else None,
        )


def _properties(schema: Any) -> dict[str, Any]:
    known = schema.get("properties") if isinstance(schema, dict) else None
    return known if isinstance(known, dict) else {}


@stage_rule("ST503", "warning", "Schema rules this value out")
def ruled_out(facts: Facts) -> Iterable[Say]:
    """The condition looks at a property that the stage's own completion schema does not allow, or
    compares it with a value that the schema rules out. It then always comes out the same way.
    Correct the name or the value, or let the schema allow it."""
    for condition in conditions(facts):
        schema = facts.values(condition.stage).get("completionSchema")
        if not isinstance(schema, dict) or problem(schema) is not None:
            continue
        for pointer, simple in _simple(condition.value, ()):
            said = _never(schema, simple)
            if said:
                yield Say(
                    message=f"In a condition of {condition.stage!r}: {said}.",
                    place=facts.entry(condition.stage, *condition.pointer, *pointer),
                )


def _simple(condition: Any, at: Pointer) -> Iterator[tuple[Pointer, dict[str, Any]]]:
    """The comparisons that a condition is made of."""
    if len(at) > 64:
        return
    if isinstance(condition, dict) and isinstance(condition.get("path"), str):
        yield at, condition
    for way, part in parts(condition):
        yield from _simple(part, (*at, *way))


def _never(schema: dict[str, Any], simple: dict[str, Any]) -> str:
    """Why a comparison can have one outcome alone, "" where it can have both."""
    found = next(iter(paths(simple)), None)
    if found is None or found.path.root != "result" or found.path.steps[:1] != ("parsed",):
        return ""
    inner: Any = schema
    for step in found.path.steps[1:]:
        known = _properties(inner)
        if not isinstance(step, str) or not known:
            return ""
        if step not in known:
            return f"the schema allows no {step!r}" if _closed(inner) else ""
        inner = known[step]
    if simple.get("op") not in ("equals", "notEquals") or "value" not in simple:
        return ""
    if not isinstance(inner, dict) or _refers(inner) or problem(inner) is not None:
        return ""
    value = json.dumps(simple["value"], ensure_ascii=False)
    fits = validator(inner).is_valid(simple["value"])
    return "" if fits else f"{found.path.text} is never {value}"


def _closed(schema: Any) -> bool:
    return schema.get("additionalProperties") is False and "patternProperties" not in schema


def _refers(schema: Any) -> bool:
    return "$ref" in json.dumps(schema, default=str)


@stage_rule("ST504", "warning", "Field that setup does not set")
def undeclared_ctx(facts: Facts) -> Iterable[Say]:
    """The condition looks at a field of ctx that the stage's `setup` does not set, so there is
    nothing to compare. Add the field to `setup`, or correct its name."""
    for condition, pointer, path in _paths(facts, "ctx"):
        first = path.steps[0] if path.steps else None
        declared = facts.fields.get(condition.stage, {})
        if first is None or first in declared or first in RESERVED_FIELDS:
            continue
        near = closest(str(first), declared)
        meant = f"ctx.{near}{path.text[len('ctx.') + len(str(first)) :]}"
        yield Say(
            message=f"{path.text!r} in a condition of {condition.stage!r}: setup sets no"
            f" {str(first)!r}.",
            place=facts.entry(condition.stage, *pointer),
            fix=button(f"Look at {meant}", on_stage(condition.stage, *pointer, value=meant))
            if near
            else None,
        )


@stage_rule("ST505", "warning", "Slot that nothing writes")
def unwritten_slot(facts: Facts) -> Iterable[Say]:
    """The condition looks into the state slot for a name that no stage's `exit` writes, so it is
    never there. Write it where the value is known, or correct the name."""
    for condition, pointer, path in _paths(facts, "slot"):
        first = path.steps[0] if path.steps else None
        if first is None or first in facts.slots:
            continue
        near = closest(str(first), facts.slots)
        meant = f"slot.{near}{path.text[len('slot.') + len(str(first)) :]}"
        yield Say(
            message=f"{path.text!r} in a condition of {condition.stage!r}: nothing writes"
            f" {str(first)!r} into the slot.",
            place=facts.entry(condition.stage, *pointer),
            fix=button(f"Look at {meant}", on_stage(condition.stage, *pointer, value=meant))
            if near
            else None,
        )


@stage_rule("ST506", "warning", "Run has no such value")
def unknown_run(facts: Facts) -> Iterable[Say]:
    """The condition looks at something a run does not have. There are `run.input` with what the run
    was started with, `run.workflowRunId`, and `run.visits` by stage; and an input that the
    pipeline's `runInputSchema` does not describe is probably misspelt."""
    for condition, pointer, path in _paths(facts, "run"):
        said = unknown_in_run(facts, path)
        if said:
            yield Say(
                message=f"{path.text!r} in a condition of {condition.stage!r}: {said}.",
                place=facts.entry(condition.stage, *pointer),
            )


def unknown_in_run(facts: Facts, path: Path) -> str:
    """Why a path into the run finds nothing, "" where it may."""
    steps = path.steps
    if not steps:
        return ""
    if steps[0] not in RUN_FIELDS:
        return f"a run has {named(RUN_FIELDS)}"
    if len(steps) < 2:
        return ""
    name = steps[1]
    if steps[0] == "input" and facts.inputs is not None and name not in facts.inputs:
        return f"the run's input has no {str(name)!r}"
    if steps[0] == "visits" and name not in facts.source.stages:
        return f"there is no stage {str(name)!r}"
    return ""


@stage_rule("ST507", "warning", "Case that is never taken")
def shadowed_case(facts: Facts) -> Iterable[Say]:
    """Two cases of one stage have the same condition, so the second can never be taken: the first
    one is asked before it. Change the condition, or remove the case."""
    for stage in facts.entries:
        seen: dict[str, int] = {}
        for index, case in _cases(facts, stage):
            text = json.dumps(case.get("when"), sort_keys=True, default=str)
            if text in seen:
                yield Say(
                    message=f"Case {index + 1} of {stage!r} has the condition of case"
                    f" {seen[text] + 1} and is never taken.",
                    place=facts.entry(stage, "next", "cases", index, "when"),
                    fix=button("Remove it", off_stage(stage, "next", "cases", index)),
                )
            seen.setdefault(text, index)


def _cases(facts: Facts, stage: str) -> Iterator[tuple[int, dict[str, Any]]]:
    after = facts.source.entry(stage).get("next")
    cases = after.get("cases") if isinstance(after, dict) else None
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        if isinstance(case, dict):
            yield index, case


@stage_rule("ST508", "warning", "Cases that make no difference")
def indifferent_cases(facts: Facts) -> Iterable[Say]:
    """Every case of this stage, and what happens otherwise, lead to the same place, so the
    conditions decide nothing. Write the one step that is meant, or let a case lead elsewhere."""
    for stage, ways in facts.ways.items():
        plans = {
            (way.plan.stages, way.plan.parallel, way.plan.join, way.plan.terminate) for way in ways
        }
        if len(ways) > 1 and len(plans) == 1 and ways[-1].when is None:
            after: Any = facts.source.entry(stage)["next"]
            fix = on_stage(stage, "next", value=after["else"])
            yield Say(
                message=f"Every case of {stage!r} leads to the same place.",
                place=facts.entry(stage, "next", "cases"),
                fix=button("Keep the one step", fix),
            )


@stage_rule("ST509", "warning", "Cases without an else")
def no_else(facts: Facts) -> Iterable[Say]:
    """The stage has cases, and nothing says what follows if none of them is true. A run then ends
    as failed, at that point. Add `else`, even if it is an empty list."""
    for stage in facts.entries:
        after = facts.source.entry(stage).get("next")
        if isinstance(after, dict) and "cases" in after and "else" not in after:
            end = {"nextStages": [], "execution": "sequential"}
            yield Say(
                message=f"Nothing says what follows {stage!r} if none of its cases is true.",
                place=facts.entry(stage, "next"),
                fix=button("End there", on_stage(stage, "next", "else", value=end)),
            )
