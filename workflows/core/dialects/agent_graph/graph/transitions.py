"""Transitions: one for each direction that an edge permits."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from workflows.core.dialects.agent_graph.format.model import AgentGraph, Edge


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeTransition:
    """One direction of an edge. `back` is the second direction of a two-way edge. `label` is unique
    between the same two nodes."""

    edge: Edge
    back: bool
    label: str

    @property
    def source(self) -> str:
        return self.edge.target if self.back else self.edge.source

    @property
    def target(self) -> str:
        return self.edge.source if self.back else self.edge.target

    @property
    def id(self) -> str:
        """The same form as `core.graph.Transition.id`."""
        return f"{self.source}|{self.label}|{self.target}"


def transitions_of(graph: AgentGraph) -> Iterator[EdgeTransition]:
    """Every transition from an existing node, in file order. A loop is one transition."""
    labels = _Labels()
    for edge in graph.edges:
        directions = (
            (False, True) if edge.bidirectional and edge.source != edge.target else (False,)
        )
        for back in directions:
            if (edge.target if back else edge.source) in graph.nodes:
                yield labels.unique(edge, back)


class _Labels:
    """Labels of transitions that are unique between the same two nodes."""

    def __init__(self) -> None:
        self._taken: set[str] = set()
        self._numbers: dict[tuple[str, str, str, str], int] = {}
        """Source, label, target and type → the lowest number that may be free."""

    def unique(self, edge: Edge, back: bool) -> EdgeTransition:
        """The transition of one direction, with a number behind its label if that is taken."""
        transition = EdgeTransition(edge=edge, back=back, label=edge.label)
        numbered = (transition.source, edge.label, transition.target, edge.type)
        number = self._numbers.get(numbered, 1)
        while transition.id in self._taken:
            more = edge.type if number == 1 else f"{edge.type} {number}"
            transition = EdgeTransition(edge=edge, back=back, label=f"{edge.label} ({more})")
            number += 1
        self._numbers[numbered] = number
        self._taken.add(transition.id)
        return transition
