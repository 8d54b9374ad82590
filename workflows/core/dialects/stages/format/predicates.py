"""The conditions of a pipeline: `{path, op, value}`, `{all: […]}`, `{any: […]}`, `{not: …}`
(stages.md section 16.2).

A path that leads nowhere equals nothing, null included; it is in no list and comes before and after
nothing. Numbers compare with numbers and texts with texts; true is no number. There is no
expression language.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from workflows.core.dialects.stages.format.paths import MISSING, Path, read_path

ROOTS = ("result", "ctx", "slot", "run")
RUN_FIELDS = ("input", "workflowRunId", "visits")
"""What `run.` knows: the run's inputs, its id, and how often each stage was entered."""

COMPOUNDS = ("all", "any", "not")
DEEPEST = 32

Pointer = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """What is wrong in a condition. `pointer` leads from the condition to the place."""

    pointer: Pointer
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PathUse:
    """A path that a condition looks at, and where in the condition it stands."""

    pointer: Pointer
    path: Path


def holds(predicate: Any, scope: Mapping[str, Any]) -> bool:
    """Whether the condition is true of `scope` (root → value). A malformed one is not."""
    return _holds(predicate, scope, 0)


def problems(predicate: Any, roots: tuple[str, ...] = ROOTS) -> tuple[Problem, ...]:
    """What keeps this from being a condition over these roots; () where nothing does."""
    return tuple(_problems(predicate, roots, (), 0))


def paths(predicate: Any) -> tuple[PathUse, ...]:
    """Every readable path in the condition, in order."""
    return tuple(_paths(predicate, (), 0))


def parts(predicate: Any) -> Iterator[tuple[Pointer, Any]]:
    """The conditions that a compound one consists of, each with the way to it; none for others."""
    if not isinstance(predicate, Mapping):
        return
    for word in ("all", "any"):
        several = predicate.get(word)
        if isinstance(several, list):
            for number, one in enumerate(several):
                yield (word, number), one
    if "not" in predicate:
        yield ("not",), predicate["not"]


def same(one: Any, other: Any) -> bool:
    """Equality of JSON values: 1 is 1.0, true is not 1, order of keys says nothing."""
    match one, other:
        case bool(), _:
            return one is other
        case _, bool():
            return False
        case Mapping(), Mapping():
            return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
        case ((list() | tuple()), (list() | tuple())):
            return len(one) == len(other) and all(map(same, one, other))
        case _:
            return bool(one == other)


def _holds(predicate: Any, scope: Mapping[str, Any], depth: int) -> bool:
    if not isinstance(predicate, Mapping) or depth > DEEPEST:
        return False
    if "path" not in predicate:
        return _compound(predicate, scope, depth)
    path = read_path(predicate["path"])
    test = OPERATORS.get(str(predicate.get("op")))
    if path is None or test is None:
        return False
    return test(path.within(scope), predicate.get("value", MISSING))


def _compound(predicate: Mapping[str, Any], scope: Mapping[str, Any], depth: int) -> bool:
    """Several words in one condition have to hold together."""
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
    def compare(found: Any, value: Any) -> bool:
        if not (is_number(found) and is_number(value)) and not (
            isinstance(found, str) and isinstance(value, str)
        ):
            return False
        return test(found, value)

    return compare


def is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _equals(found: Any, value: Any) -> bool:
    return found is not MISSING and same(found, value)


def _among(found: Any, value: Any) -> bool:
    return isinstance(value, list) and any(_equals(found, item) for item in value)


OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "equals": _equals,
    "notEquals": lambda found, value: not _equals(found, value),
    "lt": _ordered(lambda found, value: found < value),
    "lte": _ordered(lambda found, value: found <= value),
    "gt": _ordered(lambda found, value: found > value),
    "gte": _ordered(lambda found, value: found >= value),
    "in": _among,
    "exists": lambda found, value: (found is not MISSING) == (value is not False),
}
"""op → test of what was found against `value`. `exists` with `value: false`: it is not there."""


def _problems(predicate: Any, roots: tuple[str, ...], at: Pointer, depth: int) -> Iterator[Problem]:
    if depth > DEEPEST:
        yield Problem(pointer=at, message=f"conditions are nested deeper than {DEEPEST}")
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
        for way, part in parts(predicate):
            yield from _problems(part, roots, (*at, *way), depth + 1)


def _simple_problems(
    predicate: Mapping[str, Any], roots: tuple[str, ...], at: Pointer
) -> Iterator[Problem]:
    path, op = read_path(predicate["path"]), predicate.get("op")
    if path is None:
        yield Problem(pointer=(*at, "path"), message=f"{predicate['path']!r} is no path")
    elif path.root not in roots:
        known = ", ".join(roots)
        yield Problem(
            pointer=(*at, "path"), message=f"a path begins with {known} here, not {path.root}"
        )
    if not isinstance(op, str) or op not in OPERATORS:
        known = ", ".join(OPERATORS)
        message = f"op is one of {known}" if op is None else f"{op!r} is no op; there are {known}"
        yield Problem(pointer=(*at, "op") if "op" in predicate else at, message=message)
    elif "value" not in predicate and op != "exists":
        yield Problem(pointer=at, message=f"{op} needs a value to compare with")
    else:
        yield from _value_problems(op, predicate.get("value"), (*at, "value"))
    for word in COMPOUNDS:
        if word in predicate:
            yield Problem(pointer=(*at, word), message=f"{word} beside a path has no effect")


def _value_problems(op: str, value: Any, at: Pointer) -> Iterator[Problem]:
    if op == "in" and not isinstance(value, list):
        yield Problem(pointer=at, message="in takes a list of values")
    elif op in ("lt", "lte", "gt", "gte") and not (is_number(value) or isinstance(value, str)):
        yield Problem(pointer=at, message=f"{op} compares with a number or a text")
    elif op == "exists" and value is not None and not isinstance(value, bool):
        yield Problem(pointer=at, message="exists takes true or false")


def _paths(predicate: Any, at: Pointer, depth: int) -> Iterator[PathUse]:
    if not isinstance(predicate, Mapping) or depth > DEEPEST:
        return
    path = read_path(predicate.get("path"))
    if path is not None:
        yield PathUse(pointer=(*at, "path"), path=path)
    for way, part in parts(predicate):
        yield from _paths(part, (*at, *way), depth + 1)
