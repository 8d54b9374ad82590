"""The place in a stream after which a client resumes: the number of an event of the log, and how
many AG-UI events after it are known. On the wire `14`, or `14.2` inside the events of one number.
For each answer that is being written, `~key@attempt@characters@checksum` follows.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field

from workflows.plugins.ag_ui.core.live_text import Live, LiveText

_LIVE = r"~([^~@\s]{1,200})@([0-9]{1,9})@([0-9]{0,15})@([0-9a-f]{1,8})"
_WIRE = re.compile(rf"([0-9]{{1,15}})(?:\.([0-9]{{1,9}}))?((?:{_LIVE}){{0,100}})", re.ASCII)


@dataclass(frozen=True, slots=True, kw_only=True)
class Cursor:
    n: int = 0
    beyond: int = 0
    live: Live = field(default_factory=dict)

    def __str__(self) -> str:
        number = f"{self.n}.{self.beyond}" if self.beyond else str(self.n)
        return number + "".join(
            f"~{key}@{one.attempt}@{'' if one.sent is None else one.sent}@{one.check:x}"
            for key, one in self.live.items()
        )

    @classmethod
    def from_text(cls, text: str) -> Cursor | None:
        """The cursor in this text, the beginning for ""; None for any other text."""
        if not text:
            return cls()
        match = _WIRE.fullmatch(text)
        if match is None:
            return None
        return cls(n=int(match[1]), beyond=int(match[2] or 0), live=_live_in(match[3]))


def _live_in(text: str) -> Mapping[str, LiveText]:
    return {
        key: LiveText(attempt=int(attempt), sent=int(sent) if sent else None, check=int(check, 16))
        for key, attempt, sent, check in re.findall(_LIVE, text, re.ASCII)
    }
