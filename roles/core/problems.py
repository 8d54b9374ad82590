"""Problems of submitted values, as data."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """`path`: JSON pointer into the value. `start` and `end`: character offsets in the text at
    `path`, both 0 for the whole."""

    path: str
    code: str
    message: str
    level: Level = "error"
    start: int = 0
    end: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


Problems = tuple[Problem, ...]


def errors(problems: Iterable[Problem]) -> Problems:
    """Problems that keep a value from being saved."""
    return tuple(one for one in problems if one.level == "error")


def warnings(problems: Iterable[Problem]) -> Problems:
    """Problems that an author may ignore."""
    return tuple(one for one in problems if one.level == "warning")


def pointer(*steps: str | int) -> str:
    """RFC 6901."""
    return "".join("/" + str(step).replace("~", "~0").replace("/", "~1") for step in steps)
