"""Where an intent leads (section 4.5), with Climpt's error codes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.steps_registry.run.gate import Reading, RunFault
from workflows.core.dialects.steps_registry.run.texts import as_text
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Step
from workflows.core.dialects.steps_registry.words import ALLOWED


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """`target` None: the run ends here. `meant` is where the file wanted to go instead."""

    target: str | None
    label: str
    meant: str = ""


def route(source: RegistrySource, step: Step, reading: Reading, profile: str) -> Route:
    """Raises RunFault where the rules lead nowhere."""
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
            return _escalate(source, step)
        case "handoff" if profile == "climpt" or "targets" not in step.rules.get(intent, {}):
            return _handoff(source, step)
        case "jump" if reading.target:
            if reading.target not in source.steps:
                raise RunFault(
                    "SR-TRANS-010",
                    f'[SR-TRANS-010] Jump target "{reading.target}" does not exist in registry '
                    f'(step "{step.id}").',
                )
            return Route(target=reading.target, label="jump")
    return _by_rule(source, step, reading)


def _fits(step: Step, intent: str) -> None:
    allowed = ALLOWED.get(step.kind or "")
    if allowed is not None and intent != "abort" and intent not in allowed:
        raise RunFault(
            "SR-INTENT-001",
            f'[SR-INTENT-001] Intent "{intent}" not allowed for {step.kind} step "{step.id}".',
        )


def _closing(source: RegistrySource, step: Step, profile: str) -> Route:
    """Climpt never reads the rule of `closing`; in the document only `target: null` ends (D11)."""
    target = step.rules.get("closing", {}).get("target")
    if profile == "climpt" or not isinstance(target, str) or target not in source.steps:
        return Route(target=None, label="closing")
    return Route(target=target, label="closing")


def _repeat(source: RegistrySource, step: Step, profile: str) -> Route:
    """Climpt stays; the document goes where the rule says."""
    target = step.rules.get("repeat", {}).get("target")
    elsewhere = isinstance(target, str) and target in source.steps and target != step.id
    if not elsewhere:
        return Route(target=step.id, label="repeat")
    if profile == "climpt":
        return Route(target=step.id, label="repeat", meant=str(target))
    return Route(target=str(target), label="repeat")


def _escalate(source: RegistrySource, step: Step) -> Route:
    rule = step.rules.get("escalate")
    if rule is None:
        raise RunFault(
            "SR-TRANS-007",
            f'[SR-TRANS-007] No "escalate" transition defined for step "{step.id}".',
        )
    target = rule.get("target")
    if not isinstance(target, str) or not target:
        raise RunFault(
            "SR-TRANS-009",
            f'[SR-TRANS-009] Invalid "escalate" transition for step "{step.id}". Must specify a '
            "target step.",
        )
    if target not in source.steps:
        raise RunFault(
            "SR-TRANS-008",
            f'[SR-TRANS-008] Escalate target "{target}" does not exist in registry '
            f'(step "{step.id}").',
        )
    return Route(target=target, label="escalate")


def _handoff(source: RegistrySource, step: Step) -> Route:
    rule = step.rules.get("handoff")
    if rule is None or "target" not in rule:
        raise RunFault(
            "SR-TRANS-004",
            f'[SR-TRANS-004] Step "{step.id}" emitted "handoff" but has no transitions.handoff '
            "defined.",
        )
    target = rule["target"]
    if not isinstance(target, str) or not target:
        raise RunFault(
            "SR-TRANS-005",
            f'[SR-TRANS-005] Step "{step.id}" has transitions.handoff.target: null, but handoff '
            "must route to an existing step (typically a closure step).",
        )
    if target not in source.steps:
        raise RunFault(
            "SR-TRANS-006",
            f'[SR-TRANS-006] Handoff target "{target}" does not exist in registry '
            f'(step "{step.id}").',
        )
    return Route(target=target, label="handoff")


def _by_rule(source: RegistrySource, step: Step, reading: Reading) -> Route:
    intent = reading.intent
    rule = step.rules.get(intent)
    if rule is None:
        return _by_name(source, step, intent)
    if "target" in rule:
        return _checked(source, step, intent, rule["target"], intent)
    key, target = _conditional(rule, reading.handoff)
    return _checked(source, step, intent, target, f"{intent}: {key}")


def _conditional(rule: dict[str, Any], handoff: dict[str, Any]) -> tuple[str, Any]:
    """(the value that picked, the target); null and unlisted values go on to `default`."""
    targets = rule.get("targets")
    targets = targets if isinstance(targets, dict) else {}
    given = handoff.get(str(rule.get("condition")))
    key = "default" if given is None else as_text(given)
    if isinstance(target := targets.get(key), str):
        return key, target
    return "default", targets.get("default")


def _checked(source: RegistrySource, step: Step, intent: str, target: Any, label: str) -> Route:
    if not isinstance(target, str) or not target:
        raise RunFault(
            "SR-TRANS-002",
            f'[SR-TRANS-002] Step "{step.id}" has transitions.{intent}.target: null, but target: '
            'null is only allowed for "closing" intent on closure steps.',
        )
    if target not in source.steps:
        raise RunFault(
            "SR-TRANS-001",
            f'[SR-TRANS-001] Transition target "{target}" does not exist in registry '
            f'(step "{step.id}", intent "{intent}").',
        )
    return Route(target=target, label=label)


def _by_name(source: RegistrySource, step: Step, intent: str) -> Route:
    """Without a rule, `initial.X` goes on to `continuation.X`."""
    rest = step.id.partition(".")[2]
    twin = f"continuation.{rest}"
    if step.id.startswith("initial.") and twin in source.steps:
        return Route(target=twin, label=intent)
    raise RunFault(
        "SR-TRANS-003",
        f'[SR-TRANS-003] Step "{step.id}" emitted "{intent}" but has no transitions and no '
        f'continuation step "{twin}" in the registry.',
    )
