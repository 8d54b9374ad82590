"""Tolerant views of a pipeline: routes, plans and forks.

A `NextResult` of a wrong shape has no successors; nothing here raises (stages.md sections 10 and
16.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from workflows.core.dialects.stages.graph.labels import (
    ELSE,
    MAX_LABEL,
    PARALLEL,
    THEN,
    describe_condition,
)
from workflows.core.dialects.stages.source import StagesSource

Pointer: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """One NextResult. `stages` is `nextStages` as written, including a listed join; `pointer` is
    its place in the pipeline."""

    stages: tuple[str, ...] = ()
    parallel: bool = False
    join: str | None = None
    join_listed: bool = False
    terminate: bool = False
    pointer: Pointer = ()

    @property
    def siblings(self) -> tuple[str, ...]:
        """The next stages; in a parallel plan the branches, without the join."""
        if not self.parallel or self.join is None:
            return self.stages
        return tuple(stage for stage in self.stages if stage != self.join)

    @property
    def ends(self) -> bool:
        """True if this branch ends here."""
        return self.terminate or not self.stages


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """An outcome of `next`: its condition `when` (None: always, or if no other is true) and its
    plan. `label` is the label of its transitions, unique in the stage."""

    when: Mapping[str, Any] | None
    plan: Plan
    label: str


def plan_of(value: Any, pointer: Pointer) -> Plan:
    """Read a NextResult. Items of `nextStages` that are not strings are left out."""
    if not isinstance(value, Mapping):
        return Plan(pointer=pointer)
    listed = value.get("nextStages")
    stages = tuple(item for item in listed if isinstance(item, str)) if isinstance(
        listed, list
    ) else ()  # fmt: skip
    join = value.get("join")
    join = join if isinstance(join, str) and join else None
    return Plan(
        stages=stages,
        parallel=value.get("execution") == "parallel",
        join=join,
        join_listed=join is not None and join in stages,
        terminate="terminate" in (value.get("execution"), value.get("kind")),
        pointer=pointer,
    )


def routes(source: StagesSource, stage: str) -> tuple[Route, ...]:
    """All routes of a stage: the cases in order, `else` last. A plain NextResult is one route."""
    value = source.entry(stage).get("next")
    pointer: Pointer = ("stages", stage, "next")
    if not isinstance(value, dict):
        return ()
    cached = source.memo.get(stage)
    if cached is None or cached[0] is not value:
        cached = source.memo[stage] = (value, _read_routes(value, pointer))
    return cached[1]


def _read_routes(value: dict[str, Any], pointer: Pointer) -> tuple[Route, ...]:
    if "cases" not in value and "else" not in value:
        plan = plan_of(value, pointer)
        return (Route(when=None, plan=plan, label=PARALLEL if plan.parallel else THEN),)
    result: list[Route] = []
    taken = {ELSE: 1}
    cases = value.get("cases")
    for index, case in enumerate(cases if isinstance(cases, list) else ()):
        if isinstance(case, dict):
            label = _unique_label(
                describe_condition(case.get("when"))[:MAX_LABEL] or f"case {index + 1}", taken
            )
            when = case.get("when")
            result.append(
                Route(
                    when=when if isinstance(when, dict) else {},
                    plan=plan_of(case.get("then"), (*pointer, "cases", index, "then")),
                    label=label,
                )
            )
    if "else" in value:
        plan = plan_of(value["else"], (*pointer, "else"))
        result.append(Route(when=None, plan=plan, label=ELSE))
    return tuple(result)


def _unique_label(label: str, taken: dict[str, int]) -> str:
    """The label, numbered if another route of this stage has it already. `taken` has the last
    number of each label, because thousands of routes may have the same."""
    free, number = label, taken.get(label, 1)
    while free in taken:
        number += 1
        free = f"{label} ({number})"
    taken[label] = number
    taken.setdefault(free, 1)
    return free


def failure_plan(source: StagesSource, stage: str) -> Plan | None:
    """The step after a failed branch of this stage, or None."""
    value = source.entry(stage).get("onParallelFailure")
    pointer = ("stages", stage, "onParallelFailure")
    return plan_of(value, pointer) if isinstance(value, dict) else None


def plans(source: StagesSource, stage: str) -> tuple[Plan, ...]:
    """Every plan of a stage; that for failures is last."""
    failure = failure_plan(source, stage)
    result = tuple(route.plan for route in routes(source, stage))
    return result if failure is None else (*result, failure)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fork:
    """A plan that starts several stages in parallel, and its stage."""

    stage: str
    label: str
    plan: Plan


def forks(source: StagesSource) -> tuple[Fork, ...]:
    """Every parallel plan of the pipeline, in file order."""
    result: tuple[Fork, ...] | None = source.kept.get("forks")
    if result is None:
        result = source.kept["forks"] = tuple(
            Fork(stage=stage, label=route.label, plan=route.plan)
            for stage in source.stages
            for route in routes(source, stage)
            if route.plan.parallel
        )
    return result
