"""Texts that a database can be asked for."""

from __future__ import annotations

from workflows.db.text import is_storable
from workflows.errors import BadRequest

MAX_LENGTH = 10_000
"""Characters. SQLite compares with patterns of 50,000 bytes at most."""


def check_search_text(**texts: str) -> None:
    """By the name that the caller gave it. Raises BadRequest."""
    for name, text in texts.items():
        if len(text) > MAX_LENGTH or not is_storable(text):
            raise BadRequest(
                f"`{name}` is plain text of at most {MAX_LENGTH:,} characters.", where=name
            )
