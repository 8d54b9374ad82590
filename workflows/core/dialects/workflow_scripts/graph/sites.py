"""Call sites: the places in the text at which agents are called."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from workflows.core.dialects.workflow_scripts.format import values
from workflows.core.dialects.workflow_scripts.format.syntax import (
    FUNCTIONS,
    Node,
    arguments,
    enclosing,
    function_name,
    line,
    parts,
    string_value,
    text,
)
from workflows.core.dialects.workflow_scripts.format.values import Value
from workflows.core.dialects.workflow_scripts.graph.calls import first_words, label_names
from workflows.core.dialects.workflow_scripts.graph.model import PlanState
from workflows.core.dialects.workflow_scripts.graph.names import base_id


@dataclass(frozen=True, eq=False, kw_only=True)
class Site:
    """A call of `agent`. Texts have `…` for what a run decides; None if they are not static."""

    id: str
    node: Node
    states: tuple[PlanState, ...]
    label: str | None
    phase: str | None
    model: str | None
    effort: str | None
    agent_type: str | None
    isolation: str | None
    has_schema: bool
    options: tuple[str, ...]

    @property
    def line(self) -> int:
        return line(self.node)


def sites_of(nodes: Iterable[Node], states: Sequence[PlanState]) -> tuple[Site, ...]:
    """The sites of a script. Uses of a helper are one site."""
    by_node: dict[int, list[PlanState]] = {}
    for state in states:
        if state.kind == "agent":
            by_node.setdefault(state.node.start_byte, []).append(state)
    taken: dict[str, int] = {}
    sites = []
    for node in nodes:
        mine = by_node.get(node.start_byte, [])
        label = _same(mine, "label")
        function = next(
            (
                function_name(one)
                for one in enclosing(node)
                if one.type in FUNCTIONS and function_name(one)
            ),
            "",
        )
        prompt = mine[0].prompt if mine else None
        words = first_words(prompt) if prompt is not None else ""
        base = base_id(*label_names(label), function, words, "agent")
        taken[base] = taken.get(base, 0) + 1
        sites.append(
            Site(
                id=base if taken[base] == 1 else f"{base}-{taken[base]}",
                node=node,
                states=tuple(mine),
                label=values.pattern(label),
                phase=values.pattern(_same(mine, "phase")),
                model=values.pattern(_same(mine, "model")),
                effort=values.pattern(_same(mine, "effort")),
                agent_type=values.pattern(_same(mine, "agentType")),
                isolation=values.pattern(_same(mine, "isolation")),
                has_schema=any("schema" in (one.options or {}) for one in mine),
                options=option_names(node),
            )
        )
    return tuple(sites)


def _same(states: Sequence[PlanState], name: str) -> Value | None:
    """An option that is the same in all uses."""
    found = [(state.options or {}).get(name) for state in states]
    if not found or any(one != found[0] for one in found):
        return None
    return found[0]


def option_names(node: Node) -> tuple[str, ...]:
    """The options that a call writes itself."""
    nodes = arguments(node)
    if len(nodes) < 2 or nodes[1].type != "object":
        return ()
    names = []
    for one in parts(nodes[1]):
        key = one.child_by_field_name("key")
        if one.type == "shorthand_property_identifier":
            names.append(text(one))
        elif key is not None:
            names.append(string_value(key) if key.type == "string" else text(key))
    return tuple(names)
