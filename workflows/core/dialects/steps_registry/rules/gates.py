"""SR2xx, second part: the intents that a gate allows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import BOUNDARY, INTENTS, NO_RULE
from workflows.core.dialects.steps_registry.graph.reachability import next_by_name, steps_of_kinds
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    DOCUMENTED,
    at,
    registry_profile_rule,
    step_rule,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Connect, Disconnect, Edit, SetField, UnsetField
from workflows.core.pack.findings import EVERY, Fix
from workflows.core.pack.naming import did_you_mean
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.json.document import Pointer
from workflows.core.text.tolerant import as_object


def without_intent(step: Step, intent: str) -> SetField:
    """The edit that removes an intent from the gate and from the enum."""
    rest = [item for item in step.allowed if item != intent]
    return SetField(
        element=step.element,
        field="/structuredGate/allowedIntents",
        value=rest,  # type: ignore[arg-type]
    )


@registry_profile_rule("SR204", "error", "Allowed intent without a transition", profiles=EVERY)
def allowed_have_rules(source: RegistrySource, profile: str) -> Notes:
    """Every intent in `allowedIntents` needs a transition rule, except repeat and abort. If the
    model answers an intent without a rule, the run fails: handoff with SR-TRANS-004, escalate with
    SR-TRANS-007, next and jump with SR-TRANS-003.

    Runs need no rule for next at `initial.X` if `continuation.X` exists, nor for jump with a
    `targetField`, because the answer names the step. Climpt's `--validate` requires both."""
    for id, lacking in cached_by_step(source, "SR204", _without_rule).items():
        step = source.steps[id]
        for index, intent in lacking:
            if profile != "climpt" and _leads_on(source, step, intent):
                continue
            yield Note(
                message=f"{intent!r} is allowed in {id!r} but has no transition "
                f"({NO_RULE.get(intent, 'SR-TRANS-003')}).",
                pointer=at(step, "structuredGate", "allowedIntents", index),
                hint="Add a transition, or remove the intent.",
                fix=_route(source, step, intent),
            )


def _leads_on(source: RegistrySource, step: Step, intent: str) -> bool:
    """True if a run has a target for an intent without a rule."""
    if intent == "jump":
        return bool((step.gate or {}).get("targetField"))
    return intent == "next" and next_by_name(source, step) != ""


def _without_rule(
    source: RegistrySource, steps: Iterable[Step]
) -> Iterator[tuple[str, tuple[int, str]]]:
    """Step id, and index and name of each allowed intent that needs a transition and has none."""
    for step in steps:
        by_intent = as_object(step.value.get("transitions"))
        for index, intent in enumerate(step.allowed):
            if intent not in by_intent and intent not in ("repeat", "abort"):
                yield step.id, (index, intent)


def _route(source: RegistrySource, step: Step, intent: str) -> Fix:
    if intent == "closing":
        return make_fix(
            "End the run at closing", Connect(source=step.id, target="", label="closing")
        )
    targets = steps_of_kinds(source, BOUNDARY.get((step.kind or "", intent), ()), but=step.id)
    if len(targets) == 1:
        edit = Connect(source=step.id, target=targets[0], label=intent)
        return make_fix(f"Connect {intent} to {targets[0]}", edit)
    return make_fix(f"Remove {intent}", without_intent(step, intent))


