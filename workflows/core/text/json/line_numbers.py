"""From a byte offset to a line number, cheap for many questions about a large text."""

from __future__ import annotations

_BLOCK = 4096


class Lines:
    """Line breaks counted per block; LF, CRLF and a lone CR each end one line."""

    def __init__(self, data: bytes) -> None:
        if b"\r" in data:
            data = data.replace(b"\r\n", b" \n").replace(b"\r", b"\n")
        self._data = data
        self._before = [1]
        for begin in range(0, len(data), _BLOCK):
            self._before.append(self._before[-1] + data.count(b"\n", begin, begin + _BLOCK))

    def at(self, offset: int) -> int:
        """The 1-based line of the byte at `offset`."""
        block = offset // _BLOCK
        return self._before[block] + self._data.count(b"\n", block * _BLOCK, offset)
