"""Renaming of a step and of all references to it (specs of the format, section 7)."""

from __future__ import annotations

import re

from workflows.core.dialects.steps_registry.edits.common import change_at, free_id, step_of
from workflows.core.dialects.steps_registry.edits.schema import named_definition, users_of
from workflows.core.dialects.steps_registry.edits.states import (
    edition_of,
    renamed_reference,
    slug_of,
)
from workflows.core.dialects.steps_registry.format.prompt_paths import (
    existing_prompt,
    permits,
    prompt_folder,
    prompt_paths,
    split_front_matter,
)
from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.schemas.references import (
    SchemaLocation,
    SchemaProblem,
    reference_targets,
    schema_files,
    target_of,
    value_at,
)
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import RenameState
from workflows.core.text.json.document import JsonText, Pointer
from workflows.core.text.tolerant import as_list, as_object, as_str


def rename_state(source: RegistrySource, edit: RenameState) -> RegistrySource:
    """Rename a step. Keys of `validationSteps` stay, because they are not only step ids. A folder
    of prompts that is named after the step, and that only it uses, is renamed too."""
    step = step_of(source, edit.id)
    if edit.new_id == edit.id:
        return source
    new = free_id(source, edit.new_id)
    source = _prompts(source, step, new)
    source = _schema(source, step, new)
    changes: list[tuple[Pointer, str]] = [
        *_targets(source, step.id, new),
        *_entries(source, step.id, new),
        *_inputs(source, step.id, new),
    ]

    def change(text: JsonText) -> JsonText:
        text = text.set_all(dict(changes))
        if text.get(("steps", step.id, "stepId")) == step.id:
            text = text.set(("steps", step.id, "stepId"), new)
        return text.rename(("steps", step.id), new)

    return _with_prompts_moved(source.registry_edit(change), step, new)


def _with_prompts_moved(source: RegistrySource, step: Step, new: str) -> RegistrySource:
    """The pack with the step's prompts under its new name: their folder (c3) if it is named
    after the step, else their edition if that is."""
    addresses = [(each.c2, each.c3, each.edition) for each in source.steps.values()]
    folders, folder = [each[:2] for each in addresses], prompt_folder(source, step.c2, step.c3)
    slug, edition = slug_of(new), edition_of(new)
    if step.c3 == slug_of(step.id) and folders.count((step.c2, step.c3)) == 1:
        key, name, start = "c3", slug, folder
        target = prompt_folder(source, step.c2, slug)
        pattern = prompt_paths(source).c3_pattern
        free = (step.c2, slug) not in folders and (not pattern or permits(pattern, slug))
    elif step.edition in (slug_of(step.id), edition_of(step.id)):
        key, name, start = "edition", edition, f"{folder}f_{step.edition}"
        target = f"{folder}f_{edition}"
        mine = (step.c2, step.c3, step.edition)
        free = addresses.count(mine) == 1 and (*mine[:2], edition) not in addresses
    else:
        return source
    held = [
        path
        for path in source.data
        if path.startswith(start) and (key == "c3" or path[len(start) :][:1] in (".", "_"))
    ]
    moved = {path: target + path.removeprefix(start) for path in held}
    if not free or not held or any(path in source.data for path in moved.values()):
        return source
    for path, new_path in moved.items():
        source = source.write({path: None, new_path: source.data[path]})
    here = ("address", key) if isinstance(step.value.get("address"), dict) else (key,)
    return source.registry_edit(lambda text: text.set(("steps", new, *here), name))


def _targets(source: RegistrySource, old: str, new: str) -> list[tuple[Pointer, str]]:
    return [
        (transition.pointer, new)
        for step in source.steps.values()
        for transition in step.transitions
        if transition.target == old
    ]


def _entries(source: RegistrySource, old: str, new: str) -> list[tuple[Pointer, str]]:
    changes: list[tuple[Pointer, str]] = []
    if source.value.get("entryStep") == old:
        changes.append((("entryStep",), new))
    for key, value in as_object(source.value.get("entryStepMapping")).items():
        if value == old:
            changes.append((("entryStepMapping", key), new))
        elif isinstance(value, dict):
            changes += [
                (("entryStepMapping", key, part), new)
                for part in ("initial", "continuation")
                if value.get(part) == old
            ]
    return changes


def _variable(id: str, key: str) -> str:
    """The prompt variable that carries `key` of a step's output (section 4.6)."""
    return f"{id.replace('.', '_')}_{key}"


