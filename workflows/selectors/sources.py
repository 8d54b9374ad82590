"""Cache of parsed packs. A revision never changes, so neither does an entry."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from threading import Lock, RLock
from typing import Any

from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect, Source
from workflows.core.engine.effects import ToolSpec
from workflows.core.pack.causes import in_order
from workflows.core.pack.cut_graph import CUT_GRAPH, cut, cut_finding
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place
from workflows.core.pack.graph import Graph, State, Transition
from workflows.core.rules.check import check
from workflows.errors import NotThere
from workflows.isolation import Limits, Stopped, is_shipped, run_apart
from workflows.isolation.jobs import published_agents
from workflows.models import Pack
from workflows.selectors.pack_work import on_pack
from workflows.selectors.revision_files import files_at

MAX_ENTRIES = 60
MAX_VIEWED = 16
"""Maximum number of entries that keep their graph and findings too, which take ten times the bytes.
"""
MAX_BYTES = 12 * 1024 * 1024
"""Limit in bytes of files and drawn elements; parse trees of neighbouring revisions share most
nodes."""

DRAWN = 400
"""Bytes that a state or transition counts in the cache."""
MAX_BROKEN = 100
"""Consecutive unreadable revisions over which the last drawing stays."""
LARGE = 128 * 1024
"""Bytes of files above which the rules run after the answer to an edit."""
CHECK_LIMITS = Limits(seconds=20)


class View:
    """One source under one profile: graph, findings and their JSON, each computed once.

    A pack is drawn here after a process with limits has drawn it, so it is known to end.
    `is_tried`: that has happened before, because the pack is stored.
    """

    def __init__(
        self, dialect: Dialect, source: Source, profile: str, *, is_tried: bool = False
    ) -> None:
        self.dialect = dialect
        self.source = source
        self.profile = profile
        self._is_tried = is_tried or not is_shipped(dialect.name)
        self._findings: tuple[Finding, ...] | None = None
        self._checking = Lock()

    @cached_property
    def graph(self) -> Graph:
        return self._drawn[0]

    @cached_property
    def _drawn(self) -> tuple[Graph, tuple[Finding, ...]]:
        """The graph, cut to the maximum numbers, and a finding if it was cut."""
        self._try()
        graph = self.dialect.graph(self.source, self.profile)
        return cut(graph), cut_finding(graph, self.source.main)

    def _try(self) -> None:
        if not self._is_tried:
            on_pack("Drawing this pack", "drawn", self.dialect, self.source.files, self.profile)
            self._is_tried = True

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Every finding. Threads that ask at the same time wait for one check."""
        with self._checking:
            if self._findings is None:
                self._findings = self._checked()
            return self._findings

    def prepare(self, *, check: bool = True) -> None:
        """Compute what a transaction will read, so that no other writer waits for it."""
        if check:
            _ = self.findings
        _ = self.states, self.outline, self.agents

    @property
    def has_findings(self) -> bool:
        """True if `findings` takes no time worth waiting for elsewhere."""
        return (
            self._findings is not None
            or not self.source.readable
            or self.source.files.size <= LARGE
        )

    def _checked(self) -> tuple[Finding, ...]:
        if not self.source.readable:
            return check(self.dialect, self.source, self.profile)
        findings = self._checked_apart()
        if not self._drawn[1]:
            return findings
        other = (finding for finding in findings if finding.code != CUT_GRAPH)
        return in_order((*other, *self._drawn[1]))

    def _checked_apart(self) -> tuple[Finding, ...]:
        try:
            findings: tuple[Finding, ...] = run_apart(
                "findings", self.dialect.name, self.source.files, self.profile, limits=CHECK_LIMITS
            )
        except Stopped as stopped:
            cut = Finding(
                code="IN003",
                level="warning",
                message=stopped.sentence("Checking this pack"),
                place=Place(path=self.source.main, element="pack"),
                hint="Findings of the rules are missing. Split the pack, or remove what it does not"
                " need.",
            )
            return (*self.source.findings, cut)
        self._is_tried = True
        return findings

    @cached_property
    def states(self) -> dict[str, State]:
        return {state.id: state for state in self.graph.states}

    @cached_property
    def transitions(self) -> dict[str, Transition]:
        return {transition.id: transition for transition in self.graph.transitions}

    @cached_property
    def outline(self) -> list[dict[str, Any]]:
        if not self.source.readable:
            return []
        self._try()
        return [section.to_json() for section in self.dialect.outline(self.source)]

    @cached_property
    def agents(self) -> dict[str, dict[str, Any]]:
        """The agents that this pack publishes; see `published_agents`."""
        if not self.source.readable:
            return {}
        self._try()
        return published_agents(self.dialect, self.source, self.profile)

    @cached_property
    def tools(self) -> tuple[ToolSpec, ...]:
        """The pack's own tools, if the dialect has any."""
        return self.dialect.tools(self.source) if self.source.readable else ()

    @property
    def findings_json(self) -> list[dict[str, Any]]:
        return [finding.to_json() for finding in self.findings]

    def count(self, level: str) -> int:
        return sum(finding.level == level for finding in self.findings)


