"""Tree-sitter as WebAssembly: the part of its Python package that workflow scripts use.

JavaScript returns a whole tree as numbers, nodes in source order, because a call from Python into
JavaScript costs as much as reading dozens of nodes here.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any

from signalbox_page import syntax

TYPE, FIELD, START, END, PARENT, NEXT, FLAGS = range(7)
"""The numbers of a node. NEXT: the node after all nodes below it."""
WIDTH = 7
NAMED, MISSING, ERROR = 1, 2, 4


@dataclass(frozen=True, slots=True, eq=False)
class Language:
    name: str


class Parser:
    def __init__(self, language: Language) -> None:
        pass

    def parse(self, data: bytes) -> Tree:
        return Tree(data)


class Tree:
    def __init__(self, data: bytes) -> None:
        self.data = data
        text = data.decode("utf-8", "replace")
        names, numbers = syntax.parse(text)
        self.names: list[str] = names.to_py()
        self.numbers: list[int] = list(numbers.to_py())
        self._bytes = None if text.isascii() else _offsets(text)

    @property
    def root_node(self) -> Node:
        return Node(self, 0)

    @cached_property
    def lines(self) -> list[int]:
        """The byte at which each line begins."""
        return [0, *(at + 1 for at, byte in enumerate(self.data) if byte == 10)]

    def number(self, node: int, column: int) -> int:
        return self.numbers[node * WIDTH + column]

    def offset(self, unit: int) -> int:
        """The byte of a UTF-16 code unit."""
        return unit if self._bytes is None else self._bytes[unit]

    def children(self, node: int) -> list[Node]:
        found, one, end = [], node + 1, self.number(node, NEXT)
        while one < end:
            found.append(Node(self, one))
            one = self.number(one, NEXT)
        return found


def _offsets(text: str) -> list[int]:
    units = (
        size for char in text for size in ((len(char.encode()),) if char <= "\uffff" else (2, 2))
    )
    return [0, *accumulate(units)]


class Node:
    __slots__ = ("_at", "_tree")

    def __init__(self, tree: Tree, at: int) -> None:
        self._tree = tree
        self._at = at

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Node) and (other._tree, other._at) == (self._tree, self._at)

    def __hash__(self) -> int:
        return hash((id(self._tree), self._at))

    def _flag(self, flag: int) -> bool:
        return bool(self._tree.number(self._at, FLAGS) & flag)

    @property
    def id(self) -> int:
        return self._at

    @property
    def type(self) -> str:
        return self._tree.names[self._tree.number(self._at, TYPE)]

    @property
    def start_byte(self) -> int:
        return self._tree.offset(self._tree.number(self._at, START))

    @property
    def end_byte(self) -> int:
        return self._tree.offset(self._tree.number(self._at, END))

    @property
    def start_point(self) -> tuple[int, int]:
        return self._point(self.start_byte)

    @property
    def end_point(self) -> tuple[int, int]:
        return self._point(self.end_byte)

    def _point(self, at: int) -> tuple[int, int]:
        row = bisect_right(self._tree.lines, at) - 1
        return row, at - self._tree.lines[row]

    @property
    def text(self) -> bytes:
        return self._tree.data[self.start_byte : self.end_byte]

    @property
    def is_named(self) -> bool:
        return self._flag(NAMED)

    @property
    def is_missing(self) -> bool:
        return self._flag(MISSING)

    @property
    def is_error(self) -> bool:
        return self.type == "ERROR"

    @property
    def has_error(self) -> bool:
        return self._flag(ERROR)

    @property
    def parent(self) -> Node | None:
        parent = self._tree.number(self._at, PARENT)
        return Node(self._tree, parent) if parent >= 0 else None

    @property
    def children(self) -> list[Node]:
        return self._tree.children(self._at)

    @property
    def child_count(self) -> int:
        return len(self.children)

    @property
    def named_children(self) -> list[Node]:
        return [one for one in self.children if one.is_named]

    def _sibling(self, step: int) -> Node | None:
        parent = self.parent
        siblings = parent.children if parent else []
        at = siblings.index(self) + step if siblings else -1
        return siblings[at] if 0 <= at < len(siblings) else None

    @property
    def next_sibling(self) -> Node | None:
        return self._sibling(1)

    @property
    def prev_sibling(self) -> Node | None:
        return self._sibling(-1)

    def child_by_field_name(self, name: str) -> Node | None:
        for one in self.children:
            field = self._tree.number(one._at, FIELD)
            if field >= 0 and self._tree.names[field] == name:
                return one
        return None

    def walk(self) -> Cursor:
        return Cursor(self)


class Cursor:
    def __init__(self, node: Node) -> None:
        self.node: Node = node
        self._root = node

    def goto_first_child(self) -> bool:
        children = self.node.children
        if children:
            self.node = children[0]
        return bool(children)

    def goto_next_sibling(self) -> bool:
        tree, at = self.node._tree, self.node._at
        if self.node == self._root:
            return False
        after = tree.number(at, NEXT)
        if after >= tree.number(tree.number(at, PARENT), NEXT):
            return False
        self.node = Node(tree, after)
        return True

    def goto_parent(self) -> bool:
        parent: Any = None if self.node == self._root else self.node.parent
        if parent is None:
            return False
        self.node = parent
        return True
