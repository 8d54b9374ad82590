"""Edits as replaced spans of the text: `(start, end, replacement)` in characters, not overlapping.

Block members are whole lines; comments and blank lines between them are kept.
"""

from __future__ import annotations

import re
from typing import Any, TypeAlias

from workflows.core.text.yaml.node import Member, Node
from workflows.core.text.yaml.style import Style, line_end, line_start
from workflows.core.text.yaml.writer import Place, Writer, Written

Patch: TypeAlias = tuple[int, int, str]

_BREAK = re.compile(r"\r\n|\n|\r")
_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\n|\r))+")
_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]*)+")
_HEADER = re.compile(r"[|>][-+0-9]*")
_COMMA = re.compile(r"[ \t]*,")
_SPACE = re.compile(r"\s*")
_REST = re.compile(r"[ \t]*,?[ \t]*(?:#[^\r\n]*)?")


class Editor:
    """Writes edits of one text."""

    def __init__(self, text: str, style: Style, pen: Writer) -> None:
        self._text = text
        self._style = style
        self._pen = pen

    def replaced(self, node: Node, member: Member | None, value: Any, place: Place) -> list[Patch]:
        """A value in the place of another; anchor and trailing comment stay."""
        if member is None:
            return self._replaced_root(node, value, place)
        patches: list[Patch] = []
        lead = member.lead
        if lead is None and not place.element:
            at = member.label.end if member.label else node.start
            return [(at, node.end, ": " + self._pen.write(value, place).inline)]
        if node.inside > node.start:  # it has an anchor or a tag
            match = _PROPERTIES.match(self._text, node.start, node.inside)
            lead = node.start + (len(match[0].rstrip()) if match else 0)
            if node.tag is not None:
                lead = node.start
                anchored = f"&{node.anchor}" if node.anchor else ""
                inside = node.inside
                if anchored:
                    patches.append((node.start, lead, anchored + " "))
                written = self._pen.write(value, place)
                return [*patches, *self._inline(node, inside, node.start, written)]
        place = self._placed(node, member, place)
        written = self._pen.write(value, place)
        if lead is None:
            return [(node.inside, node.end, written.inline)]
        if node.inside == node.end:
            space = " " * (place.gap if place.element else 1)
            inline = written.inline and space + written.inline
            return [(lead, lead, inline), self._lines_at(line_end(self._text, lead), written)]
        if _BREAK.search(self._text, lead, node.inside):
            return [*patches, *self._below(node, lead, written)]
        start = node.inside if written.inline else lead
        return [*patches, *self._inline(node, node.inside, start, written)]

    def _placed(self, node: Node, member: Member, place: Place) -> Place:
        if not place.element or place.flow or member.lead is None:
            return place
        gap = self._text[member.lead : node.inside]
        width = len(gap) if gap and not gap.strip(" ") else self._style.gap
        return Place(column=place.column, key=place.key, element=True, siblings=place.siblings,
                     old=place.old, gap=width)  # fmt: skip

    def _replaced_root(self, node: Node, value: Any, place: Place) -> list[Patch]:
        written = self._pen.write(value, place)
        lines = ([written.inline] if written.inline else []) + written.lines
        text = self._style.newline.join(lines)
        if node.inside == node.end:
            before = self._text[: node.inside].rstrip(" \t")
            begins = not before or before[-1] in "\r\n"
            lead = "" if begins else self._style.newline
            return [(node.inside, node.inside, lead + text + self._style.newline)]
        end = line_end(self._text, node.end) if node.style == "block" else node.end
        return [(node.inside, end, text)]

    def _lines_at(self, at: int, written: Written) -> Patch:
        return at, at, "".join(self._style.newline + line for line in written.lines)

    def _inline(self, node: Node, inside: int, start: int, written: Written) -> list[Patch]:
        """Over a value that begins on the line of its key or dash."""
        if node.style in ("|", ">"):
            stop = line_end(self._text, inside)
            header = _HEADER.match(self._text, inside)
            end = header.end() if header else stop
            last = max(stop, node.end)
            return [(start, end, written.inline), (stop, last, self._lines_at(0, written)[2])]
        end = node.end
        if node.style == "block":
            end = line_end(self._text, end)
        return [(start, end, written.inline), self._lines_at(line_end(self._text, end), written)]

    def _below(self, node: Node, lead: int, written: Written) -> list[Patch]:
        """Over a value that begins below its key or dash; comments in between stay."""
        if node.style != "block":
            if not written.inline:
                own = self._before_line(node.inside)
                return [(own, node.end, self._lines_at(0, written)[2])]
            return self._inline(node, node.inside, node.inside, written)
        own = self._before_line(node.inside)
        inline = written.inline and " " + written.inline
        patch = (own, line_end(self._text, node.end), self._lines_at(0, written)[2])
        if own == lead:
            return [(lead, patch[1], inline + patch[2])]
        if written.inline and written.lines and own > line_end(self._text, lead):
            own = line_end(self._text, lead)  # a `|` begins below its header at once
            patch = (own, patch[1], patch[2])
        return [(lead, lead, inline), patch]

    def _before_line(self, position: int) -> int:
        """The line break before the line of `position`."""
        start = line_start(self._text, position)
        return start - (2 if self._text[start - 2 : start] == "\r\n" else 1)

    def renamed(self, label: Node, key: str, *, flow: bool) -> list[Patch]:
        """Another key, in the quotes the old one had."""
        return [(label.inside, label.end, self._pen.key(key, (label,), flow=flow))]

    def inserted(
        self, node: Node, index: int, key: str | None, value: Any, place: Place
    ) -> list[Patch]:
        """One more member of a container that has some. `place` is that of the new member."""
        labels = tuple(each.label for each in node.members if each.label is not None)
        if node.flow:
            if key is None:
                text = self._pen.write(value, place).inline
            else:
                text = self._pen.flow_member(key, value, place, labels)
            return self._inserted_flow(node, index, text)
        if key is None:
            lines = self._pen.element(value, place)
        else:
            lines = self._pen.member(key, value, place, labels)
        return [self._inserted_lines(node, index, lines, place.column)]

    def _inserted_lines(self, node: Node, index: int, lines: list[str], column: int) -> Patch:
        newline, pad = self._style.newline, " " * column
        blank = newline if self._spaced(node) else ""
        text = newline.join(lines)
        if index:
            at = line_end(self._text, node.members[index - 1].end)
            return at, at, blank + newline + pad + text
        first = node.members[0]
        if self._compact(first):
            return first.begin, first.begin, text + newline + blank + pad
        at = line_start(self._text, self._with_comments(node, 0))
        return at, at, pad + text + newline + blank

    def _spaced(self, node: Node) -> bool:
        """True if most members are separated by blank lines."""
        gaps = [self._blank_after(each) for each in node.members[:-1]]
        return sum(map(bool, gaps)) * 2 > len(gaps)

    def _blank_after(self, member: Member) -> int:
        """The length of the blank lines below a member."""
        below = self._next_line(line_end(self._text, member.end))
        match = _BLANK_LINES.match(self._text, below)
        return match.end() - below if match else 0

    def _next_line(self, at: int) -> int:
        match = _BREAK.match(self._text, at)
        return match.end() if match else at

    def _compact(self, member: Member) -> bool:
        """True if a member begins on the line of a dash above it."""
        start = line_start(self._text, member.begin)
        return bool(self._text[start : member.begin].strip())

    def _with_comments(self, node: Node, index: int) -> int:
        """The start of a block member with the comments directly above it. Comments above the
        first key belong to the file."""
        begin = node.members[index].begin
        if self._compact(node.members[index]) or (index == 0 and self._style.column(begin) == 0):
            return begin
        start = line_start(self._text, begin)
        column = begin - start
        while start:
            above = line_start(self._text, self._before_line(start))
            line = self._text[above:start]
            if not line.startswith(" " * column + "#"):
                break
            start, begin = above, above + column
        return begin

    def _inserted_flow(self, node: Node, index: int, text: str) -> list[Patch]:
        members = node.members
        if index == 0:
            return [(members[0].begin, members[0].begin, text + self._separator(node, 1))]
        separator = self._separator(node, index)
        end = members[index - 1].end
        if index < len(members):
            return [(end, end, separator + text)]
        rest = _REST.match(self._text, end)
        after = rest.end() if rest else end
        if "#" in self._text[end:after]:  # the comment on the last line is about that line
            comma = "" if "," in self._text[end:after].split("#")[0] else ","
            pad = " " * self._style.column(members[-1].begin)
            return [(end, end, comma), (after, after, self._style.newline + pad + text)]
        return [(end, end, separator + text)]

    def _separator(self, node: Node, index: int) -> str:
        """The comma of the neighbours with the space around it, without comments."""
        members = node.members
        if len(members) < 2:
            lead = self._text[node.inside + 1 : members[0].begin]
            return "," + lead if _BREAK.search(lead) and "#" not in lead else ", "
        place = min(max(index, 1), len(members) - 1)
        gap = self._text[members[place - 1].end : members[place].begin]
        if "#" not in gap:
            return gap
        breaks = list(_BREAK.finditer(gap))
        return "," + (self._style.newline + gap[breaks[-1].end() :] if breaks else " ")

    def deleted(self, node: Node, index: int) -> list[Patch]:
        """A container of several members without this one."""
        if node.flow:
            return self._deleted_flow(node, index)
        member, last = node.members[index], index + 1 == len(node.members)
        stop = line_end(self._text, member.end)
        if self._compact(member):
            match = _SPACE.match(self._text, stop)
            return [(member.begin, match.end() if match else stop, "")]
        start = line_start(self._text, member.begin)
        if index and (last or self._blank_after(member)):
            above = node.members[index - 1]
            size = self._blank_after(above)
            if size and self._next_line(line_end(self._text, above.end)) + size == start:
                start -= size
        following = self._next_line(stop)
        if following == stop and index:
            start = self._before_line(start)  # no final newline: the break above goes
        elif index == 0 and self._spaced(node):
            following += self._blank_after(member)
        return [(start, following, "")]

    def _deleted_flow(self, node: Node, index: int) -> list[Patch]:
        members = node.members
        member, last = members[index], index + 1 == len(members)
        start = members[index - 1].end if index else member.begin
        end = member.end if index else members[1].begin
        if "#" not in self._text[start : members[index + 1].begin if not last else node.end]:
            return [(start, end, "")]
        rest = _REST.match(self._text, member.end)
        end = rest.end() if rest else member.end
        line = line_start(self._text, member.begin)
        if self._text[line : member.begin].strip():
            return [(member.begin, end, "")]
        patches = [(self._before_line(line), end, "")]
        if last and "," not in self._text[member.end : end].split("#")[0]:
            before = members[index - 1].end
            comma = _COMMA.match(self._text, before)
            if comma:
                patches.insert(0, (before, comma.end(), ""))
        return patches

    def emptied(self, node: Node, member: Member | None, place: Place) -> list[Patch]:
        """A container without its only member, as `{}` or `[]`."""
        empty: Any = {} if node.kind == "mapping" else []
        if not node.flow:
            return self.replaced(node, member, empty, place)
        only = node.members[0]
        rest = _COMMA.match(self._text, only.end)
        end = rest.end() if rest else only.end
        hollow = self._text[node.inside + 1 : only.begin] + self._text[end : node.end - 1]
        if hollow.strip():
            return [(only.begin, end, "")]
        return [(node.inside + 1, node.end - 1, "")]

    def moved(self, node: Node, index: int, target: int) -> list[Patch]:
        """The members in another order; a block member takes the comments right above it along."""
        order = list(range(len(node.members)))
        order.insert(target, order.pop(index))
        slots = [self._slot(node, place) for place in range(len(order))]
        return [
            (*slots[place], self._taken(*slots[source], node.members[source]))
            for place, source in enumerate(order)
            if place != source
        ]

    def _taken(self, start: int, end: int, member: Member) -> str:
        open_end = open_ended(self._text, member.node)
        if open_end is None:
            return self._text[start:end]
        return self._text[start:open_end] + "-" + self._text[open_end:end]

    def _slot(self, node: Node, index: int) -> tuple[int, int]:
        member = node.members[index]
        if node.flow:
            return member.begin, member.end
        return self._with_comments(node, index), line_end(self._text, member.end)


def open_ended(text: str, node: Node) -> int | None:
    """Where a "-" has to go if `node` ends the text with lines under a `|` and without a line
    break: once more text follows, those lines would gain one."""
    while node.members:
        node = node.members[-1].node
    if node.style not in ("|", ">") or node.end != len(text) or text[-1] in "\r\n":
        return None
    header = _HEADER.match(text, node.inside)
    return None if header is None or "-" in header[0] or "+" in header[0] else header.end()
