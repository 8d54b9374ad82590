"""SR8xx: design hints, like those of Climpt's authoring tools (sections 3.3 and 12).

They are hints in every profile, so `check` never fails because of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from workflows.core.dialects.steps_registry.format.prompt_paths import existing_prompt
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.kit import at, registry_rule, step_rule
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, Notes


@registry_rule("SR801", "hint", "Two ways to set the entry", profiles=EVERY)
def two_entries(source: RegistrySource) -> Notes:
    """A registry sets its entry by `entryStep` or by `entryStepMapping`. If both are present, the
    mapping wins for the verdict types that it lists."""
    if source.value.get("entryStep") and source.value.get("entryStepMapping"):
        yield Note(
            message="The registry has both entryStep and entryStepMapping; the mapping wins.",
            pointer=("entryStep",),
        )


@step_rule("SR802", "hint", "jump without targetField", profiles=EVERY)
def jump_target(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A step that may jump needs `targetField`. Without it, the model has no field for the
    target."""
    for step in steps:
        if "jump" in step.allowed and not (step.gate or {}).get("targetField"):
            yield Note(
                message=f"Step {step.id!r} allows jump but has no targetField.",
                pointer=at(step, "structuredGate"),
            )


@step_rule("SR803", "hint", "handoff without values", profiles=EVERY)
def handoff_fields(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A step that hands off usually lists in `handoffFields` the values to hand over."""
    for step in steps:
        if "handoff" in step.allowed and not step.handoff_fields:
            yield Note(
                message=f"Step {step.id!r} allows handoff but has no handoffFields.",
                pointer=at(step, "structuredGate"),
            )


@registry_rule("SR804", "hint", "Retries without a limit", profiles=EVERY)
def retry_limit(source: RegistrySource) -> Notes:
    """A validation step that retries should set `maxAttempts`. Without it, the document does not
    limit retries: only the iterations and the budget of the run do. Climpt stops after 3."""
    for key, item in source.table("validationSteps").items():
        failure = item.get("onFailure")
        retries = isinstance(failure, dict) and failure.get("action", "retry") == "retry"
        if retries and isinstance(failure, dict) and "maxAttempts" not in failure:
            yield Note(
                message=f"The validation step {key!r} retries without maxAttempts: only the budget "
                "of the run ends it.",
                pointer=("validationSteps", key, "onFailure"),
                element=f"validationStep:{key}",
            )


@step_rule("SR805", "hint", "Prompt without the intents", profiles=EVERY)
def prompt_names_intents(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """If a prompt mentions neither the intents nor the field that holds them, models often answer
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
                message=f"The prompt of {step.id!r} does not mention its intents.",
                pointer=at(step),
                hint=f"Name the intents: {', '.join(step.allowed)}. Any other answer ends the run "
                "(GATE_INTERPRETATION_ERROR).",
            )


@step_rule("SR806", "hint", "Section with a flow key", profiles=EVERY)
def section_gate(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """Section steps have no gate, no transitions and no answer schema."""
    for step in steps:
        schema = "outputSchemaRef" in step.value
        if step.exempt and (step.gate is not None or step.rules or schema):
            yield Note(
                message=f"The section {step.id!r} has a gate, transitions or an answer schema.",
                pointer=at(step),
            )


@step_rule("SR807", "hint", "abort is allowed", profiles=EVERY)
def no_abort(source: RegistrySource, steps: Iterable[Step]) -> Notes:
    """A flow should end in a closure step. A step that may abort can end the run at any point,
    without a result."""
    for step in steps:
        if "abort" in step.allowed or "abort" in step.rules:
            yield Note(
                message=f"Step {step.id!r} allows abort.",
                pointer=at(step, "structuredGate"),
                hint="Lead to a closure step that reports the problem in its answer.",
            )
