"""Steps: add, remove, duplicate."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

from workflows.core.dialects.steps_registry.edits.common import free_id, step_of
from workflows.core.dialects.steps_registry.edits.entries import set_entry
from workflows.core.dialects.steps_registry.edits.intents import gate_style
from workflows.core.dialects.steps_registry.edits.removed_targets import without_transitions_to
from workflows.core.dialects.steps_registry.edits.schema import (
    make_definition,
    named_definition,
    remove_definition,
)
from workflows.core.dialects.steps_registry.format.prompt_paths import (
    PromptPaths,
    existing_prompt,
    folder_name,
    front_matter_is_usual,
    has_prompts,
    permits,
    prompt_path,
    prompt_paths,
    split_front_matter,
)
from workflows.core.dialects.steps_registry.format.steps import Step, address_of, read_step
from workflows.core.dialects.steps_registry.format.vocabulary import DEFAULT_CHAIN
from workflows.core.dialects.steps_registry.schemas.references import value_at
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import AddState, DuplicateState, EditRefused, RemoveState, SetEntry
from workflows.core.text.ascii_names import ascii_name
from workflows.core.text.json.document import Pointer
from workflows.core.text.tolerant import as_object, as_str

STEP_KINDS = ("work", "verification", "closure", "section")
STARTING = {"work": ("repeat",), "verification": ("repeat",), "closure": ("closing", "repeat")}
FALLBACK_KEYS = {
    "initial": "initial_manual",
    "continuation": "continuation_manual",
    "closure": "polling_closure_default",
}


def add_state(source: RegistrySource, edit: AddState) -> RegistrySource:
    """Add a complete step: gate, rules, answer schema with its enum, and a prompt file."""
    kind = edit.kind or "work"
    if kind not in STEP_KINDS:
        raise EditRefused(f"{kind!r} is not a kind of step. Kinds: {', '.join(STEP_KINDS)}.")
    id = free_id(source, edit.id)
    first = not source.steps
    value = _step_value(source, id, kind, edit.name or _title(id))
    source = source.registry_edit(lambda text: text.set(("steps", id), value))
    if kind != "section":
        source = make_definition(source, id, before="structuredGate")
    if has_prompts(source) or source.in_tree:
        source = write_prompt_template(source, id)
    if first and kind != "section" and not source.entries:
        source = set_entry(source, SetEntry(id=id))
    return source


def _step_value(source: RegistrySource, id: str, kind: str, name: str) -> dict[str, Any]:
    c2 = _c2(id, kind)
    c3, edition = free_address(source, c2, id)
    value: dict[str, Any] = {"stepId": id, "name": name}
    if any("type" in step.value for step in source.steps.values()):
        value["type"] = "prompt"
    value |= _kind_and_address(source, kind, {"c2": c2, "c3": c3, "edition": edition})
    value |= {"uvVariables": [], "usesStdin": False}
    if kind == "section":
        return value
    if source.generation == "B":
        value["adaptationChain"] = list(DEFAULT_CHAIN)
    field, pointer = gate_style(source)
    intents = STARTING[kind]
    value["structuredGate"] = {
        "allowedIntents": list(intents),
        "intentSchemaRef": pointer,
        "intentField": field,
    }
    value["transitions"] = {
        intent: {"target": None if intent == "closing" else id} for intent in intents
    }
    return value


def _kind_and_address(source: RegistrySource, kind: str, address: dict[str, str]) -> dict[str, Any]:
    """Kind and address with the keys of the file's generation."""
    if source.generation == "B":
        c1 = as_str(source.value.get("c1")) or "steps"
        own = "work" if kind == "section" else kind
        return {"kind": own, "address": {"c1": c1, **address}}
    explicit = {"stepKind": kind} if kind != "section" else {}
    if source.generation == "S":
        key = FALLBACK_KEYS.get(address["c2"], "initial_manual")
        return {**explicit, **address, "fallbackKey": key}
    return {**explicit, **address}


def _c2(id: str, kind: str) -> str:
    first = id.split(".")[0]
    if kind == "work":
        return first if first in ("initial", "continuation") else "continuation"
    return kind


def _title(id: str) -> str:
    return id.replace(".", " ").replace("-", " ").replace("_", " ").title()


