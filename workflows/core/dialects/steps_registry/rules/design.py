"""SR8xx: design-level hints, as authoring tools give them (section 3.3 and 12).

They are hints in every profile: shown beside the rest, and never a reason for `check` to fail.
"""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.prompt_paths import existing_prompt
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.kit import at, registry_rule, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.rules.kit import Note, Notes


@registry_rule("SR801", "hint", "One way to name the entry")
def two_entries(source: RegistrySource) -> Notes:
    """A registry names its entry by `entryStep` or by `entryStepMapping`; with both, the mapping
    wins for the verdict types it lists."""
    if source.value.get("entryStep") and source.value.get("entryStepMapping"):
        yield Note(
            message="Both entryStep and entryStepMapping are given; the mapping wins.",
            pointer=("entryStep",),
        )


@step_rule("SR802", "hint", "A jump says where to")
def jump_target(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A step that may jump needs `targetField`, else the model cannot say where to."""
    for step in steps:
        if "jump" in step.allowed and not (step.gate or {}).get("targetField"):
            yield Note(
                message=f"{step.id!r} may jump but has no targetField.",
                pointer=at(step, "structuredGate"),
                element=step.element,
            )


@step_rule("SR803", "hint", "A handoff hands something over")
def handoff_fields(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A step that hands off usually names in `handoffFields` what goes with it."""
    for step in steps:
        if "handoff" in step.allowed and not step.handoff_fields:
            yield Note(
                message=f"{step.id!r} hands off, but hands nothing over.",
                pointer=at(step, "structuredGate"),
                element=step.element,
            )


@registry_rule("SR804", "hint", "Retries have a limit")
def retry_limit(source: RegistrySource) -> Notes:
    """A validation step that retries should say how often (`maxAttempts`, otherwise 3)."""
    for key, item in source.table("validationSteps").items():
        failure = item.get("onFailure")
        retries = isinstance(failure, dict) and failure.get("action", "retry") == "retry"
        if retries and isinstance(failure, dict) and "maxAttempts" not in failure:
            yield Note(
                message=f"{key!r} retries without saying how often.",
                pointer=("validationSteps", key, "onFailure"),
                element=f"validationStep:{key}",
            )


@step_rule("SR805", "hint", "The prompt says how to answer")
def prompt_tells_intents(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A prompt that never mentions the intents, nor the field they stand in, leads models to answer
    something else (GATE_INTERPRETATION_ERROR)."""
    for step in steps:
        path = existing_prompt(source, step) if step.gate is not None else None
        if path is None or not step.allowed:
            continue
        data = source.files[path]
        field = str((step.gate or {}).get("intentField", "")).rpartition(".")[2]
        words = [*step.allowed, field] if field else list(step.allowed)
        if not any(word.encode() in data for word in words):
            yield Note(
                message=f"The prompt of {step.id!r} does not say how to answer.",
                pointer=at(step),
                element=step.element,
                hint=f"Name the intents, {', '.join(step.allowed)}: another answer ends the run "
                "(GATE_INTERPRETATION_ERROR).",
            )


@step_rule("SR806", "hint", "Sections stand aside")
def section_gate(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Section steps have no gate, no transitions and no answer schema."""
    for step in steps:
        schema = "outputSchemaRef" in step.value
        if step.exempt and (step.gate is not None or step.rules or schema):
            yield Note(
                message=f"{step.id!r} is called a section but takes part in the flow.",
                pointer=at(step),
                element=step.element,
            )


@step_rule("SR807", "hint", "No abort")
def no_abort(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A flow is designed to end in a closure step. A step that may abort ends it from anywhere, and
    whoever reads the end learns nothing from it."""
    for step in steps:
        if "abort" in step.allowed or "abort" in step.rules:
            yield Note(
                message=f"{step.id!r} may abort the run.",
                pointer=at(step, "structuredGate"),
                element=step.element,
                hint="Lead to a closure step, and let its answer say what went wrong.",
            )
