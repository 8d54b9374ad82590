"""Evaluation of expressions, as far as the text of a script determines them."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.formula import ZERO, Formula, unknown
from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    bare,
    escape_value,
    inner,
    line,
    number_value,
    parts,
    short,
    string_value,
    text,
)
from workflows.core.dialects.workflow_scripts.format.texts import TEXT_MEMBERS, is_text, text_of
from workflows.core.dialects.workflow_scripts.format.values import (
    NULL,
    UNDEFINED,
    Amount,
    Answer,
    Builtin,
    Function,
    Items,
    Known,
    Opaque,
    Record,
    Undefined,
    Value,
    either,
    options_of,
)
from workflows.core.dialects.workflow_scripts.graph.choices import Choices
from workflows.core.dialects.workflow_scripts.graph.conditions import name_of

MOST_DEPTH = 150
MOST_STEPS = 60_000
MOST_CHAIN = 2_000
ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "/": lambda a, b: a / b,
    "%": lambda a, b: math.fmod(a, b),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "===": lambda a, b: type(a) is type(b) and a == b,
    "!==": lambda a, b: type(a) is not type(b) or a != b,
}


class Expressions(Choices):
    """The part of a walk that evaluates expressions. Calls are in `calls.Calls`."""

    depth = 0
    steps = 0
    cut = False

    def call(self, node: Node) -> Value:
        raise NotImplementedError

    def ordered(self, value: Value, node: Node) -> None:
        raise NotImplementedError

    def evaluate(self, node: Node | None) -> Value:
        """The value of an expression; what it calls is drawn on the way."""
        if node is None or self.depth > MOST_DEPTH or self.steps > MOST_STEPS:
            self.cut = self.cut or node is not None
            return Opaque()
        self.depth += 1
        self.steps += 1
        try:
            method = getattr(self, f"on_{node.type}", None)
            return method(node) if method is not None else self.others(node)
        finally:
            self.depth -= 1

    def others(self, node: Node) -> Value:
        """An expression whose value is not followed; what it contains is."""
        for child in parts(node):
            self.evaluate(child)
        return Opaque(short(node, 30), line(node))

    def on_string(self, node: Node) -> Value:
        return Known(string_value(node))

    def on_number(self, node: Node) -> Value:
        value = number_value(node)
        return Opaque() if value is None else Known(value)

    def on_true(self, node: Node) -> Value:
        return Known(True)

    def on_false(self, node: Node) -> Value:
        return Known(False)

    def on_null(self, node: Node) -> Value:
        return NULL

    def on_undefined(self, node: Node) -> Value:
        return UNDEFINED

    def on_regex(self, node: Node) -> Value:
        return Opaque()

    def on_comment(self, node: Node) -> Value:
        return UNDEFINED

    def on_template_string(self, node: Node) -> Value:
        pieces: list[Value] = []
        for child in node.named_children:
            if child.type == "string_fragment":
                pieces.append(Known(text(child).replace("\r\n", "\n")))
            elif child.type == "escape_sequence":
                pieces.append(Known(escape_value(text(child))))
            elif child.type == "template_substitution":
                pieces.append(self.evaluate(next(iter(parts(child)), None)))
        return text_of(pieces)

    def on_identifier(self, node: Node) -> Value:
        name = text(node)
        if name in ("undefined", "NaN"):
            return UNDEFINED if name == "undefined" else Opaque()
        if name == "Infinity":
            return Opaque()
        cell = self.scope.find(name)
        if cell is None:
            return Opaque(name, line(node))
        if isinstance(cell.value, Builtin) and name == "args":
            return Answer("args", "args")
        return values.without_null(cell.value) if name in self.proven else cell.value

    on_shorthand_property_identifier = on_identifier

    def on_parenthesized_expression(self, node: Node) -> Value:
        return self.evaluate(next(iter(parts(node)), None))

    def on_await_expression(self, node: Node) -> Value:
        return self.evaluate(next(iter(parts(node)), None))

    def on_spread_element(self, node: Node) -> Value:
        return self.evaluate(next(iter(parts(node)), None))

    def on_sequence_expression(self, node: Node) -> Value:
        result: Value = UNDEFINED
        for child in parts(node):
            result = self.evaluate(child)
        return result

    def on_arrow_function(self, node: Node) -> Value:
        return Function(node, self.scope)

    on_function_expression = on_arrow_function
    on_function_declaration = on_arrow_function
    on_generator_function = on_arrow_function
    on_method_definition = on_arrow_function

    def on_array(self, node: Node) -> Value:
        elements: list[Value] = []
        spread, whole = ZERO, True
        inside: list[Value] = []
        for child in parts(node):
            value = self.evaluate(child)
            if child.type != "spread_element":
                elements.append(value)
                continue
            copied = [one for one in options_of(value) if isinstance(one, Items)]
            if len(copied) == 1 and copied[0] is value and copied[0].elements is not None:
                elements += copied[0].elements if not copied[0].unstable else ()
                whole = whole and not copied[0].unstable
            else:
                whole = False
            if not whole:
                spread = spread + values.length(value)
                inside.append(values.element(value))
        result = values.list_of(elements, len(self.rounds), line(node))
        if not whole:
            result.length = result.length + spread
            result.element = either([*([result.element] if elements else []), *inside])
            result.elements = None
        return result

    def on_object(self, node: Node) -> Value:
        fields: dict[str, Value] = {}
        nodes: dict[str, Node] = {}
        open = False
        for child in parts(node):
            if child.type == "pair":
                key, value = child.child_by_field_name("key"), child.child_by_field_name("value")
                name = self.key_of(key)
                found = self.evaluate(value)
                if name is None:
                    open = True
                    fields.setdefault("[]", found)
                else:
                    fields[name], nodes[name] = found, child
            elif child.type == "shorthand_property_identifier":
                fields[text(child)], nodes[text(child)] = self.evaluate(child), child
            elif child.type == "spread_element":
                for one in options_of(self.evaluate(child)):
                    if isinstance(one, Record):
                        fields.update(one.fields)
                        nodes.update(one.nodes)
                        open = open or one.open
                    elif not isinstance(one, Known | Undefined):
                        open = True
            elif child.type == "method_definition":
                name = self.key_of(child.child_by_field_name("name"))
                fields[name or "[]"] = Function(child, self.scope)
        return Record(fields, open, nodes)

    def key_of(self, key: Node | None) -> str | None:
        """The name of a property. None if it is computed."""
        if key is None:
            return None
        if key.type == "string":
            return string_value(key)
        if key.type == "computed_property_name":
            return values.literal(self.evaluate(next(iter(parts(key)), None)))
        return text(key)

    def on_member_expression(self, node: Node) -> Value:
        receiver, name = node.child_by_field_name("object"), node.child_by_field_name("property")
        value = self.evaluate(receiver)
        if receiver is None or name is None:
            return Opaque()
        optional = any(child.type == "optional_chain" for child in node.children)
        self.read(node, receiver, value, optional=optional, key=text(name))
        return self.property(value, text(name), node)

    def on_subscript_expression(self, node: Node) -> Value:
        receiver, index = node.child_by_field_name("object"), node.child_by_field_name("index")
        value, key = self.evaluate(receiver), self.evaluate(index)
        if receiver is None:
            return Opaque()
        optional = any(child.type == "optional_chain" for child in node.children)
        if not isinstance(value, Items):
            self.read(node, receiver, value, optional=optional, key="")
        name = values.literal(key)
        if name is not None:
            return self.property(value, name, node)
        place = values.integer(key)
        self.ordered(value, node)
        found: list[Value] = []
        for one in options_of(value):
            if isinstance(one, Items) and one.elements is not None and place is not None:
                inside = 0 <= place < len(one.elements)
                item = one.elements[place] if inside else UNDEFINED
                found.append(values.nullable(item) if one.fan_out else item)
            elif isinstance(one, Record):
                functions = tuple(
                    each
                    for field in one.fields.values()
                    for each in options_of(field)
                    if isinstance(each, Function)
                )
                found.append(Opaque(short(node), line(node), functions))
            else:
                found.append(values.element(one))
        return either(found) if found else Opaque(short(node, 30), line(node))

    def read(self, node: Node, receiver: Node, value: Value, *, optional: bool, key: str) -> None:
        """A property is read: note an answer that can be null, or lacks the property."""
        name = name_of(inner(receiver))
        proven = optional or name in self.proven
        for one in options_of(value):
            if isinstance(one, Opaque) and one.null and not proven:
                self.trouble("WS307", node, name)
            if not isinstance(one, Answer) or one.call == "args":
                continue
            alone = len(options_of(value)) == 1
            if alone and not one.required and not proven and not one.null:
                self.trouble("WS406", node, name, one.path)
            textual = alone and one.call == "agent" and one.schema is None and "." not in one.path
            if textual and key and key not in TEXT_MEMBERS and "[" not in one.path:
                self.trouble("WS407", node, one.path, one.path)
            if one.null and not proven:
                if one.fan:
                    self.trouble("WS307", node, name, one.path)
                    self.proven |= {name}
                elif one.schema is not None or one.call == "workflow":
                    self.trouble("WS305", node, name, one.path)
                    self.proven |= {name}
            properties = (
                one.schema.fields.get("properties") if isinstance(one.schema, Record) else None
            )
            known = alone and isinstance(properties, Record) and not properties.open
            if (
                known
                and key not in ("", "length")
                and isinstance(properties, Record)
                and key not in properties.fields
            ):
                names = ", ".join(properties.fields)
                self.trouble("WS404", node, f"{key}|{names}", one.path)

    def property(self, value: Value, name: str, node: Node) -> Value:
        """A property of a value."""
        found: list[Value] = []
        for one in options_of(value):
            match one:
                case Record():
                    other: Value = Opaque(name, line(node)) if one.open else UNDEFINED
                    found.append(one.fields.get(name, one.fields.get("[]", other)))
                case Items() if name == "length":
                    found.append(_amount(values.length(one)))
                case Answer() if name == "length":
                    found.append(_amount(values.length(one)))
                case Answer():
                    required = values.required_in(one.schema)
                    found.append(
                        Answer(
                            f"{one.path}.{name}",
                            one.call,
                            values.schema_at(one.schema, name),
                            required=required is None or name in required or one.call != "agent",
                        )
                    )
                case Known() if name == "length" and isinstance(one.value, str):
                    found.append(Known(len(one.value)))
                case Builtin(name="budget") if name == "total":
                    found.append(Opaque("budget.total"))
                case Known() | Undefined():
                    pass
                case _:
                    found.append(
                        Opaque(f"{getattr(one, 'name', '')}.{name}".lstrip("."), line(node))
                    )
        return either(found) if found else UNDEFINED

    def on_unary_expression(self, node: Node) -> Value:
        value = self.evaluate(node.child_by_field_name("argument"))
        sign = text(node.children[0])
        known = values.truth(value)
        if sign == "!" and known is not None:
            return Known(not known)
        if sign == "-" and isinstance(value, Known) and isinstance(value.value, int | float):
            return Known(-value.value)
        return Opaque()

    def on_update_expression(self, node: Node) -> Value:
        argument = node.child_by_field_name("argument")
        if argument is not None and argument.type == "identifier":
            self.scope.assign(text(argument), Opaque(text(argument), line(node)), self.level)
        return Opaque()

    def on_assignment_expression(self, node: Node) -> Value:
        target = node.child_by_field_name("left")
        value = self.evaluate(node.child_by_field_name("right"))
        if target is None:
            return value
        target = bare(target)
        if target.type == "identifier":
            self.scope.assign(text(target), self.named(value, text(target), target), self.level)
        elif target.type in ("array_pattern", "object_pattern"):
            self.bind(target, value, declare=False)
        else:
            self.evaluate(target.child_by_field_name("index"))
            self.store(target, value)
        return value

    def store(self, target: Node, value: Value) -> None:
        """An assignment to a property. The object is no longer known."""
        receiver = self.evaluate(target.child_by_field_name("object"))
        name = target.child_by_field_name("property")
        for one in options_of(receiver):
            if isinstance(one, Record):
                key = text(name) if name is not None else "[]"
                one.fields[key] = either((one.fields[key], value)) if key in one.fields else value
            elif isinstance(one, Items):
                one.length = unknown(f"len({one.name or 'list'}@{one.line})", named=False)
                one.element, one.elements = either((one.element, value)), None

    def on_augmented_assignment_expression(self, node: Node) -> Value:
        target = node.child_by_field_name("left")
        value = self.evaluate(node.child_by_field_name("right"))
        if target is not None and target.type == "identifier":
            old = self.evaluate(target)
            logical = text(node.children[1]) in ("??=", "||=", "&&=")
            new = either((old, value)) if logical else Opaque(text(target), line(node))
            self.scope.assign(text(target), new, self.level)
        return Opaque()

    def on_binary_expression(self, node: Node) -> Value:
        chain: list[Node] = []
        while node.type == "binary_expression" and len(chain) < MOST_CHAIN:
            chain.append(node)
            left = node.child_by_field_name("left")
            if left is None or text(node.child_by_field_name("operator") or node) != "+":
                break
            node = left
        first = chain[-1].child_by_field_name("left")
        operator = chain[-1].child_by_field_name("operator")
        sign = text(operator) if operator is not None else ""
        if sign in ("&&", "||", "??"):
            value = self.logical(chain[-1], sign)
        else:
            value = self.computed(sign, self.evaluate(first), chain[-1])
        for one in reversed(chain[:-1]):
            value = self.computed("+", value, one)
        return value

    def computed(self, sign: str, left: Value, node: Node) -> Value:
        right = self.evaluate(node.child_by_field_name("right"))
        if isinstance(left, Known) and isinstance(right, Known):
            one, two = left.value, right.value
            numbers = isinstance(one, int | float) and isinstance(two, int | float)
            if sign == "+" and numbers:
                return Known(one + two)
            if sign in ARITHMETIC and (numbers or sign in ("===", "!==")):
                try:
                    result = ARITHMETIC[sign](one, two)
                except (ZeroDivisionError, OverflowError, ValueError):
                    return Opaque()
                whole = isinstance(result, float) and result.is_integer()
                return Known(int(result) if whole else result)
        if sign == "+" and (is_text(left) or is_text(right)):
            return text_of([left, right])
        a, b = values.amount(left), values.amount(right)
        if sign == "+" and a is not None and b is not None:
            return _amount(a + b)
        if sign == "*" and a is not None and b is not None:
            return _amount(a * b)
        if sign == "-" and a is not None and isinstance(right, Known):
            return _amount(a)
        if sign == "/" and a is not None and (size := values.integer(right)):
            return _amount(a.batches(size) if size > 0 else a)
        return Opaque(short(node, 30), line(node))

    def on_new_expression(self, node: Node) -> Value:
        made = node.child_by_field_name("constructor")
        given = node.child_by_field_name("arguments")
        results = [self.evaluate(one) for one in (parts(given) if given is not None else [])]
        name = text(made) if made is not None else ""
        if name == "Set" and results:
            first = results[0]
            items = Items(values.length(first), values.element(first), None)
            items.depth, items.line = len(self.rounds), line(node)
            return items
        if name in ("Set", "Map", "WeakMap") and not results:
            return Items(ZERO, Opaque(), None, len(self.rounds), line(node))
        if name == "Array" and results:
            return Items(values.amount(results[0]) or _length_of(node), UNDEFINED, None)
        self.passed(node, results)
        return Opaque(short(node, 30), line(node))

    def passed(self, node: Node, results: list[Value]) -> None:
        raise NotImplementedError


def _amount(formula: Formula) -> Value:
    """A number as a value."""
    if formula.constant is not None:
        return Known(formula.constant)
    return Amount(formula)


def _length_of(node: Node) -> Formula:
    return unknown(f"len({short(node, 30)}@{line(node)})", named=False)
