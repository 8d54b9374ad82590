"""SR2xx, second part: what a gate lets the model answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import BOUNDARY, INTENTS, NO_RULE
from workflows.core.dialects.steps_registry.graph.reachability import steps_of_kinds
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step
from workflows.core.dialects.steps_registry.rules.kit import at, registry_rule, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Connect, Disconnect, Edit, SetField, UnsetField
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note, Notes, make_fix
from workflows.core.text.json.document import Pointer


def without_intent(step: Step, intent: str) -> SetField:
    """The edit that takes an intent out of the gate, and out of the enum with it."""
    rest = [item for item in step.allowed if item != intent]
    return SetField(
        element=step.element,
        field="/structuredGate/allowedIntents",
        value=rest,  # type: ignore[arg-type]
    )


@registry_rule("SR204", "error", "Allowed intents lead somewhere")
def allowed_have_rules(source: RegistrySource) -> Notes:
    """An intent in `allowedIntents` needs a transition rule (repeat and abort do without). The
    model may answer it, and then the run fails: handoff SR-TRANS-004, escalate SR-TRANS-007, next
    and jump SR-TRANS-003 unless `continuation.X` exists for `initial.X`."""
    for id, lacking in cached_by_step(source, "SR204", _without_way).items():
        step = source.steps[id]
        for index, intent in lacking:
            yield Note(
                message=f"{intent!r} is allowed in {id!r} but leads nowhere "
                f"({NO_RULE.get(intent, 'SR-TRANS-003')}).",
                pointer=at(step, "structuredGate", "allowedIntents", index),
                element=step.element,
                hint="Draw the arrow, or take the intent out.",
                fix=_route(source, step, intent),
            )


def _without_way(
    source: RegistrySource, steps: Iterable[Step]
) -> Iterator[tuple[str, tuple[int, str]]]:
    """Step id, and index and name of each allowed intent that needs a transition and has none."""
    for step in steps:
        rules = step.value.get("transitions")
        known = rules if isinstance(rules, dict) else {}
        for index, intent in enumerate(step.allowed):
            if intent not in known and intent not in ("repeat", "abort"):
                yield step.id, (index, intent)


def _route(source: RegistrySource, step: Step, intent: str) -> Fix:
    if intent == "closing":
        return make_fix(
            "Let closing end the run", Connect(source=step.id, target="", label="closing")
        )
    targets = steps_of_kinds(source, BOUNDARY.get((step.kind or "", intent), ()), but=step.id)
    if len(targets) == 1:
        edit = Connect(source=step.id, target=targets[0], label=intent)
        return make_fix(f"Lead {intent} to {targets[0]}", edit)
    return make_fix(f"Take {intent} out", without_intent(step, intent))


@step_rule("SR205", "warning", "Rules for intents that are not allowed")
def dead_rules(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A rule whose intent is not in `allowedIntents` is never taken: the gate refuses the answer
    first."""
    for step in steps:
        if step.gate is None:
            continue
        for intent in step.rules:
            if intent not in step.allowed:
                arrows = [arrow for arrow in step.arrows if arrow.intent == intent]
                edits: tuple[Edit, ...] = tuple(
                    Disconnect(transition=arrow.id) for arrow in arrows if arrow.kind != "fallback"
                ) or (UnsetField(element=step.element, field=f"/transitions/{intent}"),)
                yield Note(
                    message=f"The rule for {intent!r} in {step.id!r} is never taken: the gate does "
                    "not allow it.",
                    pointer=at(step, "transitions", intent),
                    element=f"transition:{arrows[0].id}" if arrows else step.element,
                    fix=Fix(label="Remove the rule", edits=edits),
                )


@step_rule("SR215", "warning", "Initial steps do not hand off")
def initial_handoff(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """By design a flow's first step goes on with next; handing off from it skips the work."""
    for step in steps:
        if step.c2 == "initial" and ("handoff" in step.allowed or "handoff" in step.rules):
            yield Note(
                message=f"The initial step {step.id!r} uses handoff.",
                pointer=at(step),
                element=step.element,
            )


@step_rule("SR216", "error", "escalate is for verification")
def escalate_kind(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Only verification steps may escalate (`--validate`)."""
    for step in steps:
        known = step.kind is not None and step.kind != "verification"
        if known and ("escalate" in step.allowed or "escalate" in step.rules):
            yield Note(
                message=f"{step.id!r} is a {step.kind} step and cannot escalate.",
                pointer=at(step),
                element=step.element,
            )


@step_rule("SR217", "warning", "The fallback intent is allowed")
def fallback_allowed(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """With `failFast: false` the run falls back to `fallbackIntent`, but only if the step allows
    it; else to next, else to the first intent."""
    for step in steps:
        gate = step.gate or {}
        fallback = gate.get("fallbackIntent")
        if gate.get("failFast") is False and fallback and fallback not in step.allowed:
            yield Note(
                message=f"fallbackIntent {fallback!r} of {step.id!r} is not allowed there, so it "
                "is passed over.",
                pointer=at(step, "structuredGate", "fallbackIntent"),
                element=step.element,
            )


@step_rule("SR219", "error", "The seven intents")
def unknown_intents(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`allowedIntents` holds some of the seven intents. Custom ones cannot be added."""
    for step in steps:
        for index, intent in enumerate(step.allowed):
            if intent not in INTENTS and step.kind is None:
                yield Note(
                    message=f"{step.id!r} allows {intent!r}, which is not an intent.",
                    pointer=at(step, "structuredGate", "allowedIntents", index),
                    element=step.element,
                    fix=make_fix(f"Take {intent} out", without_intent(step, intent)),
                )


@step_rule("SR220", "warning", "A gate allows something")
def empty_gate(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A gate without allowed intents refuses every answer."""
    for step in steps:
        if step.gate is not None and not step.allowed:
            yield Note(
                message=f"The gate of {step.id!r} allows no intent, so every answer fails.",
                pointer=at(step, "structuredGate"),
                element=step.element,
                hint="Draw an arrow out of the step.",
            )


@step_rule("SR221", "error", "Values from fixed lists")
def fixed_lists(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`targetMode` is explicit, dynamic or conditional; `permissionMode` default, plan,
    acceptEdits or bypassPermissions; `model` sonnet, opus or haiku; `stepKind` work, verification
    or closure."""
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
            given = holder.get(str(keys[-1]))
            if given is not None and given not in values:
                yield Note(
                    message=f"{keys[-1]} of {step.id!r} is {given!r}; it may be "
                    f"{', '.join(values)}.",
                    pointer=at(step, *keys),
                    element=step.element,
                )
