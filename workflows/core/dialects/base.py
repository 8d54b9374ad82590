"""What a dialect promises, and nothing else. A dialect is a folder here that declares `DIALECT`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Protocol

from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.events import Event
from workflows.core.engine.program import Program
from workflows.core.pack.edits import Edit, EditRefused
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place, Rule
from workflows.core.pack.forms import Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Graph, Offer

if TYPE_CHECKING:
    from workflows.core.convert.conversion import Converter


@dataclass(frozen=True, slots=True, kw_only=True)
class PackLocation:
    """One pack in a tree: which files are its own, and which one names it.

    `root` is the folder that the paths share with the rest of the tree ("" for none); `files` keep
    the paths they have in the tree, so that what is handed back lands where it came from.
    """

    dialect: str
    name: str
    main: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResult:
    """Files made from a pack for somebody else's use, and what there is to say about them."""

    files: Files
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A form in which a pack can be handed out besides its own bytes. `name` is a word of small
    letters, digits, dots and hyphens, unlike any dialect's name."""

    name: str
    title: str
    description: str
    make: Callable[[Any], ExportResult]
    """From a readable source. Raises EditRefused with the reason where this pack has no such form.
    """


class Source(Protocol):
    """A parsed pack: its files, their parse trees, and the problems of reading them.

    Immutable. `findings` are the problems of reading (not JSON, duplicate keys, wrong shape); if
    `readable` is False there is nothing to draw and only those findings hold.
    """

    @property
    def files(self) -> Files: ...
    @property
    def main(self) -> str:
        """The path of the file that names the pack."""
        ...

    @property
    def findings(self) -> tuple[Finding, ...]: ...
    @property
    def readable(self) -> bool: ...
    @property
    def template_bytes(self) -> Mapping[str, bytes] | None:
        """The pack's role templates by name. None for a dialect without role templates."""
        ...

    def locate(self, place: Place) -> Place:
        """The same place with its line filled in (1 if the pointer does not resolve)."""
        ...


class SourceDefaults:
    """The optional members of `Source`. A mixin and not the protocol itself, because a dataclass
    would take an inherited property for the default value of its field."""

    __slots__ = ()

    @property
    def template_bytes(self) -> Mapping[str, bytes] | None:
        return None


class Dialect(Protocol):
    """A format that Signalbox reads, draws, edits, runs and writes. Pure: no method does I/O or
    keeps state. A dialect subclasses this for the defaults of the optional members."""

    name: str
    label: str
    profiles: tuple[str, ...]
    """The first is a new pack's profile."""
    file_names: tuple[str, ...]
    """File names for a text of this format that has none, most likely first."""
    covers: frozenset[str] = frozenset()
    """Codes of general rules that this dialect's own rules replace."""
    converter: Converter | None = None
    """None: packs of this dialect are not converted."""
    bindings: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    """Default binding of a tool that has none on this server: tool → `{"kind", "settings"}`."""
    dynamic: bool = False
    """Whether a run may add states and transitions to its graph."""

    def tools(self, source: Any) -> tuple[ToolSpec, ...]:
        """The tools that a run of a readable pack may call."""
        return ()

    def cards(self, source: Any) -> Mapping[str, dict[str, Json]] | None:
        """The A2A card of each agent of a readable pack. None for a dialect without cards."""
        return None

    def with_additions(self, source: Any, log: Iterable[Event]) -> Source:
        """The source with the states and transitions that a run added, from the `grown` field of
        its events. Raises EditRefused."""
        raise EditRefused(f"{self.label}: a run of such a pack adds nothing to its graph.")

    def recognises(self, files: Files) -> list[PackLocation]:
        """Which packs lie in this tree. Cheap for files that are plainly something else."""
        ...

    def read(self, files: Files) -> Source:
        """Parse one pack. Never raises for bad content: that becomes findings of the source."""
        ...

    def graph(self, source: Any, profile: str) -> Graph:
        """Project. Draws what it can of a half-wrong pack; an unreadable one has no states."""
        ...

    def offers(self, source: Any, state: str, profile: str) -> tuple[Offer, ...]:
        """Which arrows may still be drawn out of this state."""
        ...

    def palette(self) -> tuple[PaletteItem, ...]:
        """Which kinds of state can be added, whatever the pack."""
        ...

    def outline(self, source: Any) -> tuple[Section, ...]:
        """The pack's other objects, by kind."""
        ...

    def fields(self, source: Any, element: str, profile: str) -> Form:
        """The form of one element. Raises EditRefused for one that is not there."""
        ...

    def rules(self) -> Iterable[Rule]:
        """Its own rules; those over any graph (`core.proofs`) are checked besides."""
        ...

    def apply(self, source: Any, edit: Edit) -> Source:
        """Carry out one edit (never one of LAYOUT) and return the next source.

        Every byte that the edit need not touch stays. Raises EditRefused with the reason.
        The result shares parse trees with `source`, so an edit costs its path, not the pack.
        """
        ...

    def copy(self, source: Any, states: tuple[str, ...]) -> Json:
        """A fragment of these states (and what only they use) for `Paste`."""
        ...

    def program(self, source: Any, profile: str) -> Program:
        """How this pack runs. Raises CannotRun where it cannot start at all."""
        ...

    def exports(self) -> tuple[ExportFormat, ...]:
        """The other forms in which packs of this dialect can be handed out."""
        ...

    def samples(self) -> Mapping[str, Files]:
        """Packs that ship with us, by name: what a first visitor opens, and a new pack's start."""
        ...