@dataclass(slots=True)
class Opened:
    """A parsed revision. `is_stored`: its bytes were read and drawn within limits before."""

    dialect: Dialect
    source: Source
    is_stored: bool = False
    _views: dict[str, View] = field(default_factory=dict)

    @property
    def files(self) -> Files:
        return self.source.files

    def under(self, profile: str) -> View:
        """The view of this revision under a profile."""
        view = self._views.get(profile)
        if view is None:
            made = View(self.dialect, self.source, profile, is_tried=self.is_stored)
            view = self._views.setdefault(profile, made)
        return view

    @property
    def drawn(self) -> int:
        """The number of states and transitions in the graphs that were made so far."""
        graphs = [view.graph for view in self._views.values() if "_drawn" in view.__dict__]
        return sum(len(graph.states) + len(graph.transitions) for graph in graphs)

    def forget_views(self) -> None:
        """Keep only the parsed source; views are computed again on demand."""
        self._views.clear()


class SourceCache:
    """The newest entries by (pack, revision), within limits. Thread-safe."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._kept: OrderedDict[tuple[int, int], Opened] = OrderedDict()
        self._sizes: dict[tuple[int, int], int] = {}
        self._bytes = 0

    def get(self, pack_id: int, number: int) -> Opened | None:
        with self._lock:
            opened = self._kept.get((pack_id, number))
            if opened is not None:
                self._kept.move_to_end((pack_id, number))
            return opened

    def put(self, pack_id: int, number: int, opened: Opened) -> None:
        opened.is_stored = True
        with self._lock:
            self.drop([(pack_id, number)])
            self._kept[pack_id, number] = opened
            self._sizes[pack_id, number] = _size(opened)
            self._bytes += self._sizes[pack_id, number]
            while len(self._kept) > 1 and (
                len(self._kept) > MAX_ENTRIES or self._bytes > MAX_BYTES
            ):
                self.drop([next(iter(self._kept))])
            for old in list(self._kept.values())[:-MAX_VIEWED]:
                old.forget_views()

    def drop(self, keys: Iterable[tuple[int, int]]) -> None:
        with self._lock:
            for key in keys:
                if self._kept.pop(key, None) is not None:
                    self._bytes -= self._sizes.pop(key)

    def same_files(self, pack_id: int, files: Files) -> Opened | None:
        """An entry of this pack with exactly these bytes, newest first; undo returns to earlier
        bytes."""
        with self._lock:
            candidates = [o for (pack, _), o in reversed(self._kept.items()) if pack == pack_id]
        return next((o for o in candidates if dict(o.files) == dict(files)), None)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()
            self._sizes.clear()
            self._bytes = 0


SHELF = SourceCache()


def opened(pack: Pack, number: int | None = None) -> Opened:
    """One parsed revision (None for the newest). Raises NotThere."""
    number = pack.head if number is None else number
    pack_source = SHELF.get(pack.pk, number)
    if pack_source is None:
        dialect = dialect_named(pack.dialect)
        pack_source = Opened(dialect, dialect.read(files_at(pack.pk, number)))
        SHELF.put(pack.pk, number, pack_source)
    return pack_source


def last_drawn(pack: Pack, number: int, here: Opened | None = None) -> Opened:
    """The revision itself, or if it cannot be read, the newest earlier one that can: the drawing
    stays while the text is broken."""
    pack_source = here or opened(pack, number)
    if pack_source.source.readable:
        return pack_source
    for earlier in range(number - 1, max(number - MAX_BROKEN, 1) - 1, -1):
        before = opened(pack, earlier)
        if before.source.readable:
            return before
    return pack_source


def read(pack_id: int, dialect: Dialect, files: Files) -> Opened:
    """These files, parsed, or from the cache if a revision of the pack has the same bytes."""
    return SHELF.same_files(pack_id, files) or read_new(dialect, files)


def read_new(dialect: Dialect, files: Files) -> Opened:
    """Files that are not stored yet, parsed. Raises TookTooLong."""
    if is_shipped(dialect.name):
        on_pack("Reading this pack", "tried", dialect, files)
    return Opened(dialect, dialect.read(files))


def view(pack: Pack, number: int | None = None, profile: str = "") -> View:
    """One revision under the pack's profile, or another one."""
    return opened(pack, number).under(profile or pack.profile)


def dialect_named(name: str) -> Dialect:
    """A dialect by name. Raises NotThere."""
    try:
        return dialects()[name]
    except KeyError:
        names = ", ".join(sorted(dialects()))
        raise NotThere(f"Unknown dialect {name!r}. Dialects: {names}.") from None


def _size(opened: Opened) -> int:
    """Bytes of files, and about as many for each drawn element as it takes in memory."""
    return opened.files.size + opened.drawn * DRAWN
