"""SR2xx, third part: rules that choose by a value."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.kit import at, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField, UnsetField
from workflows.core.rules.kit import Note, Notes, make_fix


def _conditional(steps: Iterable[Step]) -> Iterator[tuple[Step, str, dict[str, object]]]:
    for step in steps:
        for intent, rule in step.rules.items():
            targets = rule.get("targets")
            if isinstance(targets, dict) and "target" not in rule:
                yield step, intent, targets


@step_rule("SR211", "error", "No null among conditional targets")
def null_conditional(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A `null` in `targets` is no way to end: runs treat it as no match and go on to `default`."""
    for step, intent, targets in _conditional(steps):
        for value, target in targets.items():
            if target is None:
                yield Note(
                    message=f"{intent!r} of {step.id!r} has no step for {value!r}; runs take "
                    "'default' instead.",
                    pointer=at(step, "transitions", intent, "targets", value),
                    element=step.element,
                    fix=make_fix(
                        "Remove the value",
                        UnsetField(
                            element=step.element, field=f"/transitions/{intent}/targets/{value}"
                        ),
                    ),
                )


@step_rule("SR212", "warning", "A default among conditional targets")
def needs_default(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Without `default` in `targets` a value that nobody listed (or none at all) ends the run with
    SR-TRANS-002."""
    for step, intent, targets in _conditional(steps):
        if not isinstance(targets.get("default"), str):
            yield Note(
                message=f"{intent!r} of {step.id!r} has no default: an unlisted value ends the run "
                "(SR-TRANS-002).",
                pointer=at(step, "transitions", intent, "targets"),
                element=step.element,
                hint="Draw the same intent once more without a value.",
            )


@step_rule("SR213", "error", "Conditions see handed-over values")
def condition_is_handed_over(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A condition looks into the values extracted by `handoffFields`, under the last part of each
    path. Any other name, and any name with a dot, never matches: the run takes `default`."""
    for step, intent, _ in _conditional(steps):
        condition = step.rules[intent].get("condition")
        known = {field.rpartition(".")[2] for field in step.handoff_fields}
        if isinstance(condition, str) and condition not in known:
            last = condition.rpartition(".")[2]
            fix = None
            if "." in condition and last in known:
                field = f"/transitions/{intent}/condition"
                edit = SetField(element=step.element, field=field, value=last)
                fix = make_fix(f"Use {last}", edit)
            elif step.gate is not None:
                fields = [*step.handoff_fields, condition]
                edit = SetField(
                    element=step.element,
                    field="/structuredGate/handoffFields",
                    value=fields,  # type: ignore[arg-type]
                )
                fix = make_fix(f"Hand {condition} over", edit)
            yield Note(
                message=f"The condition {condition!r} of {intent!r} in {step.id!r} is not handed "
                "over, so only 'default' is ever taken.",
                pointer=at(step, "transitions", intent, "condition"),
                element=step.element,
                hint="Add the path to handoffFields; the condition is its last part.",
                fix=fix,
            )


@step_rule("SR218", "error", "Handoff and escalate have one target")
def unconditional(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """handoff and escalate take no conditional rule: Climpt ends the run with SR-TRANS-004 or
    SR-TRANS-009."""
    for step, intent, _ in _conditional(steps):
        if intent in ("handoff", "escalate"):
            yield Note(
                message=f"{intent!r} of {step.id!r} is conditional, which Climpt refuses at run "
                f"time ({'SR-TRANS-004' if intent == 'handoff' else 'SR-TRANS-009'}).",
                pointer=at(step, "transitions", intent),
                element=step.element,
                hint="Branch with next, and hand off from the steps it leads to.",
            )
