"""Validation of texts that are used in database queries."""

from __future__ import annotations

from workflows.db.text import is_storable
from workflows.errors import BadRequest

MAX_LENGTH = 10_000
"""Characters. SQLite accepts patterns of at most 50,000 bytes."""


def check_search_text(**texts: str) -> None:
    """Validate texts by parameter name. Raises BadRequest."""
    for name, text in texts.items():
        if len(text) > MAX_LENGTH or not is_storable(text):
            raise BadRequest(
                f"`{name}` must be plain text of at most {MAX_LENGTH:,} characters.", where=name
            )
