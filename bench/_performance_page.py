"""The page docs/performance.md: rows of the benchmarks with goals and peers."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench._rows import Row, verdict
from bench._sections import Section

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
COLUMNS = ("row", "measured", "goal", "peer", "ratio", "goal of the ratio")


def page(sections: Mapping[str, Section]) -> str:
    """Markdown: the newest rows of each benchmark."""
    parts = [
        "# Performance",
        f"Written by `python -m bench`, on {os.cpu_count()} cores. Ratios carry over to other "
        "machines, milliseconds do not; a high load average makes times longer. A peer that is "
        "not installed has no figure. A peer with a date was measured on that day on another "
        "machine, so its ratio has no goal.",
    ]
    for name, one in sections.items():
        about = f"Measured on {one.date}, load average {one.load:g}."
        parts += [f"## {name}", about, _table(one.rows)]
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[Row]) -> str:
    lines = ["| " + " | ".join(COLUMNS) + " |", "|---" * len(COLUMNS) + "|"]
    for row in rows:
        cells = (
            row.name,
            _measured(row),
            _goal(row.goal, row.goal_met, at_least=row.least),
            _peers(row),
            "" if row.ratio is None else f"{row.ratio:.2f}",
            _goal(row.share, row.share_met),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _measured(row: Row) -> str:
    if row.value is None:
        return f"not measured: {row.missing}"
    return _figure(row.value, row.unit)


def _peers(row: Row) -> str:
    """The peer of the ratio first, then the others."""
    parts = []
    if row.peer is not None:
        day = f", measured {row.quoted}" if row.quoted else ""
        parts.append(f"{row.peer_name} {_figure(row.peer, row.unit)}{day}".strip())
    parts += [f"{name} {_figure(value, row.unit)}" for name, value in row.others.items()]
    return "; ".join(parts)


def _figure(value: float, unit: str) -> str:
    return f"{value:,.1f} {unit}".strip()


def _goal(goal: float | None, met: bool | None, *, at_least: bool = False) -> str:
    if goal is None or met is None:
        return ""
    return f"{'≥ ' if at_least else ''}{goal:,g}: {verdict(met)}"
