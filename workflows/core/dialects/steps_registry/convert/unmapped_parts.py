"""Why parts of an agent become nothing elsewhere: what only Climpt has."""

from __future__ import annotations

from collections.abc import Iterator
from posixpath import basename

from workflows.core.convert.coverage import Pointer
from workflows.core.dialects.steps_registry.format.prompt_paths import existing_prompt
from workflows.core.dialects.steps_registry.source import RegistrySource

REGISTRY_REASONS = {
    "$schema": "Names the schema of the registry's format.",
    "failurePatterns": "Only a registry sends a prompt of its own after a failed check.",
    "validators": "Only a registry checks its work with commands.",
    "validationSteps": "Only a registry checks its work with commands.",
    "entryStepMapping": "Another way in, for another verdict; a pack has one entry elsewhere.",
    "pathTemplate": "Nothing reads this.",
    "pathTemplateNoAdaptation": "Nothing reads this.",
}
STEP_REASONS = {
    "model": "Only a registry picks a model by step.",
    "permissionMode": "Only a registry sets permissions by step.",
    "runner": "Only a registry runs a process in place of a model.",
    "inputs": "Only a registry gives a step constants, or values that no step hands over.",
    "adaptation": "Says which of several prompts is meant; there is one elsewhere.",
    "c2": "Says in which folder the prompt lies.",
    "c3": "Says in which folder the prompt lies.",
    "edition": "Says in which file the prompt lies.",
    "address": "Says in which file the prompt lies.",
    "fallbackKey": "Names a prompt that older versions of Climpt carried along.",
    "uvVariables": "Declares a variable that the prompt does not show.",
    "usesStdin": "Only a registry reads standard input.",
    "structuredGate": "Says how Climpt reads an intent from an answer.",
    "outputSchemaRef": "Says in which file the answer's schema stands.",
    "transitions": "A rule that no run follows.",
}
AGENT_REASONS = {
    "runner": "Sets up Climpt's runner.",
    "parameters": "Says how a parameter is typed on the command line.",
}


def reasons(source: RegistrySource) -> Iterator[tuple[str, Pointer, str]]:
    """Places that say nothing to other dialects, each with a sentence."""
    for key, why in REGISTRY_REASONS.items():
        if key in source.value:
            yield source.main, (key,), why
    for id, step in source.steps.items():
        for key, why in STEP_REASONS.items():
            if key in step.value:
                yield source.main, ("steps", id, key), why
    for key, why in AGENT_REASONS.items():
        if key in source.agent:
            yield source.agent_path, (key,), why
    prompts = {existing_prompt(source, step) for step in source.steps.values()}
    for path in source.files:
        if path in prompts:
            yield path, (), "What stands above a prompt is for people, or repeats the registry."
        elif path not in (source.main, source.agent_path):
            yield path, (), _of_file(path)


def _of_file(path: str) -> str:
    if path.endswith((".yml", ".yaml")):
        return "Says where Climpt finds prompts and which folders they may have."
    if path.endswith(".md"):
        return (
            "No step's prompt, or a second one." if basename(path).startswith("f_") else "A note."
        )
    if "/schemas/" in path:
        return "No step's answer is made of this."
    return "No step is made of this file."
