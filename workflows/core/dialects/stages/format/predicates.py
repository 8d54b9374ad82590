"""Conditions of a pipeline: `{path, op, value}`, `{all: […]}`, `{any: […]}`, `{not: …}` (stages.md
section 16.2).

A missing value equals nothing, including null; it is in no list and is neither less nor greater
than any value. Numbers compare with numbers and strings with strings; true is not a number. There
is no expression language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.format.paths import MISSING, Path, read_path
from workflows.core.limits import VALUE_DEPTH
from workflows.core.text.tolerant import is_number

ROOTS = ("result", "ctx", "slot", "run")
RUN_FIELDS = ("input", "workflowRunId", "visits")
"""Fields of `run`: the run's inputs, its id, and the number of visits of each stage."""

COMPOUNDS = ("all", "any", "not")

Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A problem of a condition. `pointer` is the place inside the condition."""

    pointer: Pointer
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathUse:
    """A path in a condition, with its place there."""

    pointer: Pointer
    path: Path


def holds(predicate: Any, scope: Mapping[str, Any]) -> bool:
    """Return True if the condition is true in `scope` (root → value). A malformed one is false."""
    return _holds(predicate, scope, 0)


def problems(predicate: Any, roots: tuple[str, ...] = ROOTS) -> tuple[Problem, ...]:
    """Problems of a condition over these roots; () for a valid one."""
    return tuple(_problems(predicate, roots, (), 0))


def paths(predicate: Any) -> tuple[PathUse, ...]:
    """Every readable path in the condition, in order."""
    return tuple(_paths(predicate, (), 0))


def subconditions(predicate: Any) -> Iterator[tuple[Pointer, Any]]:
    """Conditions inside a compound one, each with its pointer; none for a simple one."""
    if not isinstance(predicate, Mapping):
        return
    for word in ("all", "any"):
        several = predicate.get(word)
        if isinstance(several, list):
            for number, one in enumerate(several):
                yield (word, number), one
    if "not" in predicate:
        yield ("not",), predicate["not"]


def json_equal(one: Any, other: Any) -> bool:
    """Equality of JSON values: 1 equals 1.0, true does not equal 1, the order of keys is
    ignored."""
    match one, other:
        case bool(), _:
            return one is other
        case _, bool():
            return False
        case Mapping(), Mapping():
            return one.keys() == other.keys() and all(
                json_equal(one[key], other[key]) for key in one
            )
        case ((list() | tuple()), (list() | tuple())):
            return len(one) == len(other) and all(map(json_equal, one, other))
        case _:
            return bool(one == other)


def _holds(predicate: Any, scope: Mapping[str, Any], depth: int) -> bool:
    if not isinstance(predicate, Mapping) or depth > VALUE_DEPTH:
        return False
    if "path" not in predicate:
        return _compound(predicate, scope, depth)
    path = read_path(predicate["path"])
    test = OPERATORS.get(str(predicate.get("op")))
    if path is None or test is None:
        return False
    return test(path.within(scope), predicate.get("value", MISSING))


def _compound(predicate: Mapping[str, Any], scope: Mapping[str, Any], depth: int) -> bool:
    """Evaluate all, any and not; if a condition has several of them, all must be true."""
    verdicts = []
    for word in COMPOUNDS:
        if word not in predicate:
            continue
        inner = predicate[word]
        if word == "not":
            verdicts.append(not _holds(inner, scope, depth + 1))
        elif not isinstance(inner, list):
            verdicts.append(False)
        else:
            each = (_holds(one, scope, depth + 1) for one in inner)
            verdicts.append(all(each) if word == "all" else any(each))
    return bool(verdicts) and all(verdicts)


def _ordered(test: Callable[[Any, Any], bool]) -> Callable[[Any, Any], bool]:
    def compare(actual: Any, value: Any) -> bool:
        if not (is_number(actual) and is_number(value)) and not (
            isinstance(actual, str) and isinstance(value, str)
        ):
            return False
        return test(actual, value)

    return compare


def _equals(actual: Any, value: Any) -> bool:
    return actual is not MISSING and json_equal(actual, value)


def _is_in(actual: Any, value: Any) -> bool:
    return isinstance(value, list) and any(_equals(actual, item) for item in value)


OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": _equals,
    "notEquals": lambda actual, value: not _equals(actual, value),
    "lt": _ordered(lambda actual, value: actual < value),
    "lte": _ordered(lambda actual, value: actual <= value),
    "gt": _ordered(lambda actual, value: actual > value),
    "gte": _ordered(lambda actual, value: actual >= value),
    "in": _is_in,
    "exists": lambda actual, value: (actual is not MISSING) == (value is not False),
}
"""op → test of the value at the path against `value`. `exists` with `value: false`: missing."""


def _problems(predicate: Any, roots: tuple[str, ...], at: Pointer, depth: int) -> Iterator[Problem]:
    if depth > VALUE_DEPTH:
        yield Problem(pointer=at, message=f"conditions are nested deeper than {VALUE_DEPTH}")
    elif not isinstance(predicate, Mapping):
        yield Problem(pointer=at, message="a condition is an object with a path and an op")
    elif "path" in predicate:
        yield from _simple_problems(predicate, roots, at)
    elif not any(word in predicate for word in COMPOUNDS):
        message = "a condition needs path and op, or one of all, any and not"
        yield Problem(pointer=at, message=message)
    else:
        for word in ("all", "any"):
            if word in predicate and not isinstance(predicate[word], list):
                yield Problem(pointer=(*at, word), message=f"{word} takes a list of conditions")
        for pointer, part in subconditions(predicate):
            yield from _problems(part, roots, (*at, *pointer), depth + 1)


def _simple_problems(
    predicate: Mapping[str, Any], roots: tuple[str, ...], at: Pointer
) -> Iterator[Problem]:
    path, op = read_path(predicate["path"]), predicate.get("op")
    if path is None:
        yield Problem(pointer=(*at, "path"), message=f"{predicate['path']!r} is not a path")
    elif path.root not in roots:
        choices = ", ".join(roots)
        yield Problem(
            pointer=(*at, "path"), message=f"a path here begins with {choices}, not {path.root}"
        )
    if not isinstance(op, str) or op not in OPERATORS:
        choices = ", ".join(OPERATORS)
        problem = "'op' is missing" if op is None else f"{op!r} is not an op"
        message = f"{problem}; use one of {choices}"
        yield Problem(pointer=(*at, "op") if "op" in predicate else at, message=message)
    elif "value" not in predicate and op != "exists":
        yield Problem(pointer=at, message=f"{op} needs a value to compare with")
    else:
        yield from _value_problems(op, predicate.get("value"), (*at, "value"))
    for word in COMPOUNDS:
        if word in predicate:
            yield Problem(pointer=(*at, word), message=f"{word} has no effect next to a path")


def _value_problems(op: str, value: Any, at: Pointer) -> Iterator[Problem]:
    if op == "in" and not isinstance(value, list):
        yield Problem(pointer=at, message="in takes a list of values")
    elif op in ("lt", "lte", "gt", "gte") and not (is_number(value) or isinstance(value, str)):
        yield Problem(pointer=at, message=f"{op} compares with a number or a string")
    elif op == "exists" and value is not None and not isinstance(value, bool):
        yield Problem(pointer=at, message="exists takes true or false")


def _paths(predicate: Any, at: Pointer, depth: int) -> Iterator[PathUse]:
    if not isinstance(predicate, Mapping) or depth > VALUE_DEPTH:
        return
    path = read_path(predicate.get("path"))
    if path is not None:
        yield PathUse(pointer=(*at, "path"), path=path)
    for pointer, part in subconditions(predicate):
        yield from _paths(part, (*at, *pointer), depth + 1)
