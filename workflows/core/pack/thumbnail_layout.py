"""A fast layout for thumbnails: breadth-first columns, in linear time."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence

WIDTH = 200.0
HEIGHT = 64.0
COLUMN = 280.0
ROW = 96.0
MAX_ROWS = 24
"""States per column; the rest continues in the next column."""

Point = tuple[float, float]


def layout(
    states: Sequence[str],
    arrows: Iterable[tuple[str, str]],
    entries: Iterable[str],
    placed: Mapping[str, Point],
) -> dict[str, Point]:
    """Top left corner of every state, in canvas units. States with a saved position keep it; the
    others are arranged in columns by distance from the entries, below them."""
    free = [state for state in states if state not in placed]
    if not free:
        return {state: placed[state] for state in states}
    below = max((y for _, y in placed.values()), default=-ROW) + ROW
    left = min((x for x, _ in placed.values()), default=0.0)
    where = dict(placed)
    column = 0
    for level in _levels(states, arrows, entries):
        waiting = [state for state in level if state not in placed]
        for start in range(0, len(waiting), MAX_ROWS):
            part = waiting[start : start + MAX_ROWS]
            for row, state in enumerate(part):
                where[state] = (left + column * COLUMN, below + row * ROW)
            column += 1
    return {state: where[state] for state in states}


def _levels(
    states: Sequence[str], arrows: Iterable[tuple[str, str]], entries: Iterable[str]
) -> list[list[str]]:
    after: dict[str, list[str]] = {state: [] for state in states}
    for source, target in arrows:
        if source in after and target in after:
            after[source].append(target)
    depth: dict[str, int] = {}
    for start in [*(entry for entry in entries if entry in after), *states]:
        if start in depth:
            continue
        depth[start] = 0
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for target in after[here]:
                if target not in depth:
                    depth[target] = depth[here] + 1
                    queue.append(target)
    levels: list[list[str]] = [[] for _ in range(max(depth.values(), default=-1) + 1)]
    for state in states:
        levels[depth[state]].append(state)
    return levels
