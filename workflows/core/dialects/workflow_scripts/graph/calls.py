"""Calls of a script: of the runtime's names and of its own functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

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
    function_name,
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
from workflows.core.dialects.workflow_scripts.graph.expressions import Expressions
from workflows.core.dialects.workflow_scripts.graph.flow import (
    MOST_STATES,
    Exits,
    Pending,
    plus,
    unique,
)
from workflows.core.dialects.workflow_scripts.graph.model import (
    SESSION,
    Cost,
    PlanState,
    Repeat,
    worst_of,
)
from workflows.core.dialects.workflow_scripts.graph.names import base_id
from workflows.core.dialects.workflow_scripts.graph.scope import GLOBALS, Scope

MOST_INLINED = 8
"""Depth to which functions of the script are followed."""


class Calls(Expressions):
    """The part of a walk that follows calls."""

    phase: str | None = ""
    stack: list[tuple[Node, Node]]
    """The functions that are being followed, each with its call."""
    repeats: list[Repeat]
    child_cost: Callable[[str], Cost | None]
    """The bound of another script, by its name."""
    calling: frozenset[str]
    """Names of functions of the script that lead to a call of an agent."""
    iteration: frozenset[str] = frozenset()

    def body(self, node: Node) -> None:
        raise NotImplementedError

    def call(self, node: Node) -> Value:
        callee = node.child_by_field_name("function")
        if callee is None:
            return self.others(node)
        given = node.child_by_field_name("arguments")
        if given is not None and given.type == "template_string":
            return self.others(given)
        called = method_of(node)
        if called is not None:
            return self.method(node, *called)
        target = self.evaluate(callee)
        known = any(isinstance(one, Function | Builtin) for one in options_of(target))
        if text(callee) in GLOBALS and not known:
            # Some runtimes give the same names to a stage again: `(item, { agent }) => …`.
            target = Builtin(text(callee))
        return self.called(node, target)

    on_call_expression = call

    def called(self, node: Node, target: Value) -> Value:
        match target:
            case Builtin():
                return self.builtin(node, target.name)
            case Function():
                return self.function(node, target, self.arguments(node))
        functions = [
            one
            for option in options_of(target)
            for one in (option.functions if isinstance(option, Opaque) else (option,))
            if isinstance(one, Function)
        ]
        results = self.arguments(node)
        certain = all(isinstance(one, Function) for one in options_of(target))
        if any(self.leads_to_calls(one.node) for one in functions):
            if certain:
                return self.one_of(node, functions, results)
            return self.untraceable(node, functions)
        callee = node.child_by_field_name("function")
        if callee is not None and text(callee) in ("String", "Number", "Boolean"):
            return results[0] if text(callee) != "Boolean" and results else Opaque()
        self.passed(node, results)
        return Opaque(short(node, 30), line(node))

    def one_of(self, node: Node, functions: Sequence[Function], results: Sequence[Value]) -> Value:
        """A call of one of several known functions: `(deep ? long : short)(…)`."""
        found: list[Value] = []

        def walk(one: Function) -> None:
            found.append(self.function(node, one, results))

        start, before = self.pending, self.events
        self.alternatives(
            [
                (
                    plus(start, function_name(one.node) or "function", "conditional"),
                    partial(walk, one),
                )
                for one in functions
            ]
        )
        if self.events == before:
            self.pending = start
        return either(found)

    def arguments(self, node: Node) -> list[Value]:
        results: list[Value] = []
        for one in arguments(node):
            value = self.evaluate(one)
            if one.type == "spread_element":
                known = isinstance(value, Items) and value.elements is not None
                results += value.elements if known else [values.element(value)] * 3  # type: ignore
            else:
                results.append(value)
        return results

    def passed(self, node: Node, results: list[Value]) -> None:
        """Values given to code that is not in the script, which may call them."""
        functions = [
            one
            for value in results
            for option in options_of(value)
            for one in (option.fields.values() if isinstance(option, Record) else (option,))
            if isinstance(one, Function) and self.leads_to_calls(one.node)
        ]
        if functions or any(isinstance(one, Builtin) for one in results):
            self.trouble("WS314", node, short(node))
            self.untraceable(node, functions)

    def leads_to_calls(self, node: Node) -> bool:
        """True if this code calls an agent or a function that does."""
        return any(
            one.type == "identifier"
            and text(one) in self.calling
            and (one.parent is None or one.parent.type not in ("pair", "member_expression"))
            for one in walk(node)
        )

    def untraceable(self, node: Node, functions: Sequence[Function]) -> Value:
        """A call whose target the text does not determine."""
        start = self.pending
        state = PlanState(
            id="", kind="unknown", node=node, use=self.use_of(node), phase=self.phase, options=None
        )
        costs: list[Cost] = []
        before = self.cost
        callee = node.child_by_field_name("function")
        state.id = self.state_id(base_id(text(callee) if callee is not None else "call"))
        self.trouble("WS314", node, short(node))
        found: list[Value] = []
        for one in functions:
            self.pending = [Pending(state.id, ("may call",), "delegate")] if start else []
            self.cost = Cost()
            with self.branch():
                found.append(self.function(node, one, [Opaque()] * 4))
            costs.append(self.cost)
        self.cost = before
        if costs:
            self.cost = before + worst_of(costs)
        elif start:
            self.count(state, unknown(f"calls({short(node, 30)}@{line(node)})", named=False))
        self.pending = start
        self.enter(state)
        return either([*found, Opaque(short(node, 30), line(node))])

    def use_of(self, node: Node) -> Node:
        """The call of the outermost helper around a call, else the call itself."""
        return self.stack[0][1] if self.stack else node

    def count(self, state: PlanState, number: Formula, model: str = SESSION) -> None:
        """A state is entered this often in each round."""
        if self.alive:
            phase = state.phase or ""
            self.cost = self.cost + Cost(
                number,
                {phase: number},
                {model: number},
                {state.id: ONE if state.kind == "workflow" else number},
            )

    def builtin(self, node: Node, name: str) -> Value:
        match name:
            case "agent":
                return self.agent(node)
            case "workflow":
                return self.workflow(node)
            case "parallel" | "pipeline":
                return self.builtin_fan_out(node, name)
            case "phase":
                results = self.arguments(node)
                title = values.literal(results[0]) if results else None
                if self.concurrency:
                    self.trouble("WS503", node)
                self.phase = title
                return UNDEFINED
        self.arguments(node)
        return UNDEFINED

    def agent(self, node: Node) -> Value:
        if len(self.states) >= MOST_STATES:
            self.cut = True
            self.cost = self.cost + (Cost(ONE) if self.alive else Cost())
            return Opaque()
        nodes = arguments(node)
        results = self.arguments(node)
        prompt = results[0] if results else UNDEFINED
        options = results[1] if len(results) > 1 else Record({})
        record = options if isinstance(options, Record) else None
        if isinstance(options, Undefined) or options == NULL:
            record = Record({})
        fields = record.fields if record is not None else {}
        own_phase = fields.get("phase")
        phase = self.phase if own_phase in (None, UNDEFINED) else values.literal(own_phase)
        state = PlanState(
            id=self.state_id(self.base_of(node, fields.get("label"), prompt, nodes)),
            kind="agent",
            node=node,
            use=self.use_of(node),
            prompt=prompt,
            options=fields if record is not None else None,
            open_options=record.open if record is not None else True,
            phase=phase,
            phase_option=own_phase not in (None, UNDEFINED),
            iteration=self.iteration,
            function=function_name(self.stack[-1][0]) if self.stack else "",
        )
        models = values.texts(fields.get("model"))
        kind = fields.get("agentType")
        if models:
            model = models[0] if len(models) == 1 else " | ".join(models)
        elif models is None or (state.open_options and "model" not in fields):
            model = "?"
        else:
            model = self.model_of_type(values.literal(kind)) or SESSION
        self.count(state, ONE, model)
        self.enter(state)
        schema = fields.get("schema")
        if isinstance(schema, Undefined):
            schema = None
        elif schema is None and (record is None or record.open):
            schema = Opaque("schema")
        return Answer(state.id, "agent", schema, null=True)

    def model_of_type(self, name: str | None) -> str:
        """The model that an agent definition sets."""
        return ""

    def base_of(self, node: Node, label: Value | None, prompt: Value, nodes: Sequence[Node]) -> str:
        """The name of a state: of its label, of the function around it, of its prompt."""
        function = next(
            (
                function_name(one)
                for one in enclosing(node)
                if one.type in FUNCTIONS and function_name(one)
            ),
            "",
        )
        return base_id(*label_names(label), function, first_words(prompt), "agent")

    def workflow(self, node: Node) -> Value:
        results = self.arguments(node)
        name = values.literal(results[0]) if results else None
        if name is None and results and isinstance(results[0], Record):
            name = values.literal(results[0].fields.get("scriptPath"))
        state = PlanState(
            id=self.state_id(base_id(name or "", "workflow")),
            kind="workflow",
            node=node,
            use=self.use_of(node),
            prompt=results[0] if results else UNDEFINED,
            phase=self.phase,
            iteration=self.iteration,
        )
        shown = name or short(node, 30)
        child = self.child_cost(name) if name else None
        if child is None:
            self.count(state, unknown(f"calls({shown})"))
        elif self.alive:
            phases = {state.phase or "": child.total}
            self.cost = self.cost + Cost(child.total, phases, child.models, {state.id: ONE})
        self.enter(state)
        return Answer(f"workflow({shown})", "workflow", null=True)

    def function(self, node: Node, target: Function, results: Sequence[Value]) -> Value:
        """Follow a call of a function of the script."""
        code = target.node
        if any(one == code for one, _ in self.stack) or len(self.stack) >= MOST_INLINED:
            return self.recursion(node, target)
        before, phase, proven = self.scope, self.phase, self.proven
        self.scope = Scope(target.scope)
        self.stack.append((code, node))
        exits = Exits("function")
        self.exits.append(exits)
        returned = self.returned
        self.returned = []
        outer, self.returning = self.returning, []
        self.level += 1
        try:
            self.parameters(code, results)
            inside = code.child_by_field_name("body")
            if inside is None:
                value: Value = UNDEFINED
            elif inside.type == "statement_block":
                self.body(inside)
                if self.alive or not self.returned:
                    self.returned.append(UNDEFINED)
                value = either(self.returned)
            else:
                value = self.evaluate(inside)
        finally:
            self.level -= 1
            self.pending = unique([*self.pending, *self.returning])
            self.returning, self.returned = outer, returned
            self.exits.pop()
            self.stack.pop()
            self.scope, self.phase, self.proven = before, phase, proven
        return value

    returned: list[Value]
    returning: list[Pending]

    def parameters(self, code: Node, results: Sequence[Value]) -> None:
        single = code.child_by_field_name("parameter")
        listed = code.child_by_field_name("parameters")
        names = [single] if single is not None else parts(listed) if listed is not None else []
        for index, name in enumerate(names):
            if name.type == "rest_pattern":
                rest = values.list_of(results[index:], len(self.rounds))
                self.bind(parts(name)[0], rest)
            else:
                self.bind(name, results[index] if index < len(results) else UNDEFINED)

    def recursion(self, node: Node, target: Function) -> Value:
        """A function that calls itself, or one too deep to be followed."""
        if self.leads_to_calls(target.node):
            name = function_name(target.node) or short(node, 30)
            bound = unknown(f"calls({name})", named=False)
            self.repeats.append(Repeat(node=node, kind="recursion", rounds=bound, calls=True))
            state = PlanState(
                id=self.state_id(base_id(name)),
                kind="unknown",
                node=node,
                use=self.use_of(node),
                phase=self.phase,
                options=None,
            )
            self.count(state, bound)
            self.enter(state)
        return Opaque(short(node, 30), line(node))

    def apply(self, node: Node, target: Value, results: Sequence[Value]) -> Value:
        """Call a value with these arguments."""
        found: list[Value] = []
        for one in options_of(target):
            if isinstance(one, Function):
                found.append(self.function(node, one, results))
            elif isinstance(one, Builtin) and one.name in ("agent", "workflow"):
                self.trouble("WS314", node, short(node))
                found.append(self.untraceable(node, ()))
            else:
                found.append(Opaque())
        return either(found)

    def builtin_fan_out(self, node: Node, name: str) -> Value:
        raise NotImplementedError

    def method(self, node: Node, receiver: Node, name: str) -> Value:
        raise NotImplementedError


def label_names(label: Value | None) -> tuple[str, str]:
    """The static text of a label before its first substitution, and all of it."""
    if isinstance(label, Known) and isinstance(label.value, str):
        return (label.value, "")
    if isinstance(label, Text):
        first = label.pieces[0] if label.pieces and label.pieces[0] else ""
        return (first, "".join(one or "" for one in label.pieces))
    return ("", "")


def first_words(prompt: Value) -> str:
    if isinstance(prompt, Known) and isinstance(prompt.value, str):
        return " ".join(prompt.value.split()[:5])
    if isinstance(prompt, Text):
        return " ".join(" ".join(one or " " for one in prompt.pieces).split()[:5])
    return ""
