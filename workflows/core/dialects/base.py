"""The interface of a dialect. A dialect is a package in this folder that declares `DIALECT`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from importlib import import_module
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, Protocol

from workflows.core.engine.effects import ToolSpec
from workflows.core.engine.events import Event
from workflows.core.engine.program import Program
from workflows.core.pack.call_bound import CallBound
from workflows.core.pack.causes import NO_CAUSES, Causes
from workflows.core.pack.edits import LAYOUT, Edit, EditRefused
from workflows.core.pack.files import Files
from workflows.core.pack.findings import Finding, Place, Rule, rules_in
from workflows.core.pack.forms import ElementPlace, Form, Json, PaletteItem, Section
from workflows.core.pack.graph import Graph, Offer
from workflows.core.plugins import modules_of, submodule
from workflows.core.tools.availability import NamedTool
from workflows.core.tools.call_approvals import CallApproval

if TYPE_CHECKING:
    from workflows.core.convert.conversion import Converter


@dataclass(frozen=True, slots=True, kw_only=True)
class PackLocation:
    """One pack in a tree of files: its own files, and the one that names it.

    `root` is the folder that the paths share with the rest of the tree ("" for none); `paths` are
    relative to the tree, so an export goes to where the pack came from.
    """

    dialect: str
    name: str
    main: str
    paths: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportResult:
    """Files made from a pack for other systems, and findings about the conversion."""

    files: Files
    findings: tuple[Finding, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExportFormat:
    """A format other than its own that a pack can be exported in. `name` has only small letters,
    digits, dots and hyphens, and differs from every dialect's name."""

    name: str
    title: str
    description: str
    make: Callable[[Any], ExportResult]
    """Export a readable source. Raises EditRefused with the reason if this pack has no such
    form."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EditorSchema:
    """The JSON Schema of one kind of file, for editors. `name` is a file name without an ending;
    `patterns` match the paths of such files as in `.gitignore`."""

    name: str
    patterns: tuple[str, ...]
    make: Callable[[], Mapping[str, Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class NameField:
    """A field of an element's form that has the pack's display name or its id."""

    of: Literal["name", "id"]
    element: str
    key: str


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
    would use an inherited property as the default value of its field."""

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
    local_steps: bool = False
    """True if a step of a run depends on no more of the files than its states, their transitions
    and prompts, and on values of the whole pack."""
    causes: Causes = NO_CAUSES
    """The findings of this dialect that are consequences of others."""
    bindings: Mapping[str, Mapping[str, Any]] = MappingProxyType({})
    """Default binding of a tool that has none on this server: tool → `{"kind", "settings"}`."""
    name_fields: tuple[NameField, ...] = ()
    """The fields that have the name and id of the pack."""
    id_in_paths: bool = False
    """True if the pack's id is in the paths of its files, and in their references."""
    dynamic: bool = False
    """True if a run may add states and transitions to its graph."""

    editor_schemas: tuple[EditorSchema, ...] = ()
    """The files of this format that editors can complete and check."""

    def tools(self, source: Any) -> tuple[ToolSpec, ...]:
        """The tools that a run of a readable pack may call."""
        return ()

    def named_tools(self, source: Any) -> tuple[NamedTool, ...]:
        """The tools that a readable pack allows without declaring them, each with its place."""
        return ()

    def call_approvals(self, source: Any) -> tuple[CallApproval, ...]:
        """The calls that a person approves in runs of a readable pack."""
        return ()

    def call_bound(self, source: Any, assumed: Mapping[str, int]) -> CallBound | None:
        """The most agents of one run of a readable pack, with these values of its unknowns. None
        for a dialect whose bound follows from its graph."""
        return None

    def cards(self, source: Any) -> Mapping[str, dict[str, Json]] | None:
        """The A2A card of each agent of a readable pack. None for a dialect without cards."""
        return None

    def with_additions(self, source: Any, log: Iterable[Event]) -> Source:
        """The source with the states and transitions that a run added, from the `grown` field of
        its events. Raises EditRefused."""
        raise EditRefused(f"{self.label}: a run of such a pack adds nothing to its graph.")

    def part(self, name: str) -> Any:
        """A module of the dialect's folder. It is imported when it is needed for the first time,
        because most formats are only looked for and not found."""
        return import_module(f"{type(self).__module__}.{name}")

    def recognises(self, files: Files) -> list[PackLocation]:
        """The packs in this tree. Cheap for files of other formats."""
        found: list[PackLocation] = self.part("recognise").recognises(files)
        return found

    def read(self, files: Files) -> Source:
        """Parse one pack. Never raises for bad content: its problems are findings of the source."""
        source: Source = self.part("source").read(files)
        return source

    def graph(self, source: Any, profile: str) -> Graph:
        """The projection of a source. A partly invalid pack is drawn as far as possible; an
        unreadable one has no states."""
        graph: Graph = self.part("graph.projection").graph(source, profile)
        return graph

    def offers(self, source: Any, state: str, profile: str) -> tuple[Offer, ...]:
        """The transitions that can still be added from this state."""
        ...

    def palette(self) -> tuple[PaletteItem, ...]:
        """The kinds of state that can be added to any pack."""
        ...

    def outline(self, source: Any) -> tuple[Section, ...]:
        """The pack's other objects, by kind."""
        ...

    def fields(self, source: Any, element: str, profile: str) -> Form:
        """The form of one element. Raises EditRefused if the pack has no such element."""
        ...

    def element_place(self, source: Any, element: str, profile: str) -> ElementPlace:
        """The place of one element of the outline, as in its form. Raises EditRefused if the pack
        has no such element. Cheap enough to be called for every element."""
        form = self.fields(source, element, profile)
        return ElementPlace(place=form.place, renamable=form.renamable)

    def state_files(self, source: Any, state: str) -> tuple[str, ...]:
        """The files of the pack that the form of a state links, such as its prompt. Cheap enough
        to be called for every state."""
        return ()

    def rules(self) -> Iterable[Rule]:
        """The dialect's own rules, those of its package `rules`; the rules over any graph
        (`core.rules`) are checked too."""
        return rules_in(f"{type(self).__module__}.rules")

    def apply(self, source: Any, edit: Edit) -> Source:
        """Apply one edit (not one of LAYOUT) and return the next source.

        Bytes that the edit does not change stay. Raises EditRefused with the reason. The result
        shares parse trees with `source`, so the cost depends on the edited path, not on the pack's
        size.
        """
        changed: Source = self.part("edits").apply(source, edit)
        return changed

    def apply_all(self, source: Any, edits: Iterable[Edit]) -> Source:
        """The source after all edits, without those of LAYOUT. Raises EditRefused with the edit
        that is not possible."""
        for number, edit in enumerate(edits, 1):
            if isinstance(edit, LAYOUT):
                continue
            try:
                source = self.apply(source, edit)
            except EditRefused as refused:
                where = f"edit {number} ({edit.type})"
                raise EditRefused(refused.message, where=where, hint=refused.hint) from refused
        result: Source = source
        return result

    def copy(self, source: Any, states: tuple[str, ...]) -> Json:
        """A fragment for `Paste`: these states, and the objects that only they use."""
        ...

    def program(self, source: Any, profile: str) -> Program:
        """The pack's program. Raises CannotRun if it cannot start."""
        program: Program = self.part("program.program").program(source, profile)
        return program

    def recorded_run(
        self, source: Any, profile: str, body: Any, near: Callable[[str], bytes | None]
    ) -> tuple[Event, ...] | None:
        """The log of a run that another runtime of the format has recorded. `body` is the JSON of
        its file, or a list of that of its lines; `near` reads a file by its path relative to it.
        None for other files. Raises InvalidRecording and CannotRun."""
        return None

    def exports(self) -> tuple[ExportFormat, ...]:
        """The other formats that packs of this dialect can be exported in: the `EXPORTS` of the
        modules in its folder `exports`, if it has one."""
        package = submodule(type(self).__module__, "exports")
        modules = modules_of(package.__name__) if package else ()
        return tuple(one for module in modules for one in module.EXPORTS)

    def converter(self) -> Converter | None:
        """The `CONVERTER` of its folder `convert`. None: packs are not converted."""
        package = submodule(type(self).__module__, "convert")
        converter: Converter | None = getattr(package, "CONVERTER", None)
        return converter

    def samples(self) -> Mapping[str, Files]:
        """The packs that ship with Signalbox, by name. New packs start as one of them."""
        shipped: Mapping[str, Files] = self.part("samples").samples()
        return shipped
