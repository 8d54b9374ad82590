"""Calls that a pack lets a person approve before they are made, whatever the tools are bound to."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CallApproval:
    """`tool`: "" for every tool. `states`: those whose calls are approved, () for all. `reason`:
    the rest of a sentence that begins with the tool or the states."""

    tool: str
    states: tuple[str, ...] = ()
    reason: str
