"""Predicates of branch steps: their value, and values that make them true or false (section
5.4)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from workflows.core.dialects.promptpack.program.references import MISSING, look_up, path_of
from workflows.core.limits import VALUE_DEPTH
from workflows.core.text.tolerant import as_list, indexed_objects, is_number

PathValues = dict[tuple[str, ...], Any]
"""Values by path."""


class PredicateError(Exception):
    """The predicate is invalid, or does not apply to these values."""

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


def holds(predicate: Any, scope: Mapping[str, Any], depth: int = 0) -> bool:
    """Evaluate a predicate. Raises PredicateError.

    A path without a value is null. The parts of `all_of` and `any_of` are evaluated in order until
    the result is known.
    """
    if depth > VALUE_DEPTH:
        raise PredicateError("the predicate is nested too deeply")
    match predicate:
        case {"all_of": list()}:
            return all(holds(part, scope, depth + 1) for part in predicate["all_of"])
        case {"any_of": list()}:
            return any(holds(part, scope, depth + 1) for part in predicate["any_of"])
        case {"not": part}:
            return not holds(part, scope, depth + 1)
        case {"path": str(path), "op": str(op)}:
            return _compare(_value(path, scope), op, predicate.get("value"))
        case {"path": str(path), "exists": bool(wanted)}:
            return (look_up(path_of(path), scope) is not MISSING) == wanted
    raise PredicateError(
        "predicate must set exactly one variant (compare|exists|all_of|any_of|not)"
    )


def _value(path: str, scope: Mapping[str, Any]) -> Any:
    value = look_up(path_of(path), scope)
    return None if value is MISSING else value


def _compare(value: Any, op: str, other: Any) -> bool:
    match op:
        case "equals":
            return same(value, other)
        case "not_equals":
            return not same(value, other)
        case "in" | "not_in":
            if not isinstance(other, list):
                raise PredicateError(f"predicate op {op} needs a list")
            return any(same(value, item) for item in other) == (op == "in")
    if op not in ("less_than", "less_than_or_equals", "greater_than", "greater_than_or_equals"):
        raise PredicateError(f'predicate op "{op}" is not valid')
    if not is_number(value) or not is_number(other):
        raise PredicateError(f"predicate op {op} needs two numbers")
    if value == other:
        return op.endswith("or_equals")
    return bool((value < other) == op.startswith("less"))


def same(one: Any, other: Any) -> bool:
    """JSON equality: numbers by value, all other values by type and structure."""
    match one, other:
        case dict(), dict():
            return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
        case list(), list():
            return len(one) == len(other) and all(map(same, one, other))
    if is_number(one) or is_number(other):
        return is_number(one) and is_number(other) and bool(one == other)
    return type(one) is type(other) and bool(one == other)


def values_for(predicate: Any, wanted: bool, depth: int = 0) -> PathValues:
    """Values that make the predicate true, or false; {} if no value can or none is needed."""
    if depth > VALUE_DEPTH:
        return {}
    match predicate:
        case {"all_of": list(parts)} | {"any_of": list(parts)}:
            every = ("all_of" in predicate) == wanted
            chosen = parts if every else parts[:1]
            wish: PathValues = {}
            for _, part in indexed_objects(chosen):
                wish |= values_for(part, wanted, depth + 1)
            return wish
        case {"not": part}:
            return values_for(part, not wanted, depth + 1)
        case {"path": str(path), "op": str(op)} if path_of(path):
            return {path_of(path): _wanted_value(op, predicate.get("value"), wanted)}
        case {"path": str(path), "exists": bool(there)} if path_of(path) and there == wanted:
            return {path_of(path): "something"}
    return {}


_OPPOSITE = {
    "equals": "not_equals",
    "in": "not_in",
    "less_than": "greater_than_or_equals",
    "less_than_or_equals": "greater_than",
}
_OPPOSITES = {**_OPPOSITE, **{other: op for op, other in _OPPOSITE.items()}}


def _wanted_value(op: str, value: Any, wanted: bool) -> Any:
    match op if wanted else _OPPOSITES.get(op, op):
        case "equals":
            return value
        case "in":
            return value[0] if isinstance(value, list) and value else None
        case "not_equals":
            return _other_value(value)
        case "not_in":
            return _other_than_any(value)
        case "less_than":
            return value - 1 if is_number(value) else value
        case "greater_than":
            return value + 1 if is_number(value) else value
    return value


def _other_than_any(values: Any) -> Any:
    """A value that is none of these."""
    result: Any = "something else"
    for value in as_list(values):
        if is_number(value):
            result = max(result, value + 1) if is_number(result) else value + 1
    return result


def _other_value(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"not {value}"
        case None:
            return "something"
        case list():
            return [] if value else ["something"]
        case _:
            return {}
