"""Startup checks of single steps: allowed intents, gates, and the required keys of flow steps."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import ALLOWED
from workflows.core.dialects.steps_registry.rules.startup.problem import Problem, of_steps
from workflows.core.dialects.steps_registry.source import RegistrySource


@of_steps
def kinds(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for step in steps:
        allowed = ALLOWED.get(step.kind or "")
        if step.gate is None or allowed is None:
            continue
        for index, intent in enumerate(step.allowed):
            if intent not in allowed:
                yield Problem(
                    code="SR-VALID-001",
                    rule="SR103",
                    line=f"Step \"{step.id}\": intent '{intent}' not allowed for stepKind "
                    f"'{step.kind}'. Allowed intents for {step.kind}: {', '.join(allowed)}. "
                    "(Work steps use 'handoff' to transition to closure, closure steps use "
                    "'closing' to complete)",
                    pointer=("steps", step.id, "structuredGate", "allowedIntents", index),
                    detail=(intent,),
                )
        fallback = step.gate.get("fallbackIntent")
        if isinstance(fallback, str) and fallback and fallback not in allowed:
            yield Problem(
                code="SR-VALID-001",
                rule="SR104",
                line=f"Step \"{step.id}\": fallbackIntent '{fallback}' not allowed for stepKind "
                f"'{step.kind}'",
                pointer=("steps", step.id, "structuredGate", "fallbackIntent"),
                detail=(fallback,),
            )


@of_steps
def pointers(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for step in steps:
        if step.gate is None:
            continue
        pointer = step.gate.get("intentSchemaRef")
        if not pointer:
            yield _gate(step, "SR108", "intentSchemaRef")
            continue
        if not str(pointer).startswith("#/"):
            yield Problem(
                code="SR-VALID-002",
                rule="SR108",
                line=f'Step "{step.id}": intentSchemaRef must be internal pointer starting with '
                f'"#/" (got "{pointer}"). Use $ref in step schema to reference common definitions.',
                pointer=("steps", step.id, "structuredGate", "intentSchemaRef"),
                detail=(str(pointer),),
            )
        if not step.gate.get("intentField"):
            yield _gate(step, "SR109", "intentField")


def _gate(step: Step, rule: str, key: str) -> Problem:
    return Problem(
        code="SR-VALID-002",
        rule=rule,
        line=f'Step "{step.id}" has structuredGate but missing required {key}',
        pointer=("steps", step.id, "structuredGate"),
    )


FLOW_KEYS = ("structuredGate", "transitions", "outputSchemaRef")


def flow(source: RegistrySource) -> Iterator[Problem]:
    """Climpt lists the steps without a gate first, then the steps without transitions."""
    return iter(sorted(_incomplete(source), key=lambda item: FLOW_KEYS.index(item.detail[0])))


@of_steps
def _incomplete(source: RegistrySource, steps: Iterable[Step]) -> Iterator[Problem]:
    for key in FLOW_KEYS if source.flow else ():
        for step in steps:
            if not step.exempt and not step.value.get(key) and step.value.get(key) != {}:
                yield Problem(
                    code="SR-GATE-003",
                    rule="SR110",
                    line=f"Steps missing {key}: {step.id}",
                    pointer=("steps", step.id),
                    detail=(key,),
                )
