"""Lines of a terminal, in colours where it shows them."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable
from typing import TextIO, TypeAlias

from signalbox.escaped_text import EscapedText

CODES = {"red": "31", "green": "32", "yellow": "33", "cyan": "36", "bold": "1"}

Line: TypeAlias = "list[str | tuple[str, str]]"
"""Texts, or texts with the name of their style."""


def has_colours(stream: TextIO) -> bool:
    """True if the stream shows colours: `NO_COLOR` switches them off, `FORCE_COLOR` on; otherwise
    a terminal that is not `dumb` has them."""
    if os.environ.get("NO_COLOR"):
        return False
    if (forced := os.environ.get("FORCE_COLOR")) is not None:
        return forced not in ("", "0", "false")
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def print_lines(lines: Iterable[Line], stream: TextIO | None = None) -> None:
    """Print lines, on standard output by default. Texts are escaped; only the styles reach the
    terminal."""
    stream = stream or sys.stdout
    coloured = has_colours(stream) and isinstance(stream, EscapedText)
    for line in lines:
        for part in line:
            text, style = (part, "") if isinstance(part, str) else part
            if coloured and style and isinstance(stream, EscapedText):
                stream.write_styled(text, CODES[style])
            else:
                stream.write(text)
        stream.write("\n")
