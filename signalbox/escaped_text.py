"""Standard output and error that pass no command to a terminal."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TextIO, cast

from workflows.core.text.visible import escaped


class EscapedText:
    """A stream of text whose control characters are written out. Bytes that are written to `buffer`
    are files, and stay as they are."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        self._stream.write(escaped(text, keep="\n\t"))
        return len(text)

    def write_styled(self, text: str, code: str) -> None:
        """Write text between the terminal's codes for a style and for its end."""
        self._stream.write(f"\x1b[{code}m{escaped(text)}\x1b[0m")

    def writelines(self, lines: Iterable[str]) -> None:
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


def escaped_stream(stream: TextIO) -> TextIO:
    """The stream, escaped once."""
    return stream if isinstance(stream, EscapedText) else cast(TextIO, EscapedText(stream))
