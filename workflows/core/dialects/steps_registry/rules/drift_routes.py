"""SR7xx, first part: runs go another way in Climpt than in the document (sections 2.2 and 8).

Whatever the profile, the reader is told what will happen there.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.prompt_paths import existing_prompt
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import ALIASES, INTENTS
from workflows.core.dialects.steps_registry.rules.kit import at, climpt, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Connect, Disconnect, SetField
from workflows.core.pack.findings import Fix
from workflows.core.rules.kit import Note, Notes

ALIAS = re.compile(
    rf"action\W{{1,6}}({'|'.join(word for word in ALIASES if word not in INTENTS)})\b"
)
"""An alias that a prompt wants at the answer's `action`."""


@step_rule("SR701", "warning", "repeat stays where it is")
def repeat_elsewhere(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document lets `repeat` lead to another step. Climpt never reads `transitions.repeat`: it
    runs the same step again (D2). Under the profile `documented` the arrow is followed, under
    `climpt` it is drawn but not taken."""
    for step in steps:
        for arrow in step.arrows:
            if arrow.intent == "repeat" and arrow.target != step.id:
                yield Note(
                    message=f"{climpt(source)} will stay on {step.id!r} here: it never reads "
                    "`transitions.repeat`.",
                    pointer=arrow.pointer,
                    element=f"transition:{arrow.id}",
                    hint="Use next or jump to go elsewhere.",
                )


@step_rule("SR704", "warning", "abort")
def abort(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document allows `abort` everywhere. In Climpt a step with a kind that lists it does not
    load, and a step without a kind ends the run as a success (D1)."""
    for step in steps:
        if "abort" in step.allowed and step.kind is None:
            yield Note(
                message=f"In {climpt(source)} 'abort' of {step.id!r} ends the run as a success.",
                pointer=at(step, "structuredGate", "allowedIntents"),
                element=step.element,
            )


@step_rule("SR705", "warning", "Where closure steps are read")
def closure_field(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """On closure steps Climpt reads `next_action.action` alone, and only the exact words closing
    and repeat: `intentField` and aliases such as done do not count there (D12)."""
    for step in steps:
        field = (step.gate or {}).get("intentField")
        if step.kind == "closure" and field and field != "next_action.action":
            yield Note(
                message=f"{climpt(source)} ignores intentField {field!r} on the closure step "
                f"{step.id!r}: it reads next_action.action.",
                pointer=at(step, "structuredGate", "intentField"),
                element=step.element,
            )


@step_rule("SR709", "warning", "Sections are no steps")
def into_section(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document calls `section.*` steps injected. Nothing injects them: a transition into one
    asks once, then ends the run with FAILED_STEP_ROUTING (D18)."""
    for step in steps:
        for arrow in step.arrows:
            target = source.steps.get(arrow.target)
            if target is not None and target.section:
                yield Note(
                    message=f"{arrow.label!r} of {step.id!r} leads into the section "
                    f"{target.id!r}: the run ends there (FAILED_STEP_ROUTING).",
                    pointer=arrow.pointer,
                    element=f"transition:{arrow.id}",
                    fix=Fix(label="Remove the arrow", edits=(Disconnect(transition=arrow.id),)),
                )


@step_rule("SR712", "warning", "Fallbacks are not followed")
def fallbacks(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`fallback` of a transition is checked and never followed, in no profile."""
    for step in steps:
        for arrow in step.arrows:
            if arrow.kind == "fallback":
                yield Note(
                    message=f"No run follows the fallback of {arrow.intent!r} in {step.id!r}.",
                    pointer=arrow.pointer,
                    element=f"transition:{arrow.id}",
                    fix=Fix(label="Remove it", edits=(Disconnect(transition=arrow.id),)),
                )


@step_rule("SR713", "hint", "Handing over replaces")
def replaced_output(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """When a gate hands values over, the step's recorded output is replaced by them: other parts
    of the answer can no longer be used by `inputs` (D20)."""
    for step in steps:
        for name, item in step.inputs.items():
            origin, _, key = str(item.get("from", "")).rpartition(".")
            other = source.steps.get(origin)
            if other is None or not other.handoff_fields:
                continue
            if key not in {field.rpartition(".")[2] for field in other.handoff_fields}:
                yield Note(
                    message=f"Input {name!r} of {step.id!r} wants {key!r} of {origin!r}, which is "
                    "gone once values are handed over.",
                    pointer=at(step, "inputs", name, "from"),
                    element=step.element,
                )


@step_rule("SR717", "warning", "closing is decided elsewhere")
def closing_rule(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In Climpt `closing` ends the run whatever its rule says. The document ends it by `target:
    null` alone, and follows a target that is there (D11)."""
    for step in steps:
        rule = step.rules.get("closing")
        if rule is not None and isinstance(rule.get("target"), str):
            field = "/transitions/closing/target"
            yield Note(
                message=f"closing of {step.id!r} names a step; {climpt(source)} ends the run.",
                pointer=at(step, "transitions", "closing", "target"),
                element=step.element,
                fix=Fix(
                    label="Let it end the run",
                    edits=(SetField(element=step.element, field=field, value=None),),
                ),
            )


@step_rule("SR718", "hint", "next without a rule")
def derived_next(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`next` without a rule leads from `initial.X` to `continuation.X`, by name. Nothing in the
    file shows that arrow (D13)."""
    for step in steps:
        twin = f"continuation.{step.id.removeprefix('initial.')}"
        if not step.id.startswith("initial.") or twin not in source.steps:
            continue
        if "next" in step.allowed and "next" not in step.rules:
            yield Note(
                message=f"next of {step.id!r} leads to {twin!r} by name alone.",
                pointer=at(step),
                element=step.element,
                fix=Fix(
                    label="Draw the arrow",
                    edits=(Connect(source=step.id, target=twin, label="next"),),
                ),
            )


@step_rule("SR721", "hint", "A rule for every intent")
def rules_match(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document wants the keys of `transitions` to be the intents of the enum, one for one.
    Climpt asks for equality of enum and `allowedIntents` alone; `repeat` may have no rule, and a
    rule too many is a warning (D10)."""
    for step in steps:
        if step.gate is not None and "repeat" in step.allowed and "repeat" not in step.rules:
            yield Note(
                message=f"{step.id!r} may repeat without a rule for it; {climpt(source)} does not "
                "mind.",
                pointer=at(step, "transitions"),
                element=step.element,
                fix=Fix(
                    label="Write the rule",
                    edits=(Connect(source=step.id, target=step.id, label="repeat"),),
                ),
            )


@step_rule("SR722", "warning", "Aliases on closure steps")
def closure_aliases(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document takes aliases such as done or retry everywhere. Climpt takes them on work and
    verification steps only: a closure step whose prompt teaches an alias is asked again and again
    (D12)."""
    for step in steps:
        path = existing_prompt(source, step) if step.kind == "closure" else None
        if path is None:
            continue
        taught = dict.fromkeys(ALIAS.findall(source.data[path].decode("utf-8", "replace")))
        for word in (word for word in taught if ALIASES[word] in ("closing", "repeat")):
            yield Note(
                message=f"The prompt of {step.id!r} asks for {word!r}; {climpt(source)} takes only "
                f"{ALIASES[word]!r} on closure steps.",
                pointer=at(step),
                element=step.element,
                hint=f"Let the prompt say {ALIASES[word]}.",
            )


@step_rule("SR723", "warning", "On to the continuation without gates")
def derived_without_gates(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In the document a run without gates asks `initial.X` first and `continuation.X` from then on.
    Climpt asks the same step in every iteration (D13)."""
    for step in steps if not source.flow else ():
        twin = f"continuation.{step.id.removeprefix('initial.')}"
        if step.id.startswith("initial.") and twin in source.steps:
            yield Note(
                message=f"Without gates {climpt(source)} asks {step.id!r} in every iteration and "
                f"never {twin!r}.",
                pointer=at(step),
                element=step.element,
            )


@step_rule("SR724", "hint", "Verification leads to closure")
def verification_closes(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In the document verification does not lead to closure itself: it goes back to work, which
    hands off. Climpt lets next and jump of a verification step lead to a closure step (D21)."""
    for step in steps:
        for arrow in step.arrows if step.kind == "verification" else ():
            target = source.steps.get(arrow.target)
            if target is not None and target.kind == "closure" and arrow.intent in ("next", "jump"):
                yield Note(
                    message=f"{arrow.label!r} of {step.id!r} leads to the closure step "
                    f"{target.id!r}: {climpt(source)} permits it, the document does not.",
                    pointer=arrow.pointer,
                    element=f"transition:{arrow.id}",
                )
