"""Edits of transitions: connect, disconnect, retarget, relabel."""

from __future__ import annotations

from typing import Any

from workflows.core.dialects.steps_registry.edits.common import step_of, transition_of
from workflows.core.dialects.steps_registry.edits.intents import allow, forbid, replace_intent
from workflows.core.dialects.steps_registry.format.steps import Step, StepTransition
from workflows.core.dialects.steps_registry.format.vocabulary import ALLOWED, INTENTS
from workflows.core.dialects.steps_registry.graph.implicit_transitions import (
    CLOSING,
    DerivedTransition,
    derived_transition,
)
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaProblem,
    definition,
    follow,
    walk,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Connect, Disconnect, EditRefused, Relabel, Retarget


def split_label(label: str, value: str | None) -> tuple[str, str | None]:
    """The label of a transition as (intent, value): `next: ready` is ("next", "ready")."""
    intent, separator, written = label.partition(":")
    if value is None and separator and intent.strip() in INTENTS:
        return intent.strip(), written.strip()
    return label.strip(), value or None


def connect(source: RegistrySource, edit: Connect) -> RegistrySource:
    """Add a transition: gate, enum and rule. An empty target is only for `closing`."""
    step = step_of(source, edit.source)
    intent, value = split_label(edit.label, edit.value)
    _fits(step, intent)
    if intent == "closing":
        return _closing(source, step, edit.target)
    if (target := step_of(source, edit.target)).section:
        raise EditRefused(
            f"{target.id!r} is a section, a fragment of a prompt, and cannot be a target.",
            where=target.element,
        )
    before = source
    source = allow(source, step.id, intent)
    source = _write_rule(source, step.id, intent, value, target.id)
    if source is before or source.files == before.files:
        raise EditRefused(f"{step.id!r} already has this transition to {target.id!r}.")
    return source


def _fits(step: Step, intent: str) -> None:
    if intent not in INTENTS:
        names = ", ".join(INTENTS)
        raise EditRefused(f"{intent!r} is not an intent. Intents: {names}.", where=step.element)
    allowed = ALLOWED.get(step.kind or "")
    if allowed is not None and intent not in allowed:
        raise EditRefused(
            f"A {step.kind} step does not allow {intent!r}. Intents: {', '.join(allowed)}.",
            where=step.element,
            hint="Change stepKind, or choose one of these intents.",
        )
    if intent == "abort":
        raise EditRefused("abort ends the run, so it has no target.", where=step.element)


def _closing(source: RegistrySource, step: Step, target: str) -> RegistrySource:
    if target:
        raise EditRefused(
            "closing ends the run, so it has no target.",
            where=step.element,
            hint="Use handoff to reach a closure step.",
        )
    source = allow(source, step.id, "closing")
    pointer = ("steps", step.id, "transitions", "closing")
    return source.registry_edit(lambda text: text.set(pointer, {"target": None}))


def _write_rule(
    source: RegistrySource, id: str, intent: str, value: str | None, target: str
) -> RegistrySource:
    rule = step_of(source, id).rules.get(intent)
    pointer = ("steps", id, "transitions", intent)
    if rule is None:
        if value is None:
            return source.registry_edit(lambda text: text.set(pointer, {"target": target}))
        source, condition = _condition(source, id)
        fresh: Any = {"condition": condition, "targets": {value: target}}
        return source.registry_edit(lambda text: text.set(pointer, fresh))
    if isinstance(rule.get("targets"), dict):
        place = (*pointer, "targets", value or "default")
        if isinstance(held := rule["targets"].get(place[-1]), str) and held != target:
            raise EditRefused(
                f"{intent!r} already leads to {held!r} when the value is {place[-1]!r}.",
                where=f"state:{id}",
                hint="Retarget that transition, or enter another value.",
            )
        return source.registry_edit(lambda text: text.set(place, target))
    held = rule.get("target")
    if value is not None:
        return _make_conditional(source, id, intent, rule, {value: target})
    if isinstance(held, str) and held and held != target:
        raise EditRefused(
            f"{intent!r} already leads to {held!r}.",
            where=f"state:{id}",
            hint="Retarget that transition, or give the new one a value to keep both.",
        )
    return source.registry_edit(lambda text: text.set((*pointer, "target"), target))


def _make_conditional(
    source: RegistrySource, id: str, intent: str, rule: dict[str, Any], targets: dict[str, str]
) -> RegistrySource:
    """Make a plain rule conditional. Its target becomes `default`."""
    source, condition = _condition(source, id)
    held = rule.get("target")
    if isinstance(held, str) and held and "default" not in targets:
        targets = {**targets, "default": held}
    rest = {key: item for key, item in rule.items() if key not in ("target", "fallback")}
    branched: Any = {**rest, "condition": condition, "targets": targets}
    pointer = ("steps", id, "transitions", intent)
    return source.registry_edit(lambda text: text.set(pointer, branched))


