"""Files that belong to a step: its prompt with variants, and its schemas."""

from __future__ import annotations

from posixpath import basename, dirname

from workflows.core.dialects.steps_registry.format.prompt_paths import (
    closure_adaptation,
    documented_path,
    existing_prompt,
    prompt_path,
)
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    references_below,
    schema_path,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.shared_prompts import shared_note
from workflows.core.pack.source_cache import once_per_source

Links = list[tuple[str, str]]


def prompt_note(source: RegistrySource, step: Step) -> str:
    """The prompt files that a run reads, with the adaptation first (section 5.1)."""
    if not step.c2 or not step.c3:
        return "The step has no c2 or no c3, so its prompt has no path yet."
    notes = [_resolved(source, step, step.adaptation)]
    if (action := closure_adaptation(source, step)) is not None:
        notes.append(f"With the closure action {action}: {_resolved(source, step, action)}")
    if source.generation == "B":
        notes += [f"Repeat {n}: {_resolved(source, step, name)}" for n, name in _chain(step)]
    stated = documented_path(source, step)
    if stated in source.data and stated != existing_prompt(source, step):
        notes.append(f"The profile documented sends {stated}, the path of the path template.")
    path = existing_prompt(source, step)
    users = [other.id for other in source.steps.values() if existing_prompt(source, other) == path]
    if path is not None and (shared := shared_note(users, step.id)):
        notes.insert(0, shared)
    return "\n".join(notes)


def _chain(step: Step) -> list[tuple[int, str]]:
    return list(enumerate(step.chain or (), 1))


def _resolved(source: RegistrySource, step: Step, adaptation: str) -> str:
    exact = prompt_path(source, step, adaptation)
    path = existing_prompt(source, step, adaptation)
    if path is None:
        return f"{exact} is missing. Enter a prompt to create it."
    return exact if path == exact else f"{exact} is missing; {path} is sent."


def prompt_links(source: RegistrySource, step: Step) -> Links:
    """Links to the prompt file, then to the other editions and adaptations in its folder."""
    path = existing_prompt(source, step)
    links: Links = [(f"file:{path}", "Prompt file")] if path is not None else []
    if step.c2 and step.c3:
        folder = dirname(prompt_path(source, step))
        links += [
            (f"file:{other}", f"Prompt {basename(other)}")
            for other in _prompts_by_folder(source).get(folder, ())
            if other != path
        ]
    return links


@once_per_source
def _prompts_by_folder(source: RegistrySource) -> dict[str, list[str]]:
    """Folder → its markdown files."""
    folders: dict[str, list[str]] = {}
    for path in source.data:
        if path.endswith(".md"):
            folders.setdefault(dirname(path), []).append(path)
    return folders


def schema_links(source: RegistrySource, step: Step, location: SchemaLocation | None) -> Links:
    """Links to the file with the step's definition, and to the files that it refers to."""
    if location is not None:
        return _definition_links(source, location)
    if step.reference is not None:
        path = schema_path(source, step.reference[0])
        return [(f"file:{path}", "Schema file")] if path in source.data else []
    return []


@once_per_source
def _definition_links(source: RegistrySource, location: SchemaLocation) -> Links:
    others = [target.path for target in references_below(source, location)]
    paths = dict.fromkeys([location.path, *(path for path in others if path in source.data)])
    return [
        (f"file:{path}", "Schema file" if path == location.path else f"Schema {basename(path)}")
        for path in paths
    ]
