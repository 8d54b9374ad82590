"""The drawing of a pack, which a process makes and the server keeps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.findings import Finding
from workflows.core.pack.graph import Graph
from workflows.core.tools.availability import NamedTool

Item = TypeVar("Item")


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnPack:
    """A pack under one profile. `problems` are those of reading it; an unreadable pack has nothing
    else. `tools` are its own, `named_tools` those that it allows without declaring them."""

    readable: bool
    main: str
    problems: tuple[Finding, ...]
    graph: Graph
    outline: list[dict[str, Any]]
    agents: dict[str, dict[str, Any]]
    tools: tuple[ToolSpec, ...] = ()
    named_tools: tuple[NamedTool, ...] = ()


@dataclass(frozen=True, slots=True)
class DrawnChange:
    """The same pack after an edit, to be sent to a server that has the pack before it. An unchanged
    state or transition is its index there: in a large pack that is nearly every one."""

    after: DrawnPack
    states: tuple[Any, ...]
    transitions: tuple[Any, ...]

    @classmethod
    def between(cls, before: DrawnPack, after: DrawnPack) -> DrawnChange:
        return cls(
            replace(after, graph=replace(after.graph, states=(), transitions=())),
            _references(before.graph.states, after.graph.states),
            _references(before.graph.transitions, after.graph.transitions),
        )

    def applied(self, before: DrawnPack) -> DrawnPack:
        """The pack after the edit, which shares what is unchanged with the one before."""
        graph = replace(
            self.after.graph,
            states=_resolved(before.graph.states, self.states),
            transitions=_resolved(before.graph.transitions, self.transitions),
        )
        return replace(self.after, graph=graph)


def _references(old: Sequence[Item], new: Sequence[Item]) -> tuple[int | Item, ...]:
    indexes = {id(one): index for index, one in enumerate(old)}
    return tuple(indexes.get(id(one), one) for one in new)


def _resolved(old: Sequence[Item], references: Sequence[Any]) -> tuple[Item, ...]:
    return tuple(old[one] if isinstance(one, int) else one for one in references)
