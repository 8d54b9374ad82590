"""The subsets of JSON Schema to which providers hold the answer of a model.

Sources: "Structured outputs" in the documentation of OpenAI ("Supported schemas") and Anthropic
("JSON Schema limitations", "Schema complexity limits"), and `responseJsonSchema` in Google's
reference of `GenerationConfig`. Compatible servers have OpenAI's protocol.

Keywords that only narrow a value, such as `minLength`, are in every subset: a provider that does
not enforce them gets them as a description.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.conversation.providers import Provider
from workflows.core.json_schemas.document import Pointer
from workflows.core.json_schemas.loops import DEFINITIONS, contains_itself, subschemas
from workflows.core.text.tolerant import as_list

TYPES = ("object", "array", "string", "integer", "number", "boolean", "null")
TYPED = ("type", "$ref", "anyOf", "oneOf", "enum", "const")
"""Keywords of which a subschema needs one, because each names the kinds of its values."""
SHAPES = frozenset(
    {
        *("allOf", "not", "if", "then", "else"),
        *("dependentRequired", "dependentSchemas", "dependencies"),
        *("patternProperties", "propertyNames", "unevaluatedProperties"),
        *("prefixItems", "additionalItems", "contains", "unevaluatedItems"),
        *("$dynamicRef", "$recursiveRef"),
    }
)
"""Keywords that neither OpenAI nor Anthropic supports, and that decide the shape of a value."""
MAX_OPTIONAL, MAX_UNIONS = 24, 16
"""Anthropic's limits of optional properties, and of properties with several types."""
DEFINITION = re.compile(r"#/\$defs/[^/]+")


@dataclass(frozen=True, slots=True, kw_only=True)
class Unsupported:
    """A part of a schema that a provider does not support. `problem` follows the name of the part:
    "has no type"."""

    pointer: Pointer
    problem: str

    def __str__(self) -> str:
        where = "/".join(str(part) for part in self.pointer)
        return f"{where[:120]!r} {self.problem}" if where else f"it {self.problem}"


def unsupported(schema: Mapping[str, Any], provider: Provider) -> Iterator[Unsupported]:
    """The parts that keep the provider from holding a model to this schema: none, if it can."""
    match provider:
        case "openai" | "compatible":
            yield from _all_problems(schema)
        case "anthropic":
            yield from _all_problems(schema)
            if contains_itself(schema):
                yield Unsupported(pointer=(), problem="contains itself")
            yield from _limits(schema)
        case "google":
            pass  # It ignores unknown keywords. Its rule for loops holds for tools as well.


def _all_problems(schema: Mapping[str, Any]) -> Iterator[Unsupported]:
    left: list[tuple[Any, Pointer]] = [(schema, ())]
    while left:
        node, pointer = left.pop()
        for problem in _problems(node):
            yield Unsupported(pointer=pointer, problem=problem)
        if isinstance(node, Mapping):
            inside = [(item, (*pointer, *at)) for item, at in subschemas(node)]
            left += reversed(inside)


def _problems(node: Any) -> Iterator[str]:
    """The problems of one subschema, without those inside it."""
    if not isinstance(node, Mapping):
        yield "accepts anything" if node is True else "is not a schema of a type"
        return
    for word in sorted(SHAPES & node.keys()):
        yield f"uses {word}"
    if "$ref" in node:
        if not DEFINITION.fullmatch(str(node["$ref"])):
            yield f"refers to {str(node['$ref'])[:80]!r}, which is not a definition"
        return
    if not any(word in node for word in TYPED):
        yield "has no type"
    types = types_of(node)
    if any(kind not in TYPES for kind in types):
        yield f"has the unknown type {node['type']!r}"
    values = [*as_list(node.get("enum")), node.get("const")]
    if any(isinstance(value, Mapping | list) for value in values):
        yield "lists values that are objects or lists"
    if "object" in types:
        yield from _object_problems(node)
    if "array" in types and "items" not in node and "prefixItems" not in node:
        yield "is a list whose items have no type"


def _object_problems(node: Mapping[str, Any]) -> Iterator[str]:
    others = node.get("additionalProperties", not node.get("properties"))
    if others is not False:
        yield "takes properties of any name"
    for word in ("anyOf", "oneOf"):
        if word in node:
            yield f"has {word} next to the type 'object'"


def _limits(schema: Mapping[str, Any]) -> Iterator[Unsupported]:
    """Anthropic's limits. Its API does not count inside definitions."""
    optional = unions = 0
    left: list[Any] = [schema]
    while left:
        node = left.pop()
        if not isinstance(node, Mapping):
            continue
        properties, required = node.get("properties"), node.get("required")
        required = as_list(required)
        for name, inner in properties.items() if isinstance(properties, Mapping) else ():
            optional += name not in required
            if isinstance(inner, Mapping):
                unions += "anyOf" in inner or "oneOf" in inner or len(types_of(inner)) > 1
        left += [item for item, at in subschemas(node) if at[0] not in DEFINITIONS]
    if optional > MAX_OPTIONAL:
        problem = f"has {optional} optional properties; {MAX_OPTIONAL} are the limit"
        yield Unsupported(pointer=(), problem=problem)
    if unions > MAX_UNIONS:
        problem = f"has {unions} properties with several types; {MAX_UNIONS} are the limit"
        yield Unsupported(pointer=(), problem=problem)


def types_of(node: Mapping[str, Any]) -> tuple[str, ...]:
    """The types that a subschema names."""
    value = node.get("type")
    if isinstance(value, list):
        return tuple(str(kind) for kind in value)
    return (str(value),) if value is not None else ()
