"""Statements of a script: blocks, loops, exits."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    bare,
    line,
    own,
    parts,
    short,
    text,
    walk,
)
from workflows.core.dialects.workflow_scripts.format.values import (
    UNDEFINED,
    Items,
    Opaque,
    Value,
    options_of,
)
from workflows.core.dialects.workflow_scripts.graph.bounds import LoopBound, counted, loop_bound
from workflows.core.dialects.workflow_scripts.graph.conditions import roots
from workflows.core.dialects.workflow_scripts.graph.flow import Exits, Pending, plus, unique
from workflows.core.dialects.workflow_scripts.graph.lists import Lists
from workflows.core.dialects.workflow_scripts.graph.model import Repeat
from workflows.core.dialects.workflow_scripts.graph.scope import Cell, Scope

DECLARATIONS = ("function_declaration", "generator_function_declaration")
CHANGERS = ("push", "unshift", "splice", "add", "set")


class Statements(Lists):
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

    next_label = ""

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

    # Loops

    def do_for_in_statement(self, node: Node) -> None:
        target, given = node.child_by_field_name("left"), node.child_by_field_name("right")
        value = self.evaluate(given)
        keys = text(node.child_by_field_name("operator") or node) == "in"
        words = short(bare(given), 48) if given is not None else ""
        rounds = values.length(value)
        self.unstable(node)
        one = Opaque("key") if keys else values.element(value)

        def begin() -> None:
            if target is not None:
                kind = node.child_by_field_name("kind")
                self.bind(target, one, declare=kind is not None)

        bound = LoopBound(rounds, entered=bool(rounds.constant))
        self.loop(node, f"for each of {words}", bound, begin, target=target)

    def do_for_statement(self, node: Node) -> None:
        self.scope = Scope(self.scope)
        start = node.child_by_field_name("initializer")
        if start is not None:
            self.statement(start)
        test = node.child_by_field_name("condition")
        step = node.child_by_field_name("increment")
        if test is not None and test.type == "expression_statement":
            test = next(iter(parts(test)), None)
        words = short(bare(test), 48) if test is not None else ""
        bound = counted(self, node)
        self.unstable(node)

        def close() -> None:
            if step is not None:
                self.evaluate(step)

        target = start if start is not None else None
        self.loop(node, f"for {words}".strip(), bound, self.tested(test), close, target=target)
        self.scope = self.scope.parent or self.scope

    def do_while_statement(self, node: Node) -> None:
        test = node.child_by_field_name("condition")
        bound = loop_bound(self, node, test)
        self.unstable(node)
        words = short(bare(test), 52) if test is not None else ""
        self.loop(node, f"while {words}", bound, self.tested(test))

    def do_do_statement(self, node: Node) -> None:
        test = node.child_by_field_name("condition")
        bound = loop_bound(self, node, test)
        bound.entered = True
        self.unstable(node)
        words = short(bare(test), 50) if test is not None else ""
        self.loop(node, f"do while {words}", bound, lambda: None, self.tested(test))

    def tested(self, test: Node | None) -> Callable[[], None]:
        def evaluate() -> None:
            if test is not None and test.type != "empty_statement":
                self.evaluate(test)

        return evaluate

    def loop(
        self,
        node: Node,
        words: str,
        bound: LoopBound,
        begin: Callable[[], None],
        close: Callable[[], None] = lambda: None,
        target: Node | None = None,
    ) -> None:
        """A loop: its first states follow what came before and, with `again`, its last ones."""
        inside = node.child_by_field_name("body")
        start, before, states = self.pending, self.events, len(self.states)
        rounds = bound.rounds
        limit = rounds.ceiling
        frame = self.framed("loop", words + (f" · at most {limit}" if limit else ""), node)
        exits = Exits("loop", label=self.next_label, breaks=[], continues=[])
        self.next_label = ""
        self.exits.append(exits)
        iteration = self.iteration
        self.iteration = frozenset(_names(node, target))
        entering = start if bound.entered else plus(start, words, "conditional")
        with self.within(frame, rounds, concurrent=False):
            self.pending = entering
            self.scope = Scope(self.scope)
            proven = self.proven
            begin()
            if inside is not None:
                self.block(inside)
            self.proven = proven
            self.pending = unique([*self.pending, *(exits.continues or ())])
            close()
            self.scope = self.scope.parent or self.scope
        self.iteration = iteration
        self.exits.pop()
        self.stable()
        drawn = self.states[states:]
        around = [] if bound.entered else plus(start, "none", "conditional")
        if self.events == before:
            self.pending = start
        else:
            self.close_loop(drawn, entering, states)
            done = [] if bound.endless else plus(self.pending, "done")
            self.pending = unique([*done, *(exits.breaks or ()), *around])
        self.repeats.append(
            Repeat(
                node=node,
                kind="loop",
                rounds=rounds,
                calls=bool(drawn),
                budget=bound.budget,
                unguarded=bound.unguarded,
            )
        )

    def close_loop(self, drawn: Sequence[object], entering: list[Pending], states: int) -> None:
        """Arrows back to the states at which the loop begins."""
        first = self.first_states(entering, states)
        for one in plus(self.pending, "again"):
            if one.source is not None:
                for state in first:
                    self.connect(one, state, "again", self.states[states].use)

    def first_states(self, entering: list[Pending], states: int) -> list[str]:
        """The states that are entered from before the loop."""
        inside = {one.id for one in self.states[states:]}
        sources = {one.source for one in entering}
        found = [
            arrow.target
            for arrow in self.arrows.values()
            if arrow.source in sources and arrow.target in inside and arrow.source not in inside
        ]
        if None in sources:
            found += [id for id in self.entries if id in inside]
        if not found and inside:
            found = [self.states[states].id]
        return list(dict.fromkeys(found))

    # Variables that a loop changes

    changed: list[list[tuple[Cell, Value, list[Items]]]]

    def unstable(self, node: Node) -> None:
        """Variables that the loop changes are not known inside of it."""
        assigned, extended = _changes(node)
        entries = []
        for name in assigned | extended:
            cell = self.scope.find(name)
            if cell is None:
                continue
            lists = [
                one
                for one in options_of(cell.value)
                if isinstance(one, Items) and not one.unstable and name in extended
            ]
            for one in lists:
                one.unstable, one.name, one.line = True, one.name or name, one.line or cell.line
            entries.append((cell, cell.value, lists))
            if name in assigned:
                cell.value = _changing(cell.value, name, cell.line)
        self.changed.append(entries)

    def stable(self) -> None:
        for cell, value, lists in self.changed.pop():
            for one in lists:
                one.unstable = False
            if cell.value is not value:
                cell.value = values.either((value, cell.value))


def _changing(value: Value, name: str, place: int) -> Value:
    """A variable while a loop changes it."""
    lists = [one for one in options_of(value) if isinstance(one, Items)]
    if lists and len(lists) == len(options_of(value)):
        one = Items(lists[0].length, values.either(each.element for each in lists), None)
        one.name, one.line, one.unstable = name, place, True
        return one
    return Opaque(name, place)


def _changes(node: Node) -> tuple[set[str], set[str]]:
    """The names that are assigned in a loop, and the lists that it extends."""
    assigned, extended = set[str](), set[str]()
    for one in walk(node):
        if one.type in ("assignment_expression", "augmented_assignment_expression"):
            target = one.child_by_field_name("left")
            for each in walk(target) if target is not None else ():
                if each.type in ("identifier", "shorthand_property_identifier_pattern"):
                    member = target is not None and target.type.endswith("member_expression")
                    (extended if member else assigned).add(text(each))
        elif one.type == "update_expression":
            target = one.child_by_field_name("argument")
            if target is not None and target.type == "identifier":
                assigned.add(text(target))
        elif one.type == "call_expression":
            callee = one.child_by_field_name("function")
            if callee is None or callee.type != "member_expression":
                continue
            receiver, name = (
                callee.child_by_field_name("object"),
                callee.child_by_field_name("property"),
            )
            if name is not None and text(name) in CHANGERS and receiver is not None:
                extended.add(text(receiver))
    return assigned, extended


def _names(node: Node, target: Node | None) -> Iterator[str]:
    """The names that differ between the rounds of a loop."""
    for one in walk(target) if target is not None else ():
        if one.type in ("identifier", "shorthand_property_identifier_pattern"):
            yield text(one)
    yield from _changes(node)[0]


def _returns(node: Node) -> bool:
    return any(one.type in ("return_statement", "throw_statement") for one in own(node))


def present_of(node: Node) -> Iterator[str]:
    """The expressions that are not null where a `case` holds."""
    return roots(bare(node))
