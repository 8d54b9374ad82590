"""Find and replace in a pack. Names are replaced by the edits that rename them, which update every
reference; other text is replaced in its own value, and no other byte of the file changes."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, get_args

from workflows.core.pack.edits import (
    Edit,
    EditRefused,
    Relabel,
    RenameObject,
    RenameState,
    WriteFile,
)
from workflows.core.pack.occurrences import Occurrences
from workflows.core.pack.text_ranges import ElementIndex, PackRanges
from workflows.core.text.json.document import JsonText, JsonTextError, Pointer, pointer_text
from workflows.core.text.json.value_ranges import value_ranges

if TYPE_CHECKING:
    from workflows.core.dialects.base import Dialect
    from workflows.core.pack.findings import Place
    from workflows.core.pack.graph import Graph

Area: TypeAlias = Literal["states", "events", "prompts", "tools", "files"]
AREAS: tuple[Area, ...] = get_args(Area)
"""`files` is all other text."""
MAX_ADDED = 2_000_000
"""Characters by which one replacement can make the texts of a pack longer."""
TOO_LONG = (
    f"The replacement makes the pack more than {MAX_ADDED:,} characters longer. Replace fewer "
    "matches at a time, or use a shorter text."
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """A text to find, and its areas. Without a `replacement` nothing is replaced; `only` are keys
    of matches to replace, None for all."""

    text: str
    replacement: str | None = None
    match_case: bool = False
    whole_words: bool = False
    areas: Collection[str] = AREAS
    only: Collection[str] | None = None

    @property
    def pattern(self) -> re.Pattern[str]:
        flags = 0 if self.match_case else re.IGNORECASE
        if self.whole_words:
            return re.compile(rf"(?<!\w){re.escape(self.text)}(?!\w)", flags)
        return re.compile(re.escape(self.text), flags)


@dataclass(frozen=True, slots=True, kw_only=True)
class Match:
    """A name or a line with at least one occurrence. `key` identifies it in one revision."""

    key: str
    area: Area
    element: str
    path: str
    line: int
    text: str
    replaced: str
    count: int

    def to_json(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in self.__dataclass_fields__}


@dataclass(frozen=True, slots=True, kw_only=True)
class FindResult:
    """The matches, and the edits that replace them. `refused` is the reason if there are no edits,
    else ""."""

    matches: tuple[Match, ...]
    edits: tuple[Edit, ...]
    refused: str = ""


def find(dialect: Dialect, source: Any, graph: Graph, query: Query) -> FindResult:
    """Find a text in a pack. The edits apply in their order."""
    finder = _Finder(dialect, source, graph, query)
    matches = (*finder.names(), *finder.texts())
    if query.replacement is None:
        return FindResult(matches=matches, edits=())
    if finder.added > MAX_ADDED:
        return FindResult(matches=matches, edits=(), refused=TOO_LONG)
    return FindResult(matches=matches, edits=finder.edits())


class _Finder:
    def __init__(self, dialect: Dialect, source: Any, graph: Graph, query: Query) -> None:
        self.dialect = dialect
        self.source = source
        self.graph = graph
        self.query = query
        self.pattern = query.pattern
        self.new = query.replacement or ""
        self.added = 0
        self._ranges = PackRanges(dialect, source, graph)
        self._renames: list[Edit] = []
        self._relabels: list[Edit] = []
        self._written: list[Edit] = []
        self._objects = self._object_names()
        self._names = {
            *(state.id for state in graph.states),
            *(transition.label for transition in graph.transitions),
            *(key for key, _ in self._objects.values()),
        }

    def edits(self) -> tuple[Edit, ...]:
        """Text first, while its places are known; then names, labels before the states in their
        ids."""
        return (*self._written, *self._relabels, *self._renames)

    # -- names ------------------------------------------------------------------------------

    def names(self) -> Iterator[Match]:
        for state in self.graph.states:
            if found := self._name("states", state.element, state.id, state.place):
                match, new = found
                yield match
                if new is not None:
                    self._renames.append(RenameState(id=state.id, new_id=new))
        for transition in self.graph.transitions:
            element, label = transition.element, transition.label
            if found := self._name("events", element, label, transition.place):
                match, new = found
                yield match
                if new is not None:
                    self._relabels.append(Relabel(transition=transition.id, label=new))
        for element, (key, place) in self._objects.items():
            if found := self._name(_area(element), element, key, place):
                match, new = found
                yield match
                if new is not None:
                    self._renames.append(RenameObject(element=element, new_key=new))

    def _name(
        self, area: Area, element: str, name: str, place: Place
    ) -> tuple[Match, str | None] | None:
        """The match of a name, and its new name; None for a name that is not replaced."""
        found = Occurrences.of(self.pattern, name) if area in self.query.areas else None
        if found is None:
            return None
        new = self._replaced(element, found)
        at = self.source.locate(place)
        match = Match(
            key=element,
            area=area,
            element=element,
            path=at.path,
            line=at.line,
            text=name,
            replaced=found.shown_replaced(self.new) if new is None else new,
            count=found.count,
        )
        return match, new

    def _replaced(self, key: str, found: Occurrences) -> str | None:
        """The text after the replacement; None if it is not replaced, or if all texts together
        become too long, so that none is built."""
        if self.query.replacement is None:
            return None
        if self.query.only is not None and key not in self.query.only:
            return None
        self.added += max(found.replaced_length(self.new) - len(found.text), 0)
        if self.added > MAX_ADDED:
            return None
        new = found.replaced(self.new)
        return new if new != found.text else None

    def _object_names(self) -> dict[str, tuple[str, Place]]:
        """Objects that can be renamed: element → key and place. Files keep their names."""
        drawn = {(state.kind, state.id) for state in self.graph.states}
        names: dict[str, tuple[str, Place]] = {}
        for section in self.dialect.outline(self.source) if self.source.readable else ():
            for element, _ in section.items:
                kind, _, key = element.partition(":")
                if kind == "file" or not self.pattern.search(key) or (kind, key) in drawn:
                    continue
                try:
                    at = self.dialect.element_place(self.source, element, self.graph.profile)
                except EditRefused:
                    continue
                if at.renamable:
                    names[element] = (key, at.place)
        return names

    # -- text -------------------------------------------------------------------------------

    def texts(self) -> Iterator[Match]:
        for path, data in self.source.files.items():
            try:
                text = data.decode()
            except UnicodeDecodeError:
                continue
            if "\0" in text or not self._may_hold(text):
                continue
            index = ElementIndex(self._ranges.of(path))
            try:
                document = JsonText.parse(data)
            except JsonTextError:
                yield from self._lines(path, text, index)
            else:
                yield from self._values(path, document, index)

    def _may_hold(self, text: str) -> bool:
        """False for a file without the text, unless escapes may spell it."""
        return "\\" in text or self.pattern.search(text) is not None

    def _values(self, path: str, document: JsonText, index: ElementIndex) -> Iterator[Match]:
        """Strings of a JSON file that are not names."""
        places = value_ranges(document.data)
        changes: dict[Pointer, str] = {}
        for pointer, value in _strings(document.value):
            if value in self._names or not self.pattern.search(value):
                continue
            start, _ = places.get(pointer, (0, 0))
            area, element = self._owner(path, index, start)
            found = Occurrences.of(self.pattern, value) if area in self.query.areas else None
            if found is None:
                continue
            key = f"text:{path}#{pointer_text(pointer)}"
            yield self._match(key, area, element, path, document.line(pointer), found)
            if (new := self._replaced(key, found)) is not None:
                changes[pointer] = new
        if changes and self.added <= MAX_ADDED:
            whole = changes.get(())  # A file that is one string.
            new_document = document.set_all(changes) if whole is None else document.set((), whole)
            self._written.append(WriteFile(path=path, text=new_document.data.decode()))

    def _lines(self, path: str, text: str, index: ElementIndex) -> Iterator[Match]:
        """Lines of any other text; in its front matter, lines without a name only."""
        lines = text.split("\n")
        header = _header_end(lines)
        offset = 0
        changed = False
        for number, line in enumerate(lines):
            start, offset = offset, offset + len(line.encode()) + 1
            if not self.pattern.search(line):
                continue
            if number < header and _scalar(line) in self._names:
                continue
            area, element = self._owner(path, index, start)
            found = Occurrences.of(self.pattern, line) if area in self.query.areas else None
            if found is None:
                continue
            key = f"text:{path}:{number + 1}"
            yield self._match(key, area, element, path, number + 1, found)
            if (new := self._replaced(key, found)) is not None:
                lines[number] = new
                changed = True
        if changed and self.added <= MAX_ADDED:
            self._written.append(WriteFile(path=path, text="\n".join(lines)))

    def _owner(self, path: str, index: ElementIndex, start: int) -> tuple[Area, str]:
        """The area and the element of the text at a byte."""
        element = index.at(start)[0]
        if path == self.source.main:
            return _area(element), element
        prompt = element.startswith(("state:", "template:", "role:"))
        return "prompts" if prompt else "files", element

    def _match(
        self, key: str, area: Area, element: str, path: str, line: int, found: Occurrences
    ) -> Match:
        return Match(
            key=key,
            area=area,
            element=element,
            path=path,
            line=line,
            text=found.shown(),
            replaced=found.shown_replaced(self.new),
            count=found.count,
        )


def _area(element: str) -> Area:
    kind = element.partition(":")[0]
    areas: Mapping[str, Area] = {
        "state": "states",
        "transition": "events",
        "prompt": "prompts",
        "fragment": "prompts",
        "template": "prompts",
        "tool": "tools",
    }
    return areas.get(kind, "files")


def _strings(value: Any, pointer: tuple[str | int, ...] = ()) -> Iterator[tuple[Any, str]]:
    """Every string value with its pointer, in file order."""
    match value:
        case str():
            yield pointer, value
        case dict():
            for key, item in value.items():
                yield from _strings(item, (*pointer, key))
        case list():
            for index, item in enumerate(value):
                yield from _strings(item, (*pointer, index))


def _header_end(lines: list[str]) -> int:
    """The number of lines of the front matter; 0 if there is none."""
    if not lines or lines[0].strip() != "---":
        return 0
    return next((index for index, line in enumerate(lines[1:], 1) if line.strip() == "---"), 0)


def _scalar(line: str) -> str:
    """The value of a line of YAML, without its key, dash and quotes."""
    value = re.sub(r"^\s*(?:- )?\s*(?:[\w.-]+:\s)?\s*", "", line).strip()
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
