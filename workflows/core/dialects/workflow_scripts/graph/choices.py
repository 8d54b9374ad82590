"""Conditions: the ways of a script, and what each of them excludes."""

from __future__ import annotations

from collections.abc import Callable

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.formula import largest, unknown
from workflows.core.dialects.workflow_scripts.format.syntax import (
    FUNCTIONS,
    Node,
    bare,
    inner,
    own,
    short,
)
from workflows.core.dialects.workflow_scripts.format.values import (
    NULL,
    UNDEFINED,
    Amount,
    Answer,
    Known,
    Opaque,
    Record,
    Undefined,
    Value,
    either,
    options_of,
)
from workflows.core.dialects.workflow_scripts.graph.bindings import Bindings
from workflows.core.dialects.workflow_scripts.graph.conditions import present
from workflows.core.dialects.workflow_scripts.graph.flow import plus


class Choices(Bindings):
    """The part of a walk that follows conditions."""

    def others(self, node: Node) -> Value:
        raise NotImplementedError

    def on_ternary_expression(self, node: Node) -> Value:
        found: list[Value] = []
        test = node.child_by_field_name("condition")
        if test is None:
            return self.others(node)
        self.choose(
            test,
            lambda: found.append(self.evaluate(node.child_by_field_name("consequence"))),
            lambda: found.append(self.evaluate(node.child_by_field_name("alternative"))),
        )
        return either(found)

    def choose(
        self, test: Node, first: Callable[[], None], second: Callable[[], None] | None
    ) -> None:
        """Walk the ways of a condition. A way that only leaves is a guard."""
        test = bare(test)
        known = values.truth(self.evaluate(test))
        words, start, before = short(test), self.pending, self.events
        positive, negative = frozenset(present(test, True)), frozenset(present(test, False))
        if known is not None and inner(test).type in ("true", "false", "number", "identifier"):
            self.decided(known, first, second)
            return
        guard = False

        def one() -> None:
            nonlocal guard
            states = len(self.states)
            self.assuming(positive, first)
            guard = not self.pending and len(self.states) == states and bool(start)
            if guard:
                other[:] = self.otherwise(start)

        def two() -> None:
            if second is not None:
                self.assuming(negative, second)

        other = plus(start, "else", "conditional")
        proven = self.proven
        self.alternatives([(plus(start, words, "conditional"), one), (other, two)])
        if self.events == before:
            self.pending = start
        if guard and second is None:
            self.proven = proven | negative

    def decided(
        self, known: bool, first: Callable[[], None], second: Callable[[], None] | None
    ) -> None:
        """The ways of a condition that the text decides: the other one is never taken."""
        dead = second if known else first
        for way in (first, second):
            if way is None:
                continue
            if way is not dead:
                way()
                continue
            pending, cost, proven = self.pending, self.cost, self.proven
            self.pending = []
            with self.branch():
                way()
            self.pending, self.cost, self.proven = pending, cost, proven

    def assuming(self, names: frozenset[str], walk: Callable[[], None]) -> None:
        """Walk code that runs only where these expressions are not null."""
        before = self.proven
        self.proven = before | names
        walk()
        self.proven = before

    def logical(self, node: Node, sign: str) -> Value:
        """`&&`, `||`, `??`: the right side is evaluated only for some values of the left one."""
        left, right = node.child_by_field_name("left"), node.child_by_field_name("right")
        if left is None or right is None:
            return self.others(node)
        value = self.evaluate(left)
        found: list[Value] = []
        names = frozenset(present(left, sign == "&&")) if sign != "??" else frozenset()
        if not calls_in(right):
            self.assuming(names, lambda: found.append(self.evaluate(right)))
        else:
            start, before = self.pending, self.events
            words = short(bare(left))
            into, around = (words, "else") if sign == "&&" else ("else", words)

            def walk() -> None:
                self.assuming(names, lambda: found.append(self.evaluate(right)))

            self.alternatives(
                [
                    (plus(start, into, "conditional"), walk),
                    (plus(start, around, "conditional"), lambda: None),
                ]
            )
            if self.events == before:
                self.pending = start
        if sign == "&&":
            known = values.truth(value)
            kept = [one for one in options_of(value) if values.truth(one) is not True]
            return found[0] if known else either([*(map(_falsy, kept)), *found])
        kept = [
            one
            for one in options_of(values.without_null(value))
            if not isinstance(one, Undefined) and one != NULL
        ]
        if value in (NULL, UNDEFINED):
            return found[0]
        if sign == "||" and isinstance(value, Record):
            return value
        if sign == "??" and isinstance(value, Known):
            return value
        if isinstance(value, Answer) and isinstance(found[0], Known) and value.call == "args":
            limit = values.amount(found[0])
            if limit is not None and values.integer(found[0]) is not None:
                return Amount(largest((limit, unknown(f"value({value.path})"))))
        return either([*kept, *found])


def calls_in(node: Node) -> bool:
    """True if evaluating this expression calls anything."""
    return any(one.type == "call_expression" for one in own(node)) or node.type in FUNCTIONS


def _falsy(value: Value) -> Value:
    """The value where it is false: an answer can only be null then."""
    return NULL if isinstance(value, Answer | Opaque) else value
