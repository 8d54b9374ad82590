"""The input of a script: what it reads from `args`, and a value for a rehearsal."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.workflow_scripts.format.syntax import Node, inner, text, walk
from workflows.core.dialects.workflow_scripts.source import ScriptSource

DEFAULT_LIST = re.compile(r"(\?\?|\|\|) \[")
LIST_MEMBERS = frozenset({"map", "filter", "slice", "forEach", "flatMap", "entries", "some"})


def reads_args(source: ScriptSource) -> bool:
    """True if the script reads `args`."""
    return any(one.type == "identifier" and text(one) == "args" for one in source.nodes)


def simulated_args(source: ScriptSource) -> Any:
    """A value with every property that the script reads."""
    fields: dict[str, Any] = {}
    as_list = as_text = False
    names = _aliases(source)
    for node in source.nodes:
        if node.type == "identifier" and text(node) in names:
            parent = node.parent
            if parent is None:
                continue
            if parent.type == "member_expression" and parent.child_by_field_name("object") == node:
                name = text(parent.child_by_field_name("property") or parent)
                if name in LIST_MEMBERS or name == "length":
                    as_list = True
                elif name in ("trim", "split", "toLowerCase", "startsWith"):
                    as_text = True
                else:
                    fields[name] = fields.get(name) or _value(parent, name)
            elif parent.type == "arguments" and _is_array_test(parent):
                as_list = True
            elif "typeof" in text(parent)[:8]:
                as_text = True
            elif _pattern(parent) is not None:
                fields |= {name: f"the {name}" for name in _pattern(parent) or ()}
    if fields:
        return fields
    if as_text and b"JSON.parse(args" in source.data:
        as_text = False
    if as_list:
        return ["item 1", "item 2"]
    return "the input" if as_text else {}


def possible_args(source: ScriptSource) -> Iterator[Any]:
    """Values of `args` to try, the likely one first; None is a start without any."""
    yield simulated_args(source)
    yield None
    yield "the input"
    yield ["item 1", "item 2"]
    yield {}
    yield [{"number": 1, "name": "item 1", "title": "Item 1", "description": "The first item."}]
    yield [{}]


def _aliases(source: ScriptSource) -> set[str]:
    """The names of `args`: `const input = typeof args === 'string' ? JSON.parse(args) : args`."""
    names = {"args"}
    for name, declarators in source.declarators.items():
        value = declarators[0].child_by_field_name("value")
        inside = {text(one) for one in (walk(value) if value is not None else ())}
        plain = value is not None and value.type not in ("call_expression", "arrow_function")
        member = value is not None and inner(value).type in ("member_expression", "template_string")
        if plain and not member and inside & names and "agent" not in inside:
            names.add(name)
    return names


def _value(node: Node, name: str) -> Any:
    """A list where the script treats a property as one, else a text."""
    outer = node.parent
    while outer is not None and inner(outer) == node:
        outer = outer.parent
    if outer is not None and outer.type == "member_expression":
        member = text(outer.child_by_field_name("property") or outer)
        if member in LIST_MEMBERS or member == "length":
            return [f"{name} 1", f"{name} 2"]
    if outer is not None and outer.type == "arguments" and _is_array_test(outer):
        return [f"{name} 1", f"{name} 2"]
    if outer is not None and outer.type == "parenthesized_expression":
        outer = outer.parent
    if outer is not None and outer.type == "binary_expression" and DEFAULT_LIST.search(text(outer)):
        return [f"{name} 1", f"{name} 2"]
    return f"the {name}"


def _is_array_test(arguments: Node) -> bool:
    call = arguments.parent
    return call is not None and text(call).startswith("Array.isArray")


def _pattern(node: Node) -> list[str] | None:
    """The names of `const { a, b } = args`."""
    while node.type == "binary_expression" and node.parent is not None:
        node = node.parent
    name = node.child_by_field_name("name") if node.type == "variable_declarator" else None
    if name is None or name.type != "object_pattern":
        return None
    return [text(one) for one in walk(name) if one.type == "shorthand_property_identifier_pattern"]
