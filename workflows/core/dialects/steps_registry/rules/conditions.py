"""SR2xx, third part: conditional transitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.kit import CLIMPT_ONLY, at, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import SetField, UnsetField
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import Note, Notes, make_fix


def _conditional(steps: Iterable[Step]) -> Iterator[tuple[Step, str, dict[str, object]]]:
    for step in steps:
        for intent, rule in step.rules.items():
            targets = rule.get("targets")
            if isinstance(targets, dict) and "target" not in rule:
                yield step, intent, targets


@step_rule("SR211", "error", "Null conditional target", profiles=EVERY)
def null_conditional(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A `null` in `targets` does not end the run. Runs treat it as no match and use `default`."""
    for step, intent, targets in _conditional(steps):
        for value, target in targets.items():
            if target is None:
                yield Note(
                    message=f"{intent!r} of {step.id!r} has a null target for {value!r}; runs use "
                    "'default'.",
                    pointer=at(step, "transitions", intent, "targets", value),
                    fix=make_fix(
                        "Remove the value",
                        UnsetField(
                            element=step.element, field=f"/transitions/{intent}/targets/{value}"
                        ),
                    ),
                )


@step_rule("SR212", "warning", "Conditional transition without a default", profiles=EVERY)
def needs_default(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Without `default` in `targets`, a missing or unlisted value ends the run with
    SR-TRANS-002."""
    for step, intent, targets in _conditional(steps):
        if not isinstance(targets.get("default"), str):
            yield Note(
                message=f"{intent!r} of {step.id!r} has no default, so an unlisted value ends the "
                "run (SR-TRANS-002).",
                pointer=at(step, "transitions", intent, "targets"),
                hint="Connect the same intent once more, without a value.",
            )


@step_rule("SR213", "error", "Condition on a value that is not handed over", profiles=EVERY)
def condition_is_handed_over(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A condition reads the values that `handoffFields` extracts, by the last part of each path.
    Any other name, and any name with a dot, never matches, so the run uses `default`."""
    for step, intent, _ in _conditional(steps):
        condition = step.rules[intent].get("condition")
        handed_over = {field.rpartition(".")[2] for field in step.handoff_fields}
        if isinstance(condition, str) and condition not in handed_over:
            last = condition.rpartition(".")[2]
            fix = None
            if "." in condition and last in handed_over:
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
                fix = make_fix(f"Add {condition} to handoffFields", edit)
            yield Note(
                message=f"The condition {condition!r} of {intent!r} in {step.id!r} is not handed "
                "over, so it never matches.",
                pointer=at(step, "transitions", intent, "condition"),
                hint=did_you_mean(
                    condition,
                    sorted(handed_over),
                    "Add the path to handoffFields. The condition is the last part of that path.",
                ),
                fix=fix,
            )


@step_rule("SR218", "error", "Conditional handoff or escalate", profiles=CLIMPT_ONLY)
def unconditional(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In Climpt, handoff and escalate need exactly one target. With a conditional rule, it ends the
    run with SR-TRANS-004 (handoff) or SR-TRANS-009 (escalate). In the document, every intent may
    have a conditional rule."""
    for step, intent, _ in _conditional(steps):
        if intent in ("handoff", "escalate"):
            yield Note(
                message=f"{intent!r} of {step.id!r} is conditional, which ends the run "
                f"({'SR-TRANS-004' if intent == 'handoff' else 'SR-TRANS-009'}).",
                pointer=at(step, "transitions", intent),
                hint="Make next conditional, and hand off from its target steps.",
            )


@step_rule("SR230", "warning", "Condition on a text answer", profiles=EVERY)
def text_condition(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A conditional rule selects its target by a value of the answer. Without `outputSchemaRef`,
    the model answers with text, which has no values: every run takes `default`, unless the text
    happens to be JSON. Give the step an answer schema that declares the value."""
    for step, intent, _ in _conditional(steps):
        if step.reference is None:
            condition = step.rules[intent].get("condition")
            yield Note(
                message=f"{intent!r} of {step.id!r} reads {condition!r} of a text answer, which "
                "has no values.",
                pointer=at(step, "transitions", intent, "condition"),
                hint="Add an outputSchemaRef whose schema declares the value.",
            )
