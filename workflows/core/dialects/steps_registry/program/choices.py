"""The transitions that a step can take, each with an answer that selects it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step, target_mode
from workflows.core.dialects.steps_registry.format.vocabulary import BOUNDARY
from workflows.core.dialects.steps_registry.graph.implicit_transitions import end_of
from workflows.core.dialects.steps_registry.program.gate import GateResult, RunFault, target_intents
from workflows.core.dialects.steps_registry.program.router import route
from workflows.core.dialects.steps_registry.program.texts import nested
from workflows.core.dialects.steps_registry.program.verdicts import keyword_of
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.engine.effects import Choice

MAX_JUMPS = 24
CLOSURE_FIELD = "next_action.action"


def choices(source: RegistrySource, step: Step, profile: str) -> tuple[Choice, ...]:
    """One choice per allowed intent and target or value; a free answer for a step without a
    gate."""
    if step.gate is None or not step.allowed:
        return (Choice(label="answer", transition="", reply={"text": _free_text(source)}),)
    return tuple(choice for intent in step.allowed for choice in _of(source, step, intent, profile))


def _free_text(source: RegistrySource) -> str:
    if source.verdict == "detect:keyword":
        return f"Done. {keyword_of(source.verdict_config)}"
    return "Done."


def _field(step: Step, profile: str) -> str:
    """The path of the intent in the answer. It is fixed for closure steps in Climpt (D12)."""
    if profile == "climpt" and step.kind == "closure":
        return CLOSURE_FIELD
    return str((step.gate or {}).get("intentField") or CLOSURE_FIELD)


def _of(source: RegistrySource, step: Step, intent: str, profile: str) -> Iterator[Choice]:
    base = nested(_field(step, profile), intent)
    rule = step.rules.get(intent, {})
    targets = rule.get("targets")
    plain = "target" in rule and target_mode(step, profile) != "conditional"
    if intent in target_intents(step, profile) and (step.gate or {}).get("targetField"):
        yield from _jumps(source, step, intent, base)
    elif isinstance(targets, dict) and not plain:
        for value in targets:
            reply = _with_condition(step, str(rule.get("condition")), value, base)
            reading = GateResult(intent=intent, handoff={str(rule.get("condition")): value})
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


def _with_condition(step: Step, condition: str, value: str, base: dict[str, Any]) -> dict[str, Any]:
    """Set the value that the condition reads, with "true" and "false" as booleans."""
    path = next(
        (field for field in step.handoff_fields if field.rpartition(".")[2] == condition), None
    )
    result: Any = {"true": True, "false": False}.get(value, value)
    return nested(path, result, base) if path else base


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
