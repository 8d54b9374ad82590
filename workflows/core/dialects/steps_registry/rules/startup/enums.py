"""Startup checks of answer schemas: a missing schema, or an enum that differs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.startup.problem import Problem, of_steps
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaProblem,
    enum_location,
    enum_of,
    intent_keys,
    plain_enum,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.json.document import Pointer


@of_steps
def enums(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for step in steps:
        if step.gate is None or step.reference is None or intent_keys(step) is None:
            continue
        if (enum := plain_enum(source, step)) is not None and set(enum) == set(step.allowed):
            continue
        if (problem := _enum_problem(source, step)) is not None:
            yield problem


def _enum_problem(source: RegistrySource, step: Step) -> Problem | None:
    reference = step.reference
    gate = step.gate or {}
    assert reference is not None
    at_reference: Pointer = ("steps", step.id, "outputSchemaRef")
    try:
        location = enum_location(source, step)
    except SchemaProblem as problem:
        rule = "SR301" if "no such file" in str(problem) or "not JSON" in str(problem) else "SR302"
        return Problem(
            code="SR-VALID-003",
            rule=rule if "$ref" not in str(problem) else "SR305",
            line=f'Step "{step.id}": Failed to load schema for enum validation: {problem}',
            pointer=at_reference,
            detail=(str(problem),),
        )
    if location is None:
        return Problem(
            code="SR-VALID-003",
            rule="SR303",
            line=f'Step "{step.id}": intentSchemaRef "{gate.get("intentSchemaRef")}" does '
            f"not point to an enum in {reference[0]}#{reference[1]}",
            pointer=("steps", step.id, "structuredGate", "intentSchemaRef"),
        )
    enum = enum_of(source, location)
    missing = [item for item in step.allowed if item not in enum]
    extra = [item for item in enum if item not in step.allowed]
    if not missing and not extra:
        return None
    parts = []
    if missing:
        parts.append(f"allowedIntents [{', '.join(missing)}] not in schema")
    if extra:
        parts.append(f"schema has extra [{', '.join(extra)}] not in allowedIntents")
    return Problem(
        code="SR-VALID-003",
        rule="SR304",
        line=f'Step "{step.id}": enum mismatch - {"; ".join(parts)}. Expected exact match: '
        f"allowedIntents=[{', '.join(step.allowed)}], schema enum=[{', '.join(enum)}]",
        pointer=("steps", step.id, "structuredGate", "allowedIntents"),
        detail=(", ".join(missing), ", ".join(extra)),
    )
