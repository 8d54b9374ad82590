"""Rules over cases: unreachable ones, missing ones, and those without effect."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from typing import Any

from workflows.core.dialects.stages.format.paths import Path
from workflows.core.dialects.stages.format.predicates import paths, problems
from workflows.core.dialects.stages.rules.kit import set_in_stage, stage_rule, unset_in_stage
from workflows.core.dialects.stages.rules.pipeline_facts import Facts
from workflows.core.dialects.stages.rules.value_sets import ValueSets, json_key
from workflows.core.pack.findings import EVERY
from workflows.core.rules.kit import Note, make_fix
from workflows.core.text.tolerant import as_list, as_object

MAX_CASES = 50
"""Maximum number of cases of one stage that are compared."""


@stage_rule("ST507", "warning", "Case is never taken", profiles=EVERY)
def dead_case(facts: Facts) -> Iterable[Note]:
    """Cases are tested in order, and the first true one is taken. This one is never taken: the
    cases before it match every value that it matches, or its condition contradicts itself. Change
    the condition, move the case up, or remove it."""
    for stage, _ in facts.declared("next"):
        cases = [
            (index, case["when"])
            for index, case in _cases(facts, stage)
            if not problems(case.get("when"))
        ]
        for index, why in _never_taken(cases):
            yield Note(
                message=f"Case {index + 1} of {stage!r} is never taken: {why}.",
                place=facts.entry(stage, "next", "cases", index, "when"),
                fix=make_fix("Remove the case", unset_in_stage(stage, "next", "cases", index)),
            )


def _cases(facts: Facts, stage: str) -> Iterator[tuple[int, dict[str, Any]]]:
    cases = as_object(facts.source.entry(stage).get("next")).get("cases")
    for index, case in enumerate(cases[:MAX_CASES] if isinstance(cases, list) else ()):
        if isinstance(case, dict):
            yield index, case


def _never_taken(cases: list[tuple[int, Any]]) -> Iterator[tuple[int, str]]:
    """The cases that are never taken, in order, each with the reason. Exact for conditions about
    one path. For conditions about several paths, only equal conditions are detected."""
    by_path: dict[str, list[Any]] = {}
    for _, condition in cases:
        by_path.setdefault(_only_path(condition), []).append(condition)
    sets = {path: ValueSets(conditions) for path, conditions in by_path.items() if path}
    matched = dict.fromkeys(sets, 0)
    before: set[Hashable] = set()
    for index, condition in cases:
        path = _only_path(condition)
        if not path:
            key = json_key(condition)
            if key in before:
                yield index, "an earlier case has the same condition"
            before.add(key)
            continue
        values = sets[path].of(condition)
        if not values:
            yield index, "its condition contradicts itself"
        elif not values & ~matched[path]:
            yield index, "earlier cases match all its values"
        matched[path] |= values


def _only_path(condition: Any) -> str:
    """The path of a condition about one path, or ""."""
    about = _paths(condition)
    return next(iter(about)) if len(about) == 1 else ""


def _paths(condition: Any) -> dict[str, Path]:
    return {use.path.text: use.path for use in paths(condition)}


@stage_rule("ST508", "warning", "Cases have no effect", profiles=EVERY)
def indifferent_cases(facts: Facts) -> Iterable[Note]:
    """All cases of this stage and its `else` lead to the same stages, so the conditions have no
    effect. Replace them by one step, or change the target of a case."""
    for stage, stage_routes in facts.routes.items():
        plans = {
            (route.plan.stages, route.plan.parallel, route.plan.join, route.plan.terminate)
            for route in stage_routes
        }
        if len(stage_routes) > 1 and len(plans) == 1 and stage_routes[-1].when is None:
            after: Any = facts.source.entry(stage)["next"]
            fix = set_in_stage(stage, "next", value=after["else"])
            yield Note(
                message=f"Every case of {stage!r} leads to the same stages.",
                place=facts.entry(stage, "next", "cases"),
                fix=make_fix("Replace the cases by one step", fix),
            )


@stage_rule("ST509", "warning", "Cases without an else", profiles=EVERY)
def no_else(facts: Facts) -> Iterable[Note]:
    """The stage has cases but no `else`. If none of the cases is true, the run fails at this stage.
    Add `else`, even with an empty list. Cases that cover every value of a required field need no
    `else`."""
    for stage, after in facts.declared("next"):
        if not isinstance(after, dict) or "cases" not in after or "else" in after:
            continue
        if not _exhaustive(facts, stage):
            end = {"nextStages": [], "execution": "sequential"}
            yield Note(
                message=f"{stage!r} has no else: a run fails if none of its cases is true.",
                place=facts.entry(stage, "next"),
                fix=make_fix("End the run in else", set_in_stage(stage, "next", "else", value=end)),
            )


def _exhaustive(facts: Facts, stage: str) -> bool:
    """Return True if the cases cover every value of one required field of the result."""
    conditions = [case.get("when") for _, case in _cases(facts, stage)]
    about = {text: path for each in conditions for text, path in _paths(each).items()}
    if len(about) != 1 or any(problems(each) for each in conditions):
        return False
    path = next(iter(about.values()))
    if path.root != "result" or path.steps[:1] != ("parsed",) or len(path.steps) != 2:
        return False
    values = _values(facts.values(stage).get("completionSchema"), path.steps[1])
    sets = ValueSets(conditions, values)
    matched = 0
    for each in conditions:
        matched |= sets.of(each)
    return bool(values) and not sets.holding(values) & ~matched


def _values(schema: Any, name: str | int) -> list[Any]:
    """The values of a required property that the schema lists, or []."""
    properties: dict[Any, Any] = as_object(as_object(schema).get("properties"))
    item = properties.get(name)
    required = as_object(schema).get("required")
    if not isinstance(item, dict) or not isinstance(required, list) or name not in required:
        return []
    listed = [True, False] if item.get("type") == "boolean" else item.get("enum")
    return as_list(listed)
