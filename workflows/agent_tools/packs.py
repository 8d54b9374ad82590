"""Packs as tools see them, and the places where packs are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import TYPE_CHECKING, Any, Protocol

from workflows.consequences.recordings import Recording
from workflows.consequences.version import Version
from workflows.core.dialects.base import Dialect, Source
from workflows.core.engine.rehearsal.rehearse import Limits
from workflows.core.pack.findings import Finding
from workflows.core.pack.graph import Graph
from workflows.errors import Unreadable

if TYPE_CHECKING:
    from workflows.agent_tools.tools import Tool

WALK = Limits()
Arguments = Mapping[str, Any]
Answer = dict[str, Any]
Report = Callable[[str], None]
"""Is called with the name of what follows, or of what still runs. Raises to end the work."""


def no_runs(names: Sequence[str]) -> Mapping[str, Recording]:
    """The recorded runs of a pack that has none."""
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentPack:
    """A pack under one profile. `name`: as clients call it; `revision`: changes with its bytes.

    `selected`: the findings that are shown; `allowed_gaps`: transitions that no rehearsal has to
    take; `walk` and `seconds`: limits of one rehearsal. `recorded`: recorded runs by name, the
    pack's own without names.
    """

    name: str
    revision: str
    version: Version
    selected: Callable[[Iterable[Finding]], Sequence[Finding]] = tuple
    allowed_gaps: frozenset[str] = frozenset()
    walk: Limits = WALK
    seconds: float = inf
    recorded: Callable[[Sequence[str]], Mapping[str, Recording]] = no_runs

    @property
    def dialect(self) -> Dialect:
        return self.version.dialect

    @property
    def graph(self) -> Graph:
        """The graph of a readable pack. Raises Unreadable."""
        _ = self.readable
        return self.version.graph

    @property
    def readable(self) -> Source:
        """The parsed files. Raises Unreadable with the first finding."""
        source = self.version.source
        if not source.readable:
            first = next(iter(source.findings), None)
            line = f":{first.place.line}" if first and first.place.line else ""
            message = first.message if first else "This cannot be read."
            raise Unreadable(message, where=f"{self.name}{line}")
        return source


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedPack:
    """A pack in a list. `address`: the value of the argument `pack`."""

    address: str
    dialect: str
    name: str


class Packs(Protocol):
    """A place with packs, for one client. Everything raises errors that have a `message`."""

    def listed(self, like: str) -> Iterable[ListedPack]:
        """The packs with this text in their address or name."""
        ...

    def work(self, tool: Tool, given: Arguments, report: Report) -> Answer:
        """Call a tool with the packs that its arguments name. Writes nothing."""
        ...

    def apply(self, given: Arguments, report: Report) -> Answer:
        """Write the edits, or keep them as a proposal; with the answer of `propose`."""
        ...
