"""Text that a database can store: some ids in authors' files contain lone surrogates or NUL."""

from __future__ import annotations


def to_storable(text: str) -> str:
    """The same text, with lone surrogates and NUL written as escapes."""
    return text.encode(errors="backslashreplace").decode().replace("\0", "\\x00")


def is_storable(text: str) -> bool:
    """Return True if a database stores this text unchanged."""
    return to_storable(text) == text
