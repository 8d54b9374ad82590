"""The walk over a script that makes its plan."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from workflows.core.dialects.workflow_scripts.format.syntax import (
    FUNCTIONS,
    Node,
    enclosing,
    function_name,
    parts,
    text,
    walk,
)
from workflows.core.dialects.workflow_scripts.format.values import Function, Opaque
from workflows.core.dialects.workflow_scripts.graph.flow import MOST_STATES
from workflows.core.dialects.workflow_scripts.graph.model import Cost, Frame, Plan
from workflows.core.dialects.workflow_scripts.graph.scope import Scope, global_scope
from workflows.core.dialects.workflow_scripts.graph.statements import Statements

CALLERS = frozenset({"agent", "workflow"})


class Walker(Statements):
    """One walk over a script."""

    def __init__(
        self,
        root: Node,
        models: Mapping[str, str],
        child_cost: Callable[[str], Cost | None] = lambda name: None,
    ) -> None:
        super().__init__()
        self.root, self.models, self.child_cost = root, models, child_cost
        self.scope = Scope(global_scope())
        self.stack = []
        self.repeats = []
        self.returned = []
        self.returning = []
        self.changed = []
        self.calling = calling_names(root)

    def model_of_type(self, name: str | None) -> str:
        return self.models.get(name or "", "")

    def plan(self) -> Plan:
        """Walk everything; then the functions that nothing uses."""
        try:
            self.statements(parts(self.root))
            self.end(self.pending, "return", self.root)
            self.unused()
        except RecursionError:
            self.cut = True
        for state in self.states:
            if (count := self.cost.states.get(state.id)) is not None:
                state.count = count
        return Plan(
            states=tuple(self.states[:MOST_STATES]),
            entries=tuple(self.entries),
            arrows=tuple(self.arrows.values()),
            frames=tuple(self.named_frames()),
            cost=self.cost,
            repeats=tuple(self.repeats),
            troubles=tuple(self.troubles.values()),
            cut=self.cut or len(self.states) > MOST_STATES,
        )

    def unused(self) -> None:
        """Calls in functions that the walk has not reached: they are drawn without arrows."""
        reached = {state.node.start_byte for state in self.states}
        for node in call_sites(self.root):
            if node.start_byte in reached or len(self.states) >= MOST_STATES:
                continue
            self.pending = []
            self.exits, self.stack = [], []
            self.frame, self.branches, self.rounds, self.concurrency = None, (), [], []
            code = next((one for one in enclosing(node) if one.type in FUNCTIONS), None)
            before = len(self.states)
            if code is not None:
                self.function(node, Function(code, self.scope), [Opaque()] * 6)
            reached |= {state.node.start_byte for state in self.states[before:]}
            if node.start_byte not in reached:
                self.pending = []
                self.agent(node)
                reached.add(node.start_byte)

    def named_frames(self) -> list[Frame]:
        """The frames with states, numbered per kind in source order."""
        used = {id(frame) for state in self.states for frame in state.frames}
        frames = sorted(
            (frame for frame in self.frames if id(frame) in used), key=lambda one: one.order
        )
        counts: dict[str, int] = {}
        for frame in frames:
            counts[frame.kind] = counts.get(frame.kind, 0) + 1
            frame.id = f"{frame.kind}:{counts[frame.kind]}"
        return frames


def aliases(root: Node) -> frozenset[str]:
    """The names of `agent`: `const run = agent`."""
    names = {"agent"}
    for one in walk(root):
        if one.type == "variable_declarator":
            value, name = one.child_by_field_name("value"), one.child_by_field_name("name")
            if value is not None and value.type == "identifier" and text(value) in names:
                names.add(text(name) if name is not None else "")
    return frozenset(names)


def call_sites(root: Node) -> list[Node]:
    """Every call of `agent`, in source order."""
    names = aliases(root)
    found = []
    for one in walk(root):
        callee = one.child_by_field_name("function") if one.type == "call_expression" else None
        if callee is not None and callee.type == "identifier" and text(callee) in names:
            found.append(one)
    return found


def calling_names(root: Node) -> frozenset[str]:
    """The names of `agent` and `workflow`, and of functions that lead to a call of them."""
    names = set(aliases(root) | CALLERS)
    uses: dict[str, set[str]] = {}
    waiting: list[tuple[Node, tuple[str, ...]]] = [(root, ())]
    while waiting:
        one, holders = waiting.pop()
        name = function_name(one) if one.type in FUNCTIONS else _holder(one)
        holders = (*holders, name) if name else holders
        if one.type == "identifier":
            for holder in holders:
                uses.setdefault(holder, set()).add(text(one))
        waiting += [(child, holders) for child in one.children]
    changed = True
    while changed:
        new = {name for name, inside in uses.items() if name not in names and inside & names}
        changed = bool(new)
        names |= new
    return frozenset(names)


def _holder(node: Node) -> str:
    """The constant that holds a table of functions."""
    if node.type != "variable_declarator":
        return ""
    name, value = node.child_by_field_name("name"), node.child_by_field_name("value")
    holds = value is not None and value.type in ("object", "array", *FUNCTIONS)
    return text(name) if holds and name is not None and name.type == "identifier" else ""
