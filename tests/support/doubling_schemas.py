"""Schemas whose references double the work with each level."""

from __future__ import annotations

from typing import Any


def doubling(levels: int) -> dict[str, Any]:
    """`anyOf` over two references to the next level, this many times; only a string fits."""
    defs: dict[str, Any] = {
        f"d{level}": {"anyOf": [{"$ref": f"#/$defs/d{level + 1}"}] * 2} for level in range(levels)
    }
    defs[f"d{levels}"] = {"type": "string"}
    value = {"$ref": "#/$defs/d0"}
    return {"type": "object", "properties": {"a": value}, "required": ["a"], "$defs": defs}
