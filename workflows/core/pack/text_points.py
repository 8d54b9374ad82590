"""Bytes of one text as lines and columns, cheap for many questions about a long line."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate

_BLOCK = 1024
_BOM = b"\xef\xbb\xbf"
_UNITS = bytes(0 if 0x80 <= byte < 0xC0 else 2 if byte >= 0xF0 else 1 for byte in range(256))
"""The UTF-16 units of the character that each byte of UTF-8 begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TextPoint:
    """A place in a text: `line` counts from 1, `column` from 0 in UTF-16 units, as editors do."""

    line: int
    column: int


class TextPoints:
    """The points of a text in UTF-8. LF, CRLF and a lone CR each end one line."""

    def __init__(self, data: bytes) -> None:
        text = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
        self._data = data
        self._starts = [0, *(at + 1 for at, byte in enumerate(text) if byte == 10)]
        self._units = data.translate(_UNITS)
        blocks = (sum(self._units[at : at + _BLOCK]) for at in range(0, len(data), _BLOCK))
        self._before = list(accumulate(blocks, initial=0))

    def at(self, offset: int) -> TextPoint:
        """The point of the byte at an offset, where a character begins."""
        line = bisect_right(self._starts, offset)
        start = self._starts[line - 1]
        mark = int(self._data.startswith(_BOM, start, offset))
        return TextPoint(line=line, column=self._units_to(offset) - self._units_to(start) - mark)

    def _units_to(self, offset: int) -> int:
        block = offset // _BLOCK
        return self._before[block] + sum(self._units[block * _BLOCK : offset])
