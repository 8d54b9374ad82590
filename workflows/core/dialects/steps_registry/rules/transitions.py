"""SR2xx, first part: arrows and where they lead."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Arrow, Step
from workflows.core.dialects.steps_registry.format.vocabulary import (
    ALLOWED,
    BOUNDARY,
    INTENTS,
    NO_STEP,
    TO_NULL,
)
from workflows.core.dialects.steps_registry.rules.kit import at, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import AddState, Disconnect, Relabel, UnsetField
from workflows.core.rules.kit import Note, Notes, make_fix


def _arrows(steps: Iterable[Step]) -> Iterator[tuple[Step, Arrow]]:
    return ((step, arrow) for step in steps for arrow in step.arrows)


def _leads_nowhere(source: RegistrySource, steps: Iterable[Step], kind: str) -> Notes:
    known = source.value["steps"]
    for step, arrow in _arrows(steps):
        if arrow.kind == kind and arrow.target not in known:
            yield Note(
                message=f"{arrow.label!r} of {step.id!r} leads to {arrow.target!r}, "
                f"which is no step ({NO_STEP.get(arrow.intent, 'SR-TRANS-001')}).",
                pointer=arrow.pointer,
                element=f"transition:{arrow.id}",
                hint="Move the arrow to a step, or remove it.",
                fix=make_fix(
                    f"Add step {arrow.target}", AddState(id=arrow.target, kind=_guess(arrow, step))
                ),
            )


def _guess(arrow: Arrow, step: Step) -> str:
    first = arrow.target.split(".")[0]
    if first in ("closure", "verification"):
        return first
    return BOUNDARY.get((step.kind or "", arrow.intent), ("work",))[0]


@step_rule("SR201", "error", "Targets are steps")
def targets_exist(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A transition's `target` must name a step. At run time the first one taken ends the run with
    SR-TRANS-001 (handoff SR-TRANS-006, escalate SR-TRANS-008); `fallback` does not help."""
    return _leads_nowhere(source, steps, "target")


@step_rule("SR202", "error", "Fallbacks are steps")
def fallbacks_exist(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`fallback` of a transition must name a step, although no run ever follows it."""
    for step, arrow in _arrows(steps):
        if arrow.kind == "fallback" and arrow.target not in source.value["steps"]:
            yield Note(
                message=f"The fallback of {arrow.intent!r} in {step.id!r} names "
                f"{arrow.target!r}, which is no step.",
                pointer=arrow.pointer,
                element=f"transition:{arrow.id}",
                fix=make_fix("Remove the fallback", Disconnect(transition=arrow.id)),
            )


@step_rule("SR203", "error", "Conditional targets are steps")
def conditional_targets_exist(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Every value in `targets` must name a step, else the run ends with SR-TRANS-001 when that
    value comes."""
    return _leads_nowhere(source, steps, "value")


@step_rule("SR206", "warning", "Known intents")
def unknown_keys(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Keys of `transitions` are the seven intents: next, repeat, jump, closing, abort, escalate,
    handoff. Others can never be answered."""
    for step in steps:
        for intent in step.rules:
            if intent not in INTENTS:
                yield Note(
                    message=f"{step.id!r} has a rule for {intent!r}, which is not an intent.",
                    pointer=at(step, "transitions", intent),
                    element=step.element,
                    hint=f"There are {', '.join(INTENTS)}.",
                )


@step_rule("SR207", "error", "Rules of the kind")
def rules_of_kind(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`transitions` may hold rules only for the intents of the step's kind (`--validate`)."""
    for step in steps:
        allowed = ALLOWED.get(step.kind or "")
        for intent in step.rules if allowed is not None else ():
            if intent not in (allowed or ()):
                yield Note(
                    message=f"{step.id!r} is a {step.kind} step and may have no rule for "
                    f"{intent!r}.",
                    pointer=at(step, "transitions", intent),
                    element=step.element,
                    hint=f"It may have {', '.join(allowed or ())}.",
                    fix=make_fix(
                        "Remove the rule",
                        UnsetField(element=step.element, field=f"/transitions/{intent}"),
                    ),
                )


@step_rule("SR208", "error", "Where an intent may lead")
def boundaries(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """work next and jump lead to work or verification, handoff to closure; verification escalate
    to work or verification; closure repeat to work. A step may always lead to itself, and steps
    without a kind take anything (`--validate`)."""
    for step, arrow in _arrows(steps):
        wanted = BOUNDARY.get((step.kind or "", arrow.intent))
        target = source.steps.get(arrow.target)
        if wanted is None or target is None or target.id == step.id or target.kind is None:
            continue
        if target.kind not in wanted:
            swap = "handoff" if target.kind == "closure" and step.kind == "work" else ""
            yield Note(
                message=f"{arrow.label!r} of {step.id!r} leads to the {target.kind} step "
                f"{target.id!r}, but it should lead to {' or '.join(wanted)}.",
                pointer=arrow.pointer,
                element=f"transition:{arrow.id}",
                hint="Use handoff to reach a closure step." if swap else "Lead it elsewhere.",
                fix=make_fix("Make it a handoff", Relabel(transition=arrow.id, label=swap))
                if swap and swap not in step.rules and arrow.kind == "target"
                else None,
            )


@step_rule("SR209", "warning", "next to itself")
def next_to_itself(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`next` that leads to its own step reads like progress but is a repetition; `repeat` says
    what is meant."""
    for step, arrow in _arrows(steps):
        if arrow.intent == "next" and arrow.target == step.id and arrow.kind == "target":
            yield Note(
                message=f"'next' of {step.id!r} leads to itself; 'repeat' is meant for that.",
                pointer=arrow.pointer,
                element=f"transition:{arrow.id}",
            )


@step_rule("SR210", "error", "One form of rule")
def one_form(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A rule is either `{target, fallback?}` or `{condition, targets}`: not both, not neither.
    With both, runs follow `target`."""
    for step in steps:
        rules = step.value.get("transitions")
        for intent, rule in rules.items() if isinstance(rules, dict) else ():
            plain = isinstance(rule, dict) and "target" in rule
            whole = isinstance(rule, dict) and "condition" in rule and "targets" in rule
            if plain == whole:
                said = "both a target and targets" if plain else "neither target nor targets"
                yield Note(
                    message=f"The rule for {intent!r} in {step.id!r} has {said}.",
                    pointer=at(step, "transitions", intent),
                    element=step.element,
                    hint='Write {"target": "step"} or {"condition": "key", "targets": {…}}.',
                    fix=make_fix(
                        "Keep the target",
                        UnsetField(element=step.element, field=f"/transitions/{intent}/targets"),
                    )
                    if plain
                    else None,
                )


@step_rule("SR214", "error", "Only closing ends")
def null_target(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`target: null` is for `closing` on closure steps. Elsewhere it ends the run with an error:
    SR-TRANS-002 for next and jump, 005 for handoff, 009 for escalate."""
    for step in steps:
        for intent, rule in step.rules.items():
            ends = "target" in rule and rule["target"] is None
            if ends and intent not in ("closing", "repeat", "abort"):
                yield Note(
                    message=f"{intent!r} of {step.id!r} leads to null; only closing may "
                    f"({TO_NULL.get(intent, 'SR-TRANS-002')}).",
                    pointer=at(step, "transitions", intent, "target"),
                    element=step.element,
                    hint="Lead it to a step.",
                )
