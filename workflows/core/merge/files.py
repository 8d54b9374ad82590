"""Three-way merges of files by meaning, written back so that bytes outside of the changes stay.

JSON, YAML and front matter are merged as values, all else by lines. A merge of the lines that
means the same as the merged values is preferred, because it has the spelling of both sides;
otherwise the values are written into one side's text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import PurePath
from typing import Any

from workflows.core.merge.decisions import BadChoice, Choice, FileDecisions, Lines, ValueConflict
from workflows.core.merge.texts import marked, merged_text
from workflows.core.merge.values import merged_value
from workflows.core.text.frontmatter import Frontmatter
from workflows.core.text.json.document import JsonText, JsonTextError
from workflows.core.text.json.merge import same
from workflows.core.text.json.pointer import Pointer
from workflows.core.text.yaml.document import YamlText, YamlTextError

Document = JsonText | YamlText
Kind = type[JsonText] | type[YamlText]
Errors = (JsonTextError, YamlTextError, KeyError, ValueError)
_COMMENT = re.compile(rb"(?:^|(?<=\s))#[^\r\n]*")


@dataclass(frozen=True, kw_only=True)
class FileMerge:
    """A merge of one file."""

    path: str
    base: bytes
    mine: bytes
    theirs: bytes

    @cached_property
    def _first(self) -> tuple[_Way, bytes, tuple[ValueConflict, ...]]:
        """The first way that can write the merge, with mine at each conflict."""
        for way in self._ways():
            decisions = FileDecisions(lambda _: (1, 1))
            result = way(self, decisions)
            if result is not None:
                return way, result, tuple(decisions.found)
        raise AssertionError("lines can always be merged")

    def _ways(self) -> tuple[_Way, ...]:
        name = self.path.lower()
        if self.mine in (self.base, self.theirs) or self.theirs == self.base:
            return (_one_side,)
        if any(b"\0" in data for data in (self.base, self.mine, self.theirs)):
            return (_whole,)
        if name.endswith(".json"):
            return (_as_json, _as_text)
        if name.endswith((".yaml", ".yml")):
            return (_as_yaml, _as_text)
        return (_as_front_matter, _as_text)

    @property
    def conflicts(self) -> tuple[ValueConflict, ...]:
        """The values that both sides changed differently, in order."""
        return self._first[2]

    @property
    def clean(self) -> bytes | None:
        """The merged file; None if a person has to decide about a conflict."""
        return None if self.conflicts else self._first[1]

    def resolved(self, choices: Mapping[int, Choice]) -> bytes:
        """The merged file with a choice for each conflict, mine without one. Raises BadChoice."""
        result = self._first[0](self, FileDecisions(lambda _: (1, 1), choices))
        if result is None:
            raise BadChoice(f"With these choices {self.path} cannot be written.")
        return result

    def marked(self, size: int) -> bytes:
        """The merged file with git's markers at each conflict."""
        theirs = {number: {"take": "theirs"} for number in range(len(self.conflicts))}
        return _encoded(
            marked(_decoded(self._first[1]), _decoded(self.resolved(theirs)), size=size)
        )


_Way = Callable[[FileMerge, FileDecisions], bytes | None]
"""A way to merge a file; None if it does not fit these files."""


def merged(path: str, base: bytes, mine: bytes, theirs: bytes) -> bytes | None:
    """The file with both sides' changes; None if they changed a value differently."""
    return FileMerge(path=path, base=base, mine=mine, theirs=theirs).clean


def mean_the_same(path: str, one: bytes | None, other: bytes | None) -> bool:
    """True for versions of a file that have the same values, or none."""
    if one == other or one is None or other is None:
        return one == other
    kinds: dict[str, Kind] = {".json": JsonText, ".yaml": YamlText, ".yml": YamlText}
    kind = kinds.get(PurePath(path).suffix.lower())
    try:
        return kind is not None and same(kind.parse(one).value, kind.parse(other).value)
    except Errors:
        return False


def _one_side(merge: FileMerge, _: FileDecisions) -> bytes:
    return merge.theirs if merge.mine == merge.base else merge.mine


def _whole(merge: FileMerge, decisions: FileDecisions) -> bytes:
    sides = (_decoded(one) for one in (merge.base, merge.mine, merge.theirs))
    return _encoded(decisions.lines(0, *sides))


def _as_json(merge: FileMerge, decisions: FileDecisions) -> bytes | None:
    return _merged_document(JsonText, merge, decisions)


def _as_yaml(merge: FileMerge, decisions: FileDecisions) -> bytes | None:
    return _merged_document(YamlText, merge, decisions)


