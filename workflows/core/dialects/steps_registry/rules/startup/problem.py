"""One reason why Climpt would not start, and groups of such reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.rules.incremental_rules import cached_by_step
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.json.document import Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A failed startup check. `line` is Climpt's message, `rule` the code of our rule."""

    code: str
    rule: str
    line: str
    pointer: Pointer = ()
    detail: tuple[str, ...] = ()

    @property
    def step(self) -> str:
        """The id of the step, "" for the registry."""
        match self.pointer:
            case ("steps", str(id), *_):
                return id
        return ""

    @property
    def element(self) -> str:
        """The step as an element of the canvas, "" for a problem of the registry."""
        return f"state:{self.step}" if self.step else ""


Group = Callable[[RegistrySource], Iterator[Problem]]
StepCheck = Callable[[RegistrySource, Iterable[Step]], Iterator[Problem]]


def of_steps(check: StepCheck) -> Group:
    """A group that checks single steps and only reruns for steps that changed."""

    def by_step(source: RegistrySource, steps: Iterable[Step]) -> Iterator[tuple[str, Problem]]:
        return ((problem.step, problem) for problem in check(source, steps))

    def group(source: RegistrySource) -> Iterator[Problem]:
        return chain.from_iterable(cached_by_step(source, check.__name__, by_step).values())

    return group