def _address(source: RegistrySource, paths: PromptPaths, id: str) -> tuple[str, str]:
    """(c3, edition) for a new step: c3 is its name if the path config permits that.

    c3 consists of lower-case letters and hyphens. If user.yml lists the permitted values, the most
    frequent one is used, and the name becomes the edition, so that the prompt has a file of its
    own.
    """
    slug = slug_of(id)
    if not paths.c3_pattern or permits(paths.c3_pattern, slug):
        return slug, "default"
    used = Counter(step.c3 for step in source.steps.values() if step.c3)
    for c3, _ in used.most_common():
        if permits(paths.c3_pattern, c3):
            return c3, slug
    return slug, "default"


def slug_of(id: str) -> str:
    """The name of a step as a folder of prompts: lower-case letters and hyphens."""
    return folder_name(".".join(id.split(".")[1:] or [id])) or "step"


def free_address(source: RegistrySource, c2: str, id: str) -> tuple[str, str]:
    """(c3, edition) of a prompt that no other step has. If the name alone is not enough, the
    edition gets the whole name and then a number."""
    taken = {(step.c2, step.c3, step.edition) for step in source.steps.values()}
    c3, edition = _address(source, prompt_paths(source), id)
    stem, number = edition, 1
    while (c2, c3, edition) in taken:
        if stem == "default":
            stem = edition = edition_of(id)
            continue
        number += 1
        edition = f"{stem}-{number}"
    return c3, edition


def edition_of(id: str) -> str:
    """The name of a step as an edition, which is a part of a file name."""
    last = ".".join(id.split(".")[1:] or [id])
    return ascii_name(last).lower() or "copy"


def with_own_prompt(
    source: RegistrySource, value: dict[str, Any], id: str
) -> tuple[dict[str, Any], str]:
    """A copied step with the address of a prompt of its own, and the path of that prompt; "" if
    the step has no address."""
    step = read_step(id, value)
    if not step.c2 or not step.c3:
        return value, ""
    taken = {prompt_path(source, other) for other in source.steps.values()}
    if prompt_path(source, step) in taken:
        c3, edition = free_address(source, step.c2, id)
        address = {**address_of(value), "c3": c3, "edition": edition}
        value = {**value, "address": address} if "address" in value else address
        step = read_step(id, value)
    return value, prompt_path(source, step)


def write_prompt_template(source: RegistrySource, id: str) -> RegistrySource:
    """Create the step's prompt file, in the style of the pack's other prompts."""
    step = step_of(source, id)
    path = prompt_path(source, step)
    if path in source.files or not step.c2 or not step.c3:
        return source
    return source.write({path: prompt_template(source, step).encode()})


def prompt_template(source: RegistrySource, step: Step) -> str:
    """The initial text of a new prompt."""
    name = str(step.value.get("name") or step.id)
    fields = "".join(f"\n- {name}: {{uv-{name}}}" for name in step.variables)
    inputs = f"\nYou have:\n{fields}\n" if fields else ""
    intent = (step.gate or {}).get("intentField")
    answer = (
        f"\nAnswer with one JSON object that fits the schema; set `{intent}` to the next intent.\n"
        if isinstance(intent, str)
        else ""
    )
    head = _front_matter(source, step, name)
    return f"{head}# {name}\n\nDescribe the task here.\n{inputs}{answer}"


def _front_matter(source: RegistrySource, step: Step, name: str) -> str:
    """Front matter, if the pack's first prompt has some."""
    if not front_matter_is_usual(source):
        return ""
    return f"---\nstepId: {step.id}\nname: {name}\n---\n\n"


def remove_state(source: RegistrySource, edit: RemoveState) -> RegistrySource:
    """Remove a step and all transitions to it, and the definition and prompt that only it uses."""
    step = step_of(source, edit.id)
    source = without_transitions_to(source, step.id)
    source = _without_entries(source, step.id)
    source = _without_inputs(source, step.id)
    source = remove_definition(source, step)
    source = _without_prompt(source, step)
    return source.registry_edit(lambda text: text.delete(("steps", step.id)))


