"""Writing new values: on one line, or as lines below their key or dash."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from workflows.core.text.yaml.node import Node
from workflows.core.text.yaml.scalar import number, quoted
from workflows.core.text.yaml.style import QUOTES, Style, block_text, most

_WIDE = 100  # a mapping or list whose line would be longer goes below its key


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """The place of a value. `column` is where its key or dash begins, -1 for the root;
    `siblings` are its sibling values, `old` is the one it replaces."""

    column: int
    flow: bool = False
    key: str | None = None
    element: bool = False
    siblings: tuple[Node, ...] = ()
    old: Node | None = None
    gap: int = 1  # spaces after the dash


@dataclass(frozen=True, slots=True)
class Written:
    """The text on the line of the key, and whole lines below it."""

    inline: str
    lines: list[str] = field(default_factory=list)


class Writer:
    """`careful` writes what cannot be misread: quotes around all strings, no `|`."""

    def __init__(self, style: Style, *, careful: bool = False) -> None:
        self._style = style
        self._careful = careful

    def write(self, value: Any, place: Place) -> Written:
        if isinstance(value, dict | list) and value:
            return self._container(value, place)
        if isinstance(value, str):
            return self._string(value, place)
        return Written(self._flow(value, place))

    def key(self, key: str, siblings: tuple[Node, ...], *, flow: bool) -> str:
        """A key in the style of its siblings."""
        habit = most([label.style for label in siblings]) or ""
        if self._careful and not habit and not key.isidentifier():
            habit = self._style.quote
        return self._style.scalar(key, habit, flow=flow)

    def member(self, key: str, value: Any, place: Place, labels: tuple[Node, ...]) -> list[str]:
        """The lines of a block member, without the indentation of the first."""
        written = self.write(value, place)
        head = self.key(key, labels, flow=False) + ":"
        return [head + (written.inline and " " + written.inline), *written.lines]

    def element(self, value: Any, place: Place) -> list[str]:
        """The lines of a block element, without the indentation of the first."""
        written = self.write(value, place)
        return ["-" + (written.inline and " " * place.gap + written.inline), *written.lines]

    def flow_member(self, key: str, value: Any, place: Place, labels: tuple[Node, ...]) -> str:
        return self.key(key, labels, flow=True) + ": " + self._flow(value, place)

    def _string(self, text: str, place: Place) -> Written:
        old = place.old.style if place.old is not None and place.old.kind == "scalar" else ""
        in_block = not place.flow and not self._careful and place.column >= 0
        if in_block and ("\n" in text or old in ("|", ">")):
            block = block_text(text, old)
            if block is not None:
                header, lines = block
                column = place.column + self._style.literal
                if place.old is not None and old in ("|", ">"):
                    kept = self._style.literal_column(place.old)
                    column = kept if kept > place.column else column
                pad = " " * column
                return Written(header, [pad + line if line else "" for line in lines])
        return Written(self._flow(text, place))

    def _flow(self, value: Any, place: Place) -> str:
        """Any value on one line."""
        match value:
            case None:
                word = self._style.null
                return word or ("null" if place.flow or place.element else "")
            case bool() | int() | float():
                return number(value)
            case str():
                return self._line(value, place)
            case dict():
                pad = self._style.brace
                inside = ", ".join(
                    self.flow_member(key, each, self._inside(place, key), ())
                    for key, each in value.items()
                )
                return "{" + pad + inside + pad + "}" if value else "{}"
        pad = self._style.bracket
        inside = ", ".join(self._flow(each, self._inside(place, place.key)) for each in value)
        return "[" + pad + inside + pad + "]" if value else "[]"

    def _inside(self, place: Place, key: str | None) -> Place:
        return Place(column=place.column, flow=True, key=key)

    def _line(self, text: str, place: Place) -> str:
        old = place.old
        if self._careful:
            return quoted(text, self._style.quote)
        if old is not None and old.kind == "scalar" and isinstance(old.value, str):
            if old.style in QUOTES:
                return quoted(text, old.style)
            return self._style.scalar(text, "", flow=place.flow)
        habit = self._style.string_habit(place.siblings, place.key)
        return self._style.scalar(text, habit, flow=place.flow)

    def _container(self, value: Any, place: Place) -> Written:
        if place.flow:
            return Written(self._flow(value, place))
        old = place.old.real if place.old is not None else None
        if old is not None and old.kind in ("mapping", "sequence") and old.members:
            on_line = old.flow
        else:
            on_line = self._style.flow_habit(value, place.siblings, place.key)
        if on_line:
            line = self._flow(value, place)
            if len(line) <= _WIDE:
                return Written(line)
        return self._block(value, place)

    def _block(self, value: Any, place: Place) -> Written:
        column = self._inner_column(value, place)
        pad = " " * column
        lines: list[str] = []
        if isinstance(value, dict):
            for key, each in value.items():
                inside = Place(column=column, key=key)
                first, *rest = self.member(key, each, inside, ())
                lines += [pad + first, *rest]
        else:
            for each in value:
                inside = Place(column=column, element=True, key=place.key, gap=self._style.gap)
                first, *rest = self.element(each, inside)
                lines += [pad + first, *rest]
        if place.element:
            return Written(lines[0][column:], lines[1:])
        return Written("", lines)

    def _inner_column(self, value: Any, place: Place) -> int:
        if place.column < 0:
            return 0
        if place.element:
            return place.column + 1 + place.gap
        return place.column + (self._style.step if isinstance(value, dict) else self._style.offset)
