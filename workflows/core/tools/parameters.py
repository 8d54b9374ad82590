"""Building blocks for the parameters of tools."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.engine.effects import ToolSpec

TEXT = {"type": "string"}
INTEGER = {"type": "integer", "minimum": 0}
YES_OR_NO = {"type": "boolean"}


def described(schema: Mapping[str, Any], description: str) -> dict[str, Any]:
    return {**schema, "description": description}


def tool(name: str, description: str, required: str = "", /, **properties: Any) -> ToolSpec:
    """A tool whose calls may have these arguments only. `required`: names with spaces between. A
    property that is a string is a text with this description."""
    parameters: dict[str, Any] = {
        "type": "object",
        "properties": {
            key: described(TEXT, value) if isinstance(value, str) else value
            for key, value in properties.items()
        },
        "required": required.split(),
        "additionalProperties": False,
    }
    return ToolSpec(name=name, description=description, parameters=parameters)


FILE = described(TEXT, "Path of the file, from the workspace's root.")
FOLDER = described(TEXT, "Folder to search. Default: the workspace's root.")
OLD = described(TEXT, "The text to replace, exactly as in the file.")
NEW = described(TEXT, "The new text.")
EVERY = described(YES_OR_NO, "Replace every occurrence instead of one.")
TIMEOUT = described(INTEGER, "Timeout in milliseconds.")
CHANGE = {
    "type": "object",
    "properties": {"old_string": OLD, "new_string": NEW, "replace_all": EVERY},
    "required": ["old_string", "new_string"],
}
