"""Loops of a script: their rounds, and the variables that they change."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    bare,
    parts,
    short,
    text,
    walk,
)
from workflows.core.dialects.workflow_scripts.format.values import (
    Items,
    Opaque,
    Value,
    options_of,
)
from workflows.core.dialects.workflow_scripts.graph.bounds import LoopBound, counted, loop_bound
from workflows.core.dialects.workflow_scripts.graph.flow import Exits, Pending, plus, unique
from workflows.core.dialects.workflow_scripts.graph.lists import Lists
from workflows.core.dialects.workflow_scripts.graph.model import Repeat
from workflows.core.dialects.workflow_scripts.graph.scope import Cell, Scope

CHANGERS = ("push", "unshift", "splice", "add", "set")


class Loops(Lists):
    """The part of a walk that follows loops."""

    next_label = ""
    """The label in front of the next loop."""

    def statement(self, node: Node) -> None:
        raise NotImplementedError

    def block(self, node: Node) -> None:
        raise NotImplementedError

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
