"""The `meta` of a script: the literal object of its first statement."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    is_string,
    number_value,
    parts,
    string_value,
    text,
)
from workflows.core.text.tolerant import as_list, as_object, as_str


@dataclass(frozen=True, kw_only=True)
class Meta:
    """`value` has what is a literal; `computed` are the nodes of the other values.

    `statement` is None for a script without meta. `nodes` are the values by their path.
    """

    statement: Node | None = None
    object: Node | None = None
    first: bool = True
    value: dict[str, Any] = field(default_factory=dict)
    computed: tuple[Node, ...] = ()
    nodes: dict[tuple[str | int, ...], Node] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return as_str(self.value.get("name"))

    @property
    def description(self) -> str:
        return as_str(self.value.get("description"))

    @property
    def phases(self) -> list[dict[str, Any]]:
        """The declared phases that have a title."""
        return [
            one
            for one in as_list(self.value.get("phases"))
            if isinstance(one, dict) and isinstance(one.get("title"), str)
        ]


def read_meta(root: Node) -> Meta:
    """The meta of a script."""
    statements = parts(root)
    for place, one in enumerate(statements):
        found = meta_object(one)
        if found is not None:
            return _meta(one, found, first=place == 0)
    return Meta()


def meta_object(statement: Node) -> Node | None:
    """The value of `export const meta = …`."""
    if statement.type != "export_statement":
        return None
    declaration = statement.child_by_field_name("declaration")
    for one in parts(declaration) if declaration is not None else ():
        name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
        if name is not None and text(name) == "meta" and value is not None:
            return value
    return None


def _meta(statement: Node, found: Node, *, first: bool) -> Meta:
    computed: list[Node] = []
    nodes: dict[tuple[str | int, ...], Node] = {}
    return Meta(
        statement=statement,
        object=found if found.type == "object" else None,
        first=first,
        value=as_object(_value(found, (), nodes, computed, 0)),
        computed=tuple(computed),
        nodes=nodes,
    )


def _value(
    node: Node,
    path: tuple[str | int, ...],
    nodes: dict[tuple[str | int, ...], Node],
    computed: list[Node],
    depth: int,
) -> Any:
    """The value of a literal. A computed value is noted and read as None."""
    nodes[path] = node
    simple = {"true": True, "false": False, "null": None}
    if node.type in simple:
        return simple[node.type]
    if is_string(node):
        return string_value(node)
    if node.type == "number":
        return number_value(node)
    if (
        node.type == "unary_expression"
        and text(node)[:1] == "-"
        and parts(node)[0].type == "number"
    ):
        value = number_value(parts(node)[0])
        return None if value is None else -value
    if node.type == "array" and depth < 20:
        return [
            _value(child, (*path, index), nodes, computed, depth + 1)
            for index, child in enumerate(parts(node))
        ]
    if node.type == "object" and depth < 20:
        return _object(node, path, nodes, computed, depth)
    computed.append(node)
    return None


def _object(
    node: Node,
    path: tuple[str | int, ...],
    nodes: dict[tuple[str | int, ...], Node],
    computed: list[Node],
    depth: int,
) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for child in parts(node):
        key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
        if child.type != "pair" or key is None or value is None:
            computed.append(child)
        elif key.type not in ("property_identifier", "string", "number"):
            computed.append(key)
        else:
            name = string_value(key) if key.type == "string" else text(key)
            fields[name] = _value(value, (*path, name), nodes, computed, depth + 1)
    return fields
