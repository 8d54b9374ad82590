"""The habits of one YAML file: how far it indents, how it quotes, what it writes on one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from workflows.core.text.yaml.node import Member, Node, everywhere
from workflows.core.text.yaml.scalar import block_fits, one_line, plain_fits, quoted

_Habit = TypeVar("_Habit")

_CONTENT = re.compile(r"[\r\n][ \t]*([^ \t\r\n])")

QUOTES = ('"', "'")


class Style:
    """Counted once over all nodes of a text."""

    def __init__(self, text: str, root: Node) -> None:
        self._text = text
        self.newline = _newline(text)
        steps: list[int] = []
        offsets: list[int] = []
        gaps: list[int] = []
        literals: list[int] = []
        self._nodes: list[tuple[Node, Member | None]] = []
        for node, member, parent in everywhere(root):
            self._nodes.append((node, member))
            if node.style in ("|", ">") and member is not None:
                literals.append(self.literal_column(node) - self.column(member.begin))
            if node.style != "block" or not node.members:
                continue
            if node.kind == "sequence":
                gaps += [_gap(text, each) for each in node.members if _inline(text, each)]
            if parent is not None and parent.kind == "mapping" and parent.style == "block":
                indent = self.column(node.members[0].begin) - self.column(parent.members[0].begin)
                (offsets if node.kind == "sequence" else steps).append(indent)
        literals = [each for each in literals if each > 0]
        self.step = most(steps) or most([each for each in offsets if each]) or most(literals) or 2
        self.literal = most(literals) or self.step
        usual = most(offsets)
        self.offset = self.step if usual is None else usual
        self.gap = most(gaps) or 1
        strings = [node for node, _ in self._nodes if _is_string(node)]
        self.quote = most([node.style for node in strings if node.style in QUOTES]) or '"'
        self.string = most([node.style for node in strings]) or ""
        self.null = self._null_word()
        self.brace = self._padding("mapping")
        self.bracket = self._padding("sequence")

    def column(self, position: int) -> int:
        """The number of characters before `position` on its line."""
        return position - line_start(self._text, position)

    def literal_column(self, node: Node) -> int:
        """The column of the lines of a `|` or `>`; -1 if it has none."""
        match = _CONTENT.search(self._text, node.inside, node.end)
        return self.column(match.start(1)) if match else -1

    def scalar(self, text: str, habit: str | None, *, flow: bool) -> str:
        """A string on one line, in the style `habit` where it fits."""
        habit = self.string if habit is None else habit
        if habit in QUOTES:
            return quoted(text, habit)
        return text if plain_fits(text, flow=flow) else quoted(text, self.quote)

    def string_habit(self, siblings: Iterable[Node], key: str | None) -> str:
        """The style of sibling strings, else of strings under the same key, else of all strings."""
        beside = [node.style for node in siblings if _is_string(node)]
        if beside:
            return most(beside) or ""
        named = [node.style for node, member in self._nodes
                 if key is not None and member is not None and member.key == key
                 and _is_string(node)]  # fmt: skip
        return most(named) or self.string if named else self.string

    def flow_habit(self, value: Any, siblings: Iterable[Node], key: str | None) -> bool:
        """True if a container is on one line: like its siblings, those under its key, or others.

        A container of scalars follows such containers only, one of containers likewise.
        """
        kind, flat = _kind(value), _is_flat(value)
        beside = [node.flow for node in siblings if _alike(node, kind, flat)]
        named: list[bool] = []
        alike: list[bool] = []
        for node, member in self._nodes:
            if member is None or not _alike(node, kind, flat):
                continue
            alike.append(node.flow)
            if key is not None and member.key == key:
                named.append(node.flow)
        return bool(most(named or beside or alike))

    def _null_word(self) -> str:
        words = [self._text[node.inside : node.end] for node, _ in self._nodes
                 if node.kind == "scalar" and node.value is None and not node.style]  # fmt: skip
        word = most(words)
        return "null" if word is None else word

    def _padding(self, kind: str) -> str:
        return most([re.split(r"\S", self._text[node.inside + 1 : node.end], maxsplit=1)[0]
                     for node, _ in self._nodes
                     if node.flow and node.kind == kind and node.members
                     and "\n" not in self._text[node.inside : node.end]
                     and self._text[node.inside] in "[{"]) or ""  # fmt: skip


def most(samples: Sequence[_Habit]) -> _Habit | None:
    """The commonest, of several the first; None of nothing."""
    return Counter(samples).most_common(1)[0][0] if samples else None


def line_start(text: str, position: int) -> int:
    return max(text.rfind("\n", 0, position), text.rfind("\r", 0, position)) + 1


def line_end(text: str, position: int) -> int:
    """The line break that ends the line of `position`, or the end of the text."""
    ends = [end for end in (text.find("\n", position), text.find("\r", position)) if end >= 0]
    return min(ends, default=len(text))


def block_text(text: str, style: str) -> tuple[str, list[str]] | None:
    """Header and unindented lines of a `|`, or of a `>` where one line suffices."""
    if not block_fits(text):
        return None
    body = text.rstrip("\n")
    ending = text[len(body) :]
    chomp = {"": "-", "\n": ""}.get(ending, "+")
    folded = style == ">" and "\n" not in body and one_line(body)
    return (">" if folded else "|") + chomp, body.split("\n") + [""] * (len(ending) - 1)


def _newline(text: str) -> str:
    windows = text.count("\r\n")
    old = text.count("\r") - windows
    unix = text.count("\n") - windows
    if windows > unix:
        return "\r\n"
    return "\r" if old > unix else "\n"


def _gap(text: str, member: Member) -> int:
    return member.node.start - (member.lead or member.node.start)


def _inline(text: str, member: Member) -> bool:
    """True if an element begins on the line of its dash."""
    gap = text[member.lead or 0 : member.node.start]
    return bool(gap) and not gap.strip(" ")


def _is_string(node: Node) -> bool:
    return node.kind == "scalar" and isinstance(node.value, str) and node.style not in ("|", ">")


def _kind(value: Any) -> str:
    return "mapping" if isinstance(value, dict) else "sequence"


def _alike(node: Node, kind: str, flat: bool) -> bool:
    return node.kind == kind and bool(node.members) and _is_flat(node.value) is flat


def _is_flat(value: Any) -> bool:
    members = value.values() if isinstance(value, dict) else value
    return not any(isinstance(member, dict | list) and member for member in members)
