"""How rules of this dialect are written: a check reads the source and says what is wrong."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import wraps
from itertools import islice

from workflows.core.dialects.agent_graph.source import GraphSource
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
from workflows.core.pack.forms import Json
from workflows.core.pack.graph import Graph
from workflows.core.text.json.document import Pointer, pointer_text


@dataclass(frozen=True, slots=True, kw_only=True)
class Say:
    """One thing to say, before it has its code and level. `place` wins over `pointer`, which is one
    into the main file."""

    message: str
    pointer: Pointer = ()
    place: Place | None = None
    hint: str = ""
    fix: Fix | None = None


Check = Callable[[GraphSource], Iterable[Say]]


def graph_rule(code: str, level: Level, title: str) -> Callable[[Check], Rule]:
    """Register a check over a source. Its docstring is the help page."""

    def register(check: Check) -> Rule:
        @wraps(check)
        def carried_out(source: GraphSource, graph: Graph) -> Iterator[Finding]:
            for say in islice(check(source), MOST_FINDINGS):
                element = element_at(source, say.pointer)
                yield Finding(
                    code=code,
                    level=level,
                    message=one_line(say.message),
                    place=say.place or source.place(*say.pointer, element=element),
                    hint=say.hint,
                    fix=say.fix,
                )

        return rule(code, level, title)(carried_out)

    return register


def element_at(source: GraphSource, pointer: Pointer) -> str:
    """The element that a place of the main file belongs to."""
    match pointer:
        case ("nodes", int(index), *_):
            for node in source.shape.nodes.values():
                if node.index == index:
                    return f"state:{node.id}"
        case ("edges", int(index), *_):
            for arrow in source.arrows.values():
                if arrow.edge.index == index:
                    return f"transition:{arrow.id}"
    return "pack"


def setting(label: str, pointer: Pointer, value: Json) -> Fix:
    """A button that sets one value, wherever in the file."""
    edit = SetField(element="pack", field=pointer_text(pointer), value=value)
    return Fix(label=label, edits=(edit,))


def unsetting(label: str, pointer: Pointer) -> Fix:
    """A button that takes one value out, or one element of a list."""
    return Fix(label=label, edits=(UnsetField(element="pack", field=pointer_text(pointer)),))


def button(label: str, *edits: Edit) -> Fix:
    return Fix(label=label, edits=edits)
