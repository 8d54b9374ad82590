"""A partial JSON Schema check, as far as generating values needs it, and the merge of two schemas.

This does not validate answers (a library does, outside the core): patterns and formats are ignored,
because expressions from a pack are never run in the core.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from workflows.core.limits import VALUE_DEPTH
from workflows.core.text.json.pointer import unescape

_TYPES: dict[str, tuple[type, ...]] = {
    "object": (dict,),
    "array": (list,),
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
}
MAX_CHECKS = 5_000
"""After this many checks a value counts as valid. Schemas that contain themselves twice would take
forever."""


def resolved(schema: Any, root: Any) -> dict[str, Any]:
    """The schema with a local `$ref` followed (its siblings take precedence). Invalid schemas are
    `{}`."""
    for _ in range(VALUE_DEPTH):
        if not isinstance(schema, Mapping):
            return {}
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return dict(schema)
        rest = {key: value for key, value in schema.items() if key != "$ref"}
        target = _pointed(root, reference)
        schema = {**target, **rest} if isinstance(target, Mapping) else rest
    return {}


def _pointed(root: Any, reference: str) -> Any:
    if not reference.startswith("#"):
        return {}
    value = root
    for part in reference[1:].split("/")[1:]:
        name = unescape(part.replace("%20", " "))
        if isinstance(value, Mapping) and name in value:
            value = value[name]
        elif isinstance(value, list) and name.isdigit() and int(name) < len(value):
            value = value[int(name)]
        else:
            return {}
    return value


def merged(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Both schemas combined, as far as one schema can express it."""
    both = dict(one)
    for word, value in other.items():
        if word not in both:
            both[word] = value
            continue
        mine = both[word]
        match word:
            case "properties" if isinstance(mine, Mapping) and isinstance(value, Mapping):
                both[word] = {
                    key: _both(mine.get(key), value.get(key)) for key in {**mine, **value}
                }
            case "required":
                both[word] = list(dict.fromkeys([*mine, *value]))
            case "enum":
                both[word] = [item for item in mine if item in value]
            case "minimum" | "minLength" | "minItems" | "minProperties" | "exclusiveMinimum":
                both[word] = max(mine, value)
            case "maximum" | "maxLength" | "maxItems" | "maxProperties" | "exclusiveMaximum":
                both[word] = min(mine, value)
            case "anyOf" | "oneOf" | "allOf":
                pass
            case _:
                both[word] = value
    return both


def _both(one: Any, other: Any) -> Any:
    if not isinstance(one, Mapping) or not isinstance(other, Mapping):
        return other if one is None or one is True else one
    return {"allOf": [one, other]} if one != other else one


def fits(value: Any, schema: Any, root: Any) -> bool:
    """Return True if `schema` accepts `value` (patterns and formats are ignored).

    A schema of a pack may have a keyword of another type than the keyword has, such as
    `"required": 3`. Such a schema accepts every value; the rules of the pack's format report it.
    """
    try:
        return _Look(root).fits(value, schema)
    except (AttributeError, TypeError):
        return True


class _Look:
    def __init__(self, root: Any) -> None:
        self.root = root
        self.fuel = MAX_CHECKS

    def fits(self, value: Any, schema: Any, depth: int = 0) -> bool:
        if isinstance(schema, bool):
            return schema
        self.fuel -= 1
        if depth > VALUE_DEPTH or self.fuel < 0:
            return True
        schema = resolved(schema, self.root)
        return (
            _type_fits(value, schema)
            and ("const" not in schema or _same(value, schema["const"]))
            and ("enum" not in schema or _listed(value, schema["enum"]))
            and _size_fits(value, schema)
            and self._parts_fit(value, schema, depth)
            and self._options_fit(value, schema, depth)
        )

    def _parts_fit(self, value: Any, schema: Mapping[str, Any], depth: int) -> bool:
        if isinstance(value, dict):
            properties = schema.get("properties") or {}
            extra = schema.get("additionalProperties", True)
            return all(key in value for key in schema.get("required", ())) and all(
                self.fits(item, properties.get(key, extra), depth + 1)
                for key, item in value.items()
            )
        if isinstance(value, list):
            first = schema.get("prefixItems") or []
            rest = schema.get("items", True)
            unique = not schema.get("uniqueItems") or all(
                item not in value[:number] for number, item in enumerate(value)
            )
            return unique and all(
                self.fits(item, first[number] if number < len(first) else rest, depth + 1)
                for number, item in enumerate(value)
            )
        return True

    def _options_fit(self, value: Any, schema: Mapping[str, Any], depth: int) -> bool:
        def count(word: str) -> int:
            return sum(self.fits(value, option, depth + 1) for option in schema[word])

        return (
            ("allOf" not in schema or count("allOf") == len(schema["allOf"]))
            and ("anyOf" not in schema or count("anyOf") > 0)
            and ("oneOf" not in schema or count("oneOf") == 1)
            and ("not" not in schema or not self.fits(value, schema["not"], depth + 1))
        )


def _listed(value: Any, values: Sequence[Any]) -> bool:
    """Texts equal texts only, which the list finds without a call for each of its items."""
    return value in values if isinstance(value, str) else any(_same(value, one) for one in values)


def _same(one: Any, other: Any) -> bool:
    return one == other and isinstance(one, bool) == isinstance(other, bool)


def _type_fits(value: Any, schema: Mapping[str, Any]) -> bool:
    kinds = schema.get("type")
    if kinds is None:
        return True
    for kind in kinds if isinstance(kinds, list) else [kinds]:
        if kind == "integer":
            if isinstance(value, (int, float)) and not isinstance(value, bool) and value % 1 == 0:
                return True
        elif isinstance(value, _TYPES.get(kind, ())) and (
            kind == "boolean" or not isinstance(value, bool)
        ):
            return True
    return False


def _size_fits(value: Any, schema: Mapping[str, Any]) -> bool:
    match value:
        case bool():
            return True
        case int() | float():
            step = schema.get("multipleOf")
            return (
                value >= schema.get("minimum", value)
                and value <= schema.get("maximum", value)
                and ("exclusiveMinimum" not in schema or value > schema["exclusiveMinimum"])
                and ("exclusiveMaximum" not in schema or value < schema["exclusiveMaximum"])
                and (not step or abs(value / step - round(value / step)) < 1e-9)
            )
        case str():
            low, high = "minLength", "maxLength"
        case list():
            low, high = "minItems", "maxItems"
        case dict():
            low, high = "minProperties", "maxProperties"
        case _:
            return True
    return bool(schema.get(low, 0) <= len(value) <= schema.get(high, len(value)))
