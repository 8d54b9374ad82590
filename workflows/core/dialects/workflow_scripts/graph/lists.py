"""Methods: of lists, which determine the bounds, and of texts and objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.formula import (
    ONE,
    ZERO,
    Formula,
    largest,
    unknown,
)
from workflows.core.dialects.workflow_scripts.format.syntax import (
    FUNCTIONS,
    Node,
    arguments,
    enclosing,
    inner,
    line,
    own,
    parts,
    short,
    text,
)
from workflows.core.dialects.workflow_scripts.format.texts import text_of
from workflows.core.dialects.workflow_scripts.format.values import (
    UNDEFINED,
    Amount,
    Answer,
    Builtin,
    Function,
    Items,
    Known,
    Opaque,
    Record,
    Text,
    Undefined,
    Value,
    either,
    options_of,
)
from workflows.core.dialects.workflow_scripts.graph.conditions import present
from workflows.core.dialects.workflow_scripts.graph.fan_outs import (
    GATHERERS,
    FanOuts,
    parameter_names,
)
from workflows.core.dialects.workflow_scripts.graph.flow import plus, unique


class Lists(FanOuts):
    """The part of a walk that follows methods of lists, texts and objects."""

    def method(self, node: Node, receiver: Node, name: str) -> Value:
        known = text(receiver)
        cell = self.scope.find(known) if receiver.type == "identifier" else None
        if receiver.type == "identifier" and cell is None:
            return self.static_method(node, known, name)
        value = self.evaluate(receiver)
        callee = node.child_by_field_name("function")
        optional = callee is not None and any(
            child.type == "optional_chain" for child in callee.children
        )
        if name not in ("then", "catch", "finally"):
            self.read(callee or node, receiver, value, optional=optional, key="")
        if isinstance(value, Record) and name in value.fields:
            return self.called(node, value.fields[name])
        if name in ("then", "catch", "finally"):
            return self.promise(node, value, name)
        if isinstance(value, Builtin) and value.name == "budget":
            return Amount(unknown("budget", named=False))
        if any(isinstance(one, Record | Items | Answer | Opaque) for one in options_of(value)):
            return self.list_method(node, receiver, value, name)
        return self.text_method(node, value, name)

    def static_method(self, node: Node, known: str, name: str) -> Value:
        if known == "Promise" and name in GATHERERS:
            return self.gather(node, name)
        if known == "Array" and name == "from":
            nodes = arguments(node)
            items = self.evaluate(nodes[0]) if nodes else UNDEFINED
            rounds = self.from_length(items, nodes[0]) if nodes else ZERO
            if len(nodes) < 2:
                return Items(rounds, values.element(items), None, len(self.rounds), line(node))
            callback = self.evaluate(nodes[1])
            inside = [values.element(items), Opaque()]
            return self.over(node, nodes[0], rounds, callback, inside, "map")
        results = self.arguments(node)
        first = results[0] if results else UNDEFINED
        if known == "Promise" and name == "resolve":
            return first
        if known == "JSON" and name == "stringify" and results:
            if in_prompt(node):
                self.ordered(first, node)
            return text_of([either([first, UNDEFINED])])
        if known == "JSON" and name == "parse":
            for one in options_of(first):
                if isinstance(one, Answer) and one.call == "agent" and one.schema is None:
                    self.trouble("WS407", node, one.path, one.path)
            return Opaque(short(node, 30), line(node))
        if known == "Object" and name in ("keys", "values", "entries"):
            return self.object_list(node, first, name)
        if known == "Object" and name in ("assign", "freeze") and results:
            return (
                values.merged([one for one in results if isinstance(one, Record)])
                if name == "assign" and all(isinstance(one, Record) for one in results)
                else first
            )
        if known == "Math" and results:
            return self.math(name, results, node)
        if known == "Array" and name == "isArray":
            return Opaque()
        self.passed(node, results)
        return Opaque(short(node, 30), line(node))

    def math(self, name: str, results: Sequence[Value], node: Node) -> Value:
        amounts = [values.amount(one) for one in results]
        known = [one for one in amounts if one is not None]
        if name in ("floor", "ceil", "round", "trunc", "abs") and known:
            whole = values.integer(results[0])
            return Known(whole) if whole is not None else Amount(known[0])
        if name == "min" and known:
            limits = [one.constant for one in known if one.constant is not None]
            others = [one for one in known if one.constant is None]
            if not others:
                return Known(min(limits))
            return Amount(others[0].at_most(min(limits)) if limits else others[0])
        if name == "max" and known and len(known) == len(amounts):
            return Amount(largest(known))
        return Opaque(short(node, 30), line(node))

    def object_list(self, node: Node, value: Value, name: str) -> Value:
        found: list[Value] = []
        for one in options_of(value):
            if isinstance(one, Record) and not one.open:
                pairs = list(one.fields.items())
                items: dict[str, list[Value]] = {
                    "keys": [Known(key) for key, _ in pairs],
                    "values": [each for _, each in pairs],
                    "entries": [values.list_of([Known(key), each]) for key, each in pairs],
                }
                listed = values.list_of(items[name], len(self.rounds), line(node))
                if name == "entries" and pairs:
                    any_one = either(each for _, each in pairs)
                    listed.element = values.list_of([Opaque("key"), any_one])
                found.append(listed)
            elif isinstance(one, Answer):
                bound = unknown(f"len(keys({one.path}))")
                each = Answer(f"{one.path}[]", one.call)
                pair = values.list_of([Opaque("key"), each])
                choices: dict[str, Value] = {"keys": Opaque("key"), "values": each}
                inside = choices.get(name, pair)
                found.append(Items(bound, inside, None, len(self.rounds), line(node)))
            else:
                found.append(Opaque(short(node, 30), line(node)))
        return either(found)

    def promise(self, node: Node, value: Value, name: str) -> Value:
        results = self.arguments(node)
        callback = results[0] if results else UNDEFINED
        if name == "then":
            return self.apply(node, callback, [value])
        if name == "finally":
            self.apply(node, callback, [])
            return value
        start, before = self.pending, self.events
        self.pending = plus(start, "throws", "fallback")
        with self.branch():
            other = self.apply(node, callback, [Opaque("error")])
        self.pending = unique([*start, *self.pending]) if self.events != before else start
        return either([value, other])

    def text_method(self, node: Node, value: Value, name: str) -> Value:
        results = self.arguments(node)
        if name == "split" and isinstance(value, Known) and results:
            cut = values.literal(results[0])
            if isinstance(value.value, str) and cut:
                return values.list_of(
                    [Known(one) for one in value.value.split(cut)[:200]], len(self.rounds)
                )
        if name in ("trim", "toUpperCase", "toLowerCase", "toString", "slice", "replace"):
            return Opaque() if name == "slice" else value if name == "trim" else Text((None,))
        self.passed(node, results)
        return Opaque(short(node, 30), line(node))

    def list_method(self, node: Node, receiver: Node, value: Value, name: str) -> Value:
        """A method of a list, or of a value that may be one."""
        depth = len(self.rounds)
        size, one = values.length(value), values.element(value)
        if name in ("push", "unshift", "add", "set"):
            return self.extended(node, value, name)
        if name in (
            "map",
            "flatMap",
            "forEach",
            "filter",
            "find",
            "some",
            "every",
            "findIndex",
            "sort",
            "toSorted",
            "reduce",
            "reduceRight",
        ):
            return self.callback_method(node, receiver, value, name)
        results = self.arguments(node)
        if name in ("slice", "splice", "at", "pop", "shift") or (
            name == "join" and in_prompt(node)
        ):
            self.ordered(value, node)
        if name in ("slice", "splice"):
            return self.cut_list(value, results, name, node)
        if name in ("concat",):
            total = size
            for other in results:
                total = total + (values.length(other) if not _single(other) else ONE)
            inside = either([one, *map(values.element, results)])
            return Items(total, inside, None, depth, line(node))
        if name in ("reverse", "toReversed", "fill", "values", "with"):
            return self.same(value, one, node)
        if name == "keys":
            return Items(size, Opaque(), None, depth, line(node))
        if name == "entries":
            pair = values.list_of([Opaque(), one])
            return Items(size, pair, None, depth, line(node))
        if name == "flat":
            return Items(size * values.length(one), values.element(one), None, depth, line(node))
        if name in ("at", "pop", "shift", "get"):
            return one
        if name == "split":
            found = next((each for each in options_of(value) if isinstance(each, Answer)), None)
            path = found.path if found else short(receiver, 30)
            return Items(
                unknown(f"len(split({path}))", named=found is not None),
                Text((None,)),
                None,
                depth,
                line(node),
            )
        if name in (
            "join",
            "toString",
            "trim",
            "toLowerCase",
            "toUpperCase",
            "replace",
            "replaceAll",
        ):
            return value if name == "trim" else text_of([value])
        if name in ("includes", "has", "indexOf", "delete", "startsWith", "endsWith", "test"):
            return Opaque()
        self.passed(node, results)
        return Opaque(short(node, 30), line(node))

    def callback_method(self, node: Node, receiver: Node, value: Value, name: str) -> Value:
        size, one = values.length(value), values.element(value)
        results = [self.evaluate(each) for each in arguments(node)]
        callback = results[0] if results else UNDEFINED
        if name in ("reduce", "reduceRight"):
            start = results[1] if len(results) > 1 else one
            inside: list[Value] = [_loosened(start), one, Opaque()]
            return _loosened(
                either([start, self.over(node, receiver, size, callback, inside, name)])
            )
        if name in ("sort", "toSorted"):
            self.over(node, receiver, size, callback, [one, one], name)
            for each in options_of(value):
                if isinstance(each, Items):
                    each.by_time = each.by_time and name != "sort"
            return self.same(value, one, node, timed=False)
        if name == "filter":
            is_boolean = arguments(node) and text(arguments(node)[0]) == "Boolean"
            if not is_boolean:
                self.over(node, receiver, size, callback, [one, Opaque()], name)
            proven = is_boolean or _proves(callback)
            return self.same(value, values.without_null(one) if proven else one, node, proven)
        result = self.over(node, receiver, size, callback, [one, Opaque(), value], name)
        if isinstance(result, Items):
            result.by_time = is_by_time(value)
        if name in ("find", "findLast"):
            return either([one, UNDEFINED])
        return result if name in ("map", "flatMap") else UNDEFINED

    def same(
        self, value: Value, one: Value, node: Node, proven: bool = False, *, timed: bool = True
    ) -> Items:
        """A list of the same length."""
        fan_out = any(isinstance(each, Items) and each.fan_out for each in options_of(value))
        result = Items(values.length(value), one, None, len(self.rounds), line(node))
        result.fan_out = fan_out and not proven
        result.cut = next((each.cut for each in options_of(value) if isinstance(each, Items)), None)
        result.by_time = timed and is_by_time(value)
        return result

    def cut_list(self, value: Value, results: Sequence[Value], name: str, node: Node) -> Value:
        """`slice` and `splice`."""
        size, one = values.length(value), values.element(value)
        numbers = [values.integer(each) for each in results]
        if name == "slice" and len(results) == 2 and _steps(node):
            limit = self.step_of(node)
            if limit is not None:
                numbers = [0, limit]
        if len(numbers) == 1 and numbers[0] is not None and numbers[0] < 0 and name == "slice":
            size = size.at_most(-numbers[0])
        elif len(numbers) > 1 and name == "splice" and numbers[1] is not None:
            size = size.at_most(max(0, numbers[1]))
        elif len(numbers) == 2 and numbers[1] is not None and numbers[1] >= 0:
            size = size.at_most(max(0, numbers[1] - max(0, numbers[0] or 0)))
        result = self.same(value, one, node)
        whole = values.length(value)
        if whole.ceiling is None and size.ceiling is not None:
            result.cut = node
        result.length = size
        return result

    def step_of(self, node: Node) -> int | None:
        """The number k of `slice(i, i + k)`."""
        second = inner(arguments(node)[1])
        added = second.child_by_field_name("right")
        return values.integer(self.evaluate(added)) if added is not None else None

    def extended(self, node: Node, value: Value, name: str) -> Value:
        """`push`: the list grows in each round of the loops around."""
        for given in arguments(node)[: 2 if name == "set" else None]:
            found = self.evaluate(given)
            spread = given.type == "spread_element"
            size = values.length(found) if spread else ONE
            inside = values.element(found) if spread else found
            for one in options_of(value):
                if isinstance(one, Items) and (name != "set" or given == arguments(node)[0]):
                    one.by_time = one.by_time or self.is_timed(one)
                    for rounds in self.rounds[one.depth :]:
                        size = size * rounds
                    known = one.elements is not None and not self.rounds[one.depth :] and not spread
                    empty = not one.length.terms
                    one.elements = (*(one.elements or ()), inside) if known else None
                    one.length = one.length + size
                    one.element = inside if empty else either((one.element, inside))
        return Opaque()

    def is_timed(self, items: Items) -> bool:
        """True after the answer of an agent in a fan-out around which the list was made."""
        return any(
            depth > items.depth and len(self.states) > states for depth, states in self.concurrency
        )

    def ordered(self, value: Value, node: Node) -> None:
        """A use of the order of a list."""
        for one in options_of(value):
            if isinstance(one, Items) and one.by_time:
                self.trouble("WS204", node, one.name)

    def over(
        self,
        node: Node,
        items: Node,
        rounds: Formula,
        callback: Value,
        inside: list[Value],
        name: str,
    ) -> Value:
        """A callback that is called for each element."""
        functions = [one for one in options_of(callback) if isinstance(one, Function)]
        lazy = all(_returns_function(one.node) for one in functions)
        if functions and not lazy and any(self.leads_to_calls(one.node) for one in functions):
            kind: Literal["parallel", "loop"] = "parallel" if name in ("map", "flatMap") else "loop"

            def walk() -> Value:
                return self.iterated(node, callback, inside)

            value = self.each(node, kind, name, rounds, items, walk, "done")
            if isinstance(value, Items):
                value.fan_out = False
            return value if name in ("map", "flatMap") else values.element(value)
        pending, cost = self.pending, self.cost
        self.rounds.append(rounds)
        self.level += 1
        found = self.iterated(node, callback, inside)
        self.level -= 1
        self.rounds.pop()
        self.pending, self.cost = pending, cost
        if name not in ("map", "flatMap"):
            return found
        depth = len(self.rounds)
        if name == "flatMap":
            return Items(
                rounds * (ONE if _single(found) else values.length(found)),
                found if _single(found) else values.element(found),
                None,
                depth,
                line(node),
            )
        return Items(rounds, found, None, depth, line(node))


def is_by_time(value: Value) -> bool:
    """True for a list in the order in which agents have answered."""
    return any(isinstance(one, Items) and one.by_time for one in options_of(value))


def in_prompt(node: Node) -> bool:
    """True for an expression in the arguments of `agent()`."""
    return any(
        one.type == "call_expression"
        and text(one.child_by_field_name("function") or one) == "agent"
        for one in enclosing(node)
    )


def _single(value: Value) -> bool:
    """True for a value that is not a list."""
    return all(
        isinstance(one, Known | Undefined | Text | Record | Amount) for one in options_of(value)
    )


def _loosened(value: Value) -> Value:
    """A value that a loop computes from itself."""
    if isinstance(value, Items):
        return Items(unknown(f"len(reduce@{value.line})", named=False), value.element, None)
    return Opaque() if isinstance(value, Known | Amount) else value


def _steps(node: Node) -> bool:
    """True for `slice(i, i + k)`."""
    first, second = map(inner, arguments(node))
    left = second.child_by_field_name("left")
    return (
        first.type == "identifier"
        and second.type == "binary_expression"
        and left is not None
        and text(left) == text(first)
        and text(second.child_by_field_name("operator") or second) == "+"
    )


def _returns_function(code: Node) -> bool:
    """True for `x => () => …`: the calls are in a function that is only returned."""
    inside = code.child_by_field_name("body")
    if inside is None:
        return False
    if inside.type != "statement_block":
        return inner(inside).type in FUNCTIONS
    returns = [one for one in own(inside) if one.type == "return_statement"]
    return bool(returns) and all(
        parts(one) and inner(parts(one)[0]).type in FUNCTIONS for one in returns
    )


def _proves(callback: Value) -> bool:
    """True if a filter's callback excludes null."""
    for one in options_of(callback):
        if not isinstance(one, Function):
            return False
        inside = one.node.child_by_field_name("body")
        names = parameter_names(one.node)
        if inside is None or not names or inside.type == "statement_block":
            return False
        if names[0] not in set(present(inside, True)):
            return False
    return True
