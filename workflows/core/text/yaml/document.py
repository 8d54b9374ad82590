"""A YAML file one can change in one place and in no other byte.

The sister of `json_text`: the same pointers, questions and edits. `YamlText.parse(data)` keeps the
exact bytes; an edit gives a new `YamlText` whose bytes differ only where the edit
changes them: comments, order, quotes, anchors, block and flow styles, indentation, line ends stay.

**Reading.** YAML 1.2, core schema as ruamel.yaml reads it (`yes`, `on`, `12:30:45` are strings),
with these differences: dates stay strings, keys are the text as written, of repeated keys the last
counts (see `duplicates`), `<<` merges. Tags beyond the core schema, further documents, `%YAML`
other than 1.2 and aliases that unfold to too much are errors with a line.

**Editing.** An alias can be replaced as a whole, but nothing can be changed *through* it, nor what
came in by `<<`: such an edit is refused with a hint. An anchor stays where its value is replaced,
so its aliases follow. Every edit is read back before it is returned; one that could not be
written without changing anything else is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from workflows.core.limits import TEXT_DEPTH
from workflows.core.pack.forms import Json
from workflows.core.text.json.merge import plain, same
from workflows.core.text.json.parse import depth
from workflows.core.text.json.pointer import number_of, pointer_text
from workflows.core.text.json.reader import Duplicate
from workflows.core.text.yaml.differences import Differences, Replacement, aligned
from workflows.core.text.yaml.edit import Editor, Patch, open_ended
from workflows.core.text.yaml.errors import YamlTextError, at_text
from workflows.core.text.yaml.node import Node, member_of
from workflows.core.text.yaml.outline import Outline, changed_outline, outline, outline_of
from workflows.core.text.yaml.parse import BOM, MAX_BYTES, parse
from workflows.core.text.yaml.reader import Pointer, Reading, ValuePath
from workflows.core.text.yaml.style import Style
from workflows.core.text.yaml.writer import Place, Writer

_MOST_WORK = 1_000_000  # characters that single edits write and read back in a second or two
Drawn = Callable[[Editor, Writer], list[Patch]]


class YamlText(Reading):
    """Immutable. `value` is to be read only."""

    __slots__ = ("_style",)

    def __init__(self, data: bytes, text: str, root: Node) -> None:
        super().__init__(data, text, root)
        self._style: Style | None = None

    @classmethod
    def parse(cls, data: bytes) -> YamlText:
        """Raises YamlTextError."""
        return cls(data, *parse(data))

    def set(self, pointer: Pointer, value: Json) -> YamlText:
        """Replace a value, or add a member that is missing. KeyError if its parent is missing.

        A mapping over a mapping, a list over a list changes only the members that differ.
        """
        fresh = self._checked(pointer, value)
        path = self._path_to(pointer, missing=True)
        if path.node is None:
            container = self._path_to(pointer[:-1]).here
            size = len(container.members)
            listed = container.kind == "sequence"
            if listed and pointer[-1] != "-" and number_of(pointer[-1]) != size:
                raise KeyError(pointer_text(pointer))
            return self._insert(pointer[:-1], size, pointer[-1], fresh)
        if same(path.node.value, fresh):
            return self
        together = self._revised_together(path, fresh)
        if together is not None:
            return together
        if path.node.kind == "mapping" and isinstance(fresh, dict) and fresh:
            revised = self._revised_mapping(pointer, path.node, fresh)
            if revised is not None:
                return revised
        if path.node.kind == "sequence" and isinstance(fresh, list) and fresh and path.node.members:
            return self._revised_sequence(pointer, path.node, fresh)
        return self._replace(path, fresh)

    def insert(
        self,
        pointer: Pointer,
        value: Json,
        *,
        before: str | None = None,
        index: int | None = None,
    ) -> YamlText:
        """A new member. In a mapping `pointer` ends in its key, and it goes before the key
        `before`, or to place `index`, or to the end. In a list `pointer` ends in its index or in
        "-"; or it names the list and `index` the place.

        KeyError if the parent or `before` is missing, IndexError if the place is outside,
        ValueError if the key is taken.
        """
        target = self._node_at(pointer) if index is not None else None
        if target is not None and target.kind == "sequence":
            above = self._node_at(pointer[:-1]) if pointer else None
            if above is None or above.kind != "sequence":
                pointer = (*pointer, index or 0)
        if not pointer:
            raise ValueError("the root exists already")
        fresh = self._checked(pointer, value)
        container = self._path_to(pointer[:-1]).here
        if container.kind == "sequence" and before is not None:
            raise KeyError(before)
        if container.kind == "mapping" and member_of(container, str(pointer[-1])):
            raise ValueError(f"{pointer_text(pointer)} exists already")
        if container.kind == "sequence" and index is None and pointer[-1] != "-":
            index = number_of(pointer[-1])
            if index is None:
                raise KeyError(str(pointer[-1]))
        place = self._position(container, before, index)
        return self._insert(pointer[:-1], place, pointer[-1], fresh)

    def delete(self, pointer: Pointer) -> YamlText:
        """Remove a member with its lines and its trailing comment. KeyError if absent.

        Comments on lines of their own stay. The last member leaves `{}` or `[]`.
        """
        if not pointer:
            raise ValueError("the root cannot be deleted")
        container, index = self._step(pointer)
        self._refuse_pair(container)
        outer = self._path_to(pointer[:-1])

        def drawn(editor: Editor, _: Writer) -> list[Patch]:
            if len(container.members) > 1:
                return editor.deleted(container, index)
            return editor.emptied(container, outer.member, self._place(outer))

        def change(members: Outline) -> Outline:
            return members[:index] + members[index + 1 :]

        return self._written(pointer[:-1], drawn, change)

    def rename(self, pointer: Pointer, key: str) -> YamlText:
        """Give a member another key at the same place. ValueError if that key is taken."""
        if not pointer:
            raise ValueError("the root has no key")
        container, index = self._step(pointer)
        label = container.members[index].label
        if label is None:
            raise ValueError(f"{pointer_text(pointer)} is an element: it has no key")
        if container.members[index].key == key:
            return self
        if member_of(container, key):
            raise ValueError(f"{pointer_text((*pointer[:-1], key))} exists already")

        def drawn(editor: Editor, _: Writer) -> list[Patch]:
            return editor.renamed(label, key, flow=container.flow)

        def change(members: Outline) -> Outline:
            return (*members[:index], (key, members[index][1]), *members[index + 1 :])

        return self._written(pointer[:-1], drawn, change)

    def move(
        self, pointer: Pointer, *, before: str | None = None, index: int | None = None
    ) -> YamlText:
        """Put a member at another place of its parent: before a key, or so that it ends up at
        `index`, or last. KeyError, IndexError as for `insert`."""
        if not pointer:
            raise ValueError("the root has no place to move to")
        container, origin = self._step(pointer)
        target = self._position(container, before, index)
        if index is None and target > origin:
            target -= 1
        if target >= len(container.members):
            raise IndexError(f"{pointer_text(pointer)} has no place {target}")
        if target == origin:
            return self

        def drawn(editor: Editor, _: Writer) -> list[Patch]:
            return editor.moved(container, origin, target)

        def change(members: Outline) -> Outline:
            rows = list(members)
            rows.insert(target, rows.pop(origin))
            return tuple(rows)

        return self._written(pointer[:-1], drawn, change)

    def _revised_together(self, path: ValuePath, value: Any) -> YamlText | None:
        """The text with all members that differ replaced in one rewrite, if none of them depends on
        another; None if they have to be written one by one. Of too many for that, those that can be
        are replaced first."""
        node = path.here
        if node.kind not in ("mapping", "sequence") or type(node.value) is not type(value):
            return None
        differences = Differences()
        differences.add(node, value, tuple(self._indexes(path.pointer)))
        together, count = differences.together, len(differences.together) + differences.others
        costly = count * len(self._text) > _MOST_WORK
        if len(together) > 1 and (costly or not differences.others):
            text = self._replaced(path.pointer, together)
            if text is not None:
                return text.set(path.pointer, value)
        if costly:
            raise self._refused(
                path.pointer, f"Too many values change at once here: {count:,}.",
                "Change fewer of them at once, or change the text of the file.",
            )  # fmt: skip
        return None

    def _replaced(self, pointer: Pointer, replacements: list[Replacement]) -> YamlText | None:
        """The text with scalars replaced; None if other values would change."""
        pen = Writer(self._styled)
        editor = Editor(self._text, self._styled, pen)
        patches: list[Patch] = []
        wanted = outline(self._root)
        for each in replacements:
            member, container = each.member, each.container
            place = Place(
                column=0 if container.flow else self._styled.column(member.begin),
                flow=container.flow, element=container.kind == "sequence", old=member.node,
            )  # fmt: skip
            patches += editor.replaced(member.node, member, each.value, place)
            wanted = changed_outline(
                wanted, each.indexes, partial(_instead, outline_of(each.value))
            )
        return self._read_back(pointer, patches, wanted)

    def _read_back(self, pointer: Pointer, patches: list[Patch], wanted: Any) -> YamlText | None:
        """The text after the patches; None if it does not mean what is wanted."""
        data = (BOM if self._skipped else b"") + _patched(self._text, patches).encode("utf-8")
        if len(data) > MAX_BYTES:
            raise self._refused(pointer, f"The YAML would exceed {MAX_BYTES:,} bytes.", "")
        try:
            result = YamlText.parse(data)
        except YamlTextError:
            return None
        return result if outline(result._root) == wanted else None

    def _revised_mapping(
        self, pointer: Pointer, node: Node, value: dict[str, Any]
    ) -> YamlText | None:
        """The mapping turned into `value` member by member; None if that cannot be."""
        own = {member.key for member in node.members if not member.merges}
        if not own & value.keys() or any(key not in value for key in node.value if key not in own):
            return None
        text = self
        for key in [key for key in node.value if key not in value]:
            while member_of(text._path_to(pointer).here, key):
                text = text.delete((*pointer, key))
        following: str | None = None
        for key in reversed(value):
            if key in own:
                text = text.set((*pointer, key), value[key])
            elif key not in node.value:
                text = text.insert((*pointer, key), value[key], before=following)
            elif not same(node.value[key], value[key]):
                text = text.set((*pointer, key), value[key])
            following = key if key in own or key not in node.value else following
        return text

    def _revised_sequence(self, pointer: Pointer, node: Node, value: list[Any]) -> YamlText:
        old = node.value
        head, both = aligned(old, value)
        tail = min(len(old), len(value)) - head - both
        text = self
        for place in range(head, head + both):
            text = text.set((*pointer, place), value[place])
        for _ in range(len(old) - head - tail - both):
            text = text.delete((*pointer, head + both))
        for place in range(head + both, len(value) - tail):
            text = text.insert((*pointer, place), value[place])
        return text

    def _replace(self, path: ValuePath, value: Any) -> YamlText:
        node = path.here

        def drawn(editor: Editor, _: Writer) -> list[Patch]:
            return editor.replaced(node, path.member, value, self._place(path))

        return self._written(path.pointer, drawn, lambda _: outline_of(value))

    def _insert(self, parent: Pointer, index: int, last: str | int, value: Any) -> YamlText:
        path = self._path_to(parent)
        node = path.here
        if node.kind == "alias":
            raise self._through_alias(parent, node)
        empty = not parent and node.kind == "scalar" and node.inside == node.end
        if node.kind not in ("mapping", "sequence") and not empty:
            raise KeyError(pointer_text((*parent, last)))
        key = None if node.kind == "sequence" else str(last)
        if not node.members:
            return self._replace(path, [value] if key is None else {key: value})
        self._refuse_pair(node)
        siblings = tuple(member.node for member in node.members)
        column = 0 if node.flow else self._styled.column(node.members[0].begin)

        def drawn(editor: Editor, _: Writer) -> list[Patch]:
            place = Place(
                column=column, flow=node.flow, siblings=siblings, element=key is None,
                key=path.key if key is None else key, gap=self._styled.gap,
            )  # fmt: skip
            return editor.inserted(node, index, key, value, place)

        def change(members: Outline) -> Outline:
            return (*members[:index], (key, outline_of(value)), *members[index:])

        return self._written(parent, drawn, change)

    def _place(self, path: ValuePath) -> Place:
        """The place of the value at the end of a path."""
        container, member = path.container, path.member
        if container is None or member is None:
            return Place(column=-1, old=path.here)
        return Place(
            column=0 if container.flow else self._styled.column(member.begin),
            flow=container.flow,
            key=path.key,
            element=container.kind == "sequence",
            siblings=tuple(each.node for each in container.members if each is not member),
            old=path.here,
        )

    @property
    def _styled(self) -> Style:
        if self._style is None:
            self._style = Style(self._text, self._root)
        return self._style

    def _checked(self, pointer: Pointer, value: Json) -> Any:
        """A private copy of a value that may be written at `pointer`."""
        try:
            fresh = plain(value)
            too_deep = len(pointer) + depth(fresh) > TEXT_DEPTH
        except RecursionError:
            too_deep = True
        if too_deep:
            raise self._refused(pointer, f"Nested deeper than {TEXT_DEPTH} levels.", "")
        return fresh

    def _refuse_pair(self, node: Node) -> None:
        if node.flow and self._text[node.inside] not in "{[":
            raise at_text(
                "This mapping has no braces.", self._skipped, self._text, node.inside,
                hint="Write '{key: value}' to change its members.",
            )  # fmt: skip

    def _written(
        self, pointer: Pointer, drawn: Drawn, change: Callable[[Outline], Any]
    ) -> YamlText:
        """The text after an edit, read back: the first way of writing it that changes only what
        was meant."""
        wanted = changed_outline(outline(self._root), self._indexes(pointer), change)
        for careful, mending in self._attempts():
            pen = Writer(self._styled, careful=careful)
            patches = drawn(Editor(self._text, self._styled, pen), pen) + mending
            result = self._read_back(pointer, patches, wanted)
            if result is not None:
                return result
        raise self._refused(
            pointer, "This cannot be written here without changing something else.",
            "Change it in the text of the file.",
        )  # fmt: skip

    def _attempts(self) -> list[tuple[bool, list[Patch]]]:
        """The attempts to write: True for careful quoting, and further patches. Without a final
        newline, lines under a `|` lose or gain a line break when they become the last of the file
        or cease to be."""
        attempts: list[tuple[bool, list[Patch]]] = [(False, []), (True, [])]
        size = len(self._text)
        if self._text and self._text[-1] not in "\r\n":
            attempts.append((False, [(size, size, self._styled.newline)]))
            place = open_ended(self._text, self._root)
            if place is not None:
                attempts.append((False, [(place, place, "-")]))
        return attempts


def _instead(fresh: Any, _: Outline) -> Any:
    """The new meaning in the place of the old one."""
    return fresh


def _patched(text: str, patches: list[Patch]) -> str:
    """The text after the patches; those that would overlap one before them are left out."""
    pieces: list[str] = []
    cursor = 0
    for start, end, replacement in sorted(patches, key=lambda patch: patch[:2]):
        if start < cursor:
            continue
        pieces += [text[cursor:start], replacement]
        cursor = end
    return "".join([*pieces, text[cursor:]])


__all__ = ["Duplicate", "Pointer", "YamlTextError"]
