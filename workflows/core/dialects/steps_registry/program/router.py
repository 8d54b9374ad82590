"""Targets of intents (section 4.5), with Climpt's error codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step, target_mode
from workflows.core.dialects.steps_registry.format.vocabulary import (
    ALLOWED,
    NO_RULE,
    NO_STEP,
    TO_NULL,
)
from workflows.core.dialects.steps_registry.program.gate import GateResult, RunFault
from workflows.core.dialects.steps_registry.program.texts import as_text
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.tolerant import as_object


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """The target of an intent. `target` None ends the run. `meant` is the file's target if another
    one is taken."""

    target: str | None
    label: str
    meant: str = ""


def route(source: RegistrySource, step: Step, reading: GateResult, profile: str) -> Route:
    """The route of an intent. Raises RunFault if the rules have no target."""
    intent = reading.intent
    _fits(step, intent)
    match intent:
        case "closing":
            return _closing(source, step, profile)
        case "abort":
            return Route(target=None, label=intent)
        case "repeat":
            return _repeat(source, step, profile)
        case "escalate":
            return _direct(source, step, "escalate")
        case "handoff" if profile == "climpt" or "targets" not in step.rules.get(intent, {}):
            return _direct(source, step, "handoff")
        case "jump" | "next" if reading.target:
            if reading.target not in source.steps:
                raise _fault(
                    "SR-TRANS-010",
                    f'Jump target "{reading.target}" does not exist in registry '
                    f'(step "{step.id}").',
                )
            return Route(target=reading.target, label=intent)
    return _by_rule(source, step, reading, profile)


def _fits(step: Step, intent: str) -> None:
    allowed = ALLOWED.get(step.kind or "")
    if allowed is not None and intent != "abort" and intent not in allowed:
        raise _fault(
            "SR-INTENT-001",
            f'Intent "{intent}" not allowed for {step.kind} step "{step.id}".',
        )


def _closing(source: RegistrySource, step: Step, profile: str) -> Route:
    """Climpt never reads the rule of `closing`. In the document, only `target: null` ends the run
    (D11)."""
    target = step.rules.get("closing", {}).get("target")
    if profile == "climpt" or not isinstance(target, str) or target not in source.steps:
        return Route(target=None, label="closing")
    return Route(target=target, label="closing")


def _repeat(source: RegistrySource, step: Step, profile: str) -> Route:
    """Climpt stays at the step; the document follows the rule."""
    target = step.rules.get("repeat", {}).get("target")
    elsewhere = isinstance(target, str) and target in source.steps and target != step.id
    if not elsewhere:
        return Route(target=step.id, label="repeat")
    if profile == "climpt":
        return Route(target=step.id, label="repeat", meant=str(target))
    return Route(target=str(target), label="repeat")


def _direct(source: RegistrySource, step: Step, intent: str) -> Route:
    """handoff and escalate: one target, named outright, and no other way."""
    rule = step.rules.get(intent)
    no_rule, to_null = SENTENCES[intent]
    if rule is None or (intent == "handoff" and "target" not in rule):
        raise _fault(NO_RULE[intent], no_rule.format(step=step.id))
    target = rule.get("target")
    if not isinstance(target, str) or not target:
        raise _fault(TO_NULL[intent], to_null.format(step=step.id))
    if target not in source.steps:
        message = (
            f'{intent.title()} target "{target}" does not exist in registry (step "{step.id}").'
        )
        raise _fault(NO_STEP[intent], message)
    return Route(target=target, label=intent)


SENTENCES = {
    "escalate": (
        'No "escalate" transition defined for step "{step}".',
        'Invalid "escalate" transition for step "{step}". Must specify a target step.',
    ),
    "handoff": (
        'Step "{step}" emitted "handoff" but has no transitions.handoff defined.',
        'Step "{step}" has transitions.handoff.target: null, but handoff must route to an '
        "existing step (typically a closure step).",
    ),
}
"""Climpt's messages for a missing rule and for a null target."""


def _fault(code: str, message: str) -> RunFault:
    return RunFault(code, f"[{code}] {message}")


def _by_rule(source: RegistrySource, step: Step, reading: GateResult, profile: str) -> Route:
    intent = reading.intent
    rule = step.rules.get(intent)
    if rule is None:
        return _by_name(source, step, intent)
    chosen = target_mode(step, profile) == "conditional" and "targets" in rule
    if "target" in rule and not chosen:
        return _checked(source, step, intent, rule["target"], intent)
    key, target = _conditional(rule, reading.handoff)
    return _checked(source, step, intent, target, f"{intent}: {key}")


def _conditional(rule: dict[str, Any], handoff: dict[str, Any]) -> tuple[str, Any]:
    """(the value that picked, the target); null and unlisted values go on to `default`."""
    targets = as_object(rule.get("targets"))
    value = handoff.get(str(rule.get("condition")))
    key = "default" if value is None else as_text(value)
    if isinstance(target := targets.get(key), str):
        return key, target
    return "default", targets.get("default")


def _checked(source: RegistrySource, step: Step, intent: str, target: Any, label: str) -> Route:
    if not isinstance(target, str) or not target:
        raise _fault(
            "SR-TRANS-002",
            f'Step "{step.id}" has transitions.{intent}.target: null, but target: '
            'null is only allowed for "closing" intent on closure steps.',
        )
    if target not in source.steps:
        raise _fault(
            "SR-TRANS-001",
            f'Transition target "{target}" does not exist in registry '
            f'(step "{step.id}", intent "{intent}").',
        )
    return Route(target=target, label=label)


def _by_name(source: RegistrySource, step: Step, intent: str) -> Route:
    """Without a rule, `initial.X` goes on to `continuation.X`."""
    rest = step.id.partition(".")[2]
    twin = f"continuation.{rest}"
    if step.id.startswith("initial.") and twin in source.steps:
        return Route(target=twin, label=intent)
    raise _fault(
        "SR-TRANS-003",
        f'Step "{step.id}" emitted "{intent}" but has no transitions and no '
        f'continuation step "{twin}" in the registry.',
    )
