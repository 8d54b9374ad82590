"""The pack's role templates: files in docs/templates."""

from __future__ import annotations

from collections.abc import Mapping

from workflows.core.dialects.agent_graph.source import GraphSource
from workflows.core.pack.edits import (
    AddObject,
    EditRefused,
    RemoveObject,
    RenameObject,
    missing_element,
)
from workflows.core.pack.naming import require_free
from workflows.core.prompts.role_templates.names import RULE, is_name, path_of
from workflows.core.prompts.role_templates.resolve import shipped

KIND = "template"
NEW = """\
[template]
name = "{name}"
version = "1"
capabilities = ["read_repo"]
constraints = ["no_code_edits"]

# {title}

Describe this agent and the purpose of its work.

## What to do

- Describe its work on a handoff, and the condition for the end of that work.

## What to reply

- Describe its results and their form.

## Limits

- Describe what it must not do. The header limits its rights: edit_code, write_docs,
  run_commands, edge_management_self, edge_management_all.
"""


def with_new(source: GraphSource, name: str, text: str = "") -> GraphSource:
    """The pack with a template of this name: see `text_of`."""
    return with_texts(source, {name: text_of(name, text)})


def with_texts(source: GraphSource, texts: Mapping[str, str]) -> GraphSource:
    """The pack with these templates, by name."""
    changes: dict[str, bytes | None] = {
        path_of(name, source.folder): text.encode() for name, text in texts.items()
    }
    return source.with_files(changes)


def text_of(name: str, text: str = "") -> str:
    """The text of a new template: the given one, else the shipped one, else an empty one."""
    return text or shipped().get(name) or new_text(name)


def new_text(name: str) -> str:
    """The text of a template that its author has to complete."""
    title = name.replace("-", " ").replace("_", " ").strip().capitalize() or name
    return NEW.format(name=name, title=title)


def add(source: GraphSource, edit: AddObject) -> GraphSource:
    """Add a template. It starts with the shipped text of the same name, if any."""
    if edit.kind != KIND:
        raise EditRefused(f"{edit.kind!r} cannot be added to an agent graph.")
    need_name(source, edit.key)
    if edit.value is not None and not isinstance(edit.value, str):
        raise EditRefused("A template must be a string.", where=f"{KIND}:{edit.key}")
    return with_new(source, edit.key, edit.value or "")


def need_name(source: GraphSource, name: str) -> None:
    """Raises EditRefused for an invalid or existing name."""
    require_free(source.template_files, name, "template")
    if not is_name(name):
        raise EditRefused(
            f"{name!r} cannot be the name of a template.", where=f"{KIND}:{name}", hint=RULE
        )


def need_template(source: GraphSource, element: str) -> str:
    """The name of a template of the pack. Raises EditRefused for an unknown one."""
    kind, _, name = element.partition(":")
    if kind != KIND or name not in source.template_files:
        raise missing_element(element)
    return name


def remove(source: GraphSource, edit: RemoveObject) -> GraphSource:
    """Remove the file. Agents of this role get the next template of its name, if any."""
    name = need_template(source, edit.element)
    return source.with_files({source.template_files[name]: None})


def rename(source: GraphSource, edit: RenameObject) -> GraphSource:
    """Rename a template, and the role of every agent that uses it."""
    name = need_template(source, edit.element)
    if edit.new_key == name:
        return source
    need_name(source, edit.new_key)
    path = source.template_files[name]
    text = source.json
    for node in source.shape.nodes.values():
        if node.role == name:
            text = text.set(("nodes", node.index, "role"), edit.new_key)
    moved: dict[str, bytes | None] = {
        path: None,
        path_of(edit.new_key, source.folder): source.files[path],
    }
    return source.with_text(text).with_files(moved)
