"""Fan-outs: `parallel`, `pipeline`, `Promise.all`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Literal

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.formula import (
    ONE,
    Formula,
    unknown,
)
from workflows.core.dialects.workflow_scripts.format.syntax import (
    FUNCTIONS,
    Node,
    arguments,
    enclosing,
    inner,
    line,
    method_of,
    parts,
    short,
    text,
    walk,
)
from workflows.core.dialects.workflow_scripts.format.values import (
    NULL,
    UNDEFINED,
    Builtin,
    Function,
    Items,
    Opaque,
    Record,
    Value,
    options_of,
)
from workflows.core.dialects.workflow_scripts.graph.calls import Calls
from workflows.core.dialects.workflow_scripts.graph.conditions import present
from workflows.core.dialects.workflow_scripts.graph.flow import Pending, plus, unique
from workflows.core.dialects.workflow_scripts.graph.model import (
    Repeat,
)

GATHERERS = ("all", "allSettled", "race", "any")


class FanOuts(Calls):
    """The part of a walk that follows branches that run at once."""

    def builtin_fan_out(self, node: Node, name: str) -> Value:
        return self.parallel(node, name) if name == "parallel" else self.pipeline(node)

    def gather(self, node: Node, name: str) -> Value:
        """`Promise.all` and its relatives."""
        if name in ("race", "any"):
            before = self.events
            value = self.parallel(node, f"Promise.{name}")
            if self.events != before:
                self.trouble("WS203", node, name)
            items = values.element(value)
            return values.without_null(items)
        before = self.events
        value = self.parallel(node, f"Promise.{name}")
        if self.events != before and name == "all" and not _caught(node):
            self.trouble("WS315", node)
        if isinstance(value, Items):
            value.fan_out = False
        return value

    def parallel(self, node: Node, name: str) -> Value:
        nodes = arguments(node)
        if not nodes:
            return values.list_of(())
        first = inner(nodes[0])
        done = "first done" if name in ("Promise.race", "Promise.any") else "all done"
        if first.type == "array" and all(one.type != "spread_element" for one in parts(first)):
            return self.branches_of(node, name, parts(first), done)
        made = method_of(first) if first.type == "call_expression" else None
        if made is not None and made[1] in ("map", "flatMap", "from") and arguments(first):
            return self.mapped(node, name, first, *made, done=done)
        value = self.evaluate(nodes[0])
        if isinstance(value, Items) and value.elements is not None and not value.unstable:
            thunks = [one for one in value.elements if isinstance(one, Function)]
            if thunks and len(thunks) == len(value.elements) < 40:
                ways = [partial(self.apply, node, one, ()) for one in thunks]
                return self.ways(node, name, ways, done)
        if name == "parallel" and any(
            isinstance(one, values.Answer) for one in options_of(values.element(value))
        ):
            self.trouble("WS306", _result_of(nodes[0]))
        rounds = values.length(value)
        self.note_cut(value)
        return self.each(
            node,
            "parallel",
            name,
            rounds,
            nodes[0],
            lambda: self.settled(node, values.element(value)),
            done,
            exact=_is_written_out(value),
        )

    def settled(self, node: Node, value: Value) -> Value:
        """The result of an element of a fan-out: functions are called."""
        return self.apply(node, value, ()) if _may_be_called(value) else value

    def branches_of(self, node: Node, name: str, nodes: Sequence[Node], done: str) -> Value:
        """A fan-out over a list that is written out."""

        def way(one: Node) -> Value:
            before = len(self.states)
            value = self.evaluate(one)
            if name == "parallel" and len(self.states) > before and not _may_be_called(value):
                self.trouble("WS306", one)
            return self.settled(one, value)

        return self.ways(node, name, [partial(way, one) for one in nodes], done)

    def ways(self, node: Node, name: str, ways: Sequence[Callable[[], Value]], done: str) -> Value:
        """Branches that run at once, each once."""
        start, before = self.pending, self.events
        frame = self.framed("parallel", name, node)
        found: list[Value] = []
        outs: list[Pending] = []
        phase = self.phase
        with self.within(frame, ONE, concurrent=True):
            for number, way in enumerate(ways, start=1):
                states = len(self.states)
                self.pending, self.phase = plus(start, f"branch {number}", "fork"), phase
                with self.branch():
                    self.branches = ()
                    found.append(way())
                if len(self.states) > states:
                    outs += plus(self.pending, done, "join")
        self.pending = unique(outs) if self.events != before and start else start
        self.phase = phase
        result = values.list_of(found, len(self.rounds), line(node))
        result.fan_out = not name.startswith("Promise")
        return result

    def mapped(
        self, node: Node, name: str, made: Node, receiver: Node, method: str, *, done: str
    ) -> Value:
        """`parallel(list.map(…))`, `Promise.all(Array.from({length: n}, …))`."""
        if method == "from":
            nodes = arguments(made)
            items = self.evaluate(nodes[0]) if nodes else UNDEFINED
            rounds, source = self.from_length(items, nodes[0]), nodes[0]
            callback = self.evaluate(nodes[1]) if len(nodes) > 1 else UNDEFINED
            inside: list[Value] = [UNDEFINED, Opaque()]
            if text(receiver) != "Array":
                callback = UNDEFINED
        else:
            items = self.evaluate(receiver)
            rounds, source = values.length(items), receiver
            self.note_cut(items)
            callback = self.evaluate(arguments(made)[0])
            inside = [values.element(items), Opaque(), items]

        def walk() -> Value:
            if method != "flatMap":
                return self.iterated(made, callback, inside, settle=name)
            value = self.iterated(made, callback, inside)
            with self.within(None, values.length(value), concurrent=True):
                return self.settled(made, values.element(value))

        exact = method == "from" or _is_written_out(items)
        return self.each(node, "parallel", name, rounds, source, walk, done, exact=exact)

    def from_length(self, value: Value, node: Node) -> Formula:
        """The length of `Array.from(value)`."""
        if isinstance(value, Record) and "length" in value.fields:
            found = values.amount(value.fields["length"])
            return found or unknown(f"len({short(node, 30)}@{line(node)})", named=False)
        return values.length(value)

    def iterated(
        self, node: Node, callback: Value, inside: Sequence[Value], *, settle: str = ""
    ) -> Value:
        """One call of a callback that is called for each element of a list. `settle`: the function
        that calls what it returns, "" for none."""
        before, states = self.iteration, len(self.states)
        for one in options_of(callback):
            if isinstance(one, Function):
                self.iteration = frozenset(parameter_names(one.node))
        value = self.apply(node, callback, inside)
        if settle == "parallel" and len(self.states) > states and not _may_be_called(value):
            self.trouble("WS306", _result_of(node))
        if settle:
            value = self.settled(node, value)
        self.iteration = before
        return value

    def each(
        self,
        node: Node,
        kind: Literal["parallel", "pipeline", "loop"],
        name: str,
        rounds: Formula,
        items: Node,
        walk: Callable[[], Value],
        done: str,
        *,
        exact: bool = False,
    ) -> Value:
        """A fan-out over a list. `exact`: it has as many elements as its bound."""
        start, before, phase = self.pending, self.events, self.phase
        words = short(inner(items))
        number = rounds.constant if exact else None
        each = f"× {number}" if number is not None else f"each of {words}"
        limit = rounds.ceiling
        shown = f"{name} {each}" if number is not None else f"{name} · {each}"
        if number is None and limit is not None:
            shown += f" · at most {limit}"
        frame = self.framed(kind, shown, node)
        states = len(self.states)
        with self.within(frame, rounds, concurrent=kind != "loop"):
            self.pending = plus(start, each, "fork")
            value = walk()
            outs = plus(self.pending, done, "join")
        self.phase = phase
        self.pending = unique(outs) if self.events != before else start
        self.repeats.append(
            Repeat(
                node=node,
                kind=kind,
                rounds=rounds,
                calls=len(self.states) > states,
                items=items,
            )
        )
        result = Items(rounds, value, None, len(self.rounds), line(node))
        result.fan_out = not name.startswith("Promise")
        return result

    def pipeline(self, node: Node) -> Value:
        nodes = arguments(node)
        if not nodes:
            return values.list_of(())
        items = self.evaluate(nodes[0])
        self.note_cut(items)
        stages = [(one, self.evaluate(one)) for one in nodes[1:]]
        item = values.element(items)

        def walk() -> Value:
            value = item
            for one, stage in stages:
                if NULL in options_of(value) and _expects_null(stage):
                    self.trouble("WS316", one)
                value = self.iterated(one, stage, [value, item, Opaque()])
            return value

        return self.each(
            node,
            "pipeline",
            "pipeline",
            values.length(items),
            nodes[0],
            walk,
            "all done",
            exact=_is_written_out(items),
        )

    def note_cut(self, value: Value) -> None:
        """A fan-out over a list that is cut."""
        for one in options_of(value):
            if isinstance(one, Items) and one.cut is not None:
                self.trouble("WS610", one.cut, short(one.cut))


def _expects_null(stage: Value) -> bool:
    """True if a stage tests its first parameter for null."""
    for one in options_of(stage):
        if not isinstance(one, Function):
            continue
        names = parameter_names(one.node)[:1]
        for each in walk(one.node) if names else ():
            test = each.child_by_field_name("condition")
            if each.type == "binary_expression" and text(each.children[1]) in ("&&", "||", "??"):
                test = each.child_by_field_name("left")
            optional = each.type == "member_expression" and "?." in text(each)
            if optional and text(each.children[0]) == names[0]:
                return True
            if test is not None and names[0] in {*present(test, True), *present(test, False)}:
                return True
    return False


def _may_be_called(value: Value) -> bool:
    return any(isinstance(one, Function | Builtin) for one in options_of(value))


def _is_written_out(value: Value) -> bool:
    """True for a list with known elements."""
    return isinstance(value, Items) and value.elements is not None and not value.unstable


def _result_of(node: Node) -> Node:
    """The call that an arrow function in a call such as `list.map(…)` returns; else the node."""
    arrows = (one for one in walk(node) if one.type == "arrow_function")
    body = next((one.child_by_field_name("body") for one in arrows), None)
    return body if body is not None and body.type == "call_expression" else node


def parameter_names(code: Node) -> list[str]:
    listed = code.child_by_field_name("parameters") or code.child_by_field_name("parameter")
    return [
        text(one)
        for one in (walk(listed) if listed is not None else ())
        if one.type in ("identifier", "shorthand_property_identifier_pattern")
    ]


def _caught(node: Node) -> bool:
    """True if a `catch` handles the failure of this call."""
    for one in enclosing(node):
        if one.type == "try_statement":
            return one.child_by_field_name("handler") is not None
        if one.type in FUNCTIONS:
            return False
        if one.type == "member_expression":
            name = one.child_by_field_name("property")
            if name is not None and text(name) == "catch":
                return True
    return False
