"""SR2xx: gates and transitions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from workflows.core.dialects.steps_registry.flow import steps_of_kinds
from workflows.core.dialects.steps_registry.rules.notes import Note, Notes, at, check, check_steps
from workflows.core.dialects.steps_registry.sights import remembered
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Arrow, Step
from workflows.core.dialects.steps_registry.words import ALLOWED, BOUNDARY, INTENTS
from workflows.core.edits import AddState, Connect, Disconnect, Edit, Relabel, SetField, UnsetField
from workflows.core.findings import Fix
from workflows.core.text.json_text import Pointer


def _arrows(steps: Iterable[Step]) -> Iterator[tuple[Step, Arrow]]:
    return ((step, arrow) for step in steps for arrow in step.arrows)


def _fix(label: str, *edits: Edit) -> Fix:
    return Fix(label=label, edits=edits)


def without_intent(step: Step, intent: str) -> SetField:
    """The edit that takes an intent out of the gate, and out of the enum with it."""
    rest = [item for item in step.allowed if item != intent]
    return SetField(
        element=step.element,
        field="/structuredGate/allowedIntents",
        value=rest,  # type: ignore[arg-type]
    )


def _leads_nowhere(source: RegistrySource, steps: Iterable[Step], kind: str) -> Notes:
    known = source.value["steps"]
    for step, arrow in _arrows(steps):
        if arrow.kind == kind and arrow.target not in known:
            yield Note(
                message=f"{arrow.label!r} of {step.id!r} leads to {arrow.target!r}, "
                "which is no step (SR-TRANS-001).",
                pointer=arrow.pointer,
                element=f"transition:{arrow.id}",
                hint="Move the arrow to a step, or remove it.",
                fix=_fix(
                    f"Add step {arrow.target}", AddState(id=arrow.target, kind=_guess(arrow, step))
                ),
            )


def _guess(arrow: Arrow, step: Step) -> str:
    first = arrow.target.split(".")[0]
    if first in ("closure", "verification"):
        return first
    return BOUNDARY.get((step.kind or "", arrow.intent), ("work",))[0]


@check_steps("SR201", "error", "Targets are steps")
def targets_exist(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A transition's `target` must name a step. At run time the first one taken ends the run with
    SR-TRANS-001 (handoff SR-TRANS-006, escalate SR-TRANS-008); `fallback` does not help."""
    return _leads_nowhere(source, steps, "target")


@check_steps("SR202", "error", "Fallbacks are steps")
def fallbacks_exist(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`fallback` of a transition must name a step, although no run ever follows it."""
    for step, arrow in _arrows(steps):
        if arrow.kind == "fallback" and arrow.target not in source.value["steps"]:
            yield Note(
                message=f"The fallback of {arrow.intent!r} in {step.id!r} names "
                f"{arrow.target!r}, which is no step.",
                pointer=arrow.pointer,
                element=f"transition:{arrow.id}",
                fix=_fix("Remove the fallback", Disconnect(transition=arrow.id)),
            )


@check_steps("SR203", "error", "Conditional targets are steps")
def conditional_targets_exist(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Every value in `targets` must name a step, else the run ends with SR-TRANS-001 when that
    value comes."""
    return _leads_nowhere(source, steps, "value")


@check("SR204", "error", "Allowed intents lead somewhere")
def allowed_have_rules(source: RegistrySource) -> Notes:
    """An intent in `allowedIntents` needs a transition rule (repeat and abort do without). The
    model may answer it, and then the run fails: handoff SR-TRANS-004, escalate SR-TRANS-007, next
    and jump SR-TRANS-003 unless `continuation.X` exists for `initial.X`."""
    for id, lacking in remembered(source, "SR204", _without_way).items():
        step = source.steps[id]
        for index, intent in lacking:
            yield Note(
                message=f"{intent!r} is allowed in {id!r} but leads nowhere.",
                pointer=at(step, "structuredGate", "allowedIntents", index),
                element=step.element,
                hint="Draw the arrow, or take the intent out.",
                fix=_route(source, step, intent),
            )


def _without_way(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[int, str]]:
    """Allowed intents that need a rule and have none, with their place in the list."""
    for step in steps:
        rules = step.value.get("transitions")
        known = rules if isinstance(rules, dict) else {}
        for index, intent in enumerate(step.allowed):
            if intent not in known and intent not in ("repeat", "abort"):
                yield index, intent


def _route(source: RegistrySource, step: Step, intent: str) -> Fix:
    if intent == "closing":
        return _fix("Let closing end the run", Connect(source=step.id, target="", label="closing"))
    targets = steps_of_kinds(source, BOUNDARY.get((step.kind or "", intent), ()), but=step.id)
    if len(targets) == 1:
        edit = Connect(source=step.id, target=targets[0], label=intent)
        return _fix(f"Lead {intent} to {targets[0]}", edit)
    return _fix(f"Take {intent} out", without_intent(step, intent))


@check_steps("SR205", "warning", "Rules for intents that are not allowed")
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


@check_steps("SR206", "warning", "Known intents")
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


@check_steps("SR207", "error", "Rules of the kind")
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
                    fix=_fix(
                        "Remove the rule",
                        UnsetField(element=step.element, field=f"/transitions/{intent}"),
                    ),
                )


