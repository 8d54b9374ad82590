"""How rules of this dialect are written: a check reads the facts and says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Any

from workflows.core.dialects.stages.rules.pipeline_facts import Facts, facts_of
from workflows.core.dialects.stages.source import StagesSource
from workflows.core.pack.edits import Edit, SetField, UnsetField
from workflows.core.pack.findings import (
    MOST_FINDINGS,
    Finding,
    Fix,
    Level,
    Place,
    Rule,
    one_line,
    rule,
)
from workflows.core.pack.graph import Graph
from workflows.core.text.json.document import pointer_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """One thing to say, before it has its code and level."""

    message: str
    place: Place
    hint: str = ""
    fix: Fix | None = None
    walk: tuple[str, ...] = ()


Check = Callable[[Facts], Iterable[Say]]


def stage_rule(
    code: str, level: Level, title: str, *, profiles: tuple[str, ...] = ()
) -> Callable[[Check], Rule]:
    """Register a check over the facts of a pack. Its docstring is the help page."""

    def register(check: Check) -> Rule:
        @wraps(check)
        def carried_out(source: StagesSource, graph: Graph) -> Iterator[Finding]:
            for say in islice(check(facts_of(source)), MOST_FINDINGS):
                yield Finding(
                    code=code,
                    level=level,
                    message=one_line(say.message),
                    place=say.place,
                    hint=say.hint,
                    fix=say.fix,
                    walk=say.walk,
                )

        return rule(code, level, title, profiles=profiles)(carried_out)

    return register


def upstream(code: str, path: str = "", *, kind: str = "Validation") -> str:
    """What stud-cli calls this, for a hint: class, code and, where it has one, its path."""
    return f"stud-cli calls it {kind}/{code}{f' at {path}' if path else ''}."


def button(label: str, *edits: Edit) -> Fix:
    """A one-click repair."""
    return Fix(label=label, edits=edits)


def on_stage(stage: str, *pointer: str | int, value: Any) -> SetField:
    """Set a value of a stage: in its head, `body`, or in what the pipeline says about it."""
    return SetField(element=f"state:{stage}", field=pointer_text(pointer), value=value)


def off_stage(stage: str, *pointer: str | int) -> UnsetField:
    """Take a value of a stage out."""
    return UnsetField(element=f"state:{stage}", field=pointer_text(pointer))


def on_pipeline(*pointer: str | int, value: Any) -> SetField:
    """Set a value at the top of the pipeline."""
    return SetField(element="pack", field=pointer_text(pointer), value=value)


def off_pipeline(*pointer: str | int) -> UnsetField:
    """Take a value at the top of the pipeline out."""
    return UnsetField(element="pack", field=pointer_text(pointer))


def named(names: Iterable[str], most: int = 4) -> str:
    """A short list for a message: 'a', 'b' and 3 more."""
    known = list(names)
    shown = ", ".join(repr(name) for name in known[:most])
    return f"{shown} and {len(known) - most} more" if len(known) > most else shown


def counted(count: int, one: str, many: str = "") -> str:
    """`1 sibling`, `2 siblings`."""
    return f"{count} {one if count == 1 else many or one + 's'}"
