"""Statements of a script: blocks, choices, exits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    bare,
    line,
    own,
    parts,
    short,
    text,
)
from workflows.core.dialects.workflow_scripts.format.values import (
    UNDEFINED,
    Opaque,
)
from workflows.core.dialects.workflow_scripts.graph.conditions import roots
from workflows.core.dialects.workflow_scripts.graph.flow import Exits, Pending, plus, unique
from workflows.core.dialects.workflow_scripts.graph.loops import Loops
from workflows.core.dialects.workflow_scripts.graph.scope import Scope

DECLARATIONS = ("function_declaration", "generator_function_declaration")


class Statements(Loops):
    """The part of a walk that follows statements."""

    def body(self, node: Node) -> None:
        """The statements of a block. Functions can be called before their declaration."""
        self.scope = Scope(self.scope)
        before = self.proven
        self.statements(parts(node))
        self.proven = before
        self.scope = self.scope.parent or self.scope

    def statements(self, nodes: Sequence[Node]) -> None:
        for one in nodes:
            if one.type in DECLARATIONS:
                name = one.child_by_field_name("name")
                if name is not None:
                    self.scope.declare(text(name), self.evaluate(one), self.level, line(one))
        for one in nodes:
            self.statement(one)

    def statement(self, node: Node) -> None:
        if self.depth > 150:
            self.cut = True
            return
        self.depth += 1
        method = getattr(self, f"do_{node.type}", None)
        if method is not None:
            method(node)
        elif node.type == "ERROR":
            self.statements(parts(node))
        elif node.type not in DECLARATIONS:
            self.evaluate(node)
        self.depth -= 1

    def do_statement_block(self, node: Node) -> None:
        self.body(node)

    def do_expression_statement(self, node: Node) -> None:
        for child in parts(node):
            self.evaluate(child)

    def do_export_statement(self, node: Node) -> None:
        for child in parts(node):
            self.statement(child)

    def do_lexical_declaration(self, node: Node) -> None:
        for declarator in parts(node):
            name = declarator.child_by_field_name("name")
            given = declarator.child_by_field_name("value")
            value = self.evaluate(given) if given is not None else UNDEFINED
            if name is not None:
                self.bind(name, value)

    do_variable_declaration = do_lexical_declaration

    def do_empty_statement(self, node: Node) -> None:
        """Nothing."""

    def do_if_statement(self, node: Node) -> None:
        test = node.child_by_field_name("condition")
        first = node.child_by_field_name("consequence")
        other = node.child_by_field_name("alternative")
        if test is None or first is None:
            return
        self.choose(test, lambda: self.block(first), (lambda: self.block(other)) if other else None)

    def do_else_clause(self, node: Node) -> None:
        for child in parts(node):
            self.statement(child)

    def block(self, node: Node) -> None:
        """A statement with names of its own."""
        if node.type == "statement_block":
            self.body(node)
        else:
            before = self.proven
            self.statement(node)
            self.proven = before

    def do_labeled_statement(self, node: Node) -> None:
        label, inside = node.child_by_field_name("label"), node.child_by_field_name("body")
        self.next_label = text(label) if label is not None else ""
        if inside is not None:
            self.statement(inside)
        self.next_label = ""

    # Exits

    def do_return_statement(self, node: Node) -> None:
        given = parts(node)
        value = self.evaluate(given[0]) if given else UNDEFINED
        if any(one.kind == "function" for one in self.exits):
            self.returned.append(value)
            self.returning += self.pending
        else:
            self.end(self.pending, "return", node)
        self.leave()

    def do_throw_statement(self, node: Node) -> None:
        for one in parts(node):
            self.evaluate(one)
        for place in reversed(self.exits):
            if place.kind == "try":
                assert place.breaks is not None
                place.breaks += plus(self.pending, "throws", "fallback")
                break
            if place.kind == "function" and self.concurrency:
                self.returning += self.pending
                break
        else:
            self.end(plus(self.pending, "throws"), "throws", node)
        self.leave()

    def leave(self) -> None:
        self.pending = []
        self.leaves += 1

    def do_break_statement(self, node: Node) -> None:
        self.jump(node, ("loop", "switch"))

    def do_continue_statement(self, node: Node) -> None:
        self.jump(node, ("loop",))

    def jump(self, node: Node, kinds: tuple[str, ...]) -> None:
        label = text(parts(node)[0]) if parts(node) else ""
        for place in reversed(self.exits):
            if place.kind == "function":
                break
            if (place.label == label) if label else (place.kind in kinds):
                target = place.continues if node.type == "continue_statement" else place.breaks
                if target is not None:
                    target += self.pending
                break
        self.leave()

    # Choices

    def do_switch_statement(self, node: Node) -> None:
        subject, inside = node.child_by_field_name("value"), node.child_by_field_name("body")
        if subject is None or inside is None:
            return
        self.evaluate(subject)
        words, start, before = short(bare(subject), 40), self.pending, self.events
        exits = Exits("switch", breaks=[])
        self.exits.append(exits)
        cases = parts(inside)
        falling: list[Pending] = []
        outs: list[Pending] = []
        proven = self.proven
        subjects = frozenset(present_of(subject))

        def walk(case: Node) -> None:
            nonlocal falling
            self.pending = unique([*self.pending, *falling])
            self.proven = proven | subjects if case.type == "switch_case" else proven
            skip = case.child_by_field_name("value")
            self.scope = Scope(self.scope)
            self.statements([one for one in parts(case) if one != skip])
            self.scope = self.scope.parent or self.scope
            falling = self.pending
            self.pending = []

        ways: list[tuple[list[Pending], Callable[[], None]]] = []
        for case in cases:
            value = case.child_by_field_name("value")
            part = f"{words} = {short(value, 30)}" if value is not None else "else"
            ways.append((plus(start, part, "conditional"), lambda case=case: walk(case)))  # type: ignore[misc]
        if not any(case.type == "switch_default" for case in cases):
            outs = plus(start, "else", "conditional")
        self.alternatives(ways or [(start, lambda: None)])
        self.proven = proven
        self.exits.pop()
        self.pending = unique([*falling, *(exits.breaks or ()), *outs])
        if self.events[0] == before[0] and self.pending and not _returns(inside):
            self.pending = start

    def do_try_statement(self, node: Node) -> None:
        inside, handler = node.child_by_field_name("body"), node.child_by_field_name("handler")
        final = node.child_by_field_name("finalizer")
        start = self.pending
        first, exits = len(self.states), Exits("try", breaks=[])
        if handler is not None:
            self.exits.append(exits)
        if inside is not None:
            self.body(inside)
        if handler is not None:
            self.exits.pop()
            self.handler(handler, first, exits.breaks or [], start)
        if final is not None:
            for one in parts(final):
                self.statement(one)

    def handler(self, node: Node, first: int, thrown: list[Pending], start: list[Pending]) -> None:
        """A `catch`: each state of the block may lead here."""
        outs, before = self.pending, self.events
        drawn = [one for one in self.states[first:] if one.alive]
        inside = [Pending(one.id, ("throws",), "fallback") for one in drawn]
        self.pending = unique([*inside, *thrown]) or list(start)
        name, body = node.child_by_field_name("parameter"), node.child_by_field_name("body")
        self.scope = Scope(self.scope)
        if name is not None:
            self.bind(name, Opaque("error"))
        self.level += 1
        if body is not None:
            self.body(body)
        self.level -= 1
        self.scope = self.scope.parent or self.scope
        if self.events == before:
            self.pending = unique([*outs, *thrown])
        else:
            self.pending = unique([*outs, *self.pending])


def _returns(node: Node) -> bool:
    return any(one.type in ("return_statement", "throw_statement") for one in own(node))


def present_of(node: Node) -> Iterator[str]:
    """The expressions that are not null where a `case` holds."""
    return roots(bare(node))
