"""Rules over cases: whether each can be taken, and whether they make a difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise
from typing import Any

from workflows.core.dialects.stages.format.paths import MISSING, Path
from workflows.core.dialects.stages.format.predicates import holds, parts, paths, problems, same
from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule, unset_in_stage
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.rules.kit import Note, make_fix

MOST_CASES = 50
"""Cases of one stage that are held against each other."""
_OTHER = {"\x00": "a value that no condition mentions"}


@stage_rule("ST507", "warning", "Case that is never taken")
def dead_case(facts: Facts) -> Iterable[Note]:
    """Cases are asked in order, and the first one that is true is taken. This one can never be:
    whatever it asks for is caught by the cases before it, or its condition contradicts itself.
    Change the condition, put the case further up, or remove it."""
    for stage in facts.entries:
        before: list[Any] = []
        for index, case in _cases(facts, stage):
            condition = case.get("when")
            if problems(condition):
                continue
            why = _never_taken(condition, before)
            before.append(condition)
            if why:
                yield Note(
                    message=f"Case {index + 1} of {stage!r} is never taken: {why}.",
                    place=facts.entry(stage, "next", "cases", index, "when"),
                    fix=make_fix("Remove it", unset_in_stage(stage, "next", "cases", index)),
                )


def _cases(facts: Facts, stage: str) -> Iterator[tuple[int, dict[str, Any]]]:
    after = facts.source.entry(stage).get("next")
    cases = after.get("cases") if isinstance(after, dict) else None
    for index, case in enumerate(cases[:MOST_CASES] if isinstance(cases, list) else ()):
        if isinstance(case, dict):
            yield index, case


def _never_taken(condition: Any, before: list[Any]) -> str:
    """Why a case can never be taken, "" where it may. Exact for conditions about one path; where
    several are compared, equal conditions alone are told."""
    about = _paths(condition)
    if len(about) != 1:
        repeated = any(same(condition, each) for each in before)
        return "a case before it has the same condition" if repeated else ""
    path = next(iter(about.values()))
    rivals = [each for each in before if _paths(each).keys() == about.keys()]
    taken = [
        scope
        for scope in (_scope(path, value) for value in _samples([condition, *rivals]))
        if holds(condition, scope)
    ]
    if not taken:
        return "its condition contradicts itself"
    if all(any(holds(each, scope) for each in rivals) for scope in taken):
        return "cases before it catch all it asks for"
    return ""


def _paths(condition: Any) -> dict[str, Path]:
    return {use.path.text: use.path for use in paths(condition)}


def _samples(conditions: list[Any]) -> Iterator[Any]:
    """Values that stand for all values: no condition tells another value from one of these. Every
    mentioned one, what lies between and beside those that have an order, one of another kind, and
    none at all."""
    mentioned = list(_mentioned(conditions))
    yield from (MISSING, _OTHER, *mentioned)
    texts = [value for value in mentioned if isinstance(value, str)]
    if texts:
        yield from ("", *(text + "\x00" for text in texts))
    numbers = sorted({value for value in mentioned if _is_number(value)})
    if numbers:
        yield from (numbers[0] - 1, numbers[-1] + 1)
        yield from ((one + other) / 2 for one, other in pairwise(numbers))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and abs(value) < 1e300


def _mentioned(conditions: list[Any]) -> Iterator[Any]:
    for condition in conditions:
        if isinstance(condition, dict) and "value" in condition:
            value = condition["value"]
            yield from value if condition.get("op") == "in" else (value,)
        yield from _mentioned([part for _, part in parts(condition)])


def _scope(path: Path, value: Any) -> dict[str, Any]:
    """A scope in which exactly this path leads to a value."""
    if value is MISSING:
        return {}
    for step in reversed(path.steps):
        value = {step: value} if isinstance(step, str) else [None] * min(step, 99) + [value]
    return {path.root: value}


@stage_rule("ST508", "warning", "Cases that make no difference")
def indifferent_cases(facts: Facts) -> Iterable[Note]:
    """Every case of this stage, and what happens otherwise, lead to the same place, so the
    conditions decide nothing. Write the one step that is meant, or let a case lead elsewhere."""
    for stage, ways in facts.ways.items():
        plans = {
            (way.plan.stages, way.plan.parallel, way.plan.join, way.plan.terminate) for way in ways
        }
        if len(ways) > 1 and len(plans) == 1 and ways[-1].when is None:
            after: Any = facts.source.entry(stage)["next"]
            fix = set_in_stage(stage, "next", value=after["else"])
            yield Note(
                message=f"Every case of {stage!r} leads to the same place.",
                place=facts.entry(stage, "next", "cases"),
                fix=make_fix("Keep the one step", fix),
            )


@stage_rule("ST509", "warning", "Cases without an else")
def no_else(facts: Facts) -> Iterable[Note]:
    """The stage has cases, and nothing says what follows if none of them is true. A run then ends
    as failed, at that point. Add `else`, even if it is an empty list. Cases that take every value
    of a required field need none."""
    for stage in facts.entries:
        after = facts.source.entry(stage).get("next")
        if not isinstance(after, dict) or "cases" not in after or "else" in after:
            continue
        if not _exhaustive(facts, stage):
            end = {"nextStages": [], "execution": "sequential"}
            yield Note(
                message=f"Nothing says what follows {stage!r} if none of its cases is true.",
                place=facts.entry(stage, "next"),
                fix=make_fix("End there", set_in_stage(stage, "next", "else", value=end)),
            )


def _exhaustive(facts: Facts, stage: str) -> bool:
    """Whether the cases take every value that one required field of the result may have."""
    asked = [case.get("when") for _, case in _cases(facts, stage)]
    about = {text: path for each in asked for text, path in _paths(each).items()}
    if len(about) != 1 or any(problems(each) for each in asked):
        return False
    path = next(iter(about.values()))
    if path.root != "result" or path.steps[:1] != ("parsed",) or len(path.steps) != 2:
        return False
    values = _values(facts.values(stage).get("completionSchema"), path.steps[1])
    scopes = [_scope(path, value) for value in values]
    return bool(scopes) and all(any(holds(each, scope) for each in asked) for scope in scopes)


def _values(schema: Any, name: str | int) -> list[Any]:
    """What a required property may be, if the schema lists it; [] otherwise."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    item = properties.get(name) if isinstance(properties, dict) else None
    required = schema.get("required") if isinstance(schema, dict) else None
    if not isinstance(item, dict) or not isinstance(required, list) or name not in required:
        return []
    listed = [True, False] if item.get("type") == "boolean" else item.get("enum")
    return listed if isinstance(listed, list) else []
