"""The author's JSON style, derived from the text: spelling, layout, separators.

Nearby containers decide first (the same key in a sibling, then siblings), then what is usual in the
file as it was parsed, then what surrounds the new value.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise
from typing import Any, TypeAlias

from workflows.core.text.json.node import Layout
from workflows.core.text.json.tree import Container, Site, breaks, is_container

NEAR = 8  # neighbours that are compared
_SAMPLE = 200  # containers from which the usual style of a file is derived
_ESCAPES = 2_000  # escapes from which the escaping style of a file is derived
_BREAK = re.compile(rb"\r\n|\n|\r")
_ESCAPE = re.compile(r"\\(u[0-9a-f]{4}|.)")
_SURROGATE = re.compile("[\ud800-\udfff]")
_SOMETIMES_ESCAPED = "<>&'\x7f"

_Likeness: TypeAlias = tuple[type, bool]  # object or array, and True if it has inner containers


class Style:
    """The usual style of one file. Computed when first needed, then kept through all edits."""

    def __init__(self, root: Site) -> None:
        self._root = root
        self._answers: dict[tuple[_Likeness, int, bool | None], Layout | None] = {}

    @cached_property
    def newline(self) -> bytes:
        """The file's first line end."""
        match = _BREAK.search(self._root.data)
        return match[0] if match else b"\n"

    @cached_property
    def escapes_non_ascii(self) -> bool:
        """True if all characters beyond ASCII are escaped. Lone surrogates, which must be, are
        ignored."""
        if not self._root.text.isascii():
            return False
        codes = [int(digits, 16) for digits in self._escapes]
        plain = any(0x80 <= code < 0xD800 or code >= 0xE000 for code in codes)
        return plain or any(
            one & 0xFC00 == 0xD800 and other & 0xFC00 == 0xDC00 for one, other in pairwise(codes)
        )

    @cached_property
    def upper_hex(self) -> bool:
        """True if the letters of `\\u` escapes are capitals."""
        lettered = (digits for digits in self._escapes if not digits.isdigit())
        return next(lettered, b"").isupper()

    @cached_property
    def _escapes(self) -> list[bytes]:
        """The digits of the file's first `\\u` escapes."""
        data = self._root.data
        escapes: list[bytes] = []
        at = data.find(b"\\u")
        while at >= 0 and len(escapes) < _ESCAPES:
            first = at
            while data[first - 1] == 0x5C:
                first -= 1
            if (at - first) % 2 == 0:
                escapes.append(data[at + 2 : at + 6])
            at = data.find(b"\\u", at + 2)
        return escapes

    @cached_property
    def escapes_slash(self) -> bool:
        """True if every `/` is escaped with a backslash."""
        data = self._root.data
        return 0 < data.count(b"/") == data.count(b"\\/")

    @cached_property
    def escaped_signs(self) -> str:
        """ASCII characters this file never writes as themselves, though nothing forbids it."""
        escaped = {int(digits, 16) for digits in self._escapes}
        return "".join(
            sign
            for sign in _SOMETIMES_ESCAPED
            if ord(sign) in escaped and sign.encode() not in self._root.data
        )

    @cached_property
    def unit(self) -> bytes:
        """The indentation of one level of expanded containers."""
        for site in self._sample:
            if (unit := unit_of(site)) is not None:
                return unit
        return b"  "

    @cached_property
    def gap(self) -> bytes:
        """The comma of containers written on one line."""
        gaps = Counter(
            gap
            for site in self._sample
            for gap in (site.separator(1) if site.size > 1 else b"",)
            if gap and not breaks(gap)
        )
        if gaps:
            return gaps.most_common(1)[0][0]
        return b", " if self.colon.endswith(b" ") else b","

    @cached_property
    def colon(self) -> bytes:
        """The colon with the whitespace around it."""
        colons = Counter(site.colon(0) for site in self._sample if site.body.keys is not None)
        return next((colon for colon, _ in colons.most_common() if not breaks(colon)), b": ")

    def usual(self, value: Any, depth: int, *, expanded: bool | None = None) -> Layout | None:
        """The layout most containers like `value` have, or most of those on one line.

        Those as deep in the file come first: some printers expand the outer levels only.
        """
        key = _likeness(value), depth, expanded
        if key not in self._answers:
            self._answers[key] = self._usual(*key)
        return self._answers[key]

    def _usual(self, like: _Likeness, depth: int, expanded: bool | None) -> Layout | None:
        layouts = [
            (level, layout)
            for level, kind, layout in self._layouts
            if kind == like and expanded in (None, layout.expanded)
        ]
        at_depth = Counter(layout for level, layout in layouts if level == depth)
        counts = at_depth or Counter(layout for _, layout in layouts)
        return counts.most_common(1)[0][0] if counts else None

    @cached_property
    def _layouts(self) -> list[tuple[int, _Likeness, Layout]]:
        return [
            (depth, _likeness(site.node.value), self.layout(site)) for depth, site in self._samples
        ]

    @property
    def _sample(self) -> list[Site]:
        return [site for _, site in self._samples]

    @cached_property
    def _samples(self) -> list[tuple[int, Site]]:
        """Containers with members and their depth: the first of each level."""
        sites: list[tuple[int, Site]] = []
        waiting = [(0, self._root)]
        for depth, site in waiting:
            if len(sites) == _SAMPLE:
                break
            if is_container(site.node.value) and site.node.value:
                sites.append((depth, site))
                children = range(min(site.size, 3 * NEAR))
                waiting += [(depth + 1, site.child(index)) for index in children]
        return sites

    def layout(self, site: Container) -> Layout:
        """The layout of a container with members."""
        lead = site.lead()
        expanded = breaks(lead) > 0
        gap = site.separator(1) if site.size > 1 else b""
        if not gap or breaks(gap):
            gap = self.gap
        colon = self.colon
        if site.has_keys:
            colon = majority([site.colon(index) for index in range(min(site.size, NEAR))])
        if breaks(colon):
            colon = self.colon
        if expanded:
            return Layout(expanded=True, gap=gap, colon=colon, unit=unit_of(site))
        tail = site.tail()
        return Layout(
            expanded=False, lead=lead, tail=b"" if breaks(tail) else tail, gap=gap, colon=colon
        )

    def string(self, text: str) -> bytes:
        """A string literal in the file's spelling."""
        if self.escapes_non_ascii:
            literal = json.dumps(text)
        else:
            literal = json.dumps(text, ensure_ascii=False)
            literal = _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", literal)
        for sign in self.escaped_signs:
            literal = literal.replace(sign, f"\\u{ord(sign):04x}")
        if self.upper_hex:
            literal = _ESCAPE.sub(_upper, literal)
        if self.escapes_slash:
            literal = literal.replace("/", "\\/")
        return literal.encode("utf-8")


