"""Reasons why parts of an agent have no equivalent in other dialects."""

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
    "entryStepMapping": "Another entry, for another verdict type. Other dialects have one entry.",
    "pathTemplate": "Not used by any release.",
    "pathTemplateNoAdaptation": "Not used by any release.",
}
STEP_REASONS = {
    "model": "Of the dialects that convert, only a registry picks a model by step.",
    "permissionMode": "Only a registry sets permissions by step.",
    "runner": "Only a registry runs a process in place of a model.",
    "inputs": "Only a registry has constants as inputs, or values that no step hands over.",
    "adaptation": "Selects one of several prompts. Other dialects have one.",
    "c2": "Folder of the prompt file.",
    "c3": "Folder of the prompt file.",
    "edition": "Path of the prompt file.",
    "address": "Path of the prompt file.",
    "fallbackKey": "Names a built-in prompt of older Climpt releases.",
    "uvVariables": "Declares a variable that the prompt does not show.",
    "usesStdin": "Only a registry reads standard input.",
    "structuredGate": "Sets how Climpt reads the intent of an answer.",
    "outputSchemaRef": "Path of the answer's schema.",
    "transitions": "A rule that no run uses.",
}
AGENT_REASONS = {
    "runner": "Sets up Climpt's runner.",
    "parameters": "Command-line option of a parameter.",
}


def reasons(source: RegistrySource) -> Iterator[tuple[str, Pointer, str]]:
    """(path, pointer, reason) of values without an equivalent in other dialects."""
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
            yield path, (), "Front matter is for people, or repeats the registry."
        elif path not in (source.main, source.agent_path):
            yield path, (), _of_file(path)


def _of_file(path: str) -> str:
    if path.endswith((".yml", ".yaml")):
        return "Path config: folders of Climpt's prompts."
    if path.endswith(".md"):
        return (
            "Not the prompt of a step, or a variant of one."
            if basename(path).startswith("f_")
            else "A note."
        )
    if "/schemas/" in path:
        return "Not the answer schema of a step."
    return "Not used by any step."
