"""Where a pipeline's rules and setups look: `result.parsed.files[0].name` (stages.md section 16.2).

A path is a root and steps: `.name` for a key, `[0]` for a place in a list. A name may be anything
without dots, brackets and blanks, because payloads have keys of all kinds.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

MISSING: Any = object()
"""What a path that leads nowhere comes to. null is a value; this is none."""

MAX_LENGTH = 1_000
_ROOT = re.compile(r"[A-Za-z_]\w*")
_STEP = re.compile(r"\.([^.\[\]\s]+)|\[(0|[1-9][0-9]{0,5})\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Path:
    """One path as written, and read. `steps` are names (str) and places in lists (int)."""

    text: str
    root: str
    steps: tuple[str | int, ...] = ()

    def within(self, scope: Mapping[str, Any]) -> Any:
        """What it leads to among these roots, or MISSING."""
        value = scope.get(self.root, MISSING)
        for step in self.steps:
            value = _step_into(value, step)
        return value


def read_path(text: Any) -> Path | None:
    """The path that this text is, or None where it is none."""
    if not isinstance(text, str) or len(text) > MAX_LENGTH:
        return None
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
