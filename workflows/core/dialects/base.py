"""What a dialect promises, and nothing else. A dialect is a folder here that declares `DIALECT`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from workflows.core.engine.program import Program
from workflows.core.pack.edits import Edit
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place, Rule
from workflows.core.pack.forms import Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Graph, Offer


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One pack in a tree: which files are its own, and which one names it.

    `root` is the folder that the paths share with the rest of the tree ("" for none); `files` keep
    the paths they have in the tree, so that what is handed back lands where it came from.
    """

    dialect: str
    name: str
    main: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Exported:
    """Files made from a pack for somebody else's use, and what there is to say about them."""

    files: Files
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Export:
    """A form in which a pack can be handed out besides its own bytes. `name` is a word of small
    letters, digits, dots and hyphens, unlike any dialect's name."""

    name: str
    title: str
    description: str
    make: Callable[[Any], Exported]
    """From a readable source. Raises EditRefused with the reason where this pack has no such form.
    """


class Source(Protocol):
    """A pack, read: its files, the parse trees behind them, and what went wrong while reading.

    Immutable. `findings` are the problems of reading (not JSON, duplicate keys, wrong shape); with
    `readable` False there is nothing to draw and only those findings hold.
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
    def locate(self, place: Place) -> Place:
        """The same place with its line filled in (1 where the pointer leads nowhere)."""
        ...


class Dialect(Protocol):
    """A format we read, draw, edit, run and write. Pure: no method opens, calls or remembers.

    It may have five attributes more: `covers`, the codes of general rules that its own do better;
    `converter` (see `core.convert.Converter`), without which its packs are not converted;
    `tools(source)`, the `ToolSpec`s of what a run may call besides its models; `bindings`, what
    these do where nobody bound them, tool → `{"kind", "settings"}`; and `grown(source, log)`, the
    next source with what a run added to its graph, where events of its runs carry `grown` (raises
    EditRefused).
    """

    name: str
    label: str
    profiles: tuple[str, ...]
    """The first is the one a new pack starts with."""
    file_names: tuple[str, ...]
    """What a text of this format may be called that comes without a name, likeliest first."""

    def recognises(self, files: Files) -> list[Found]:
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

    def exports(self) -> tuple[Export, ...]:
        """The other forms in which packs of this dialect can be handed out."""
        ...

    def samples(self) -> Mapping[str, Files]:
        """Packs that ship with us, by name: what a first visitor opens, and a new pack's start."""
        ...