@check_steps("SR208", "error", "Where an intent may lead")
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
                fix=_fix("Make it a handoff", Relabel(transition=arrow.id, label=swap))
                if swap and swap not in step.rules and arrow.kind == "target"
                else None,
            )


@check_steps("SR209", "warning", "next to itself")
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


@check_steps("SR210", "error", "One form of rule")
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
                    fix=_fix(
                        "Keep the target",
                        UnsetField(element=step.element, field=f"/transitions/{intent}/targets"),
                    )
                    if plain
                    else None,
                )


def _conditional(steps: Iterable[Step]) -> Iterator[tuple[Step, str, dict[str, object]]]:
    for step in steps:
        for intent, rule in step.rules.items():
            targets = rule.get("targets")
            if isinstance(targets, dict) and "target" not in rule:
                yield step, intent, targets


@check_steps("SR211", "error", "No null among conditional targets")
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
                    fix=_fix(
                        "Remove the value",
                        UnsetField(
                            element=step.element, field=f"/transitions/{intent}/targets/{value}"
                        ),
                    ),
                )


@check_steps("SR212", "warning", "A default among conditional targets")
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


@check_steps("SR213", "error", "Conditions see handed-over values")
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
                fix = _fix(f"Use {last}", edit)
            elif step.gate is not None:
                fields = [*step.handoff_fields, condition]
                edit = SetField(
                    element=step.element,
                    field="/structuredGate/handoffFields",
                    value=fields,  # type: ignore[arg-type]
                )
                fix = _fix(f"Hand {condition} over", edit)
            yield Note(
                message=f"The condition {condition!r} of {intent!r} in {step.id!r} is not handed "
                "over, so only 'default' is ever taken.",
                pointer=at(step, "transitions", intent, "condition"),
                element=step.element,
                hint="Add the path to handoffFields; the condition is its last part.",
                fix=fix,
            )


@check_steps("SR214", "error", "Only closing ends")
def null_target(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`target: null` is for `closing` on closure steps. Elsewhere it ends the run with an error:
    SR-TRANS-002 for next and jump, 005 for handoff, 009 for escalate."""
    for step in steps:
        for intent, rule in step.rules.items():
            ends = "target" in rule and rule["target"] is None
            if ends and intent not in ("closing", "repeat", "abort"):
                yield Note(
                    message=f"{intent!r} of {step.id!r} leads to null; only closing may.",
                    pointer=at(step, "transitions", intent, "target"),
                    element=step.element,
                    hint="Lead it to a step.",
                )


@check_steps("SR215", "warning", "Initial steps do not hand off")
def initial_handoff(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """By design a flow's first step goes on with next; handing off from it skips the work."""
    for step in steps:
        if step.c2 == "initial" and ("handoff" in step.allowed or "handoff" in step.rules):
            yield Note(
                message=f"The initial step {step.id!r} uses handoff.",
                pointer=at(step),
                element=step.element,
            )


@check_steps("SR216", "error", "escalate is for verification")
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


@check_steps("SR217", "warning", "The fallback intent is allowed")
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


@check_steps("SR218", "error", "Handoff and escalate have one target")
def unconditional(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """handoff and escalate take no conditional rule: Climpt ends the run with SR-TRANS-004 or
    SR-TRANS-009."""
    for step, intent, _ in _conditional(steps):
        if intent in ("handoff", "escalate"):
            yield Note(
                message=f"{intent!r} of {step.id!r} is conditional, which Climpt refuses at run "
                "time.",
                pointer=at(step, "transitions", intent),
                element=step.element,
                hint="Branch with next, and hand off from the steps it leads to.",
            )


@check_steps("SR219", "error", "The seven intents")
def unknown_intents(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`allowedIntents` holds some of the seven intents. Custom ones cannot be added."""
    for step in steps:
        for index, intent in enumerate(step.allowed):
            if intent not in INTENTS and step.kind is None:
                yield Note(
                    message=f"{step.id!r} allows {intent!r}, which is not an intent.",
                    pointer=at(step, "structuredGate", "allowedIntents", index),
                    element=step.element,
                    fix=_fix(f"Take {intent} out", without_intent(step, intent)),
                )


@check_steps("SR220", "warning", "A gate allows something")
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


@check_steps("SR221", "error", "Values from fixed lists")
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
