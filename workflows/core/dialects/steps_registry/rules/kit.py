"""How rules are written here: a check yields notes, `check` makes findings of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import wraps
from itertools import chain
from typing import TypeAlias

from workflows.core.dialects.steps_registry.format.steps import Step
from workflows.core.dialects.steps_registry.format.vocabulary import RELEASES
from workflows.core.dialects.steps_registry.rules.incremental_rules import Look, remembered
from workflows.core.dialects.steps_registry.source import RegistrySource
from workflows.core.pack.edits import Edit
from workflows.core.pack.findings import Finding, Fix, Level, Place, Rule, rule
from workflows.core.pack.graph import Graph
from workflows.core.text.json.document import Pointer, pointer_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Note:
    """A finding before it has a code: what, where, what to do. `path` "" is the registry."""

    message: str
    pointer: Pointer = ()
    element: str = ""
    hint: str = ""
    fix: Fix | None = None
    path: str = ""

    def at(self, pointer: Pointer, element: str) -> Note:
        """The same, said of a place."""
        return replace(self, pointer=pointer, element=element)


Notes: TypeAlias = Iterable[Note]


def at(step: Step, *keys: str | int) -> Pointer:
    return ("steps", step.id, *keys)


def climpt(source: RegistrySource) -> str:
    """The Climpt that a file of this generation is for, by name."""
    return f"Climpt {RELEASES[source.generation]}"


def repair(label: str, *edits: Edit) -> Fix:
    return Fix(label=label, edits=edits)


def check(
    code: str, level: Level, title: str
) -> Callable[[Callable[[RegistrySource], Notes]], Rule]:
    """Declare a rule. Shapes that we only show (before 1.13) are not checked."""

    def register(function: Callable[[RegistrySource], Notes]) -> Rule:
        @wraps(function)
        def run(source: RegistrySource, graph: Graph) -> Iterator[Finding]:
            if source.readable and source.generation != "legacy":
                for note in function(source):
                    yield _finding(source, code, level, note)

        return rule(code, level, title)(run)

    return register


def check_steps(code: str, level: Level, title: str) -> Callable[[Look[Note]], Rule]:
    """Declare a rule on single steps: it is given those to look at, and what it says of the others
    is remembered (see `sights`, which says what it may use)."""

    def register(look: Look[Note]) -> Rule:
        @wraps(look)
        def run(source: RegistrySource) -> Notes:
            return chain.from_iterable(remembered(source, code, look).values())

        return check(code, level, title)(run)

    return register


def _finding(source: RegistrySource, code: str, level: Level, note: Note) -> Finding:
    place = Place(
        path=note.path or source.main,
        pointer=pointer_text(note.pointer) if note.pointer else "",
        element=note.element,
    )
    return Finding(
        code=code,
        level=level,
        message=note.message,
        place=place,
        hint=note.hint,
        fix=note.fix,
    )
