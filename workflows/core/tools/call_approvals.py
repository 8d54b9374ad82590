"""Calls that a pack lets a person approve first, regardless of the bindings of its tools."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class CallApproval:
    """`tool`: "" for every tool. `states`: those whose calls are approved, () for all. `reason`:
    the text that follows the names of the tool or the states."""

    tool: str
    states: tuple[str, ...] = ()
    reason: str
