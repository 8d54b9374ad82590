"""Interpretation of an answer at a gate: intent, target and values to hand over (section 4.4)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workflows.core.dialects.steps_registry.format.steps import Step, strings, target_mode
from workflows.core.dialects.steps_registry.format.vocabulary import ALIASES, DYNAMIC_INTENTS
from workflows.core.dialects.steps_registry.program.texts import as_text, value_at
from workflows.core.text.tolerant import as_str

CODE = "GATE_INTERPRETATION_ERROR"


class RunFault(Exception):
    """An error that ends a run, with Climpt's code and message."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(message)
        self.code = code
        self.message = message


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """The result of a gate. `warnings` are about a fallback intent, and about missing values to
    hand over."""

    intent: str
    target: str = ""
    handoff: dict[str, Any] = field(default_factory=dict)
    reason: str = ""
    warnings: tuple[str, ...] = ()


def interpret(step: Step, answer: dict[str, Any], profile: str) -> GateResult:
    """Interpret an answer. Raises RunFault without a valid intent. The document always allows
    `abort`, Climpt only if it is listed (D1)."""
    gate = step.gate or {}
    allowed = step.allowed if profile == "climpt" else (*step.allowed, "abort")
    path = str(gate.get("intentField") or "next_action.action")
    intent, problem = _intent(allowed, value_at(answer, path), path)
    warnings: list[str] = []
    if problem:
        intent = _fallback(step, problem)
        warnings.append(f"Fallback intent {intent!r} on {step.id!r}: {problem}.")
    missing = [path for path in step.handoff_fields if value_at(answer, path) is None]
    if missing:
        warnings.append(f"The answer of {step.id!r} has no {', '.join(missing)} to hand over.")
    target = ""
    if intent in target_intents(step, profile) and isinstance(gate.get("targetField"), str):
        target = as_str(value_at(answer, gate["targetField"]))
    return GateResult(
        intent=intent,
        target=target,
        handoff=_handed_over(gate, answer),
        reason=_reason(answer),
        warnings=tuple(warnings),
    )


def target_intents(step: Step, profile: str) -> tuple[str, ...]:
    """The intents whose target `targetField` of the answer names: jump, and next under the target
    mode dynamic; none under another mode."""
    mode = target_mode(step, profile)
    if mode == "dynamic":
        return DYNAMIC_INTENTS
    return () if mode else ("jump",)


def _intent(allowed: tuple[str, ...], value: Any, path: str) -> tuple[str, str]:
    """(intent, problem): one of the two is empty."""
    if value is None:
        return "", f"No value at path: {path}"
    text = as_text(value).lower()
    mapped = ALIASES.get(text)
    if mapped is None:
        return "", f"Unknown intent value: {text}"
    if mapped not in allowed:
        return "", f"Intent '{mapped}' not in allowedIntents"
    return mapped, ""


def _fallback(step: Step, problem: str) -> str:
    gate = step.gate or {}
    if gate.get("failFast") is not False:
        raise RunFault(
            CODE,
            f'[failFast] Cannot determine intent: {problem}. Step "{step.id}" has failFast '
            "enabled (default), no fallback allowed.",
        )
    for choice in (gate.get("fallbackIntent"), "next", *step.allowed):
        if choice in step.allowed:
            return str(choice)
    raise RunFault(CODE, f"Cannot determine intent: {problem}")


def _handed_over(gate: dict[str, Any], answer: dict[str, Any]) -> dict[str, Any]:
    fields = {}
    for path in strings(gate.get("handoffFields")):
        value = value_at(answer, path)
        if value is not None:
            fields[path.rpartition(".")[2]] = value
    return fields


def _reason(answer: dict[str, Any]) -> str:
    for path in ("next_action.reason", "reason", "message", "next_action.details.reason"):
        if isinstance(reason := value_at(answer, path), str):
            return reason
    return ""
