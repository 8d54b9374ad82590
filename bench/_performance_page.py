"""The page docs/performance.md: rows of the benchmarks with goals, peers and obstacles."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from bench._obstacles import OBSTACLES
from bench._rows import Row
from bench._sections import Section

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


def page(sections: Mapping[str, Section]) -> str:
    """Markdown: the newest rows of each benchmark."""
    parts = [
        "# Performance",
        f"Written by `python -m bench`, on {os.cpu_count()} cores. Ratios carry over to other "
        "machines, milliseconds do not; a high load average makes times longer. A peer that is "
        "not installed has no figure.",
    ]
    for name, one in sections.items():
        about = f"{one.date}, load average {one.load:g}."
        meaning = MEANINGS.get(name, "")
        parts += [f"## {name}", f"{meaning} Measured on {about}".strip(), _table(one.rows)]
        parts += _reasons(name, one.rows)
    return "\n\n".join(parts) + "\n"


def _reasons(name: str, rows: Sequence[Row]) -> list[str]:
    """The obstacles of missed rows, as a list."""
    known = OBSTACLES.get(name, {})
    missed = [row.name for row in rows if row.is_missed and row.name in known]
    if not missed:
        return []
    return ["Missed:\n\n" + "\n".join(f"- **{row}**: {known[row]}" for row in missed)]


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
