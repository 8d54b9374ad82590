"""Why parts of a pack become nothing elsewhere: what only PromptPack has."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.promptpack.format.parts import Parts, Pointer

OF_PACK = {
    "$schema": "Names the schema of the PromptPack format.",
    "template_engine": "Says how PromptPack writes placeholders.",
    "evals": "Only PromptPack rates its own runs.",
    "compositions": "Only PromptPack runs a step graph inside a state.",
    "agents": "Only PromptPack presents its prompts as agents.",
    "skills": "Only PromptPack loads skills.",
    "requires": "Only PromptPack asks for providers.",
    "metadata": "Notes about the pack, which change nothing in a run.",
    "compilation": "Says how this pack was made.",
}
OF_PROMPT = {
    "version": "Only the pack as a whole has a version elsewhere.",
    "description": "The state says what it is for, and one description is all there is elsewhere.",
    "variables": "Says more of a variable than its type, its default and whether it is needed.",
    "tool_policy": "Only PromptPack limits tool calls beyond the number of rounds.",
    "pipeline": "Only PromptPack names the stages that its runtime is built of.",
    "parameters": "Only PromptPack sets how a model samples.",
    "validators": "Only PromptPack checks the words of a reply.",
    "evals": "Only PromptPack rates its own runs.",
    "provider": "Only PromptPack picks a provider by prompt.",
    "tested_models": "Says what this prompt was tried with.",
    "model_overrides": "Only PromptPack has other texts for other models.",
    "media": "Only PromptPack says which media a prompt takes.",
    "extensions": "Belongs to a tool of somebody's.",
}
OF_STATE = {
    "on_event": "PromptPack never takes a way out of an end.",
    "persistence": "Only PromptPack says whether a conversation is kept.",
    "orchestration": "Only PromptPack lets somebody other than the model lead on.",
    "composition": "Only PromptPack runs a step graph inside a state.",
    "skills": "Only PromptPack loads skills.",
    "extensions": "Belongs to a tool of somebody's.",
}


VERSION = "Says which kind of PromptPack workflow this is."


def reasons(parts: Parts) -> Iterator[tuple[Pointer, str]]:
    """Places that say nothing to other dialects, each with a sentence."""
    for key, why in OF_PACK.items():
        if key in parts.tree:
            yield (key,), why
    for name, prompt in parts.prompts.items():
        used = not parts.states or name in parts.users
        if not used:
            yield ("prompts", name), "No state uses this prompt."
        for key, why in OF_PROMPT.items():
            if key in prompt and used:
                yield ("prompts", name, key), why
    if "version" in (parts.workflow or {}):
        yield ("workflow", "version"), VERSION
    for name, state in parts.states.items():
        for key, why in OF_STATE.items():
            if key in state:
                yield ("workflow", "states", name, key), why
    for name in parts.tools:
        yield ("tools", name), "Says more of a tool than what a model has to know."
