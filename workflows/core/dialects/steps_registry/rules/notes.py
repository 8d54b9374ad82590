"""How rules are written here: a check yields notes, `check` makes findings of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import TypeAlias

from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.dialects.steps_registry.steps import Step
from workflows.core.findings import Finding, Fix, Level, Place, Rule, rule
from workflows.core.graph import Graph
from workflows.core.text.json_text import Pointer, pointer_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A finding before it has a code: what, where, what to do. `path` "" is the registry."""

    message: str
    pointer: Pointer = ()
    element: str = ""
    hint: str = ""
    fix: Fix | None = None
    path: str = ""


Notes: TypeAlias = Iterable[Note]


def at(step: Step, *keys: str | int) -> Pointer:
    return ("steps", step.id, *keys)


def check(
    code: str, level: Level, title: str
) -> Callable[[Callable[[RegistrySource], Notes]], Rule]:
    """Declare a rule. Shapes that we only show (before 1.13) are not checked."""

    def register(function: Callable[[RegistrySource], Notes]) -> Rule:
        @wraps(function)
        def run(source: RegistrySource, graph: Graph) -> Iterator[Finding]:
            if not source.readable or source.generation == "legacy":
                return
            for note in function(source):
                place = Place(
                    path=note.path or source.main,
                    pointer=pointer_text(note.pointer) if note.pointer else "",
                    element=note.element,
                )
                yield Finding(
                    code=code,
                    level=level,
                    message=note.message,
                    place=place,
                    hint=note.hint,
                    fix=note.fix,
                )

        return rule(code, level, title)(run)

    return register
