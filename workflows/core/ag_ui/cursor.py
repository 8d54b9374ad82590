"""The place in a stream after which a client resumes: the number of an event of the log, and how
many AG-UI events after it are known. On the wire `14`, or `14+2` inside the events of one number.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WIRE = re.compile(r"([0-9]{1,15})(?:\+([0-9]{1,9}))?", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    n: int = 0
    beyond: int = 0

    def __str__(self) -> str:
        return f"{self.n}+{self.beyond}" if self.beyond else str(self.n)

    @classmethod
    def from_text(cls, text: str) -> Cursor | None:
        """The cursor in this text, the beginning for ""; None for any other text."""
        if not text:
            return cls()
        match = _WIRE.fullmatch(text)
        return None if match is None else cls(n=int(match[1]), beyond=int(match[2] or 0))
