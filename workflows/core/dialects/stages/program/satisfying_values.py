"""Payloads that make conditions true or false, for rehearsals.

Only values of the payload can be chosen, including those that Exit copies to the slot or the
output; values of ctx and run are fixed. Callers test every payload, so an unsatisfiable requirement
is harmless.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any

from workflows.core.dialects.stages.format.paths import MISSING, Path, read_path
from workflows.core.dialects.stages.format.predicates import OPERATORS
from workflows.core.dialects.stages.program.stage_definition import Stage
from workflows.core.dialects.stages.schemas.validity import validator
from workflows.core.engine.rehearsal.rng import Rng
from workflows.core.engine.rehearsal.schema_fit import fits, resolved
from workflows.core.engine.rehearsal.schema_values import value_for

MAX_ALTERNATIVES = 32
SEARCHED_LEVELS = 12
TRIES = 2
"""Payloads per alternative. Values without a requirement are generated again each time."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requirement:
    """One comparison and its required outcome."""

    path: Path
    op: str
    value: Any
    truth: bool

    def is_met(self, actual: Any) -> bool:
        return OPERATORS[self.op](actual, self.value) is self.truth


Alternative = tuple[Requirement, ...]


def alternatives(predicate: Any, truth: bool, depth: int = 0) -> list[Alternative]:
    """Sets of requirements, each of which gives the condition the outcome `truth`; the first
    few."""
    if not isinstance(predicate, Mapping) or depth > SEARCHED_LEVELS:
        return []
    if "path" in predicate:
        path = read_path(predicate["path"])
        op = str(predicate.get("op"))
        if path is None or op not in OPERATORS:
            return []
        return [
            (Requirement(path=path, op=op, value=predicate.get("value", MISSING), truth=truth),)
        ]
    results = [
        _compound(word, predicate[word], truth, depth)
        for word in ("all", "any", "not")
        if word in predicate
    ]
    return _combine_all(results) if truth else _combine_any(results)


def _compound(word: str, inner: Any, truth: bool, depth: int) -> list[Alternative]:
    if word == "not":
        return alternatives(inner, not truth, depth + 1)
    parts = [alternatives(one, truth, depth + 1) for one in inner]
    return _combine_all(parts) if (word == "all") is truth else _combine_any(parts)


def _combine_all(parts: Sequence[list[Alternative]]) -> list[Alternative]:
    joined = product(*parts)
    return [tuple(w for part in one for w in part) for one in islice(joined, MAX_ALTERNATIVES)]


def _combine_any(parts: Sequence[list[Alternative]]) -> list[Alternative]:
    return [one for part in parts for one in part][:MAX_ALTERNATIVES]


def payloads(
    stage: Stage, conditions: Sequence[tuple[Any, bool]], rng: Rng
) -> Iterator[tuple[Any, Any]]:
    """Payloads that fit the schema and probably give every condition its required outcome: the
    decisive values, and a whole payload with them."""
    wanted = _combine_all([alternatives(predicate, truth) for predicate, truth in conditions])
    check = validator(stage.schema)
    for alternative in wanted:
        for _ in range(TRIES):
            made = _payload(stage, alternative, rng)
            if made is not None and check.is_valid(made[1]):
                yield made


def payload_steps(stage: Stage, path: Path) -> tuple[str | int, ...] | None:
    """The path inside the payload; None for a path outside it."""
    copies: dict[tuple[str | int, ...], Path] = {}
    copies |= {("slot", name): origin for name, origin in stage.slot}
    copies |= {("result", "output", name): origin for name, origin in stage.output}
    whole: tuple[str | int, ...] = (path.root, *path.steps)
    for length in (2, 3):
        origin = copies.get(whole[:length])
        if origin is not None:
            whole = (origin.root, *origin.steps, *whole[length:])
            break
    return whole[2:] if whole[:2] == ("result", "parsed") else None


def _payload(stage: Stage, requirements: Alternative, rng: Rng) -> tuple[Any, Any] | None:
    schema = stage.schema
    by_path: dict[tuple[str | int, ...], list[Requirement]] = {}
    for requirement in requirements:
        steps = payload_steps(stage, requirement.path)
        if steps is not None:
            by_path.setdefault(steps, []).append(requirement)
    fixed: Any = {}
    absent = []
    for steps, several in by_path.items():
        if not steps:
            continue
        value = _value_for_all(several, _part(schema, steps), schema, rng)
        if value is MISSING:
            absent.append(steps)
        elif value is _IMPOSSIBLE or not _put(fixed, steps, value, schema, rng):
            return None
    payload = value_for(schema, rng, fixed=fixed)
    for steps in absent:
        _remove(payload, steps)
    return fixed, payload


_IMPOSSIBLE: Any = object()


def _value_for_all(requirements: Sequence[Requirement], part: Any, root: Any, rng: Rng) -> Any:
    """A value that meets every requirement: MISSING for an absent value, _IMPOSSIBLE if there is
    none."""
    for value in (*_candidates(requirements, part, root, rng), MISSING):
        if all(requirement.is_met(value) for requirement in requirements) and (
            value is MISSING or fits(value, part, root)
        ):
            return value
    return _IMPOSSIBLE


def _candidates(
    requirements: Sequence[Requirement], part: Any, root: Any, rng: Rng
) -> Iterator[Any]:
    for requirement in requirements:
        if requirement.op in ("equals", "notEquals") and requirement.value is not MISSING:
            yield requirement.value
        if requirement.op == "in" and isinstance(requirement.value, list):
            yield from requirement.value
    plain = resolved(part, root)
    if isinstance(plain.get("enum"), list):
        yield from plain["enum"]
    for requirement in requirements:
        if isinstance(requirement.value, (int, float)) and not isinstance(requirement.value, bool):
            yield from (requirement.value + step for step in (0, 1, -1, 0.5, -0.5))
        elif isinstance(requirement.value, str):
            yield from (f"{requirement.value}a", requirement.value, "", requirement.value[:-1])
    for _ in range(TRIES):
        yield value_for({**plain, "$defs": root.get("$defs", {})}, rng)
    yield from (True, False, None, 0, "", "other", [], {})


def _part(schema: Any, steps: tuple[str | int, ...]) -> Any:
    """The schema of the value at this path, or {}."""
    here = schema
    for step in steps:
        plain = resolved(here, schema)
        if isinstance(step, str):
            properties = plain.get("properties")
            here = properties.get(step, {}) if isinstance(properties, Mapping) else {}
        else:
            here = plain.get("items", {})
    return resolved(here, schema)


def _put(fixed: Any, steps: tuple[str | int, ...], value: Any, schema: Any, rng: Rng) -> bool:
    """Set the value inside `fixed`; lists are filled up before it. False if that fails."""
    here = fixed
    for number, step in enumerate(steps):
        last = number == len(steps) - 1
        empty: Any = [] if not last and isinstance(steps[number + 1], int) else {}
        if isinstance(step, str) and isinstance(here, dict):
            here[step] = value if last else here.get(step, empty)
        elif isinstance(step, int) and isinstance(here, list) and step < 20:
            part = _part(schema, steps[: number + 1])
            while len(here) <= step:
                here.append(value_for(part, rng))
            if last:
                here[step] = value
        else:
            return False
        here = here[step]
    return True


def _remove(payload: Any, steps: tuple[str | int, ...]) -> None:
    here = payload
    for step in steps[:-1]:
        try:
            here = here[step]
        except (KeyError, IndexError, TypeError):
            return
    if isinstance(here, dict):
        here.pop(steps[-1], None)
