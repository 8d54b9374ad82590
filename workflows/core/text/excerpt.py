"""Long texts cut in the middle: the beginning and the end are kept, and what is left out is
counted."""

from __future__ import annotations


def excerpt(text: str, most: int) -> str:
    """The text, or its first and its last half of `most` characters with the number of those
    between them."""
    excess = len(text) - most
    if excess <= 0:
        return text
    head = most // 2
    return joined(text[:head], excess, "characters", text[head + excess :])


def joined(head: str, left_out: int, unit: str, tail: str) -> str:
    """Both ends of a text, and between them the size of what was left out."""
    return f"{head}\n… {left_out:,} {unit} left out …\n{tail}" if left_out else head + tail
