"""The transitions that a step can take, each with an answer that selects it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import BOUNDARY
from workflows.core.dialects.steps_registry.graph.implicit_transitions import end_of
from workflows.core.dialects.steps_registry.program.answer_reads import (
    answer_with,
    condition_path,
    intent_field,
    is_conditional,
    other_answer,
)
from workflows.core.dialects.steps_registry.program.gate import GateResult, RunFault, target_intents
from workflows.core.dialects.steps_registry.program.router import route
from workflows.core.dialects.steps_registry.program.texts import nested
from workflows.core.dialects.steps_registry.program.verdicts import keyword_of
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import Choice
from workflows.core.pack.graph import DEFAULT

MAX_JUMPS = 24


def choices(
    source: RegistrySource, step: Step, profile: str, schema: Any = None
) -> tuple[Choice, ...]:
    """One choice per allowed intent and target or value; a free answer for a step without a
    gate. A default that no answer of the schema leads to has none."""
    if step.gate is None or not step.allowed:
        return (Choice(label="answer", transition="", reply={"text": _free_text(source)}),)
    return tuple(
        choice
        for intent in step.allowed
        for choice in _of(source, step, intent, profile, {} if schema is None else schema)
    )


def _free_text(source: RegistrySource) -> str:
    if source.verdict == "detect:keyword":
        return f"Done. {keyword_of(source.verdict_config)}"
    return "Done."


def _of(
    source: RegistrySource, step: Step, intent: str, profile: str, schema: Any
) -> Iterator[Choice]:
    base = nested(intent_field(step, profile), intent)
    rule = step.rules.get(intent, {})
    if intent in target_intents(step, profile) and (step.gate or {}).get("targetField"):
        yield from _jumps(source, step, intent, base)
    elif is_conditional(step, rule, profile):
        path, targets = condition_path(step, rule), rule["targets"]
        for value in targets:
            reading = GateResult(intent=intent, handoff={str(rule.get("condition")): value})
            reply: dict[str, Any] | None = base
            if path and value == DEFAULT:
                reply = other_answer(schema, path, targets, base)
            elif path:
                reply = answer_with(schema, path, value, base)
            if reply is not None:
                yield _choice(source, step, reading, reply, profile)
    else:
        yield _choice(source, step, GateResult(intent=intent), base, profile)


def _jumps(
    source: RegistrySource, step: Step, intent: str, base: dict[str, Any]
) -> Iterator[Choice]:
    field = str((step.gate or {})["targetField"])
    kinds = BOUNDARY.get((step.kind or "", "jump"))
    targets = [
        other.id
        for other in source.steps.values()
        if not other.section and (kinds is None or other.kind in kinds)
    ]
    drawn = step.rules.get(intent, {}).get("target")
    if drawn in targets:
        targets = [drawn]
    for target in targets[:MAX_JUMPS]:
        yield Choice(
            label=f"{intent} → {target}",
            transition=f"{step.id}|{intent}|{target}",
            reply={"structured": nested(field, target, base)},
        )


def _choice(
    source: RegistrySource, step: Step, reading: GateResult, reply: dict[str, Any], profile: str
) -> Choice:
    """The choice for an intent. An intent that cannot be routed is offered too."""
    try:
        chosen = route(source, step, reading, profile)
    except RunFault:
        return Choice(label=reading.intent, transition="", reply={"structured": reply})
    transition = end_of(source, step, profile, chosen.label)
    if chosen.target:
        transition = f"{step.id}|{chosen.label}|{chosen.target}"
    return Choice(label=chosen.label, transition=transition, reply={"structured": reply})
