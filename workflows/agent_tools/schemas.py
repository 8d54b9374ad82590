"""JSON Schemas of the arguments of tools: tight, and short because a client reads them first."""

from __future__ import annotations

from dataclasses import MISSING, fields
from typing import Any

from workflows.core.pack.edits import LAYOUT, TYPES

Schema = dict[str, Any]

FILE_EDITS = {name: kind for name, kind in TYPES.items() if not issubclass(kind, LAYOUT)}
MOST_EDITS = 100
ANY_VALUE = ("value", "fragment")


def object_of(required: str = "", /, **properties: Schema) -> Schema:
    """The schema of an object with these members only. `required`: names, separated by spaces."""
    body = {"type": "object", "properties": properties, "additionalProperties": False}
    return {**body, "required": required.split()} if required else body


def text(description: str = "", **more: Any) -> Schema:
    return {"type": "string", **({"description": description} if description else {}), **more}


def number(description: str, least: int, most: int) -> Schema:
    return {"type": "integer", "minimum": least, "maximum": most, "description": description}


def flag(description: str) -> Schema:
    return {"type": "boolean", "description": description}


def _edit() -> Schema:
    """One schema for all types. The description has the fields of each type, and reading an edit
    checks them with a message."""
    members = {
        one.name: {} if one.name in ANY_VALUE else {"type": "string"}
        for kind in FILE_EDITS.values()
        for one in fields(kind)
        if one.name != "group"
    }
    return object_of("type", type={"enum": list(FILE_EDITS)}, **members)


def _signature(kind: type[Any]) -> str:
    names = [
        one.name if one.default is MISSING and one.default_factory is MISSING else f"{one.name}?"
        for one in fields(kind)
        if one.name != "group"
    ]
    return f"{kind.type}({', '.join(names)})"


SAME_EDITS = {
    "type": "array",
    "minItems": 1,
    "maxItems": MOST_EDITS,
    "items": {"type": "object", "required": ["type"]},
    "description": "as in `propose`",
}
PACK = text("path from `packs`")
REVISION = text("`revision` of the answer that the edits are based on")
EDITS = {
    "type": "array",
    "minItems": 1,
    "maxItems": MOST_EDITS,
    "items": _edit(),
    "description": (
        "All or none, in order. transition: source|label|target. element: state:ID, "
        "transition:ID, prompt:KEY, pack, … field: JSON pointer into the values of `element`. "
        + " ".join(map(_signature, FILE_EDITS.values()))
    ),
}