def _without_entries(source: RegistrySource, id: str) -> RegistrySource:
    keys = [key for key, target in source.entries if target == id]
    gone: list[Pointer] = [("entryStepMapping", key) if key else ("entryStep",) for key in keys]
    whole = set(keys)
    for key, value in as_object(source.value.get("entryStepMapping")).items():
        continued = isinstance(value, dict) and value.get("continuation") == id
        if continued and key not in whole:
            gone.append(("entryStepMapping", key, "continuation"))
    return source.registry_edit(lambda text: text.delete_all(gone))


def _without_inputs(source: RegistrySource, id: str) -> RegistrySource:
    gone: list[Pointer] = []
    for step in source.steps.values():
        for name, item in step.inputs.items():
            origin = item.get("from")
            if isinstance(origin, str) and origin.rpartition(".")[0] == id:
                gone.append(("steps", step.id, "inputs", name))
    return source.registry_edit(lambda text: text.delete_all(gone))


def _without_prompt(source: RegistrySource, step: Step) -> RegistrySource:
    path = prompt_path(source, step)
    shared = any(
        other.id != step.id and existing_prompt(source, other) == path
        for other in source.steps.values()
    )
    return source if shared or path not in source.files else source.write({path: None})


def duplicate_state(source: RegistrySource, edit: DuplicateState) -> RegistrySource:
    """Copy a step with its transitions and its prompt. Transitions to itself lead from the copy to
    the copy."""
    step = step_of(source, edit.id)
    id = free_id(source, edit.new_id)
    value = renamed_value(step.value, step.id, id)
    if isinstance(step.value.get("name"), str):
        value["name"] = f"{step.value['name']} (copy)"
    value, path = with_own_prompt(source, value, id)
    held = existing_prompt(source, step)
    if held is not None and path and path not in source.files:
        source = source.write({path: _prompt_of_copy(source, held, step.id, id)})
    source = source.registry_edit(lambda text: text.set(("steps", id), value))
    location = named_definition(source, step)
    if location is None:
        return source
    copy = (*location.pointer[:-1], id)
    text = source.json(location.path)
    if text is not None and not text.has(copy):
        body = copied_schema(value_at(source, location), step.id, id)
        source = source.edit(location.path, lambda text: text.set(copy, body))
    reference = ("steps", id, "outputSchemaRef", "schema")
    return source.registry_edit(
        lambda text: text.set(reference, renamed_reference(str(text.get(reference)), step.id, id))
    )


def _prompt_of_copy(source: RegistrySource, path: str, old: str, new: str) -> bytes:
    """A prompt file for another step: the same bytes with its `stepId` in the front matter."""
    text = source.files[path].decode("utf-8", "surrogateescape")
    head, body = split_front_matter(text)
    mark = re.compile(rf"(?m)^(stepId:[ \t]*[\"']?){re.escape(old)}(?=[\"']?[ \t]*\r?$)")
    head = mark.sub(lambda match: match[1] + new, head)
    return (head + body).encode("utf-8", "surrogateescape")


def renamed_value(value: dict[str, Any], old: str, new: str) -> dict[str, Any]:
    """A copy of a step under another id, with its own targets renamed."""

    def turn(node: Any) -> Any:
        if isinstance(node, dict):
            return {key: turn(item) for key, item in node.items()}
        if isinstance(node, list):
            return [turn(item) for item in node]
        return node

    copy: dict[str, Any] = turn(value)
    copy["stepId"] = new
    for rule in as_object(copy.get("transitions")).values():
        if not isinstance(rule, dict):
            continue
        for key in ("target", "fallback"):
            if rule.get(key) == old:
                rule[key] = new
        targets: Any = rule.get("targets")
        for value_key in as_object(targets):
            if targets[value_key] == old:
                targets[value_key] = new
    return copy


def renamed_reference(schema: str, old: str, new: str) -> str:
    """A schema name or pointer whose last part is the id, with the new id."""
    head, slash, last = schema.rpartition("/")
    return f"{head}{slash}{new}" if last == old else schema


def copied_schema(body: Any, old: str, new: str) -> Any:
    """A copy of a definition for another step, with the step's id replaced."""
    if not isinstance(body, dict):
        return body
    properties: Any = body.get("properties")
    own: Any = as_object(properties).get("stepId")
    if isinstance(own, dict) and own.get("const") == old:
        return {**body, "properties": {**properties, "stepId": {**own, "const": new}}}
    return body
