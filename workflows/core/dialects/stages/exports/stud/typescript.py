"""Values as TypeScript source."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from workflows.core.dialects.stages.format.js_values import js_number

_SEPARATORS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\x7f": "\\u007f"}


def quoted(text: str) -> str:
    """A string literal. Line separators and lone surrogates are escaped."""
    return "".join(
        f"\\u{ord(char):04x}" if 0xD800 <= ord(char) <= 0xDFFF else _SEPARATORS.get(char, char)
        for char in json.dumps(text, ensure_ascii=False)
    )


def literal(value: Any, indent: int = 0) -> str:
    """An expression for a JSON value, indented by two spaces per level; short ones on one line.

    `__proto__` is written as a computed key; as a plain key it would set the object's prototype.
    """
    flat = _flat(value)
    if len(flat) + indent * 2 <= 96 and "\n" not in flat:
        return flat
    match value:
        case Mapping() if value:
            rows = [f"{_key(key)}: {literal(item, indent + 1)}" for key, item in value.items()]
            return _block("{", rows, "}", indent)
        case list() | tuple() if value:
            return _block("[", [literal(item, indent + 1) for item in value], "]", indent)
        case _:
            return flat


def _flat(value: Any) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return js_number(value)
        case str():
            return quoted(value)
        case Mapping():
            rows = (f"{_key(key)}: {_flat(item)}" for key, item in value.items())
            return f"{{ {', '.join(rows)} }}" if value else "{}"
        case _:
            return f"[{', '.join(_flat(item) for item in value)}]"


def _key(key: object) -> str:
    name = str(key)
    if name == "__proto__":
        return '["__proto__"]'
    return name if name.isascii() and name.isidentifier() else quoted(name)


def _block(opening: str, rows: Iterable[str], closing: str, indent: int) -> str:
    inner = "".join(f"{'  ' * (indent + 1)}{row},\n" for row in rows)
    return f"{opening}\n{inner}{'  ' * indent}{closing}"
