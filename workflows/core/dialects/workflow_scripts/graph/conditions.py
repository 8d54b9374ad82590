"""Conditions about null: the names that they exclude."""

from __future__ import annotations

from collections.abc import Iterator

from workflows.core.dialects.workflow_scripts.format.syntax import Node, bare, parts, text

NULLS = ("null", "undefined")


def present(test: Node, outcome: bool) -> Iterator[str]:
    """The expressions (`plan`, `plan.steps`) that are not null if this condition is `outcome`."""
    test = bare(test)
    match test.type:
        case "unary_expression" if text(test).startswith("!"):
            argument = test.child_by_field_name("argument")
            if argument is not None:
                yield from present(argument, not outcome)
        case "binary_expression":
            yield from _binary(test, outcome)
        case "identifier" | "member_expression" | "subscript_expression" | "call_expression":
            if outcome:
                yield from roots(test)


def _binary(test: Node, outcome: bool) -> Iterator[str]:
    left, right = test.child_by_field_name("left"), test.child_by_field_name("right")
    operator = test.child_by_field_name("operator")
    if left is None or right is None or operator is None:
        return
    sign = text(operator)
    if sign == ("&&" if outcome else "||"):
        yield from present(left, outcome)
        yield from present(right, outcome)
    elif sign in ("===", "==", "!==", "!="):
        against = [side for side in (left, right) if text(bare(side)) not in NULLS]
        equal = sign in ("===", "==")
        if len(against) == 1 and outcome is not equal:
            yield from roots(bare(against[0]))
        elif len(against) == 2 and outcome is equal:
            yield from roots(bare(left))
    elif sign in ("<", ">", "<=", ">=") and outcome:
        yield from roots(bare(left))
        yield from roots(bare(right))


def roots(node: Node) -> Iterator[str]:
    """An expression and those before its `.`: `a?.b.c` needs `a`, `a.b` and `a.b.c`. For a call,
    its receiver and its arguments: `Array.isArray(a?.b)` needs `a`."""
    node = bare(node)
    while node.type in (
        "identifier",
        "member_expression",
        "subscript_expression",
        "call_expression",
    ):
        if node.type == "call_expression":
            callee = node.child_by_field_name("function")
            given = node.child_by_field_name("arguments")
            if callee is not None and text(callee) == "Array.isArray" and given is not None:
                for one in parts(given)[:1]:
                    yield from roots(one)
                return
            if callee is None or callee.type != "member_expression":
                return
            node = callee.child_by_field_name("object") or node
            continue
        yield name_of(node)
        if node.type == "identifier":
            return
        node = bare(node.child_by_field_name("object") or node)


def name_of(node: Node) -> str:
    """The text of an expression without `?`, so that `a?.b` and `a.b` are one name."""
    return "".join(text(node).replace("?.", ".").split())
