"""A value that a JSON Schema accepts, generated from a seed: the answer of a simulated model.

Supported: type, enum, const, required, properties, additionalProperties, minProperties, items,
prefixItems, minItems, maxItems, uniqueItems, minimum, maximum, exclusive limits, multipleOf,
minLength, maxLength, simple patterns, common formats, anyOf, oneOf, allOf and local `$ref`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import ceil, floor
from typing import Any

from workflows.core.engine.rehearsal.patterns import text_for
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_fit import fits, merged, resolved

GENERATED_LEVELS = 12
"""Depth at which schemas that contain themselves end: deeper values are as small as allowed."""
TRIES = 6
MAX_LENGTH = 10_000
MAX_ITEMS = 50
MAX_PARTS = 3_000
"""Maximum number of parts. A schema that contains itself twice would never end."""

ABSENT: Any = object()

_WORDS = ("amber", "birch", "cedar", "delta", "ember", "field", "grove", "harbour", "iris", "juno")
_FORMATS = {
    "date-time": "2026-01-{0:02d}T09:30:00Z",
    "date": "2026-01-{0:02d}",
    "time": "09:{0:02d}:00Z",
    "email": "person{0}@example.org",
    "uri": "https://example.org/{0}",
    "uri-reference": "/{0}",
    "uuid": "00000000-0000-4000-8000-{0:012d}",
    "ipv4": "192.0.2.{0}",
    "hostname": "host{0}.example.org",
}


def value_for(schema: Any, rng: Rng, *, fixed: Any = ABSENT, name: str = "") -> Any:
    """A value for `schema` that contains `given` (a part of the answer that is already decided).

    The answer contains required properties and those of `given`, no others. `given` takes
    precedence over the schema. An invalid schema results in `given`, or an empty object.
    """
    value = {} if fixed is ABSENT else fixed
    try:
        for _ in range(TRIES):
            value = _Maker(schema, rng).make(schema, fixed, name, 0)
            if fits(value, schema, schema):
                break
    except (TypeError, ValueError, LookupError, AttributeError, ArithmeticError):
        return value
    return value


class _Maker:
    def __init__(self, root: Any, rng: Rng) -> None:
        self.root = root
        self.rng = rng
        self.fuel = MAX_PARTS

    def make(self, schema: Any, fixed: Any, name: str, depth: int) -> Any:
        self.fuel -= 1
        if self.fuel < 0:
            return None if fixed is ABSENT else fixed
        schema = self._plain(schema, fixed, depth)
        if fixed is not ABSENT and not isinstance(fixed, (dict, list)):
            return fixed
        if "const" in schema and fixed is ABSENT:
            return schema["const"]
        if "enum" in schema and fixed is ABSENT and schema["enum"]:
            return self.rng.pick(schema["enum"])
        kind = _kind(schema, fixed)
        makers: dict[str, Callable[[Mapping[str, Any], Any, str, int], Any]] = {
            "object": self._object,
            "array": self._array,
            "string": self._string,
            "integer": self._number,
            "number": self._number,
            "boolean": lambda *_: self.rng.below(2) == 0,
        }
        return makers[kind](schema, fixed, name, depth) if kind in makers else None

    def _plain(self, schema: Any, fixed: Any, depth: int) -> Mapping[str, Any]:
        """The schema without references and alternatives: one alternative is chosen."""
        plain = resolved(schema, self.root)
        self.fuel -= 1
        if self.fuel < 0 or depth > GENERATED_LEVELS * 3:
            return plain
        for part in plain.get("allOf", ()):
            plain = merged(plain, self._plain(part, ABSENT, depth + 1))
        for word in ("anyOf", "oneOf"):
            options = [resolved(option, self.root) for option in plain.get(word, ())]
            if options:
                option = self._option(options, fixed, depth)
                plain = merged(plain, self._plain(option, fixed, depth + 1))
        return plain

    def _option(self, options: Sequence[Any], fixed: Any, depth: int) -> Any:
        if fixed is not ABSENT:
            agreeing = [one for one in options if _agrees(fixed, one, self.root)]
            options = agreeing or options
        if depth > GENERATED_LEVELS:
            return min(options, key=lambda one: one.get("type") in ("object", "array"))
        return self.rng.pick(options)

    def _object(self, schema: Mapping[str, Any], fixed: Any, name: str, depth: int) -> Any:
        properties = schema.get("properties") or {}
        decided = fixed if isinstance(fixed, dict) else {}
        wanted = [*decided, *(key for key in schema.get("required", ()) if key not in decided)]
        for key in properties:
            if len(wanted) < schema.get("minProperties", 0) and key not in wanted:
                wanted.append(key)
        if depth > GENERATED_LEVELS * 2:
            return dict(decided)
        extra = schema.get("additionalProperties")
        value = {}
        for key in wanted:
            part = properties.get(key, extra if isinstance(extra, Mapping) else {})
            value[key] = self.make(part, decided.get(key, ABSENT), key, depth + 1)
        while len(value) < min(schema.get("minProperties", 0), MAX_ITEMS):
            value[f"key{len(value) + 1}"] = self.make(
                extra if isinstance(extra, Mapping) else {}, ABSENT, "", depth + 1
            )
        return value

    def _array(self, schema: Mapping[str, Any], fixed: Any, name: str, depth: int) -> Any:
        if isinstance(fixed, list):
            return fixed
        first = schema.get("prefixItems") or []
        items = schema.get("items", {})
        least = schema.get("minItems", 0)
        count = max(
            least, 1 if items and depth < GENERATED_LEVELS // 2 else 0, len(first) if least else 0
        )
        if "maxItems" in schema:
            count = min(count, schema["maxItems"])
        value: list[Any] = []
        for number in range(min(count, MAX_ITEMS)):
            part = first[number] if number < len(first) else items
            made = self.make(part, ABSENT, name, depth + 1)
            for _ in range(TRIES * 3 if schema.get("uniqueItems") else 0):
                if made not in value:
                    break
                made = self.make(part, ABSENT, name, depth + 1)
            value.append(made)
        return value

    def _string(self, schema: Mapping[str, Any], fixed: Any, name: str, depth: int) -> str:
        if "format" in schema and schema["format"] in _FORMATS:
            return _FORMATS[schema["format"]].format(self.rng.between(1, 28))
        least, most = min(schema.get("minLength", 0), MAX_LENGTH), schema.get("maxLength")
        if isinstance(schema.get("pattern"), str):
            for _ in range(TRIES):
                text = text_for(schema["pattern"], self.rng)
                if text is not None and len(text) >= least and (most is None or len(text) <= most):
                    return text
        text = f"{name.replace('_', ' ')} {self.rng.pick(_WORDS)}".strip()
        while len(text) < least:
            text += f" {self.rng.pick(_WORDS)}"
        return text if most is None else text[:most]

    def _number(self, schema: Mapping[str, Any], fixed: Any, name: str, depth: int) -> Any:
        whole = schema.get("type") != "number"
        step = schema.get("multipleOf") or (1 if whole else 0.5)
        low, high = _limits(schema, step)
        if low is None and high is None:
            low, high = 0.0, 10.0 * step
        elif low is None:
            low = (high or 0.0) - 10.0 * step
        elif high is None:
            high = low + 10.0 * step
        first, last = ceil(low / step), floor((high or 0.0) / step)
        if last < first:
            return int(low) if whole else (low + (high or 0.0)) / 2
        value = self.rng.between(first, min(last, first + 1_000)) * step
        return int(value) if whole else value


def _limits(schema: Mapping[str, Any], step: float) -> tuple[float | None, float | None]:
    low, high = schema.get("minimum"), schema.get("maximum")
    above, below = schema.get("exclusiveMinimum"), schema.get("exclusiveMaximum")
    small = step / 1_000 if isinstance(step, float) else step
    if isinstance(above, (int, float)) and not isinstance(above, bool):
        low = above + small if low is None else max(low, above + small)
    if isinstance(below, (int, float)) and not isinstance(below, bool):
        high = below - small if high is None else min(high, below - small)
    return low, high


def _kind(schema: Mapping[str, Any], fixed: Any) -> str:
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = next((one for one in kind if one != "null"), "null")
    if isinstance(fixed, dict):
        return "object"
    if isinstance(fixed, list):
        return "array"
    if isinstance(kind, str):
        return kind
    if "properties" in schema or "required" in schema or "minProperties" in schema:
        return "object"
    if "items" in schema or "prefixItems" in schema or "minItems" in schema:
        return "array"
    numeric = ("minimum", "maximum", "multipleOf", "exclusiveMinimum", "exclusiveMaximum")
    return "number" if any(word in schema for word in numeric) else "string"


def _agrees(fixed: Any, schema: Any, root: Any) -> bool:
    """Return True if the decided part does not contradict this alternative."""
    schema = resolved(schema, root)
    if not isinstance(fixed, dict):
        return fits(fixed, schema, root)
    if schema.get("type", "object") != "object":
        return False
    properties = schema.get("properties") or {}
    return all(
        _agrees(value, properties[key], root) for key, value in fixed.items() if key in properties
    )
