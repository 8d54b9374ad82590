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
from workflows.core.pack.text_ranges import TextRange, elements_at, text_ranges
from workflows.core.text.json.document import JsonText, JsonTextError
from workflows.core.text.json.pointer import pointer_text
from workflows.core.text.json.value_ranges import value_ranges

if TYPE_CHECKING:
    from workflows.core.dialects.base import Dialect
    from workflows.core.pack.findings import Place
    from workflows.core.pack.graph import Graph

Area: TypeAlias = Literal["states", "events", "prompts", "tools", "files"]
AREAS: tuple[Area, ...] = get_args(Area)
"""`files` is all other text."""
LONGEST_SHOWN = 200


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

    def replace(self, text: str) -> str:
        new = self.replacement or ""
        return self.pattern.sub(lambda _: new, text)


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
    """The matches, and the edits that replace them."""

    matches: tuple[Match, ...]
    edits: tuple[Edit, ...]


def find(dialect: Dialect, source: Any, graph: Graph, query: Query) -> FindResult:
    """Find a text in a pack. The edits apply in their order."""
    finder = _Finder(dialect, source, graph, query)
    matches = (*finder.names(), *finder.texts())
    return FindResult(
        matches=matches, edits=finder.edits() if query.replacement is not None else ()
    )


class _Finder:
    def __init__(self, dialect: Dialect, source: Any, graph: Graph, query: Query) -> None:
        self.dialect = dialect
        self.source = source
        self.graph = graph
        self.query = query
        self.pattern = query.pattern
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
            if match := self._name("states", state.element, state.id, state.place):
                yield match
                self._add(match, self._renames, RenameState(id=state.id, new_id=match.replaced))
        for transition in self.graph.transitions:
            if match := self._name(
                "events", transition.element, transition.label, transition.place
            ):
                yield match
                edit = Relabel(transition=transition.id, label=match.replaced)
                self._add(match, self._relabels, edit)
        for element, (key, place) in self._objects.items():
            area = _area(element)
            if match := self._name(area, element, key, place):
                yield match
                renamed = RenameObject(element=element, new_key=match.replaced)
                self._add(match, self._renames, renamed)

    def _name(self, area: Area, element: str, name: str, place: Place) -> Match | None:
        count = len(self.pattern.findall(name))
        if not count or area not in self.query.areas:
            return None
        at = self.source.locate(place)
        return Match(
            key=element,
            area=area,
            element=element,
            path=at.path,
            line=at.line,
            text=name,
            replaced=self.query.replace(name),
            count=count,
        )

    def _add(self, match: Match, edits: list[Edit], edit: Edit) -> None:
        if match.replaced != match.text and self._wanted(match.key):
            edits.append(edit)

    def _wanted(self, key: str) -> bool:
        return self.query.only is None or key in self.query.only

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
                    form = self.dialect.fields(self.source, element, self.graph.profile)
                except EditRefused:
                    continue
                if form.renamable:
                    names[element] = (key, form.place)
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
            ranges = text_ranges(self.dialect, self.source, self.graph, path)
            try:
                document = JsonText.parse(data)
            except JsonTextError:
                yield from self._lines(path, text, ranges)
            else:
                yield from self._values(path, document, ranges)

    def _may_hold(self, text: str) -> bool:
        """False for a file without the text, unless escapes may spell it."""
        return "\\" in text or self.pattern.search(text) is not None

    def _values(
        self, path: str, document: JsonText, ranges: tuple[TextRange, ...]
    ) -> Iterator[Match]:
        """Strings of a JSON file that are not names."""
        places = value_ranges(document.data)
        changed = document
        for pointer, value in _strings(document.value):
            if value in self._names or not self.pattern.search(value):
                continue
            start, _ = places.get(pointer, (0, 0))
            new = self.query.replace(value)
            key = f"text:{path}#{pointer_text(pointer)}"
            match = self._match(key, path, document.line(pointer), value, new, ranges, start)
            if match is None:
                continue
            yield match
            if self.query.replacement is not None and new != value and self._wanted(key):
                changed = changed.set(pointer, new)
        if changed is not document:
            self._written.append(WriteFile(path=path, text=changed.data.decode()))

    def _lines(self, path: str, text: str, ranges: tuple[TextRange, ...]) -> Iterator[Match]:
        """Lines of any other text; in its front matter, lines without a name only."""
        lines = text.split("\n")
        header = _header_end(lines)
        offset = 0
        changed = False
        for index, line in enumerate(lines):
            start, offset = offset, offset + len(line.encode()) + 1
            if not self.pattern.search(line):
                continue
            if index < header and _scalar(line) in self._names:
                continue
            new = self.query.replace(line)
            key = f"text:{path}:{index + 1}"
            match = self._match(key, path, index + 1, line, new, ranges, start)
            if match is None:
                continue
            yield match
            if self.query.replacement is not None and new != line and self._wanted(key):
                lines[index] = new
                changed = True
        if changed:
            self._written.append(WriteFile(path=path, text="\n".join(lines)))

    def _match(
        self,
        key: str,
        path: str,
        line: int,
        text: str,
        new: str,
        ranges: tuple[TextRange, ...],
        start: int,
    ) -> Match | None:
        element = elements_at(ranges, start)[0]
        area = _area(element) if path == self.source.main else "files"
        if path != self.source.main and element.startswith(("state:", "template:", "role:")):
            area = "prompts"
        if area not in self.query.areas:
            return None
        return Match(
            key=key,
            area=area,
            element=element,
            path=path,
            line=line,
            text=_around(text, self.pattern),
            replaced=_around(new, re.compile(re.escape(self.query.replacement or ""))),
            count=len(self.pattern.findall(text)),
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


def _around(text: str, pattern: re.Pattern[str]) -> str:
    """One line of the text around the first occurrence."""
    match = pattern.search(text)
    start = max(match.start() - LONGEST_SHOWN // 3, 0) if match else 0
    part = " ".join(text[start : start + LONGEST_SHOWN].split())
    return f"{'…' if start else ''}{part}{'…' if start + LONGEST_SHOWN < len(text) else ''}"
