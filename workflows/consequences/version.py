"""A version of a pack, with its projections."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from workflows.core.compare.difference import Difference, difference
from workflows.core.dialects.base import Dialect, Source
from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.program import CannotRun, Program
from workflows.core.pack.findings import Finding
from workflows.core.pack.graph import Graph
from workflows.core.rules.check import check
from workflows.core.rules.worst_case import WorstCase, pack_worst_case


def no_tools(dialect: Dialect, source: Source) -> Mapping[str, ToolSpec]:
    """The tools of a session that has none of its own."""
    return {}


@dataclass(kw_only=True, eq=False)
class Version:
    """One of the two versions of a pack, each of its projections computed once.

    `tools`: the tools that a run may call besides the standard ones; raises CannotRun for a name
    that nothing provides. `assumed`: numbers for the unknowns of the worst case.
    """

    dialect: Dialect
    source: Source
    profile: str
    tools: Callable[[Dialect, Source], Mapping[str, ToolSpec]] = no_tools
    assumed: Mapping[str, int] = field(default_factory=dict)
    rehearsed: dict[object, Any] = field(init=False, default_factory=dict, repr=False)
    """The coverage of whole rehearsals by their arguments."""
    _difference: tuple[Version, Difference] | None = field(init=False, default=None, repr=False)

    @cached_property
    def graph(self) -> Graph:
        return self.dialect.graph(self.source, self.profile)

    @cached_property
    def findings(self) -> tuple[Finding, ...]:
        return check(self.dialect, self.source, self.profile, self.graph)

    def difference_from(self, before: Version) -> Difference | None:
        """The changes since another version; None if one of the two cannot be read."""
        if not (before.source.readable and self.source.readable):
            return None
        if self._difference is None or self._difference[0] is not before:
            graphs = before.graph, self.graph
            found = difference(self.dialect, before.source, self.source, self.profile, graphs)
            self._difference = before, found
        return self._difference[1]

    @cached_property
    def worst(self) -> WorstCase | None:
        """None for a version that cannot be read."""
        if not self.source.readable:
            return None
        return pack_worst_case(self.dialect, self.source, self.graph, self.assumed)

    @cached_property
    def program(self) -> Program | CannotRun:
        if not self.source.readable:
            return CannotRun("This pack cannot be read.")
        try:
            return self.dialect.program(self.source, self.profile)
        except CannotRun as cannot:
            return cannot

    def walked_program(self) -> Program:
        """The program with the tools of a rehearsal. Raises CannotRun."""
        if isinstance(self.program, CannotRun):
            raise self.program
        return self.program.with_tools(self.tools(self.dialect, self.source))
