"""The limit of a copy. States that share a schema or a file have one each in a copy, so that it can
be far larger than the pack."""

from __future__ import annotations

from workflows.core.pack.edits import EditRefused

MAX_COPY = 2_000_000
"""Characters of the texts and schemas of one copy."""


class CopySize:
    """The size of one copy so far."""

    def __init__(self) -> None:
        self._size = 0

    def add(self, length: int, where: str) -> None:
        """Count the texts of one state. Raises EditRefused if the copy becomes too large."""
        self._size += length
        if self._size > MAX_COPY:
            raise EditRefused(
                f"The copy has more than {MAX_COPY:,} characters, because each state has its own"
                " copy of a shared text or schema.",
                where=where,
                hint="Copy fewer states at a time.",
            )
