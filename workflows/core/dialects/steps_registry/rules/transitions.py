"""SR2xx, first part: transitions and their targets."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Step, StepTransition
from workflows.core.dialects.steps_registry.format.vocabulary import (
    ALLOWED,
    BOUNDARY,
    INTENTS,
    NO_STEP,
    TO_NULL,
)
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    at,
    registry_rule,
    step_profile_rule,
    step_rule,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import AddState, Disconnect, Relabel, UnsetField
from workflows.core.pack.findings import EVERY
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.tolerant import as_object


def _step_transitions(steps: Iterable[Step]) -> Iterator[tuple[Step, StepTransition]]:
    return ((step, transition) for step in steps for transition in step.transitions)


def _leads_nowhere(source: RegistrySource, kind: str) -> Notes:
    all_steps = source.value["steps"]
    for step, transition in _step_transitions(source.steps.values()):
        if transition.kind == kind and transition.target not in all_steps:
            otherwise = "Change the target to an existing step, or remove the transition."
            yield Note(
                message=f"{transition.label!r} of {step.id!r} leads to the unknown step "
                f"{transition.target!r} ({NO_STEP.get(transition.intent, 'SR-TRANS-001')}).",
                pointer=transition.pointer,
                element=f"transition:{transition.id}",
                hint=did_you_mean(transition.target, all_steps, otherwise),
                fix=make_fix(
                    f"Add step {transition.target}",
                    AddState(id=transition.target, kind=_guess(transition, step)),
                ),
            )


def _guess(transition: StepTransition, step: Step) -> str:
    first = transition.target.split(".")[0]
    if first in ("closure", "verification"):
        return first
    return BOUNDARY.get((step.kind or "", transition.intent), ("work",))[0]


@registry_rule("SR201", "error", "Transition to an unknown step", profiles=EVERY)
def targets_exist(source: RegistrySource) -> Notes:
    """The `target` of a transition must name a step. At run time, the first transition to an
    unknown step ends the run with SR-TRANS-001 (handoff: SR-TRANS-006, escalate: SR-TRANS-008).
    `fallback` does not prevent that."""
    return _leads_nowhere(source, "target")


@step_rule("SR202", "error", "Fallback to an unknown step", profiles=EVERY)
def fallbacks_exist(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The `fallback` of a transition must name a step, although no run ever follows it."""
    for step, transition in _step_transitions(steps):
        if transition.kind == "fallback" and transition.target not in source.value["steps"]:
            yield Note(
                message=f"The fallback of {transition.intent!r} in {step.id!r} names the unknown "
                f"step {transition.target!r}.",
                pointer=transition.pointer,
                element=f"transition:{transition.id}",
                fix=make_fix("Remove the fallback", Disconnect(transition=transition.id)),
            )


@registry_rule("SR203", "error", "Conditional transition to an unknown step", profiles=EVERY)
def conditional_targets_exist(source: RegistrySource) -> Notes:
    """Every value of `targets` must name a step. Otherwise that value ends the run with
    SR-TRANS-001."""
    return _leads_nowhere(source, "value")


