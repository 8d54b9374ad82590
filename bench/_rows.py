"""Rows of a benchmark: the value, its goal, and the peer measured in the same run."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

FILE = "BENCH_ROWS"
"""Environment variable with the file that rows are added to, one JSON object per line."""


@dataclass(frozen=True, kw_only=True)
class Row:
    """`goal` is in the row's unit. `peer` is None if it is not installed; `share` is the greatest
    part of the peer's value that meets the goal."""

    name: str
    value: float
    unit: str
    goal: float | None = None
    peer: float | None = None
    share: float | None = None

    @classmethod
    def from_json(cls, line: str) -> Row:
        """The row of one line of the file."""
        return cls(**json.loads(line))

    @property
    def ratio(self) -> float | None:
        """The part of the peer's value; None without a peer."""
        return None if self.peer is None else self.value / self.peer

    @property
    def is_missed(self) -> bool:
        """True if a goal is not met."""
        ratio = self.ratio
        return (self.goal is not None and self.value > self.goal) or (
            ratio is not None and self.share is not None and ratio > self.share
        )

    def __str__(self) -> str:
        parts = [f"  {self.name:28} {self.value:8.1f} {self.unit}"]
        if self.goal is not None:
            parts.append(f"goal {self.goal:g}: {_verdict(self.value <= self.goal)}")
        if self.peer is not None:
            ratio = self.value / self.peer
            parts.append(f"{ratio:.2f} of the peer's {self.peer:.1f}")
            if self.share is not None:
                parts.append(f"goal {self.share:g}: {_verdict(ratio <= self.share)}")
        return "   ".join(parts)


def _verdict(met: bool) -> str:
    return "met" if met else "missed"


def print_rows(rows: Iterable[Row]) -> None:
    """Print the rows, and add them to the file of a whole run."""
    for row in rows:
        print(row, flush=True)
        if path := os.environ.get(FILE):
            with Path(path).open("a") as file:
                file.write(json.dumps(asdict(row)) + "\n")
