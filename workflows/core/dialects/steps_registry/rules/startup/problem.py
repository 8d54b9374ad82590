"""One reason why Climpt would not start, and groups of such reasons."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain

from workflows.core.dialects.steps_registry.rules.incremental_rules import Look, remembered
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.text.json.document import Pointer


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """A failed startup check. `line` is Climpt's message, `rule` the code of our rule, and `step`
    the id of the step, "" for the registry."""

    code: str
    rule: str
    line: str
    pointer: Pointer = ()
    step: str = ""
    detail: tuple[str, ...] = ()


Group = Callable[[RegistrySource], Iterator[Problem]]


def of_steps(look: Look[Problem]) -> Group:
    """A group of checks on single steps. Results are reused for steps that did not change."""

    def group(source: RegistrySource) -> Iterator[Problem]:
        return chain.from_iterable(remembered(source, look.__name__, look).values())

    return group
