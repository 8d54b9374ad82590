"""The page docs/performance.md: the rows of one run of the benchmarks, with goals and peers."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench._rows import Row

PAGE = Path(__file__).resolve().parent.parent / "docs" / "performance.md"
MEANINGS = {
    "canvas": "The time between two pictures while the canvas is dragged or zoomed (95th "
    "percentile). The peer is a plain React Flow with the same graph. Above 16.7 ms it is not "
    "smooth.",
    "check": "The time from a saved file to its findings.",
    "edits": "The time that an edit takes to be saved, and the size of its answer.",
    "engine": "The number of steps and rehearsed walks in a second of processor time.",
    "layout": "The number of labels that cannot be read after the layout, and of small packs that "
    "open too small to read.",
    "folder": "The time from a save on disk to the canvas, in an opened folder with 2,000 other "
    "files.",
    "live": "The delay of an event on the pages that follow a run.",
    "long_run": "The worst time of the page of a long run: opening it, and the answer to each key "
    "and mouse move.",
    "pages": "The time until the editor shows a graph or a run, and the bytes on a slow network. "
    "The worker that lays out small graphs is not counted: it is loaded after the drawing.",
    "steps": "The number of recorded steps that one server takes in a second.",
    "waiting_runs": "The memory of a server with many runs that wait for a model.",
}
"""Benchmark → what its rows mean to a user."""


def page(rows: Mapping[str, Sequence[Row]]) -> str:
    """Markdown. A benchmark without rows is named, because it prints a table of its own."""
    loads = ", ".join(f"{load:.1f}" for load in os.getloadavg())
    parts = [
        "# Performance",
        f"Written by `python -m bench` on {time.strftime('%Y-%m-%d')}, on {os.cpu_count()} cores. "
        f"Load averages at the end of the run: {loads}. Ratios carry over to other machines, "
        "milliseconds do not. A peer that is not installed has no figure.",
    ]
    for name, own in rows.items():
        if own:
            parts += [f"## {name}", *filter(None, [MEANINGS.get(name)]), _table(own)]
    others = [name for name, own in rows.items() if not own]
    if others:
        names = ", ".join(f"`{name}`" for name in others)
        parts.append(f"Without rows in this run, because they print tables of their own: {names}.")
    return "\n\n".join(parts) + "\n"


def _table(rows: Sequence[Row]) -> str:
    lines = ["| row | measured | goal | peer | ratio | goal of the ratio |", "|---" * 6 + "|"]
    for row in rows:
        cells = (
            row.name,
            f"{row.value:,.1f} {row.unit}".strip(),
            _goal(row.goal, row.value),
            "" if row.peer is None else f"{row.peer:,.1f} {row.unit}".strip(),
            "" if row.ratio is None else f"{row.ratio:.2f}",
            "" if row.ratio is None else _goal(row.share, row.ratio),
        )
        lines.append("| " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _goal(goal: float | None, value: float) -> str:
    if goal is None:
        return ""
    return f"{goal:,g}: {'met' if value <= goal else 'missed'}"
