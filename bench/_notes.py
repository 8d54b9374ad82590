"""Texts about rows, by benchmark and the beginning of the row's name."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Notes: TypeAlias = Mapping[str, Mapping[str, str]]
"""Benchmark → the row's name or its beginning → the text."""


def note_for(notes: Notes, section: str, row: str) -> str:
    """The text with the longest matching beginning; "" if there is none."""
    texts = notes.get(section, {})
    matching = [beginning for beginning in texts if row.startswith(beginning)]
    return texts[max(matching, key=len)] if matching else ""
