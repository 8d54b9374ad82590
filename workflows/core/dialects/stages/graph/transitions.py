"""Transitions of a pipeline with their plans, shared by graph, forms and edits."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from workflows.core.dialects.stages.format.parts import (
    Fork,
    Plan,
    Route,
    failure_plan,
    forks,
    routes,
)
from workflows.core.dialects.stages.graph.labels import FAILURE, JOIN
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.graph import TransitionKind

Part: TypeAlias = Literal["next", "join", "failure"]
Pointer: TypeAlias = tuple[str | int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StageTransition:
    """A transition and its plan. `owner` is the stage whose entry has the plan: `source`, except
    for a transition to a join, which starts at a branch and is stored in the plan of the fork.
    `pointer` is the place of the target's name."""

    source: str
    target: str
    label: str
    kind: TransitionKind
    part: Part
    owner: str
    plan: Plan
    route: Route | None = None
    pointer: Pointer

    @property
    def id(self) -> str:
        """`source|label|target`, as in `graph.Transition`."""
        return f"{self.source}|{self.label}|{self.target}"


def outgoing_transitions(source: StagesSource) -> Mapping[str, tuple[StageTransition, ...]]:
    """Stage → its outgoing transitions, in file order. A transition to a join that several forks
    share appears once for each of them."""
    transitions: Mapping[str, tuple[StageTransition, ...]] | None = source.kept.get("transitions")
    if transitions is None:
        meetings: dict[str, list[Fork]] = {}
        for fork in forks(source):
            if fork.plan.join is not None:
                for sibling in dict.fromkeys(fork.plan.siblings):
                    meetings.setdefault(sibling, []).append(fork)
        transitions = {
            stage: (*own_transitions(source, stage), *_joins(stage, meetings.get(stage, [])))
            for stage in source.stages
        }
        source.kept["transitions"] = transitions
    return transitions


def find_transition(source: StagesSource, transition: str) -> tuple[StageTransition, ...]:
    """The transition with this id, once for every plan that has it; () if there is none."""
    stage = transition.partition("|")[0]
    candidates = outgoing_transitions(source).get(stage)
    if candidates is None:  # The name of the stage contains a "|".
        candidates = tuple(
            each for transitions in outgoing_transitions(source).values() for each in transitions
        )
    return tuple(each for each in candidates if each.id == transition)


def own_transitions(source: StagesSource, stage: str) -> Iterator[StageTransition]:
    """The transitions of a stage without those to joins, which its forks declare."""
    ids: set[str] = set()
    for route in routes(source, stage):
        for transition in _of_route(stage, route):
            if transition.id not in ids:
                ids.add(transition.id)
                yield transition
    plan = failure_plan(source, stage)
    for index, target in enumerate(plan.stages if plan is not None else ()):
        if plan is not None and target not in plan.stages[:index]:
            yield StageTransition(
                source=stage, target=target, label=FAILURE, kind="fallback", part="failure",
                owner=stage, plan=plan, pointer=(*plan.pointer, "nextStages", index),
            )  # fmt: skip


def _of_route(stage: str, route: Route) -> Iterator[StageTransition]:
    kind: TransitionKind = "event"
    if route.plan.parallel:
        kind = "fork"
    elif route.plan.pointer[-1] != "next":
        kind = "conditional"
    for target in () if route.plan.terminate else route.plan.siblings:
        yield StageTransition(
            source=stage, target=target, label=route.label, kind=kind, part="next", owner=stage,
            plan=route.plan, route=route,
            pointer=(*route.plan.pointer, "nextStages", route.plan.stages.index(target)),
        )  # fmt: skip


def _joins(stage: str, meetings: list[Fork]) -> Iterator[StageTransition]:
    for fork in meetings:
        yield StageTransition(
            source=stage, target=str(fork.plan.join), label=JOIN, kind="join", part="join",
            owner=fork.stage, plan=fork.plan, pointer=(*fork.plan.pointer, "join"),
        )  # fmt: skip
