"""SR7xx, first part: differences in transitions between Climpt and the document (2.2 and 8).

The findings describe the behaviour of Climpt. Under `documented`, they are hints.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.prompt_paths import existing_prompt
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import ALIASES, INTENTS
from workflows.core.dialects.steps_registry.rules.kit import (
    CLIMPT_ONLY,
    DOCUMENTED,
    at,
    climpt,
    step_rule,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Connect, Disconnect, SetField
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, Notes, make_fix

ALIAS = re.compile(
    rf"action\W{{1,6}}({'|'.join(word for word in ALIASES if word not in INTENTS)})\b"
)
"""An alias that a prompt uses for the answer's `action`."""


@step_rule(
    "SR701", "warning", "Climpt ignores the target of repeat", profiles=EVERY, hint_in=DOCUMENTED
)
def repeat_elsewhere(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document lets `repeat` lead to another step. Climpt never reads `transitions.repeat` and
    runs the same step again (D2). The profile `documented` follows the transition; under `climpt`
    it is drawn and never taken."""
    for step in steps:
        for transition in step.transitions:
            if transition.intent == "repeat" and transition.target != step.id:
                yield Note(
                    message=f"{climpt(source)} repeats {step.id!r} here: it never reads "
                    "`transitions.repeat`.",
                    pointer=transition.pointer,
                    element=f"transition:{transition.id}",
                    hint="Use next or jump to go to another step.",
                )


@step_rule(
    "SR704", "warning", "abort ends the run as a success", profiles=EVERY, hint_in=DOCUMENTED
)
def abort(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document allows `abort` everywhere. In Climpt, a step with a kind that lists abort does
    not load, and a step without a kind ends the run as a success (D1)."""
    for step in steps:
        if "abort" in step.allowed and step.kind is None:
            yield Note(
                message=f"In {climpt(source)}, 'abort' of {step.id!r} ends the run as a success.",
                pointer=at(step, "structuredGate", "allowedIntents"),
            )


@step_rule(
    "SR705",
    "warning",
    "Climpt ignores intentField on closure steps",
    profiles=EVERY,
    hint_in=DOCUMENTED,
)
def closure_field(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """On closure steps, Climpt only reads `next_action.action`, and only the exact words closing
    and repeat. It ignores `intentField` and aliases such as done (D12)."""
    for step in steps:
        field = (step.gate or {}).get("intentField")
        if step.kind == "closure" and field and field != "next_action.action":
            yield Note(
                message=f"{climpt(source)} ignores intentField {field!r} on the closure step "
                f"{step.id!r}: it reads next_action.action.",
                pointer=at(step, "structuredGate", "intentField"),
            )


@step_rule("SR709", "warning", "Transition to a section", profiles=EVERY)
def into_section(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document describes `section.*` steps as injected into prompts. Climpt does not inject
    them: a transition to a section makes one model call, then ends the run with FAILED_STEP_ROUTING
    (D18)."""
    for step in steps:
        for transition in step.transitions:
            target = source.steps.get(transition.target)
            if target is not None and target.section:
                yield Note(
                    message=f"{transition.label!r} of {step.id!r} leads into the section "
                    f"{target.id!r}: the run ends there (FAILED_STEP_ROUTING).",
                    pointer=transition.pointer,
                    element=f"transition:{transition.id}",
                    fix=make_fix("Remove the transition", Disconnect(transition=transition.id)),
                )


@step_rule("SR712", "warning", "Fallback is never used", profiles=EVERY)
def fallbacks(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`fallback` of a transition is checked, but no profile uses it."""
    for step in steps:
        for transition in step.transitions:
            if transition.kind == "fallback":
                yield Note(
                    message=f"The fallback of {transition.intent!r} in {step.id!r} is never used.",
                    pointer=transition.pointer,
                    element=f"transition:{transition.id}",
                    fix=make_fix("Remove the fallback", Disconnect(transition=transition.id)),
                )


@step_rule("SR713", "hint", "Input replaced by the handoff", profiles=EVERY)
def replaced_output(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """When a gate hands values over, they replace the step's recorded output. `inputs` cannot read
    other parts of the answer any more (D20)."""
    for step in steps:
        for name, item in step.inputs.items():
            origin, _, key = str(item.get("from", "")).rpartition(".")
            other = source.steps.get(origin)
            if other is None or not other.handoff_fields:
                continue
            if key not in {field.rpartition(".")[2] for field in other.handoff_fields}:
                yield Note(
                    message=f"Input {name!r} of {step.id!r} reads {key!r} of {origin!r}, which the "
                    "handoff replaces.",
                    pointer=at(step, "inputs", name, "from"),
                )


@step_rule(
    "SR717", "warning", "Climpt ignores the target of closing", profiles=EVERY, hint_in=DOCUMENTED
)
def closing_rule(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In Climpt, `closing` always ends the run, regardless of its rule. In the document, only
    `target: null` ends it, and any other target is followed (D11)."""
    for step in steps:
        rule = step.rules.get("closing")
        if rule is not None and isinstance(rule.get("target"), str):
            field = "/transitions/closing/target"
            yield Note(
                message=f"{climpt(source)} ignores the target of 'closing' at {step.id!r}.",
                pointer=at(step, "transitions", "closing", "target"),
                fix=make_fix(
                    "Set the target to null",
                    SetField(element=step.element, field=field, value=None),
                ),
            )


@step_rule(
    "SR718", "error", "Allowed intent next without a rule", profiles=EVERY, hint_in=CLIMPT_ONLY
)
def derived_next(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document requires one key of `transitions` for every intent of the enum. Without one for
    `next`, `initial.X` leads to `continuation.X` by name, which is right for registries without
    gates only (D13). Climpt finds the missing rule itself (SR204)."""
    for step in steps:
        twin = f"continuation.{step.id.removeprefix('initial.')}"
        if not step.id.startswith("initial.") or twin not in source.steps:
            continue
        if "next" in step.allowed and "next" not in step.rules:
            yield Note(
                message=f"'next' of {step.id!r} has no rule; only its name leads to {twin!r}.",
                pointer=at(step),
                fix=make_fix(
                    "Add the transition", Connect(source=step.id, target=twin, label="next")
                ),
            )


@step_rule(
    "SR721", "error", "Allowed intent repeat without a rule", profiles=EVERY, hint_in=CLIMPT_ONLY
)
def rules_match(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document requires one key of `transitions` for every intent of the enum. Climpt only
    compares the enum with `allowedIntents`; `repeat` may have no rule, and an extra rule is a
    warning (D10)."""
    for step in steps:
        if step.gate is not None and "repeat" in step.allowed and "repeat" not in step.rules:
            yield Note(
                message=f"Step {step.id!r} allows repeat but has no rule for it.",
                hint=f"{climpt(source)} repeats the step without one.",
                pointer=at(step, "transitions"),
                fix=make_fix(
                    "Add the rule", Connect(source=step.id, target=step.id, label="repeat")
                ),
            )


@step_rule("SR722", "warning", "Alias in a closure prompt", profiles=EVERY, hint_in=DOCUMENTED)
def closure_aliases(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document accepts aliases such as done or retry everywhere. Climpt accepts them on work
    and verification steps only. If the prompt of a closure step teaches an alias, Climpt repeats
    the step without end (D12)."""
    for step in steps:
        path = existing_prompt(source, step) if step.kind == "closure" else None
        if path is None:
            continue
        taught = dict.fromkeys(ALIAS.findall(source.data[path].decode("utf-8", "replace")))
        for word in (word for word in taught if ALIASES[word] in ("closing", "repeat")):
            yield Note(
                message=f"The prompt of {step.id!r} uses {word!r}; {climpt(source)} only accepts "
                f"{ALIASES[word]!r} on closure steps.",
                pointer=at(step),
                hint=f"Write {ALIASES[word]} in the prompt.",
            )


@step_rule(
    "SR723", "warning", "Continuation never runs in Climpt", profiles=EVERY, hint_in=DOCUMENTED
)
def derived_without_gates(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """In the document, a run without gates uses `initial.X` first and `continuation.X` afterwards.
    Climpt uses the same step in every iteration (D13)."""
    for step in steps if not source.flow else ():
        twin = f"continuation.{step.id.removeprefix('initial.')}"
        if step.id.startswith("initial.") and twin in source.steps:
            yield Note(
                message=f"Without gates, {climpt(source)} runs {step.id!r} in every iteration and "
                f"never {twin!r}.",
                pointer=at(step),
            )
