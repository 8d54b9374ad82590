"""Bounds of loops: counters, budgets, and loops without any."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.formula import (
    ONE,
    Formula,
    number,
    unknown,
)
from workflows.core.dialects.workflow_scripts.format.syntax import (
    Node,
    bare,
    inner,
    line,
    number_value,
    own,
    parts,
    text,
)

if TYPE_CHECKING:
    from workflows.core.dialects.workflow_scripts.graph.expressions import Expressions

EXITS = ("continue_statement",)


@dataclass
class LoopBound:
    """The most rounds of a loop. `entered`: its first round certainly takes place; `endless`: only
    an exit ends it; `unguarded`: it waits for a budget that can be infinite."""

    rounds: Formula
    entered: bool = False
    endless: bool = False
    budget: bool = False
    unguarded: bool = False


def counted(walker: Expressions, node: Node) -> LoopBound:
    """The bound of `for (start; test; step)`."""
    test = node.child_by_field_name("condition")
    step = node.child_by_field_name("increment")
    tests = parts(test) if test is not None and test.type == "expression_statement" else [test]
    condition = tests[0] if tests and tests[0] is not None else None
    if condition is None or condition.type == "empty_statement":
        return loop_bound(walker, node, None)
    found: list[Formula] = []
    entered = False
    for one in conjuncts(condition):
        compared = _comparison(one)
        if compared is None or step is None:
            continue
        name, sign, limit = compared
        stride = _stride(step, name, walker)
        inside = node.child_by_field_name("body")
        if stride is None or (inside is not None and _assigns(inside, name)):
            continue
        start = walker.scope.find(name)
        first = values.integer(start.value) if start is not None else None
        rounds = _rounds(walker, first, sign, limit, stride)
        if rounds is not None:
            found.append(rounds)
            entered = bool(rounds.constant) and len(list(conjuncts(condition))) == 1
    bound = loop_bound(walker, node, condition)
    if not found:
        return bound
    best = smallest([*found, *([] if bound.rounds.unlimited else [bound.rounds])])
    return LoopBound(best, entered=entered)


def _rounds(
    walker: Expressions, first: int | None, sign: str, limit: Node, stride: int
) -> Formula | None:
    """The rounds of a counter that starts at `first`."""
    value = walker.evaluate(limit)
    last = values.integer(value)
    if stride < 0:
        if first is None or last is None or sign not in (">", ">=", "!=="):
            return None
        return number(-(-(first - last + (sign == ">=")) // -stride))
    if sign not in ("<", "<=", "!==", "!="):
        return None
    if last is not None and first is not None:
        return number(-(-(last - first + (sign == "<=")) // stride))
    bound = values.amount(value)
    if bound is None or first is None or first < 0:
        return None
    return (bound + ONE if sign == "<=" else bound).batches(stride)


def loop_bound(walker: Expressions, node: Node, test: Node | None) -> LoopBound:
    """The bound of a loop by its test, or by an exit of its body that compares a counter."""
    inside = node.child_by_field_name("body")
    condition = bare(test) if test is not None else None
    statements = parts(inside) if inside is not None else []
    rounds: list[Formula] = []
    endless = condition is None or text(condition) in ("true", "1")
    for one in conjuncts(condition) if condition is not None else ():
        compared = _comparison(one)
        if compared is not None and compared[1] in ("<", "<=", "!=="):
            name, sign, limit = compared
            rounds += _counter(walker, statements, name, limit, extra=sign == "<=")
    for place, statement in enumerate(statements):
        rounds += _exit(walker, statements, place, statement)
    if rounds:
        return LoopBound(smallest(rounds), endless=endless, entered=endless)
    source = text(condition) if condition is not None else ""
    budget = "budget.remaining" in source or "budget.spent" in source
    guarded = not budget or "budget.total" in source
    name = f"rounds({line(node)})"
    return LoopBound(
        unknown(name, named=False, budget=budget and guarded),
        endless=endless,
        entered=endless,
        budget=budget,
        unguarded=not guarded,
    )


def smallest(found: list[Formula]) -> Formula:
    """The least of several bounds, as far as it is known."""
    constants = [one.constant for one in found if one.constant is not None]
    others = [one for one in found if one.constant is None]
    if not constants:
        return others[0]
    return others[0].at_most(min(constants)) if others else number(min(constants))


def conjuncts(test: Node) -> Iterator[Node]:
    """The parts of a test that all hold in each round."""
    test = bare(test)
    operator = test.child_by_field_name("operator")
    left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
    if test.type == "binary_expression" and operator is not None and text(operator) == "&&":
        if left is not None and right is not None:
            yield from conjuncts(left)
            yield from conjuncts(right)
    else:
        yield test


MIRRORED = {">": "<", ">=": "<=", "<": ">", "<=": ">="}


def _comparison(test: Node) -> tuple[str, str, Node] | None:
    """`name < limit` as (name, sign, limit), also if it is written as `limit > name`."""
    test = bare(test)
    left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
    operator = test.child_by_field_name("operator")
    if test.type != "binary_expression" or left is None or right is None or operator is None:
        return None
    sign = text(operator)
    if sign not in ("<", "<=", ">", ">=", "!==", "!=", "===", "=="):
        return None
    if inner(left).type == "identifier":
        return text(inner(left)), sign, right
    if inner(right).type == "identifier":
        return text(inner(right)), MIRRORED.get(sign, sign), left
    return None


def _stride(step: Node, name: str, walker: Expressions) -> int | None:
    """The number that a statement adds to a variable."""
    step = bare(step)
    if step.type == "update_expression":
        if text(step.child_by_field_name("argument") or step) != name:
            return None
        return 1 if "++" in text(step) else -1
    target, added = step.child_by_field_name("left"), step.child_by_field_name("right")
    if target is None or added is None or text(target) != name:
        return None
    if step.type == "augmented_assignment_expression":
        size = values.integer(walker.evaluate(added))
        sign = text(step.child_by_field_name("operator") or step.children[1])
        if size is None or size < 1 or sign not in ("+=", "-="):
            return None
        return size if sign == "+=" else -size
    if step.type == "assignment_expression" and bare(added).type == "binary_expression":
        sum_ = bare(added)
        left, right = sum_.child_by_field_name("left"), sum_.child_by_field_name("right")
        same = left is not None and text(left) == name and right is not None
        if same and right is not None and text(sum_.child_by_field_name("operator") or sum_) == "+":
            value = number_value(right) if right.type == "number" else None
            return int(value) if value is not None and value >= 1 else None
    return None


def _assigns(node: Node, name: str) -> bool:
    for one in own(node):
        if one.type in ("assignment_expression", "augmented_assignment_expression"):
            target = one.child_by_field_name("left")
        elif one.type == "update_expression":
            target = one.child_by_field_name("argument")
        else:
            continue
        if target is not None and text(target) == name:
            return True
    return False


def _increment(walker: Expressions, statements: list[Node], name: str) -> int | None:
    """The place of the statement that counts in every round. None if a round can skip it."""
    for place, one in enumerate(statements):
        changes = parts(one) if one.type == "expression_statement" else []
        if changes and (_stride(changes[0], name, walker) or 0) >= 1:
            others = [each for each in statements if each != one]
            falls = any(_decreases(each, name, walker) for each in others)
            return None if falls else place
        if any(each.type in EXITS for each in own(one)):
            return None
    return None


def _decreases(node: Node, name: str, walker: Expressions) -> bool:
    """True if a statement can make a counter smaller."""
    for one in own(node):
        if one.type == "assignment_expression":
            target = one.child_by_field_name("left")
            if target is not None and text(target) == name:
                return True
        if one.type in ("update_expression", "augmented_assignment_expression"):
            target = one.child_by_field_name("argument") or one.child_by_field_name("left")
            if (
                target is not None
                and text(target) == name
                and (_stride(one, name, walker) or -1) < 0
            ):
                return True
    return False


def _counter(
    walker: Expressions, statements: list[Node], name: str, limit: Node, *, extra: bool
) -> list[Formula]:
    if _increment(walker, statements, name) is None:
        return []
    cell = walker.scope.find(name)
    first = values.integer(cell.value) if cell is not None else None
    if first is None:
        return []
    value = walker.evaluate(limit)
    last = values.integer(value)
    if last is not None:
        return [number(last - first + extra)]
    bound = values.amount(value)
    return [bound + number(extra)] if bound is not None and first >= 0 else []


def _exit(
    walker: Expressions, statements: list[Node], place: int, statement: Node
) -> list[Formula]:
    """The bound by `if (round >= 5) break` among the statements of a loop."""
    if statement.type != "if_statement":
        return []
    test = statement.child_by_field_name("condition")
    then = statement.child_by_field_name("consequence")
    compared = _comparison(bare(test)) if test is not None else None
    first = then
    if then is not None and then.type == "statement_block":
        first = parts(then)[-1] if parts(then) else None
    leaves = first is not None and first.type in ("break_statement", "return_statement")
    if compared is None or not leaves or compared[1] not in (">", ">=", "==="):
        return []
    name, sign, limit = compared
    counts = _increment(walker, statements, name)
    early = any(one.type in EXITS for each in statements[:place] for one in own(each))
    if counts is None or early:
        return []
    late = 0 if counts < place or place == 0 else 1
    return _counter(walker, statements, name, limit, extra=False) and [
        one + number(late + (sign == ">"))
        for one in _counter(walker, statements, name, limit, extra=False)
    ]
