"""Who said what: every leaf of a pack's files, and the fact of the neutral machine that it became.

A leaf is a value of a JSON or YAML file that holds no others, the body of a markdown file, or the
whole of a file that nobody parses. A mark on a place covers all leaves below it but those with a
mark of their own. Leaves without a mark are grouped into the largest parts that hold no other.
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
"""The last step to a markdown file's body, as `Place` writes it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """A file's values. `line` leads from a pointer to the line of the file; `body` is the text
    below the head of a markdown file, None for other files."""

    value: Any
    line: Callable[[Pointer], int]
    body: str | None = None

    def at(self, pointer: Pointer) -> Any:
        """The value at a place; None where there is none."""
        found = self.value
        for step in pointer:
            if isinstance(found, dict):
                found = found.get(step)
            elif isinstance(found, list) and isinstance(step, int) and step < len(found):
                found = found[step]
            else:
                return None
        return found

    def leaves(self) -> Iterator[tuple[Pointer, Any]]:
        """Every leaf with its place, in the order of the file. An empty object or list is one."""
        if self.body is None or self.value is not None:
            yield from leaves(self.value)
        if self.body:
            yield (BODY,), self.body


def json_tree(text: JsonText) -> Tree:
    """A JSON file's values. Its lines are found all at once, when the first is asked for."""
    known: dict[Pointer, int] = {}

    def line(pointer: Pointer) -> int:
        if not known:
            known.update(value_lines(text.data))
        return known[pointer] if pointer in known else text.line(pointer)

    return Tree(value=text.value, line=line)


def leaves(value: Any, pointer: Pointer = ()) -> Iterator[tuple[Pointer, Any]]:
    """Every value that holds no other, with the way to it."""
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
    """Equality of leaves; true is not 1."""
    return type(one) is type(other) and bool(one == other)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """Some leaves of one file with one fate: all below `pointer` that nothing else covers. Without
    `keys` no fact of the machine came of them; then `why` may say why not."""

    path: str
    pointer: Pointer
    keys: tuple[Key, ...] = ()
    element: str = ""
    why: str = ""


@dataclass(kw_only=True)
class CoverageReport:
    """Built while a pack is read. `element` names what a place belongs to."""

    trees: Mapping[str, Tree]
    element: Callable[[str, Pointer], str]
    marks: dict[tuple[str, Pointer], tuple[Key, ...]] = field(default_factory=dict)
    reasons: dict[tuple[str, Pointer], str] = field(default_factory=dict)
    implied: dict[Key, tuple[str, Pointer]] = field(default_factory=dict)
    finish: Callable[[], None] | None = None
    """Whatever is left to be marked before anybody asks what became of every leaf."""

    def say(self, path: str, pointer: Pointer, *keys: Key) -> None:
        """This place says these facts. A second mark on a place adds to the first."""
        held = self.marks.get((path, pointer), ())
        self.marks[path, pointer] = (*held, *(key for key in keys if key not in held))

    def leave(self, path: str, pointer: Pointer, why: str) -> None:
        """This place becomes nothing, and why; places below it that say something still do."""
        self.reasons[path, pointer] = why

    def imply(self, path: str, pointer: Pointer, key: Key) -> None:
        """A fact that the format's own rule says without a word: told at this place if lost."""
        self.implied[key] = (path, pointer)

    def taken(self, path: str, pointer: Pointer) -> bool:
        """Whether a mark or a reason covers this place."""
        for size in range(len(pointer), -1, -1):
            way = (path, pointer[:size])
            if way in self.marks or way in self.reasons:
                return True
        return False

    def imply_standard(
        self, standard: Mapping[str, Tree], keys: Callable[[str, Pointer], tuple[Key, ...]]
    ) -> None:
        """Leaves that say nothing and stand word for word where the dialect's own writer puts them
        belong to the thing that they are part of (`keys`): whoever writes that writes them too."""
        for path, tree in self.trees.items():
            usual = dict(standard[path].leaves()) if path in standard else {}
            for pointer, value in tree.leaves():
                usually = pointer in usual and same(usual[pointer], value)
                if usually and not self.taken(path, pointer):
                    self.say(path, pointer, *keys(path, pointer))

    def place(self, path: str, pointer: Pointer, element: str = "") -> Place:
        """Where that is, with its line."""
        tree = self.trees.get(path)
        line = tree.line(pointer) if tree is not None else 1
        return Place(path=path, pointer=pointer_text(pointer), line=line, element=element)

    def leaves(self) -> Iterator[tuple[str, Pointer]]:
        """Every leaf of every file."""
        for path, tree in self.trees.items():
            for pointer, _ in tree.leaves():
                yield path, pointer

    def entries(self) -> Iterator[Said]:
        """What became of every leaf, in the order of the files; each leaf under one of them."""
        finish, self.finish = self.finish, None
        if finish is not None:
            finish()
        told: dict[str, set[Pointer]] = {path: set() for path in self.trees}
        above: dict[str, set[Pointer]] = {path: set() for path in self.trees}
        for path, pointer in (*self.marks, *self.reasons):
            told.setdefault(path, set()).add(pointer)
            ways = (pointer[:size] for size in range(len(pointer)))
            above.setdefault(path, set()).update(ways)
        for path, tree in self.trees.items():
            if tree.body is None or tree.value is not None:
                yield from self._below(path, tree.value, (), told[path], above[path])
            if tree.body:
                yield self._entry(path, (BODY,))

    def _below(
        self, path: str, value: Any, pointer: Pointer, told: set[Pointer], above: set[Pointer]
    ) -> Iterator[Said]:
        if pointer not in above or not isinstance(value, (dict, list)) or not value:
            yield self._entry(path, pointer)
            return
        loose = False
        for key, item in value.items() if isinstance(value, dict) else enumerate(value):
            below = (*pointer, key)
            if pointer in told and below not in told and below not in above:
                loose = True
            else:
                yield from self._below(path, item, below, told, above)
        if loose:
            yield self._entry(path, pointer)

    def _entry(self, path: str, pointer: Pointer) -> Said:
        element = self.element(path, pointer)
        for size in range(len(pointer), -1, -1):
            here = (path, pointer[:size])
            if here in self.marks:
                return Said(path=path, pointer=pointer, keys=self.marks[here], element=element)
            if here in self.reasons:
                why = self.reasons[here]
                return Said(path=path, pointer=pointer, element=element, why=why)
        return Said(path=path, pointer=pointer, element=element)
