"""Names: the values that patterns give them."""

from __future__ import annotations

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    line,
    parts,
    text,
)
from workflows.core.dialects.workflow_scripts.format.values import (
    UNDEFINED,
    Items,
    Opaque,
    Record,
    Undefined,
    Value,
    either,
    options_of,
)
from workflows.core.dialects.workflow_scripts.graph.flow import Flow
from workflows.core.dialects.workflow_scripts.graph.scope import Scope


class Bindings(Flow):
    """The part of a walk that gives names their values."""

    scope: Scope
    proven: frozenset[str] = frozenset()
    """The expressions that are not null here."""

    def evaluate(self, node: Node | None) -> Value:
        raise NotImplementedError

    def property(self, value: Value, name: str, node: Node) -> Value:
        raise NotImplementedError

    def key_of(self, key: Node | None) -> str | None:
        raise NotImplementedError

    def named(self, value: Value, name: str, node: Node) -> Value:
        """A list that a variable holds is named after it."""
        for one in options_of(value):
            if isinstance(one, Items) and not one.name:
                one.name, one.line = name, line(node)
        if isinstance(value, Opaque) and not value.functions and not value.name:
            return Opaque(name, line(node), (), value.null)
        return value

    def bind(self, target: Node, value: Value, *, declare: bool = True) -> None:
        """Give the names of a pattern their values."""
        match target.type:
            case "identifier" | "shorthand_property_identifier_pattern":
                value = self.named(value, text(target), target)
                if declare:
                    self.scope.declare(text(target), value, self.level, line(target))
                    self.proven = frozenset(
                        one
                        for one in self.proven
                        if one != text(target) and not one.startswith(text(target) + ".")
                    )
                else:
                    self.scope.assign(text(target), value, self.level)
            case "assignment_pattern" | "object_assignment_pattern":
                left, right = (
                    target.child_by_field_name("left"),
                    target.child_by_field_name("right"),
                )
                default = self.evaluate(right)
                if left is not None:
                    missing = isinstance(value, Undefined)
                    both = default if missing else either((values.without_null(value), default))
                    optional = any(isinstance(one, Undefined) for one in options_of(value))
                    kept = both if missing or optional or not isinstance(value, Record) else value
                    self.bind(left, kept, declare=declare)
            case "array_pattern":
                for index, child in enumerate(parts(target)):
                    if child.type == "rest_pattern":
                        rest = Items(values.length(value), values.element(value), None)
                        self.bind(parts(child)[0], rest, declare=declare)
                    else:
                        self.bind(child, self.item(value, index), declare=declare)
            case "object_pattern":
                self.bind_object(target, value, declare=declare)

    def bind_object(self, target: Node, value: Value, *, declare: bool) -> None:
        for child in parts(target):
            if child.type == "pair_pattern":
                key, inside = child.child_by_field_name("key"), child.child_by_field_name("value")
                name = self.key_of(key)
                found = self.property(value, name, child) if name else Opaque()
                if inside is not None:
                    self.bind(inside, found, declare=declare)
            elif child.type == "rest_pattern":
                self.bind(parts(child)[0], Opaque(), declare=declare)
            else:
                name = text(child.child_by_field_name("left") or child)
                self.bind(child, self.property(value, name, child), declare=declare)

    def item(self, value: Value, index: int) -> Value:
        """An element of a list by its place."""
        found: list[Value] = []
        for one in options_of(value):
            if isinstance(one, Items) and one.elements is not None:
                inside = index < len(one.elements)
                item = one.elements[index] if inside else UNDEFINED
                found.append(values.nullable(item) if one.fan_out else item)
            elif not isinstance(one, Undefined):
                found.append(values.element(one))
        return either(found) if found else UNDEFINED
