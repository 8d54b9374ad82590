"""The prompt of a state, and the names that it can use."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object, Parts
from workflows.core.dialects.promptpack.format.templates import RUN_VARIABLES
from workflows.core.pack.forms import PromptField, PromptName, tool_names
from workflows.core.text.tolerant import as_str, as_str_list, indexed_objects


def prompt_field(parts: Parts, kind: str, key: str, value: Any) -> PromptField | None:
    """The text of the state's prompt, in the form of the state and of the prompt itself."""
    if kind == "state" and isinstance(value, dict):
        key = as_str(value.get("prompt_task"))
    elif kind != "prompt":
        return None
    prompt = parts.prompts.get(key)
    if prompt is None:
        return None
    return PromptField(
        element=f"prompt:{key}",
        field="/system_template",
        names=tuple(_names(parts, prompt)),
        tools=tool_names(
            {
                name: as_str(parts.tools.get(name, {}).get("description"))
                for name in as_str_list(prompt.get("tools"))
            }
        ),
        declarations="/variables",
        declares_objects=True,
        complete=True,
    )


def _names(parts: Parts, prompt: Object) -> Iterator[PromptName]:
    for _, item in indexed_objects(prompt.get("variables")):
        if name := as_str(item.get("name")):
            yield PromptName(name=name, kind="variable", help=as_str(item.get("description")))
    for name in parts.fragments:
        yield PromptName(name=f"fragments.{name}", kind="fragment")
    for name, artifact in parts.artifacts.items():
        help = as_str(artifact.get("description"))
        yield PromptName(name=f"artifacts.{name}", kind="artifact", help=help)
    for name, help in RUN_VARIABLES.items():
        yield PromptName(name=name, kind="run", help=help)
