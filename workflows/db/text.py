"""Text as a database can keep it: some ids in authors' files are not UTF-8 text."""

from __future__ import annotations


def to_storable(text: str) -> str:
    """The same text, with half surrogate pairs and NUL written as escapes."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\x00")


def is_storable(text: str) -> bool:
    """Whether a database keeps this text as it is."""
    return to_storable(text) == text
