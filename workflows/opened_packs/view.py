"""An opened pack: its drawing and its findings under a profile, each made once."""

from __future__ import annotations

from functools import cached_property
from threading import Lock
from typing import Any

from workflows.core.dialects.base import Dialect, Source
from workflows.core.engine.program import Program
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place
from workflows.core.pack.graph import Graph, State, Transition
from workflows.isolation import Limits, Stopped, run_apart
from workflows.isolation.drawn_pack import DrawnPack
from workflows.opened_packs.pack_work import on_pack

DRAWN = 400
"""Bytes that a state or transition counts in the cache."""
LARGE = 128 * 1024
"""Bytes of files above which the rules run after the answer to an edit."""
CHECK_LIMITS = Limits(seconds=20)


class View:
    """One revision under one profile: its drawing and findings, made in a process with limits.

    `drawn`: the drawing, if it came with the edit that made the revision.
    """

    def __init__(self, opened: Opened, profile: str, drawn: DrawnPack | None = None) -> None:
        self.dialect = opened.dialect
        self.files = opened.files
        self.profile = profile
        self._opened = opened
        self._findings: tuple[Finding, ...] | None = None
        self._checking = Lock()
        if drawn is not None:
            self.drawn = drawn

    @cached_property
    def drawn(self) -> DrawnPack:
        """The drawing. Raises TookTooLong."""
        made: DrawnPack = on_pack(
            "Drawing this pack", "drawn", self.dialect, self.files, self.profile
        )
        return made

    @property
    def is_drawn(self) -> bool:
        return "drawn" in self.__dict__

    @property
    def readable(self) -> bool:
        return self.drawn.readable

    @property
    def graph(self) -> Graph:
        return self.drawn.graph

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding. Threads that ask at the same time wait for one check."""
        with self._checking:
            if self._findings is None:
                self._findings = self._checked()
            return self._findings

    def prepare(self, *, check: bool = True) -> None:
        """Compute what a transaction will read, so that no other writer waits for it."""
        _ = self.drawn, self.findings if check else ()

    @property
    def has_findings(self) -> bool:
        """True if `findings` takes no time worth waiting for elsewhere."""
        return self._findings is not None or not self.readable or self.files.size <= LARGE

    def _checked(self) -> tuple[Finding, ...]:
        try:
            findings: tuple[Finding, ...] = run_apart(
                "findings", self.dialect.name, self.files, self.profile, limits=CHECK_LIMITS
            )
            return findings
        except Stopped as stopped:
            cut = Finding(
                code="IN003",
                level="warning",
                message=stopped.sentence("Checking this pack"),
                place=Place(path=self.drawn.main, element="pack"),
                hint="Findings of the rules are missing. Split the pack, or remove what it does not"
                " need.",
            )
            return (*self.drawn.problems, cut)

    @cached_property
    def states(self) -> dict[str, State]:
        return {state.id: state for state in self.graph.states}

    @cached_property
    def transitions(self) -> dict[str, Transition]:
        return {transition.id: transition for transition in self.graph.transitions}

    @cached_property
    def program(self) -> Program:
        """The program of a stored pack. Raises CannotRun."""
        return self.dialect.program(self._opened.source, self.profile)

    @cached_property
    def run_graph(self) -> Graph:
        """The graph of the program, drawn here, so that a worker needs no process for it."""
        return self.dialect.graph(self._opened.source, self.profile)

    def form(self, element: str) -> dict[str, Any]:
        """The form of an element. Raises EditRefused if the pack has no such element."""
        form: dict[str, Any] = on_pack(
            "Reading this form", "form", self.dialect, self.files, element, self.profile
        )
        return form

    @property
    def findings_json(self) -> list[dict[str, Any]]:
        return [finding.to_json() for finding in self.findings]

    def count(self, level: str) -> int:
        return sum(finding.level == level for finding in self.findings)


class Opened:
    """The files of a revision, with a view for each profile in use."""

    def __init__(self, dialect: Dialect, files: Files) -> None:
        self.dialect = dialect
        self.files = files
        self._views: dict[str, View] = {}

    @cached_property
    def source(self) -> Source:
        """The files, parsed in this process. Only for a stored pack, which a process with limits
        has read before."""
        return self.dialect.read(self.files)

    @property
    def drawn(self) -> DrawnPack:
        """The drawing under any profile, for what is the same under each. Raises TookTooLong."""
        view = next(iter(self._views.values()), None)
        return (view or self.under(self.dialect.profiles[0])).drawn

    @property
    def readable(self) -> bool:
        return self.drawn.readable

    def under(self, profile: str, drawn: DrawnPack | None = None) -> View:
        """The view of this revision under a profile."""
        view = self._views.get(profile)
        if view is None:
            view = self._views.setdefault(profile, View(self, profile, drawn))
        return view

    @property
    def size(self) -> int:
        """Bytes of the files, and about as many as the graphs that were made so far take."""
        graphs = [view.graph for view in list(self._views.values()) if view.is_drawn]
        drawn = sum(len(graph.states) + len(graph.transitions) for graph in graphs)
        return self.files.size + drawn * DRAWN
