"""An executable composition: its steps in order, and the lookup of a step (promptpack.md 5)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from workflows.core.dialects.promptpack.format.parts import Object
from workflows.core.text.tolerant import (
    as_object,
    as_positive_int,
    as_str,
    as_str_list,
    indexed_objects,
)

BRANCH_STEP_KINDS = ("prompt", "agent", "tool")
"""Kinds of step that are allowed inside a parallel step."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One step. `within` is the parallel step of a branch, "" for none."""

    id: str
    kind: str
    body: Object
    within: str = ""

    @property
    def depends_on(self) -> list[str]:
        return as_str_list(self.body.get("depends_on"))

    @property
    def branches(self) -> tuple[Step, ...]:
        """The branches of a parallel step, in list order."""
        return _steps(self.body.get("branches"), within=self.id)

    @property
    def attempts(self) -> int:
        """The maximum number of attempts, including the first."""
        return as_positive_int(as_object(self.modifiers.get("retry")).get("max_attempts")) or 1

    @property
    def modifiers(self) -> Object:
        return as_object(self.body.get("modifiers"))

    @property
    def structured(self) -> bool:
        """True if the step declares an output schema, so its output is JSON."""
        return bool(as_str(self.body.get("output_schema")))


@dataclass(frozen=True, kw_only=True)
class Plan:
    """One composition. `state_id` is the id of a step in the graph, in positions and in events."""

    name: str
    body: Object

    @cached_property
    def steps(self) -> tuple[Step, ...]:
        return _steps(self.body.get("steps"))

    @cached_property
    def steps_by_id(self) -> Mapping[str, Step]:
        """Every step by its id, including branches of parallel steps."""
        return {step.id: step for step in self._walk()}

    def _walk(self) -> Iterator[Step]:
        for step in self.steps:
            yield step
            if step.kind == "parallel":
                yield from step.branches

    @property
    def output(self) -> str:
        return as_str(self.body.get("output"))

    def state_id(self, step: Step) -> str:
        return f"{self.name}/{step.id}"

    @cached_property
    def problem(self) -> str:
        """The reason why this composition cannot run, "" if it can."""
        if not self.steps:
            return "it has no steps"
        ids: set[str] = set()
        for step in self._walk():
            if step.id in ids:
                return f'duplicate step id "{step.id}"'
            ids.add(step.id)
        return ""


def _steps(value: Any, *, within: str = "") -> tuple[Step, ...]:
    return tuple(
        Step(
            id=as_str(body.get("id")) or f"#{index}",
            kind=as_str(body.get("kind")),
            body=body,
            within=within,
        )
        for index, body in indexed_objects(value)
    )