@step_rule("SR206", "warning", "Unknown intent in transitions", profiles=EVERY)
def unknown_keys(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The keys of `transitions` are the seven intents: next, repeat, jump, closing, abort,
    escalate, handoff. A gate never accepts any other intent."""
    for step in steps:
        for intent in step.rules:
            if intent not in INTENTS:
                yield Note(
                    message=f"Step {step.id!r} has a rule for the unknown intent {intent!r}.",
                    pointer=at(step, "transitions", intent),
                    hint=did_you_mean(intent, INTENTS, f"The intents are {', '.join(INTENTS)}."),
                )


@step_profile_rule("SR207", "error", "Transition not allowed for the step kind", profiles=EVERY)
def rules_of_kind(source: RegistrySource, steps: Iterable[Step], profile: str) -> Notes:
    """`transitions` may only have rules for the intents of the step's kind. The document also
    permits `abort` in every kind; Climpt's `--validate` does not."""
    for step in steps:
        allowed = ALLOWED.get(step.kind or "")
        for intent in step.rules if allowed is not None else ():
            if intent == "abort" and profile != "climpt":
                continue
            if intent not in (allowed or ()):
                yield Note(
                    message=f"The {step.kind} step {step.id!r} has a rule for {intent!r}, which "
                    "its kind does not allow.",
                    pointer=at(step, "transitions", intent),
                    hint=f"Its kind allows {', '.join(allowed or ())}.",
                    fix=make_fix(
                        "Remove the rule",
                        UnsetField(element=step.element, field=f"/transitions/{intent}"),
                    ),
                )


@step_rule("SR208", "error", "Transition to a step of the wrong kind", profiles=CLIMPT_ONLY)
def boundaries(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """From work, next and jump lead to work or verification, and handoff leads to closure. From
    verification, escalate leads to work or verification. From closure, repeat leads to work. A step
    may always lead to itself, and steps without a kind are not restricted.

    Only Climpt's `--validate` sets these limits. In the document, `handoff` may also lead to
    another flow, and `repeat` to another step."""
    for step, transition in _step_transitions(steps):
        wanted = BOUNDARY.get((step.kind or "", transition.intent))
        target = source.steps.get(transition.target)
        if wanted is None or target is None or target.id == step.id or target.kind is None:
            continue
        if target.kind not in wanted:
            swap = "handoff" if target.kind == "closure" and step.kind == "work" else ""
            yield Note(
                message=f"{transition.label!r} of {step.id!r} leads to the {target.kind} step "
                f"{target.id!r} instead of a {' or '.join(wanted)} step.",
                pointer=transition.pointer,
                element=f"transition:{transition.id}",
                hint="Use handoff to reach a closure step." if swap else "Change the target.",
                fix=make_fix("Make it a handoff", Relabel(transition=transition.id, label=swap))
                if swap and swap not in step.rules and transition.kind == "target"
                else None,
            )


@step_rule("SR209", "warning", "next to the same step", profiles=CLIMPT_ONLY)
def next_to_itself(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A `next` that leads to its own step looks like progress but repeats the step. Climpt's
    `--validate` recommends `repeat` instead. The document's flows use `next` for it."""
    for step, transition in _step_transitions(steps):
        if (
            transition.intent == "next"
            and transition.target == step.id
            and transition.kind == "target"
        ):
            yield Note(
                message=f"'next' of {step.id!r} leads to the same step. Use 'repeat' instead.",
                pointer=transition.pointer,
                element=f"transition:{transition.id}",
            )


@step_rule("SR210", "error", "Rule with both or neither kind of target", profiles=EVERY)
def one_form(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A rule is either `{target, fallback?}` or `{condition, targets}`. If it has both, runs follow
    `target`."""
    for step in steps:
        for intent, rule in as_object(step.value.get("transitions")).items():
            plain = isinstance(rule, dict) and "target" in rule
            whole = isinstance(rule, dict) and "condition" in rule and "targets" in rule
            if plain == whole:
                problem = "both target and targets" if plain else "neither target nor targets"
                yield Note(
                    message=f"The rule for {intent!r} in {step.id!r} has {problem}.",
                    pointer=at(step, "transitions", intent),
                    hint='Write {"target": "step"} or {"condition": "key", "targets": {…}}.',
                    fix=make_fix(
                        "Keep the target",
                        UnsetField(element=step.element, field=f"/transitions/{intent}/targets"),
                    )
                    if plain
                    else None,
                )


@step_rule("SR214", "error", "Null target without closing", profiles=EVERY)
def null_target(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`target: null` is only for `closing` on closure steps. For other intents it ends the run with
    an error: SR-TRANS-002 for next and jump, 005 for handoff, 009 for escalate."""
    for step in steps:
        for intent, rule in step.rules.items():
            ends = "target" in rule and rule["target"] is None
            if ends and intent not in ("closing", "repeat", "abort"):
                yield Note(
                    message=f"{intent!r} of {step.id!r} has a null target, which only closing may "
                    f"have ({TO_NULL.get(intent, 'SR-TRANS-002')}).",
                    pointer=at(step, "transitions", intent, "target"),
                    hint="Change the target to a step.",
                )
