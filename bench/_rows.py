"""Rows of a benchmark: the value, its goal, and the peers measured in the same run."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, kw_only=True)
class Row:
    """`goal` is in the row's unit. `peer` is None if it is not installed; `share` is the greatest
    part of the peer's value that meets the goal."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    peer: float | None = None
    peer_name: str = ""
    share: float | None = None

    @property
    def ratio(self) -> float | None:
        """The part of the peer's value; None without a peer."""
        return self.value / self.peer if self.peer else None

    @property
    def goal_met(self) -> bool | None:
        """None without a goal."""
        if self.goal is None:
            return None
        return self.value <= self.goal

    @property
    def share_met(self) -> bool | None:
        """None without a peer or a goal of the ratio."""
        if self.share is None or self.ratio is None:
            return None
        return self.ratio <= self.share

    def __str__(self) -> str:
        parts = [f"  {self.name:36} {self.value:9.1f} {self.unit}"]
        if self.goal_met is not None:
            parts.append(f"goal {self.goal:g}: {verdict(self.goal_met)}")
        if self.ratio is not None:
            name = self.peer_name or "the peer"
            parts.append(f"{self.ratio:.2f} of {name}'s {self.peer:.1f}")
            if self.share_met is not None:
                parts.append(f"goal {self.share:g}: {verdict(self.share_met)}")
        return "   ".join(parts)


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def print_rows(rows: Iterable[Row]) -> None:
    for row in rows:
        print(row, flush=True)
