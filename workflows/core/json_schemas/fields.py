"""JSON Schemas of the fields of forms, one function per kind of field."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

Schema = dict[str, Any]


def text(title: str, description: str = "", **more: Any) -> Schema:
    return {"type": "string", "title": title, "description": description, **more}


def flag(title: str, description: str = "", **more: Any) -> Schema:
    return {"type": "boolean", "title": title, "description": description, **more}


def integer(title: str, description: str = "", **more: Any) -> Schema:
    return {"type": "integer", "title": title, "description": description, **more}


def choice(title: str, values: Iterable[str], description: str = "", **more: Any) -> Schema:
    return {**text(title, description, **more), "enum": list(values)}


def texts(title: str, description: str = "", **more: Any) -> Schema:
    return {
        "type": "array",
        "items": {"type": "string"},
        "title": title,
        "description": description,
        **more,
    }


def record(title: str, properties: dict[str, Schema], **more: Any) -> Schema:
    return {"type": "object", "title": title, "properties": properties, **more}


def mapping(title: str, item: Schema, description: str = "", **more: Any) -> Schema:
    return {
        "type": "object",
        "title": title,
        "description": description,
        "additionalProperties": item,
        **more,
    }


def raw(title: str, description: str = "", **more: Any) -> Schema:
    """A field shown as JSON: an unknown key, or a value without a form of its own."""
    return {"title": title, "description": description, "x-widget": "json", **more}


RARE: Schema = {"x-rare": True}
"""Fields that hardly any author sets."""


def under(group: str) -> Schema:
    """The group of a property in the form."""
    return {"x-group": group}


def named(title: str, kind: str, names: Iterable[str]) -> Schema:
    """The key of another element of this kind."""
    return {**text(title), "x-choices": list(names), "x-element": kind}
