"""Rows of a benchmark: the value, its goal, and the peers measured in the same run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path

FILE = "BENCH_ROWS"
"""Environment variable with the file that rows are added to, one JSON object per line."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """`goal` is in the row's unit. `peer` is None if it is not installed; `share` is the greatest
    part of the peer's value that meets the goal. `others` are further peers without a goal.
    `quoted`: the day on which the peer was measured, if not in this run. `missing`: the reason why
    the row has no value."""

    name: str
    value: float | None
    unit: str
    goal: float | None = None
    peer: float | None = None
    peer_name: str = ""
    share: float | None = None
    others: Mapping[str, float] = field(default_factory=dict)
    quoted: str = ""
    missing: str = ""
    least: bool = False
    """The goal is the least value, as for steps per second."""

    @classmethod
    def from_json(cls, line: str) -> Row:
        """The row of one line of the file."""
        return cls(**json.loads(line))

    @property
    def ratio(self) -> float | None:
        """The part of the peer's value; None without a peer."""
        return None if self.value is None or not self.peer else self.value / self.peer

    @property
    def goal_met(self) -> bool | None:
        """None without a goal or a value."""
        if self.goal is None or self.value is None:
            return None
        return self.value >= self.goal if self.least else self.value <= self.goal

    @property
    def share_met(self) -> bool | None:
        """None without a peer of this run or a goal of the ratio."""
        if self.share is None or self.ratio is None or self.quoted:
            return None
        return self.ratio <= self.share

    def __str__(self) -> str:
        if self.value is None:
            return f"  {self.name:36} not measured: {self.missing}"
        parts = [f"  {self.name:36} {self.value:9.1f} {self.unit}"]
        if self.goal_met is not None:
            parts.append(f"goal {self.goal:g}: {verdict(self.goal_met)}")
        if self.ratio is not None:
            day = f" (measured {self.quoted})" if self.quoted else ""
            name = self.peer_name or "the peer"
            parts.append(f"{self.ratio:.2f} of {name}'s {self.peer:.1f}{day}")
            if self.share_met is not None:
                parts.append(f"goal {self.share:g}: {verdict(self.share_met)}")
        parts += [f"{name} {value:.1f}" for name, value in self.others.items()]
        return "   ".join(parts)


def verdict(met: bool) -> str:
    return "met" if met else "missed"


def print_rows(rows: Iterable[Row]) -> None:
    """Print the rows, and add them to the file of a whole run."""
    for row in rows:
        print(row, flush=True)
        if path := os.environ.get(FILE):
            with Path(path).open("a") as file:
                file.write(json.dumps(asdict(row)) + "\n")
