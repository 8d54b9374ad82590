"""Reasons why parts of a pack have no equivalent in other dialects."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.promptpack.format.parts import Parts, Pointer

PACK_REASONS = {
    "$schema": "Names the schema of the PromptPack format.",
    "template_engine": "The placeholder syntax of PromptPack.",
    "evals": "Only PromptPack has evals.",
    "compositions": "Only PromptPack runs a composition in a state.",
    "agents": "Only PromptPack publishes prompts as agents.",
    "skills": "Only PromptPack loads skills.",
    "requires": "Only PromptPack requires providers.",
    "metadata": "Notes about the pack. They do not change a run.",
    "compilation": "The origin of this pack.",
}
PROMPT_REASONS = {
    "version": "In other dialects, only the pack as a whole has a version.",
    "description": "Other dialects have one description: that of the state.",
    "variables": "Other dialects have only type, default and `required` of a variable.",
    "tool_policy": "Only PromptPack limits tool calls beyond the number of rounds.",
    "pipeline": "Only PromptPack has a pipeline of its runtime.",
    "parameters": "Only PromptPack sets sampling parameters of a model.",
    "validators": "Only PromptPack validates replies.",
    "evals": "Only PromptPack has evals.",
    "provider": "Only PromptPack chooses a provider per prompt.",
    "tested_models": "Models that this prompt was tested with.",
    "model_overrides": "Only PromptPack has model-specific texts.",
    "media": "Only PromptPack declares the media of a prompt.",
    "extensions": "Data of another tool.",
}
STATE_REASONS = {
    "on_event": "PromptPack never takes a transition out of an end.",
    "persistence": "Only PromptPack can keep a conversation between visits.",
    "orchestration": "Only PromptPack defines who chooses the event.",
    "composition": "Only PromptPack runs a composition in a state.",
    "skills": "Only PromptPack loads skills.",
    "extensions": "Data of another tool.",
}


WORKFLOW_VERSION_REASON = (
    "It is the version of the format PromptPack, which the target does not have."
)


def reasons(parts: Parts) -> Iterator[tuple[Pointer, str]]:
    """Parts without an equivalent in other dialects, each with the reason."""
    for key, why in PACK_REASONS.items():
        if key in parts.tree:
            yield (key,), why
    for name, prompt in parts.prompts.items():
        used = not parts.states or name in parts.users
        if not used:
            yield ("prompts", name), "No state uses this prompt."
        for key, why in PROMPT_REASONS.items():
            if key in prompt and used:
                yield ("prompts", name, key), why
    if "version" in (parts.workflow or {}):
        yield ("workflow", "version"), WORKFLOW_VERSION_REASON
    for name, state in parts.states.items():
        for key, why in STATE_REASONS.items():
            if key in state:
                yield ("workflow", "states", name, key), why
    for name in parts.tools:
        yield ("tools", name), "Other dialects have only the parts of a tool that a model needs."