def _as_front_matter(merge: FileMerge, decisions: FileDecisions) -> bytes | None:
    """The YAML as values, the body by lines."""
    try:
        sides = [Frontmatter.parse(one) for one in (merge.base, merge.mine, merge.theirs)]
    except YamlTextError:
        return None
    base, mine, theirs = sides
    heads = [one.head.data for one in sides if one.head is not None]
    if len(heads) != 3:
        return None
    head: bytes | None = heads[1]
    fence = theirs if (mine.opening, mine.closing) == (base.opening, base.closing) else mine
    old, own, other = heads
    if own != other:
        inner = FileMerge(path="head.yaml", base=old, mine=own, theirs=other)
        if _one_side in inner._ways():
            head = _one_side(inner, decisions)
        else:
            decisions.lines_of = lambda _: (mine.head_line, mine.head_line)
            head = _as_yaml(inner, decisions)
    if head is None:
        return None
    decisions.lines_of = lambda _: (mine.body_line, mine.body_line)
    body = _merged_lines(*(_decoded(one.body) for one in sides), decisions=decisions)
    return fence.opening + head + fence.closing + _encoded(body)


def _as_text(merge: FileMerge, decisions: FileDecisions) -> bytes:
    sides = (_decoded(one) for one in (merge.base, merge.mine, merge.theirs))
    return _encoded(_merged_lines(*sides, decisions=decisions))


def _merged_lines(base: str, mine: str, theirs: str, *, decisions: FileDecisions) -> str:
    """Texts merged by lines. A side that changed all line ends keeps them."""
    ends = [_line_end(text) for text in (base, mine, theirs)]
    end = ends[2] if ends[1] == ends[0] else ends[1]
    if None not in ends and len(set(ends)) > 1:
        sides = [re.sub(r"\r?\n", str(end), text) for text in (base, mine, theirs)]
        base, mine, theirs = sides
    if base == mine or mine == theirs:
        return theirs
    return mine if base == theirs else merged_text(base, mine, theirs, decisions.lines)


def _line_end(text: str) -> str | None:
    """The line end of all lines; None where they differ or there is none."""
    windows, all_ends = text.count("\r\n"), text.count("\n")
    return None if windows not in (0, all_ends) or not all_ends else "\r\n" if windows else "\n"


def _merged_document(kind: Kind, merge: FileMerge, decisions: FileDecisions) -> bytes | None:
    """The merged values in the text of the lines, or of one side."""
    try:
        base, mine, theirs = (kind.parse(one) for one in (merge.base, merge.mine, merge.theirs))
    except Errors:
        return None
    if base.duplicates or mine.duplicates or theirs.duplicates:
        return None
    above = decisions.lines_of(())[0] - 1

    def lines_of(at: Pointer) -> Lines:
        first = above + mine.line(at)
        return first, first + (mine.raw(at).count("\n") if mine.has(at) else 0)

    decisions.lines_of = lines_of
    value = merged_value(base.value, mine.value, theirs.value, decisions)
    if not decisions.found:
        spelled = _clean_lines(merge)
        if spelled is not None and _means(kind, spelled, value):
            return spelled
    return _written(kind, base, mine, theirs, value)


def _clean_lines(merge: FileMerge) -> bytes | None:
    decisions = FileDecisions(lambda _: (1, 1))
    result = _as_text(merge, decisions)
    return None if decisions.found else result


def _written(
    kind: Kind,
    base: Document, mine: Document, theirs: Document, value: Any,
) -> bytes | None:  # fmt: skip
    """The value in the text of one side, so that every other change of that side stays; None if a
    comment of the other side would be lost, or if it cannot be written."""
    start = theirs if not _only_values(base, theirs) and _only_values(base, mine) else mine
    try:
        data = start.set((), value).data
    except Errors:
        return None
    if kind is YamlText and _lost_comment(base.data, (mine.data, theirs.data), data):
        return None
    return data if _means(kind, data, value) else None


def _only_values(base: Document, side: Document) -> bool:
    """True if a side's text is the common one with other values, and nothing else of it changed."""
    try:
        return base.set((), side.value).data == side.data
    except Errors:
        return False


def _lost_comment(base: bytes, sides: tuple[bytes, bytes], result: bytes) -> bool:
    old, has = set(_COMMENT.findall(base)), set(_COMMENT.findall(result))
    return any(not set(_COMMENT.findall(side)) <= old | has for side in sides)


def _means(kind: Kind, data: bytes, value: Any) -> bool:
    try:
        text = kind.parse(data)
    except Errors:
        return False
    return not text.duplicates and same(text.value, value)


def _decoded(data: bytes) -> str:
    return data.decode(errors="surrogateescape")


def _encoded(text: str) -> bytes:
    return text.encode(errors="surrogateescape")
