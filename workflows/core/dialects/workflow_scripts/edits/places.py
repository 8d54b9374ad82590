"""The places in the text of a script that fields of forms change."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from workflows.core.dialects.workflow_scripts.edits.literals import (
    Change,
    inserted,
    literal,
    pair_of,
    removed,
    replaced,
    style_of,
)
from workflows.core.dialects.workflow_scripts.format.syntax import (
    FUNCTIONS,
    Node,
    arguments,
    enclosing,
    is_string,
    line,
    parts,
    short,
    string_value,
    text,
)
from workflows.core.dialects.workflow_scripts.graph.model import PlanState
from workflows.core.dialects.workflow_scripts.source import ScriptSource
from workflows.core.pack.edits import EditRefused, missing_element
from workflows.core.text.tolerant import indexed_objects

LITERALS = ("string", "number", "true", "false", "null", "array", "object")


def state_of(source: ScriptSource, id: str) -> PlanState:
    """A state. Raises EditRefused for an unknown one."""
    state = source.states.get(id)
    if state is None:
        raise missing_element(f"state:{id}")
    return state


def refused(node: Node, what: str) -> EditRefused:
    """The refusal to change code through a form."""
    return EditRefused(
        f"{what} is computed: {short(node)}",
        where=f"line {line(node)}",
        hint=f"Change line {line(node)} in the text view.",
    )


def resolved(source: ScriptSource, node: Node, state: PlanState | None = None) -> Node:
    """The literal that an expression stands for: itself, the constant that it names, or the
    argument of a helper's use."""
    if node.type not in ("identifier", "shorthand_property_identifier"):
        return node
    name = text(node)
    if state is not None and state.use != state.node:
        given = _argument(state, name)
        if given is not None:
            return given
    found = source.declarators.get(name, ())
    value = found[0].child_by_field_name("value") if len(found) == 1 else None
    constant = (
        bool(found) and found[0].parent is not None and text(found[0].parent).startswith("const")
    )
    return value if value is not None and constant else node


def _argument(state: PlanState, name: str) -> Node | None:
    """The argument of a helper's use that a parameter stands for."""
    code = next((one for one in enclosing(state.node) if one.type in FUNCTIONS), None)
    if code is None:
        return None
    single = code.child_by_field_name("parameter")
    listed = code.child_by_field_name("parameters")
    names = [single] if single is not None else parts(listed) if listed is not None else []
    given = arguments(state.use)
    for index, one in enumerate(names):
        if text(one) == name:
            return given[index] if index < len(given) else None
    return None


def options_node(source: ScriptSource, state: PlanState) -> Node | None:
    """The object literal with the options of a call. None if it has no options."""
    nodes = arguments(state.node)
    if state.kind != "agent":
        raise EditRefused(f"{state.id!r} is no call of agent().", where=state.id)
    if len(nodes) < 2:
        return None
    found = resolved(source, nodes[1], state)
    if found.type != "object":
        raise refused(nodes[1], "The list of options")
    return found


def set_option(
    source: ScriptSource, state: PlanState, path: tuple[str, ...], value: Any
) -> list[Change]:
    """The change that sets one option of a call, or a value inside of it."""
    style = style_of(source.data)
    options = options_node(source, state)
    if options is None:
        nodes = arguments(state.node)
        if not nodes:
            raise EditRefused("This call has no prompt.", where=state.id)
        written = literal({path[0]: _nested(path[1:], value)}, style)
        return [(nodes[0].end_byte, nodes[0].end_byte, f", {written}".encode())]
    return [set_in(source, options, path, value, state)]


def set_in(
    source: ScriptSource,
    node: Node,
    path: tuple[str, ...],
    value: Any,
    state: PlanState | None = None,
) -> Change:
    """The change of a value in an object or list literal."""
    style = style_of(source.data)
    for depth, key in enumerate(path):
        last = depth == len(path) - 1
        if node.type == "array":
            items = parts(node)
            place = int(key) if key.isdigit() else len(items)
            if place >= len(items):
                raise EditRefused(f"The list has no element {key}.")
            inner = items[place]
        elif node.type == "object":
            pair = pair_of(node, key)
            if pair is None:
                written = literal(_nested(path[depth + 1 :], value), style)
                return inserted(source.data, node, key, written, style)
            short_form = pair.type == "shorthand_property_identifier"
            found = pair if short_form else pair.child_by_field_name("value")
            if found is None:
                raise refused(pair, f"The value of {key!r}")
            inner = found
        else:
            raise refused(node, "This value")
        inner = resolved(source, inner, state)
        if last:
            if inner.type not in (*LITERALS, "template_string"):
                raise refused(inner, f"The value of {key!r}")
            if inner.type == "template_string" and not isinstance(value, str):
                raise refused(inner, f"The value of {key!r}")
            return replaced(inner, value, style)
        node = inner
    raise EditRefused("This field cannot be set.")


def _nested(path: tuple[str, ...], value: Any) -> Any:
    for key in reversed(path):
        value = {key: value}
    return value


def unset_in(source: ScriptSource, node: Node, path: tuple[str, ...]) -> Change:
    """The change that removes a value of an object or list literal."""
    for depth, key in enumerate(path):
        found: Node | None
        if node.type == "array":
            items = parts(node)
            found = items[int(key)] if key.isdigit() and int(key) < len(items) else None
        else:
            found = pair_of(node, key) if node.type == "object" else None
        if found is None:
            raise EditRefused(f"{key!r} is not set here.")
        if depth == len(path) - 1:
            return removed(source.data, found)
        value = found.child_by_field_name("value") if found.type == "pair" else found
        node = resolved(source, value if value is not None else found)
    raise EditRefused("This field cannot be removed.")


def prompt_node(source: ScriptSource, state: PlanState) -> Node:
    """The text or template of a prompt. Raises EditRefused for one that is computed."""
    nodes = arguments(state.node)
    if not nodes or state.kind != "agent":
        raise EditRefused("This call has no prompt.", where=state.id)
    found = resolved(source, nodes[0], state)
    if found.type not in ("string", "template_string"):
        raise refused(nodes[0], "The prompt")
    return found


def limits(source: ScriptSource) -> dict[str, Node]:
    """The numbers that constants of the script hold, by name."""
    found = {}
    for statement in parts(source.root):
        if statement.type != "lexical_declaration" or not text(statement).startswith("const"):
            continue
        for one in parts(statement):
            name, value = one.child_by_field_name("name"), one.child_by_field_name("value")
            if name is not None and value is not None and value.type == "number":
                found[text(name)] = value
    return found


def phase_titles(source: ScriptSource) -> Iterator[tuple[str, Node]]:
    """The titles that `phase(…)` and options name, each with its literal."""
    for node in source.nodes:
        value = None
        if node.type == "call_expression" and text(node.children[0]) == "phase":
            value = next(iter(arguments(node)), None)
        elif node.type == "pair" and text(node.children[0]).strip("'\"") == "phase":
            value = node.child_by_field_name("value")
        if value is not None and is_string(value):
            yield string_value(value), value


def phase_nodes(source: ScriptSource, title: str) -> list[Node]:
    """Every literal that names a phase: in meta, in `phase(…)` and in options."""
    declared = [
        source.meta.nodes[("phases", index, "title")]
        for index, one in indexed_objects(source.meta.value.get("phases"))
        if one.get("title") == title
    ]
    return [*declared, *(node for name, node in phase_titles(source) if name == title)]
