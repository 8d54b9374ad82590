"""Parameters of a tool as every provider takes them: the schema of an object without a choice at
its top.

Tools of packs and MCP servers often have such a choice. The model gets the properties of all
alternatives instead. A call is checked against the tool's own schema before it is made.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from workflows.core.json_schemas.document import SchemaDocument

CHOICES = ("oneOf", "anyOf")
AT_TOP = (*CHOICES, "allOf", "enum", "not", "$ref")
"""Keywords that OpenAI or Anthropic refuses at the top of parameters."""
NONE: Mapping[str, Any] = {"type": "object", "properties": {}}


def plain_parameters(schema: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema itself if it is plain. Otherwise it becomes one that accepts more, but no choice:
    properties of alternatives are optional."""
    if not schema:
        return NONE
    if not any(word in schema for word in AT_TOP):
        return schema
    properties: dict[str, Any] = {}
    required: dict[str, None] = {}
    for part, always in _parts(schema):
        declared, listed = part.get("properties"), part.get("required")
        for name, inner in declared.items() if isinstance(declared, Mapping) else ():
            properties.setdefault(name, inner)
        if always and isinstance(listed, list):
            required |= dict.fromkeys(listed)
    rest = {word: value for word, value in schema.items() if word not in AT_TOP}
    rest.pop("additionalProperties", None)
    names = [name for name in required if name in properties]
    return {
        **rest,
        "type": schema.get("type", "object"),
        "properties": properties,
        **({"required": names} if names else {}),
    }


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[Mapping[str, Any], bool]]:
    """The schema and those that are combined with it, each once; True for those that always
    hold."""
    document = SchemaDocument(schema)
    visited: set[int] = set()
    left: list[tuple[Any, bool]] = [(schema, True)]
    for node, always in left:
        if not isinstance(node, Mapping) or id(node) in visited:
            continue
        visited.add(id(node))
        yield node, always
        left += [(target, always) for target, _ in document.targets(node)]
        for word in ("allOf", *CHOICES):
            members = node.get(word)
            if isinstance(members, list):
                left += [(inner, always and word == "allOf") for inner in members]
