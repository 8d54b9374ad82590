"""JSON Schemas of whole files for editors, made of the schemas of forms."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

DRAFT = "https://json-schema.org/draft/2020-12/schema"


def published(title: str, properties: Mapping[str, Any], required: list[str]) -> dict[str, Any]:
    """The schema of a file, without the marks of forms (`x-…`, `readOnly`). Unknown keys are
    permitted."""
    return {
        "$schema": DRAFT,
        "title": title,
        "type": "object",
        "properties": {name: _plain(one) for name, one in properties.items()},
        "required": required,
    }


def map_of(title: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """An object whose values all have one schema."""
    return {"type": "object", "title": title, "additionalProperties": dict(value)}


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {
            key: _plain(one)
            for key, one in value.items()
            if not str(key).startswith("x-") and key != "readOnly" and one != ""
        }
    return [_plain(one) for one in value] if isinstance(value, list) else value