def _condition(source: RegistrySource, id: str) -> tuple[RegistrySource, str]:
    """The field of a conditional rule: the last part of a handoff field. Added if missing.

    A condition only reads values that are handed over (section 4.5). So a new field `status` is
    added to `handoffFields` and, if possible, to the properties of the step's schema.
    """
    step = step_of(source, id)
    for other in step.rules.values():
        if isinstance(other.get("condition"), str):
            return source, other["condition"]
    if step.handoff_fields:
        return source, step.handoff_fields[0].rpartition(".")[2]
    gate = ("steps", id, "structuredGate", "handoffFields")
    source = source.registry_edit(lambda text: text.set(gate, ["status"]))
    try:
        location = definition(source, step)
        if location is not None and walk(source, location, ("properties", "status")) is None:
            place = follow(source, location).child("properties")
            text = source.json(place.path)
            if text is not None and text.has(place.pointer):
                field = (*place.pointer, "status")
                source = source.edit(place.path, lambda text: text.set(field, {"type": "string"}))
    except SchemaProblem:
        pass
    return source, "status"


def disconnect(source: RegistrySource, edit: Disconnect) -> RegistrySource:
    """Remove a transition, and its intent unless another transition uses it."""
    transition = drawn_transition(source, edit.transition)
    if isinstance(transition, StepTransition):
        return remove_transition(source, transition)
    if transition.label != CLOSING:
        raise _follows(transition)
    pointer = ("steps", transition.source, "transitions", CLOSING)
    if source.registry is not None and source.registry.has(pointer):
        source = source.registry_edit(lambda text: text.delete(pointer))
    return forbid(source, transition.source, CLOSING)


def drawn_transition(source: RegistrySource, id: str) -> StepTransition | DerivedTransition:
    """A transition of the file, or one that follows from another part of it. Raises EditRefused
    for an unknown id."""
    for profile in ("documented", "climpt"):
        if (derived := derived_transition(source, profile, id)) is not None:
            return derived
    return transition_of(source, id)


def _follows(transition: DerivedTransition) -> EditRefused:
    return EditRefused(
        f"This transition is not in `transitions`. {transition.why}",
        where=f"transition:{transition.id}",
        hint="Change the part of the file from which it follows.",
    )


def remove_transition(source: RegistrySource, transition: StepTransition) -> RegistrySource:
    rule_pointer = ("steps", transition.source, "transitions", transition.intent)
    rule = step_of(source, transition.source).rules[transition.intent]
    if transition.kind == "fallback":
        return source.registry_edit(lambda text: text.delete(transition.pointer))
    targets = rule.get("targets")
    remaining = len(targets) if isinstance(targets, dict) else 0
    others = "target" in rule if transition.kind == "value" else remaining > 0
    if (transition.kind == "value" and remaining > 1) or (transition.kind == "target" and others):
        return source.registry_edit(lambda text: text.delete(transition.pointer))
    if transition.kind == "value" and others:
        return source.registry_edit(lambda text: text.delete((*rule_pointer, "targets")))
    source = source.registry_edit(lambda text: text.delete(rule_pointer))
    return forbid(source, transition.source, transition.intent)


def retarget(source: RegistrySource, edit: Retarget) -> RegistrySource:
    """Change the target of a transition or, with `source`, its source."""
    transition = drawn_transition(source, edit.transition)
    if not isinstance(transition, StepTransition):
        raise _follows(transition)
    if edit.target is None and edit.source in (None, transition.source):
        raise EditRefused("A retarget needs a new target or a new source.")
    target = step_of(source, edit.target).id if edit.target is not None else transition.target
    if edit.source is None or edit.source == transition.source:
        return source.registry_edit(lambda text: text.set(transition.pointer, target))
    step_of(source, edit.source)
    source = remove_transition(source, transition)
    moved = Connect(
        source=edit.source, target=target, label=transition.intent, value=transition.value
    )
    return connect(source, moved)


def relabel(source: RegistrySource, edit: Relabel) -> RegistrySource:
    """Change the intent or value of a transition, in place if possible."""
    transition = drawn_transition(source, edit.transition)
    if not isinstance(transition, StepTransition):
        raise _follows(transition)
    intent, value = split_label(edit.label, None)
    step = step_of(source, transition.source)
    if transition.kind == "fallback":
        raise EditRefused("A fallback has no intent of its own.", where=step.element)
    if transition.kind == "value" and intent not in INTENTS:
        intent, value = transition.intent, edit.label.strip()
    _fits(step, intent)
    if (intent, value) == (transition.intent, transition.value):
        return source
    if intent == transition.intent and transition.kind == "value" and value is not None:
        return _rename_value(source, transition, value)
    targets = step.rules[transition.intent].get("targets")
    alone = not isinstance(targets, dict) or len(targets) <= 1
    if alone and value == transition.value and intent not in step.rules:
        pointer = ("steps", step.id, "transitions", transition.intent)
        source = source.registry_edit(lambda text: text.rename(pointer, intent))
        return replace_intent(source, step.id, transition.intent, intent)
    source = remove_transition(source, transition)
    wanted = Connect(source=step.id, target=transition.target, label=intent, value=value)
    return connect(source, wanted)


def _rename_value(source: RegistrySource, transition: StepTransition, value: str) -> RegistrySource:
    try:
        return source.registry_edit(lambda text: text.rename(transition.pointer, value))
    except ValueError:
        raise EditRefused(f"{transition.intent!r} already has the value {value!r}.") from None
