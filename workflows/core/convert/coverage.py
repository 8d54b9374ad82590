"""Coverage of a conversion: every leaf of a pack's files, with its facts in the neutral machine.

A leaf is a value of a JSON or YAML file without inner values, the body of a markdown file, or the
whole of a file that is not parsed. A mark on a place covers all leaves below it except those with a
mark of their own. Leaves without a mark are grouped into the largest possible parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from workflows.core.pack.findings import Place
from workflows.core.text.json.document import JsonText
from workflows.core.text.json.pointer import pointer_text
from workflows.core.text.json.value_lines import value_lines

Pointer: TypeAlias = tuple[str | int, ...]
Key: TypeAlias = tuple[str, str]
"""Element and feature of a fact: `("state:review", "prompt")`."""

BODY = "body"
"""The last step of a pointer to the body of a markdown file, as in `Place`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """The values of a file. `line` maps a pointer to its line; `body` is the text below the front
    matter of a markdown file, None for other files."""

    value: Any
    line: Callable[[Pointer], int]
    body: str | None = None

    def at(self, pointer: Pointer) -> Any:
        """The value at a pointer; None if it is missing."""
        value = self.value
        for step in pointer:
            if isinstance(value, dict):
                value = value.get(step)
            elif isinstance(value, list) and isinstance(step, int) and step < len(value):
                value = value[step]
            else:
                return None
        return value

    def leaves(self) -> Iterator[tuple[Pointer, Any]]:
        """Every leaf with its pointer, in file order. An empty object or list is a leaf."""
        if self.body is None or self.value is not None:
            yield from leaves(self.value)
        if self.body:
            yield (BODY,), self.body


def json_tree(text: JsonText) -> Tree:
    """The values of a JSON file. All line numbers are computed at the first request."""
    lines: dict[Pointer, int] = {}

    def line(pointer: Pointer) -> int:
        if not lines:
            lines.update(value_lines(text.data))
        return lines[pointer] if pointer in lines else text.line(pointer)

    return Tree(value=text.value, line=line)


def leaves(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Every value without inner values, with its pointer."""
    members: Iterator[tuple[str | int, Any]]
    if isinstance(value, dict) and value:
        members = iter(value.items())
    elif isinstance(value, list) and value:
        members = iter(enumerate(value))
    else:
        yield pointer, value
        return
    for key, item in members:
        yield from leaves(item, (*pointer, key))


def same(one: Any, other: Any) -> bool:
    """Equality of leaves; true and 1 differ."""
    return type(one) is type(other) and bool(one == other)


@dataclass(frozen=True, slots=True, kw_only=True)
class CoverageEntry:
    """Some leaves of one file with one fate: all below `pointer` that no other entry covers.
    Without `keys` they have no fact in the machine; then `why` may give the reason."""

    path: str
    pointer: Pointer
    keys: tuple[Key, ...] = ()
    element: str = ""
    why: str = ""


@dataclass(kw_only=True)
class CoverageReport:
    """The coverage of a pack, built while reading it. `element` names the element of a place."""

    trees: Mapping[str, Tree]
    element: Callable[[str, Pointer], str]
    marks: dict[tuple[str, Pointer], tuple[Key, ...]] = field(default_factory=dict)
    reasons: dict[tuple[str, Pointer], str] = field(default_factory=dict)
    implied: dict[Key, tuple[str, Pointer]] = field(default_factory=dict)
    finish: Callable[[], None] | None = None
    """Adds the remaining marks before the first call of `entries`."""

    def mark(self, path: str, pointer: Pointer, *keys: Key) -> None:
        """Mark a place as the source of these facts. A second mark adds to the first."""
        held = self.marks.get((path, pointer), ())
        self.marks[path, pointer] = (*held, *(key for key in keys if key not in held))

    def skip(self, path: str, pointer: Pointer, why: str) -> None:
        """Mark a place as dropped with a reason; marked places below it keep their facts."""
        self.reasons[path, pointer] = why

    def imply(self, path: str, pointer: Pointer, key: Key) -> None:
        """Add a fact that follows from a rule of the format: reported at this place if lost."""
        self.implied[key] = (path, pointer)

    def covers(self, path: str, pointer: Pointer) -> bool:
        """True if a mark or a reason covers this place."""
        for size in range(len(pointer), -1, -1):
            place = (path, pointer[:size])
            if place in self.marks or place in self.reasons:
                return True
        return False

    def imply_standard(
        self, standard: Mapping[str, Tree], keys: Callable[[str, Pointer], tuple[Key, ...]]
    ) -> None:
        """Mark the leaves without a fact that equal the output of the dialect's own writer: they
        belong to the element that they are part of (`keys`)."""
        for path, tree in self.trees.items():
            usual = dict(standard[path].leaves()) if path in standard else {}
            for pointer, value in tree.leaves():
                usually = pointer in usual and same(usual[pointer], value)
                if usually and not self.covers(path, pointer):
                    self.mark(path, pointer, *keys(path, pointer))

    def place(self, path: str, pointer: Pointer, element: str = "") -> Place:
        """The place with its line."""
        tree = self.trees.get(path)
        line = tree.line(pointer) if tree is not None else 1
        return Place(path=path, pointer=pointer_text(pointer), line=line, element=element)

    def leaves(self) -> Iterator[tuple[str, Pointer]]:
        """Every leaf of every file."""
        for path, tree in self.trees.items():
            for pointer, _ in tree.leaves():
                yield path, pointer

    def entries(self) -> Iterator[CoverageEntry]:
        """Entries in the order of the files; each leaf is covered by exactly one."""
        finish, self.finish = self.finish, None
        if finish is not None:
            finish()
        marked: dict[str, set[Pointer]] = {path: set() for path in self.trees}
        above: dict[str, set[Pointer]] = {path: set() for path in self.trees}
        for path, pointer in (*self.marks, *self.reasons):
            marked.setdefault(path, set()).add(pointer)
            inner = (pointer[:size] for size in range(len(pointer)))
            above.setdefault(path, set()).update(inner)
        for path, tree in self.trees.items():
            if tree.body is None or tree.value is not None:
                yield from self._below(path, tree.value, (), marked[path], above[path])
            if tree.body:
                yield self._entry(path, (BODY,))

    def _below(
        self, path: str, value: Any, pointer: Pointer, marked: set[Pointer], above: set[Pointer]
    ) -> Iterator[CoverageEntry]:
        if pointer not in above or not isinstance(value, (dict, list)) or not value:
            yield self._entry(path, pointer)
            return
        loose = False
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            below = (*pointer, key)
            if pointer in marked and below not in marked and below not in above:
                loose = True
            else:
                yield from self._below(path, item, below, marked, above)
        if loose:
            yield self._entry(path, pointer)

    def _entry(self, path: str, pointer: Pointer) -> CoverageEntry:
        element = self.element(path, pointer)
        for size in range(len(pointer), -1, -1):
            here = (path, pointer[:size])
            if here in self.marks:
                return CoverageEntry(
                    path=path, pointer=pointer, keys=self.marks[here], element=element
                )
            if here in self.reasons:
                why = self.reasons[here]
                return CoverageEntry(path=path, pointer=pointer, element=element, why=why)
        return CoverageEntry(path=path, pointer=pointer, element=element)
