"""Startup checks for generation B only (the unreleased 1.14, section 9.1)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import (
    CHAIN_ELEMENT,
    KINDS,
    PHASE_OF_SLOT,
)
from workflows.core.dialects.steps_registry.rules.startup.problem import Problem, of_steps
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.tolerant import as_list, as_object

FLAT = ("c1", "c2", "c3", "edition", "adaptation")
LEGACY = ("stepKind", "fallbackKey")
ADDRESS = ("c1", "c2", "c3", "edition")


def next_shape(source: RegistrySource) -> Iterator[Problem]:
    """Steps with 1.13 keys: the two generations do not load each other's files."""
    if not source.value.get("agentId"):
        line = "agentId must be a non-empty string at the registry root"
        yield Problem(code="SR-VALID-005", rule="SR116", line=line, detail=("agentId is missing",))
    yield from _legacy_steps(source)


@of_steps
def _legacy_steps(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for step in steps:
        for key in (key for key in LEGACY if key in step.value):
            yield _rejected(
                step,
                f'legacy field "{key}" is rejected.',
                f"{key} is a key of an older generation",
                key,
            )
        if flat := [key for key in FLAT if key in step.value]:
            yield _rejected(
                step,
                f"flat C3L field(s) [{', '.join(flat)}] are rejected at the step root.",
                f"{', '.join(flat)} must be in address",
                flat[0],
            )
        if step.value.get("kind") not in KINDS:
            yield _rejected(step, 'required field "kind" is missing.', "kind is missing")
        address = as_object(step.value.get("address"))
        for key in ADDRESS:
            if not isinstance(address.get(key), str) or not address[key]:
                line = f"address.{key} must be a non-empty string"
                yield _rejected(step, line, f"address has no {key}")


def _rejected(step: Step, line: str, problem: str, *keys: str) -> Problem:
    return Problem(
        code="SR-VALID-005",
        rule="SR116",
        line=f'Step "{step.id}": {line}',
        pointer=("steps", step.id, *keys),
        detail=(problem,),
    )


def next_entries(source: RegistrySource) -> Iterator[Problem]:
    """Each verdict type names two steps: `initial` and `continuation`. An unknown `initial` is
    already reported by `entries`."""
    for key, value in as_object(source.value.get("entryStepMapping")).items():
        pair = as_object(value)
        for part in ("initial", "continuation"):
            target = pair.get(part)
            is_step = isinstance(target, str) and target in source.steps
            if not is_step and not (part == "initial" and target):
                missing = f"{part} step {target!r}" if target else f"{part} step"
                yield Problem(
                    code="SR-ENTRY-003",
                    rule="SR117",
                    line=f'entryStepMapping["{key}"].{part} references non-existent step '
                    f'"{target}"',
                    pointer=("entryStepMapping", key),
                    detail=(key, missing),
                )


@of_steps
def strict_steps(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    """Checks of `--validate` in 1.13 that 1.14 runs at load (SR-VALID-004)."""
    for step in steps:
        step_id = step.value.get("stepId")
        if step_id != step.id:
            yield _strict(
                step, "SR606", f'Step key "{step.id}" does not match stepId "{step_id}"', "stepId"
            )
        if not step.value.get("name"):
            yield _strict(step, "SR608", f'Step "{step.id}": name must be a non-empty string')
        for element in () if step.chain is None else step.chain:
            if not CHAIN_ELEMENT.fullmatch(element) or ".." in element:
                line = f'Step "{step.id}": adaptationChain element "{element}" is invalid'
                yield _strict(step, "SR422", line, "adaptationChain")


def _strict(step: Step, rule: str, line: str, *keys: str) -> Problem:
    pointer = ("steps", step.id, *keys)
    return Problem(code="SR-VALID-004", rule=rule, line=line, pointer=pointer)


def phases(source: RegistrySource) -> Iterator[Problem]:
    """A validator runs before or after the model call and must declare its phase."""
    validators = source.table("validators")
    for id, item in source.table("validationSteps").items():
        for slot, wanted in PHASE_OF_SLOT.items():
            for index, condition in enumerate(as_list(item.get(slot))):
                name = as_object(condition).get("validator")
                validator = validators.get(name) if isinstance(name, str) else None
                if validator is None or (phase := validator.get("phase")) == wanted:
                    continue
                wired = f'validators["{name}"]'
                yield Problem(
                    code="SR-VALID-004",
                    rule="SR511",
                    line=f'{wired}.phase is "{phase}" but is wired into {slot} (expects "{wanted}")'
                    if phase
                    else f'{wired} is wired into {slot} but declares no "phase" field',
                    pointer=("validationSteps", id, slot, index),
                    detail=(str(name), slot, wanted, str(phase or "")),
                )