@step_rule("SR205", "warning", "Transition for an intent that is not allowed", profiles=EVERY)
def dead_rules(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A rule whose intent is missing from `allowedIntents` is never used: the gate refuses the
    answer first."""
    for step in steps:
        if step.gate is None:
            continue
        for intent in step.rules:
            if intent not in step.allowed:
                transitions = [
                    transition for transition in step.transitions if transition.intent == intent
                ]
                edits: tuple[Edit, ...] = tuple(
                    Disconnect(transition=transition.id)
                    for transition in transitions
                    if transition.kind != "fallback"
                ) or (UnsetField(element=step.element, field=f"/transitions/{intent}"),)
                yield Note(
                    message=f"The rule for {intent!r} in {step.id!r} has no effect: the gate does "
                    "not allow that intent.",
                    pointer=at(step, "transitions", intent),
                    element=f"transition:{transitions[0].id}" if transitions else step.element,
                    fix=Fix(label="Remove the rule", edits=edits),
                )


@step_rule("SR215", "warning", "handoff from an initial step", profiles=CLIMPT_ONLY)
def initial_handoff(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In Climpt's design, the first step of a flow continues with next, and a handoff from it skips
    the work. The document's project flow hands off from initial steps."""
    for step in steps:
        if step.c2 == "initial" and ("handoff" in step.allowed or "handoff" in step.rules):
            yield Note(
                message=f"The initial step {step.id!r} uses handoff. Use next instead.",
                pointer=at(step),
            )


@step_rule("SR216", "error", "escalate outside verification", profiles=EVERY)
def escalate_kind(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Only verification steps may escalate (Climpt's `--validate`)."""
    for step in steps:
        has_kind = step.kind is not None and step.kind != "verification"
        if has_kind and ("escalate" in step.allowed or "escalate" in step.rules):
            yield Note(
                message=f"The {step.kind} step {step.id!r} uses escalate; only verification may.",
                pointer=at(step),
            )


@step_rule("SR217", "warning", "Fallback intent is not allowed", profiles=EVERY)
def fallback_allowed(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """With `failFast: false`, an unreadable answer counts as `fallbackIntent`, but only if the step
    allows that intent. Otherwise it counts as next, else as the first allowed intent."""
    for step in steps:
        gate = step.gate or {}
        fallback = gate.get("fallbackIntent")
        if gate.get("failFast") is False and fallback and fallback not in step.allowed:
            yield Note(
                message=f"fallbackIntent {fallback!r} of {step.id!r} is ignored: it is not in "
                "allowedIntents.",
                pointer=at(step, "structuredGate", "fallbackIntent"),
                hint="Add it to allowedIntents, or choose an allowed intent.",
            )


@step_rule("SR219", "error", "Unknown intent in allowedIntents", profiles=EVERY)
def unknown_intents(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`allowedIntents` holds only the seven intents of the format. Custom intents are not
    supported."""
    for step in steps:
        for index, intent in enumerate(step.allowed):
            if intent not in INTENTS and step.kind is None:
                yield Note(
                    message=f"Step {step.id!r} allows the unknown intent {intent!r}.",
                    pointer=at(step, "structuredGate", "allowedIntents", index),
                    fix=make_fix(f"Remove {intent}", without_intent(step, intent)),
                )


@step_rule("SR220", "warning", "Gate without allowed intents", profiles=EVERY)
def empty_gate(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A gate without allowed intents refuses every answer."""
    for step in steps:
        if step.gate is not None and not step.allowed:
            yield Note(
                message=f"The gate of {step.id!r} allows no intents, so every answer fails.",
                pointer=at(step, "structuredGate"),
                hint="Add a transition from the step.",
            )


@step_rule("SR221", "error", "Value outside its fixed list", profiles=EVERY)
def fixed_lists(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`targetMode` is explicit, dynamic or conditional; `permissionMode` is default, plan,
    acceptEdits or bypassPermissions; `model` is sonnet, opus or haiku; `stepKind` is work,
    verification or closure."""
    lists: tuple[tuple[Pointer, tuple[str, ...]], ...] = (
        (("structuredGate", "targetMode"), ("explicit", "dynamic", "conditional")),
        (("permissionMode",), ("default", "plan", "acceptEdits", "bypassPermissions")),
        (("model",), ("sonnet", "opus", "haiku")),
        (("stepKind",), ("work", "verification", "closure")),
        (("type",), ("prompt",)),
    )
    for step in steps:
        for keys, values in lists:
            holder = (step.gate or {}) if len(keys) == 2 else step.value
            value = holder.get(str(keys[-1]))
            if value is not None and value not in values:
                yield Note(
                    message=f"{keys[-1]} of {step.id!r} is {value!r}, not one of "
                    f"{', '.join(values)}.",
                    pointer=at(step, *keys),
                    hint=did_you_mean(value, values, "Write one of them, or remove the key."),
                )


@step_rule("SR222", "warning", "targetMode without a target", profiles=DOCUMENTED)
def mode_without_target(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The target mode of a gate needs a source of targets: `dynamic` needs `targetField`,
    `conditional` a rule with `condition` and `targets`, and `explicit` a rule for `jump` if the
    step allows jump."""
    for step in steps:
        gate = step.gate or {}
        mode = gate.get("targetMode")
        missing = ""
        if mode == "dynamic" and not gate.get("targetField"):
            missing = "a targetField"
        elif mode == "conditional" and not any("targets" in rule for rule in step.rules.values()):
            missing = "a rule with targets"
        elif mode == "explicit" and "jump" in step.allowed and "jump" not in step.rules:
            missing = "a rule for jump"
        if missing:
            yield Note(
                message=f"The targetMode {mode!r} of {step.id!r} needs {missing}.",
                pointer=at(step, "structuredGate", "targetMode"),
                hint="Add it, or remove targetMode.",
            )
