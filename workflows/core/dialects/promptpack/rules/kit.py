"""How rules of this dialect are written: a check reads the parts and says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import islice
from typing import Any

from workflows.core.dialects.promptpack.format.elements import element_at, locate_element
from workflows.core.dialects.promptpack.format.parts import Parts, Pointer
from workflows.core.dialects.promptpack.source import PackSource
from workflows.core.pack.edits import Edit, SetField, UnsetField
from workflows.core.pack.findings import MOST_FINDINGS, Finding, Fix, Level, Rule, one_line, rule
from workflows.core.pack.graph import Graph
from workflows.core.text.json.document import pointer_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """One thing to say, before it has its code and level."""

    message: str
    pointer: Pointer = ()
    hint: str = ""
    fix: Fix | None = None
    walk: tuple[str, ...] = ()
    """Ids of the arrows that lead to it and show it."""


Check = Callable[[Parts], Iterable[Say]]


def pack_rule(
    code: str, level: Level, title: str, *, profiles: tuple[str, ...] = ()
) -> Callable[[Check], Rule]:
    """Register a check over the parts of a pack. Its docstring is the help page."""

    def register(check: Check) -> Rule:
        @wraps(check)
        def carried_out(source: PackSource, graph: Graph) -> Iterator[Finding]:
            for say in islice(check(source.parts), MOST_FINDINGS):
                element = element_at(source.parts, say.pointer)
                yield Finding(
                    code=code,
                    level=level,
                    message=one_line(say.message),
                    place=source.place(*say.pointer, element=element),
                    hint=say.hint,
                    fix=say.fix,
                    walk=say.walk,
                )

        return rule(code, level, title, profiles=profiles)(carried_out)

    return register


def field_of(parts: Parts, pointer: Pointer) -> tuple[str, str]:
    """The element that holds a place, and the place as a field of its form."""
    element = element_at(parts, pointer)
    if element.startswith("transition:"):
        element = f"state:{pointer[2]}"
    found = locate_element(parts, element)
    whole = found is not None and found.pointer == pointer
    if found is None or whole or found.definition == "Fragment":
        return "pack", pointer_text(pointer)
    return element, pointer_text(pointer[len(found.pointer) :])


def setting(parts: Parts, label: str, pointer: Pointer, value: Any) -> Fix:
    """A button that sets one value."""
    element, field = field_of(parts, pointer)
    return Fix(label=label, edits=(SetField(element=element, field=field, value=value),))


def unsetting(parts: Parts, label: str, pointer: Pointer) -> Fix:
    """A button that takes one value out."""
    element, field = field_of(parts, pointer)
    return Fix(label=label, edits=(UnsetField(element=element, field=field),))


def button(label: str, *edits: Edit) -> Fix:
    return Fix(label=label, edits=edits)


def listed_names(names: Iterable[str], most: int = 4) -> str:
    """A short list for a message: a, b, c and 3 more."""
    known = list(names)
    shown = ", ".join(known[:most])
    return f"{shown} and {len(known) - most} more" if len(known) > most else shown