def _upper(match: re.Match[str]) -> str:
    escape = match[1]
    return "\\u" + escape[1:].upper() if len(escape) > 1 else match[0]


def _likeness(value: Any) -> _Likeness:
    inside = value.values() if isinstance(value, dict) else value
    return type(value), any(is_container(each) and each for each in inside)


def majority(samples: Sequence[bytes]) -> bytes:
    """The most frequent; among equals the shortest."""
    return max(samples, key=lambda each: (samples.count(each), -len(each)))


def indent_in(gap: bytes) -> bytes:
    """The indentation a gap with a line break ends on."""
    return gap[max(gap.rfind(b"\n"), gap.rfind(b"\r")) + 1 :]


def unit_of(site: Container) -> bytes | None:
    """The indentation that an expanded container adds to the line of its opening bracket."""
    if not site.filled or not breaks(site.lead()):
        return None
    outer, inner = site.own_indent(), indent_in(site.lead())
    return inner[len(outer) :] if inner.startswith(outer) else None


def near(size: int, index: int) -> Sequence[int]:
    """The indexes closest to `index`, closest first; the one before wins over the one after."""
    window = range(max(0, index - NEAR), min(size, index + NEAR))
    return sorted(window, key=lambda each: (abs(each - index), each))[:NEAR]