def _inputs(source: RegistrySource, old: str, new: str) -> list[tuple[Pointer, str]]:
    """`inputs.*.from`, and the variables of that step which other steps declare."""
    changes: list[tuple[Pointer, str]] = []
    for step in source.steps.values():
        if not (keys := _keys_from(step, old)):
            continue
        for name, key in keys.items():
            changes.append((("steps", step.id, "inputs", name, "from"), f"{new}.{key}"))
        for index, variable in enumerate(as_list(step.value.get("uvVariables"))):
            for key in keys.values():
                if as_str(variable).removeprefix("uv-") == _variable(old, key):
                    prefix = "uv-" if str(variable).startswith("uv-") else ""
                    pointer = ("steps", step.id, "uvVariables", index)
                    changes.append((pointer, prefix + _variable(new, key)))
    return changes


def _keys_from(step: Step, id: str) -> dict[str, str]:
    """Input name → key, of the inputs that come from this step."""
    if not step.inputs:
        return {}
    keys = {}
    for name, item in step.inputs.items():
        source, dot, key = as_str(item.get("from")).rpartition(".")
        if dot and source == id:
            keys[name] = key
    return keys


def _prompts(source: RegistrySource, step: Step, new: str) -> RegistrySource:
    """Placeholders `{uv-<id>_<key>}` of consumers, and `stepId` in front matter."""
    changed: dict[str, bytes | None] = {}
    for other in source.steps.values():
        keys = set(_keys_from(other, step.id).values())
        path = existing_prompt(source, other) if keys else None
        if path is None:
            continue
        text = (changed.get(path) or source.files[path]).decode("utf-8", "surrogateescape")
        for key in keys:
            old_name, new_name = _variable(step.id, key), _variable(new, key)
            text = text.replace(f"{{uv-{old_name}}}", f"{{uv-{new_name}}}")
        changed[path] = text.encode("utf-8", "surrogateescape")
    prefix = f"{prompt_paths(source).root}/"
    mark = re.compile(rf"(?m)^(stepId:[ \t]*[\"']?){re.escape(step.id)}(?=[\"']?[ \t]*\r?$)")
    named = step.id.encode()
    for path, held in source.data.items():
        if named in held and path.startswith(prefix) and path.endswith(".md"):
            data = changed.get(path) or held
            head, body = split_front_matter(data.decode("utf-8", "surrogateescape"))
            head = mark.sub(lambda match: match[1] + new, head)
            changed[path] = (head + body).encode("utf-8", "surrogateescape")
    return source.write(changed) if changed else source


def _schema(source: RegistrySource, step: Step, new: str) -> RegistrySource:
    """Rename a definition with the step's name, and all references to it."""
    location = named_definition(source, step)
    if location is None:
        return source
    target = (*location.pointer[:-1], new)
    text = source.json(location.path)
    if text is None or text.has(target) or "/" in new:
        return source
    users = users_of(source, location)
    source = _references(source, location, new)
    own = value_at(source, location.child("properties", "stepId", "const"))

    def change(text: JsonText) -> JsonText:
        if own == step.id:
            text = text.set((*location.pointer, "properties", "stepId", "const"), new)
        return text.rename(location.pointer, new)

    source = source.edit(location.path, change)
    for user in users:
        reference = source.steps[user].reference
        pointer = ("steps", user, "outputSchemaRef", "schema")
        if reference is not None:
            name = renamed_reference(reference[1], step.id, new)
            source = change_at(source, source.main, pointer, name)
    return source


def _references(source: RegistrySource, location: SchemaLocation, new: str) -> RegistrySource:
    """Rewrite every `$ref` to this definition or to a part of it."""
    for path in schema_files(source):
        text = source.json(path)
        if text is None or not any(
            target.under(location) for target in reference_targets(source, path)
        ):
            continue
        for place, reference in list(_refs(text.value, ())):
            try:
                target = target_of(source, SchemaLocation(path, place), reference)
            except SchemaProblem:
                continue
            if target.under(location):
                file, _, _ = reference.partition("#")
                inner = (*location.pointer[:-1], new, *target.pointer[len(location.pointer) :])
                text = text.set((*place, "$ref"), f"{file}#/{'/'.join(inner)}")
        source = source.put(path, text)
    return source


def _refs(node: object, place: tuple[str, ...]) -> list[tuple[tuple[str, ...], str]]:
    references: list[tuple[tuple[str, ...], str]] = []
    if isinstance(node, dict):
        if isinstance(reference := node.get("$ref"), str):
            references.append((place, reference))
        for key, item in node.items():
            references += _refs(item, (*place, key))
    elif isinstance(node, list):
        for index, item in enumerate(node):
            references += _refs(item, (*place, str(index)))
    return references
