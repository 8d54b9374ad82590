"""A thumbnail as SVG attributes: rounded numbers and classes, no inline styles."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def drawing(thumbnail: Mapping[str, Any]) -> dict[str, Any]:
    """`view_box`, `boxes` and `lines` for `thumbnail.svg`."""
    return {
        "view_box": f"0 0 {_round(thumbnail['width'] or 400)} {_round(thumbnail['height'] or 200)}",
        "boxes": [
            {
                **{side: _round(state[side]) for side in "xywh"},
                "id": state["id"],
                "kind": state["kind"],
                "class": " ".join(
                    ["thumb-state", f"kind-{state['kind']}"]
                    + [mark for mark in ("entry", "terminal") if state[mark]]
                ),
            }
            for state in thumbnail["states"]
        ],
        "lines": [
            {
                "x1": _round(x1),
                "y1": _round(y1),
                "x2": _round(x2),
                "y2": _round(y2),
                "class": "thumb-line dashed" if dashed else "thumb-line",
            }
            for x1, y1, x2, y2, dashed in thumbnail["lines"]
        ],
    }


def _round(value: float) -> str:
    return f"{value:.0f}"
