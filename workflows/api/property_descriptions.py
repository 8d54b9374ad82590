"""Descriptions of properties, for the OpenAPI document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_suffix(".txt")
"""Each line: the name of a property, or `schema.property` where one schema means something else,
and its description, unless the schema has another."""
WORDS = dict(row[1:].split("`", 1) for row in TABLE.read_text(encoding="utf-8").splitlines())


def describe_properties(schemas: dict[str, Any]) -> None:
    """Add the descriptions to the schemas of a document, by their names. Raises LookupError for a
    property without words."""
    for name, schema in schemas.items():
        for properties in properties_of(schema):
            for key, shape in properties.items():
                words = shape.get("description") or WORDS.get(f"{name}.{key}") or WORDS[key]
                properties[key] = {**shape, "description": words.strip()}


def properties_of(schema: Any) -> Iterator[dict[str, dict[str, Any]]]:
    """The properties of a schema and of every schema in it."""
    for value in schema.values() if isinstance(schema, dict) else schema:
        if isinstance(value, dict | list):
            yield from properties_of(value)
    if isinstance(schema, dict) and isinstance(schema.get("properties"), dict):
        yield schema["properties"]
