"""The files of an agent as values, for the conversion report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from posixpath import dirname
from typing import Any

from workflows.core.convert.coverage import BODY, Pointer, Tree, json_tree
from workflows.core.dialects.steps_registry.format.prompt_paths import existing_prompt
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.yaml.errors import YamlTextError


def trees(source: RegistrySource) -> dict[str, Tree]:
    """Every file: JSON and front matter as values, the bodies of prompts, other files whole."""
    parts = {}
    for path, data in source.files.items():
        text = source.json(path) if path.endswith(".json") else None
        parts[path] = json_tree(text) if text is not None else _tree(path, data)
    return parts


def _tree(path: str, data: bytes) -> Tree:
    if not path.endswith(".md"):
        return Tree(value=data.decode("utf-8", "replace"), line=lambda _: 1)
    try:
        front = Frontmatter.parse(data)
    except YamlTextError:
        return Tree(value=None, line=lambda _: 1, body=data.decode("utf-8", "replace"))
    body = front.body.decode("utf-8", "replace")
    value = front.head.value if front.head is not None else None

    def line(pointer: Pointer) -> int:
        return front.body_line if pointer == (BODY,) else front.line(pointer)

    return Tree(value=value, line=line, body=body)


def standard(source: RegistrySource, parts: Mapping[str, Tree]) -> Mapping[str, Tree]:
    """The values that the writer would produce, by the paths of this agent's files."""
    main = next(path for path in parts if path.endswith("/steps_registry.json"))
    folder, config = dirname(main), dirname(dirname(main)) + "/climpt/config"
    root = f"{source.repository}/" if source.repository else ""
    result = {}
    for path, part in parts.items():
        own = path
        if path == main:
            own = source.main
        elif path.startswith(f"{folder}/"):
            own = source.beside(path.removeprefix(f"{folder}/"))
        elif path.startswith(config):
            own = f"{root}{path}"
        if own in source.files:
            result[own] = part
    return result


def element_of(source: RegistrySource) -> Callable[[str, Pointer], str]:
    """A function that returns the element of a place."""
    prompts: dict[str, str] = {}
    for step in source.steps.values():
        path = existing_prompt(source, step)
        if path is not None:
            prompts.setdefault(path, f"state:{step.id}")

    def element(path: str, pointer: Pointer) -> str:
        if path != source.main:
            return prompts.get(path, "pack")
        match pointer:
            case ("steps", str(id), "transitions", str(intent), *_):
                return _transition_at(source, id, intent, pointer)
            case ("steps", str(id), *_):
                return f"state:{id}"
            case ("validators", str(name), *_):
                return f"validator:{name}"
            case ("failurePatterns", str(name), *_):
                return f"pattern:{name}"
        return "pack"

    return element


def _transition_at(source: RegistrySource, id: str, intent: str, pointer: Any) -> str:
    step = source.steps.get(id)
    for transition in step.transitions if step is not None else ():
        if transition.pointer == pointer or (len(pointer) < 5 and transition.intent == intent):
            return f"transition:{transition.id}"
    return f"state:{id}"
