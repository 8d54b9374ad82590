"""Text of strangers as a terminal and a log may show it: nothing in it acts or hides."""

from __future__ import annotations

import re

_ACTING = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]"
)
"""Control characters, of which some begin the commands of a terminal, and characters that break a
line or change the direction of text."""


def escaped(text: str, *, keep: str = "") -> str:
    r"""The text with its acting characters written as `\u001b`, which is also valid in a JSON
    string. Those in `keep` stay."""
    return _ACTING.sub(
        lambda match: match[0] if match[0] in keep else f"\\u{ord(match[0]):04x}", text
    )
