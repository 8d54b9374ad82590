"""Paths in conditions and setups: `result.parsed.files[0].name` (stages.md section 16.2).

A path is a root and steps: `.name` for a key, `[0]` for an index. A name may have any characters
except dots, brackets and spaces, because payloads have keys of all kinds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

MISSING: Any = object()
"""The value of a path that leads nowhere. null is a value; this is not."""

MAX_LENGTH = 1_000
_ROOT = re.compile(r"[A-Za-z_]\w*")
_STEP = re.compile(r"\.([^.\[\]\s]+)|\[(0|[1-9][0-9]{0,5})\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """A path: its text and its parsed form. `steps` are names (str) and indexes (int)."""

    text: str
    root: str
    steps: tuple[str | int, ...] = ()

    def within(self, scope: Mapping[str, Any]) -> Any:
        """The value of the path in these roots, or MISSING."""
        value = scope.get(self.root, MISSING)
        for step in self.steps:
            value = _step_into(value, step)
        return value


def read_path(text: Any) -> Path | None:
    """Parse a path; None if the text is not one."""
    return _read(text) if isinstance(text, str) and len(text) <= MAX_LENGTH else None


@lru_cache(maxsize=2_000)
def _read(text: str) -> Path | None:
    """Rules and programs read the same few paths again and again."""
    root = _ROOT.match(text)
    if root is None:
        return None
    steps: list[str | int] = []
    at = root.end()
    while at < len(text):
        step = _STEP.match(text, at)
        if step is None:
            return None
        steps.append(step[1] if step[1] is not None else int(step[2]))
        at = step.end()
    return Path(text=text, root=root[0], steps=tuple(steps))


def _step_into(value: Any, step: str | int) -> Any:
    match value, step:
        case Mapping(), str():
            return value.get(step, MISSING)
        case ((list() | tuple()), int()) if step < len(value):
            return value[step]
        case _:
            return MISSING
