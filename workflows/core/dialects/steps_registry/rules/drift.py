"""SR7xx: where the document and Climpt 1.13.27 differ for this very pack (sections 2.2 and 8).

Whatever the profile, the reader is told what will happen there.
"""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.c3l import prompt_path
from workflows.core.dialects.steps_registry.rules.notes import Note, Notes, at, check, check_steps
from workflows.core.dialects.steps_registry.rules.validators import conditions
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Step
from workflows.core.dialects.steps_registry.words import (
    CLIMPT,
    FLOW_ONLY_VARIABLES,
    VALIDATION_KEY,
)
from workflows.core.edits import Connect, Disconnect, RenameObject, SetField, UnsetField
from workflows.core.findings import Fix


@check_steps("SR701", "warning", "repeat stays where it is")
def repeat_elsewhere(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document lets `repeat` lead to another step. Climpt never reads `transitions.repeat`: it
    runs the same step again (D2). Under the profile `documented` the arrow is followed, under
    `climpt` it is drawn but not taken."""
    for step in steps:
        for arrow in step.arrows:
            if arrow.intent == "repeat" and arrow.target != step.id:
                yield Note(
                    message=f"{CLIMPT} will stay on {step.id!r} here: it never reads "
                    "`transitions.repeat`.",
                    pointer=arrow.pointer,
                    element=f"transition:{arrow.id}",
                    hint="Use next or jump to go elsewhere.",
                )


@check("SR702", "warning", "Which validation step is looked up")
def dead_validation(source: RegistrySource) -> Notes:
    """The document keys `validationSteps` by closure step. Climpt looks them up by verdict type:
    closure.polling, closure.iteration, closure.check, closure.keyword, closure.structured,
    closure.graph… Others never run there (D4)."""
    wanted = VALIDATION_KEY.get(source.verdict, "")
    taken = source.table("validationSteps")
    for key in taken:
        if key != wanted and source.generation != "B":
            rename = RenameObject(element=f"validationStep:{key}", new_key=wanted)
            yield Note(
                message=f"{CLIMPT} never looks at {key!r}: with verdict type {source.verdict!r} it "
                f"runs {wanted!r}.",
                pointer=("validationSteps", key),
                element=f"validationStep:{key}",
                fix=Fix(label=f"Rename to {wanted}", edits=(rename,))
                if wanted and wanted not in taken and len(taken) == 1
                else None,
            )


@check("SR703", "hint", "How often is retried")
def attempts(source: RegistrySource) -> Notes:
    """The document limits retries by `maxAttempts`. In Climpt only 1 ever ends a run of a registry
    with gates: each passing check before the model's call sets the counter back (D5)."""
    for key, item in source.table("validationSteps").items():
        failure = item.get("onFailure")
        most = failure.get("maxAttempts") if isinstance(failure, dict) else None
        if source.flow and isinstance(most, int) and most > 1:
            yield Note(
                message=f"{CLIMPT} will never stop {key!r} after {most} attempts: a passing check "
                "sets its counter back.",
                pointer=("validationSteps", key, "onFailure", "maxAttempts"),
                element=f"validationStep:{key}",
            )


@check_steps("SR704", "warning", "abort")
def abort(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document allows `abort` everywhere. In Climpt a step with a kind that lists it does not
    load, and a step without a kind ends the run as a success (D1)."""
    for step in steps:
        if "abort" in step.allowed and step.kind is None:
            yield Note(
                message=f"In {CLIMPT} 'abort' of {step.id!r} ends the run as a success.",
                pointer=at(step, "structuredGate", "allowedIntents"),
                element=step.element,
            )


@check_steps("SR705", "warning", "Where closure steps are read")
def closure_field(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """On closure steps Climpt reads `next_action.action` alone, and only the exact words closing
    and repeat: `intentField` and aliases such as done do not count there (D12)."""
    for step in steps:
        field = (step.gate or {}).get("intentField")
        if step.kind == "closure" and field and field != "next_action.action":
            yield Note(
                message=f"{CLIMPT} ignores intentField {field!r} on the closure step {step.id!r}: "
                "it reads next_action.action.",
                pointer=at(step, "structuredGate", "intentField"),
                element=step.element,
            )


@check_steps("SR706", "hint", "Models of steps")
def models(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """The document takes the step's `model`, else the agent's default, else opus, and so do runs
    here. Climpt reads neither (D9)."""
    for step in steps:
        if step.value.get("model") is not None:
            yield Note(
                message=f"{CLIMPT} does not read the model of {step.id!r}; runs here do.",
                pointer=at(step, "model"),
                element=step.element,
            )


@check("SR707", "hint", "Keys that nothing reads")
def unread_keys(source: RegistrySource) -> Notes:
    """The document builds prompt paths from `pathTemplate` and `userPromptsBase`, and schema paths
    from `schemasBase`. Climpt takes them from the path config and `schemas/` (D8)."""
    keys = ("pathTemplate", "pathTemplateNoAdaptation", "userPromptsBase", "schemasBase")
    for key in keys:
        if key in source.value:
            yield Note(message=f"{CLIMPT} does not read {key}.", pointer=(key,))


@check("SR708", "hint", "Where a failed check goes on")
def after_failure(source: RegistrySource) -> Notes:
    """After a failed validator the document goes back to the work step; Climpt asks the same
    closure step again, with the retry prompt (D3). It also runs the validators before the model is
    asked, not only after `closing` (D6)."""
    if source.flow and any(True for _ in conditions(source)):
        yield Note(
            message=f"After a failed validator {CLIMPT} asks the closure step again, not the work "
            "step.",
            pointer=("validationSteps",),
        )


@check_steps("SR709", "warning", "Sections are no steps")
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


@check("SR710", "hint", "Kinds that are inferred")
def inferred_kind(source: RegistrySource) -> Notes:
    """Where no step has a literal `stepKind`, Climpt makes no prompt resolver and the run ends with
    PR-C3L-003."""
    steps = [step for step in source.steps.values() if not step.section]
    if steps and source.generation != "B" and all("stepKind" not in s.value for s in steps):
        first = steps[0]
        yield Note(
            message=f"No step has a stepKind: {CLIMPT} then finds no prompts (PR-C3L-003).",
            pointer=at(first),
            element=first.element,
            fix=Fix(
                label=f"Set it on {first.id}",
                edits=(
                    SetField(element=first.element, field="/stepKind", value=first.kind or "work"),
                ),
            ),
        )


@check_steps("SR711", "warning", "Variables of closure prompts")
def closure_variables(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Closure prompts get no max_iterations, remaining, previous_summary, check_count or
    max_checks. One that declares such a variable is silently replaced by the verdict's own
    prompt (4.7)."""
    for step in steps:
        if step.kind != "closure":
            continue
        for index, name in enumerate(step.variables):
            if name.removeprefix("uv-") in FLOW_ONLY_VARIABLES:
                yield Note(
                    message=f"{CLIMPT} passes no {name!r} to the closure step {step.id!r} and "
                    "would ask with another prompt.",
                    pointer=at(step, "uvVariables", index),
                    element=step.element,
                )


@check_steps("SR712", "warning", "Fallbacks are not followed")
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


@check_steps("SR713", "hint", "Handing over replaces")
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


@check("SR714", "hint", "Built-in prompts are gone")
def fallback_keys(source: RegistrySource) -> Notes:
    """`fallbackKey` named a built-in prompt until 1.13.22. Climpt 1.13.27 ignores it: a missing
    prompt file ends the run."""
    steps = [step for step in source.steps.values() if "fallbackKey" in step.value]
    if steps:
        yield Note(
            message=f"{CLIMPT} has no built-in prompts: fallbackKey of {len(steps)} "
            f"step{'s' if len(steps) > 1 else ''} is not read.",
            pointer=at(steps[0], "fallbackKey"),
        )


@check("SR715", "warning", "The prompt of the closure action")
def closure_action(source: RegistrySource) -> Notes:
    """With GitHub switched on, `defaultClosureAction` picks the adaptation of closure prompts;
    where that file is missing the plain one is taken, where both are, another prompt (#479)."""
    github = source.agent_value("runner", "integrations", "github")
    if not isinstance(github, dict) or not github.get("enabled"):
        return
    action = github.get("defaultClosureAction")
    if not isinstance(action, str) or action == "close":
        return
    for step in source.steps.values():
        if step.kind != "closure" or not step.c3:
            continue
        exact, plain = prompt_path(source, step, action), prompt_path(source, step, "")
        if exact not in source.files and plain in source.files:
            yield Note(
                message=f"{step.id!r} has no prompt for the closure action {action!r}.",
                pointer=at(step),
                element=step.element,
                hint=f"It is looked for at {exact}.",
            )


@check_steps("SR716", "hint", "targetMode is not read")
def target_mode(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`targetMode` of a gate is decoration: nothing reads it."""
    for step in steps:
        if step.gate is not None and "targetMode" in step.gate:
            yield Note(
                message=f"Nothing reads targetMode of {step.id!r}.",
                pointer=at(step, "structuredGate", "targetMode"),
                element=step.element,
                fix=Fix(
                    label="Remove it",
                    edits=(UnsetField(element=step.element, field="/structuredGate/targetMode"),),
                ),
            )


@check_steps("SR717", "warning", "closing is decided elsewhere")
def closing_rule(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """`closing` ends the run whatever its rule says: a target there is never followed (D11)."""
    for step in steps:
        rule = step.rules.get("closing")
        if rule is not None and isinstance(rule.get("target"), str):
            field = "/transitions/closing/target"
            yield Note(
                message=f"closing of {step.id!r} names a step, but closing ends the run.",
                pointer=at(step, "transitions", "closing", "target"),
                element=step.element,
                fix=Fix(
                    label="Let it end the run",
                    edits=(SetField(element=step.element, field=field, value=None),),
                ),
            )


@check_steps("SR718", "hint", "next without a rule")
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
