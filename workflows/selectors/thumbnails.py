"""Thumbnail of a pack on its card, from stored rows; no file is parsed."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Mapping
from threading import Lock
from typing import Any

from workflows.core.pack.thumbnail_layout import HEIGHT, WIDTH, layout
from workflows.models import Pack, State, Transition

MOST_STATES = 400
MOST_LINES = 800
KEPT = 500
RIM = 20
"""Margin around the states."""
Row = Mapping[str, Any]
_kept: OrderedDict[tuple[int, int, str, str], dict[str, Any]] = OrderedDict()
_lock = Lock()


def thumbnails(packs: Iterable[Pack]) -> dict[int, dict[str, Any]]:
    """By pack id: `{width, height, states: [{id, x, y, w, h, kind, terminal, entry}], lines}`."""
    wanted = list(packs)
    with _lock:
        found = {pack.pk: _kept[_key(pack)] for pack in wanted if _key(pack) in _kept}
    missing = [pack for pack in wanted if pack.pk not in found]
    if missing:
        boxes, arrows = _rows(missing)
        for pack in missing:
            found[pack.pk] = _drawn(boxes[pack.pk], arrows[pack.pk])
        with _lock:
            _kept.update({_key(pack): found[pack.pk] for pack in missing})
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
    return found


def _key(pack: Pack) -> tuple[int, int, str, str]:
    return (pack.pk, pack.head, pack.profile, pack.created_at.isoformat())


def _rows(packs: list[Pack]) -> tuple[dict[int, list[Row]], dict[int, list[Row]]]:
    boxes: dict[int, list[Row]] = defaultdict(list)
    arrows: dict[int, list[Row]] = defaultdict(list)
    drawn = ("key", "kind", "terminal", "entry", "x", "y", "width", "height")
    for state in (
        State.objects.filter(pack__in=packs, level="").order_by("pk").values("pack_id", *drawn)
    ):
        boxes[state["pack_id"]].append(state)
    ends = ("source", "target", "kind")
    for arrow in (
        Transition.objects.filter(pack__in=packs, level="").order_by("pk").values("pack_id", *ends)
    ):
        arrows[arrow["pack_id"]].append(arrow)
    return boxes, arrows


def _drawn(boxes: list[Row], arrows: list[Row]) -> dict[str, Any]:
    where = layout(
        [box["key"] for box in boxes],
        [(arrow["source"], arrow["target"]) for arrow in arrows],
        [box["key"] for box in boxes if box["entry"]],
        {
            box["key"]: (box["x"], box["y"])
            for box in boxes
            if box["x"] is not None and box["y"] is not None
        },
    )
    left = min((x for x, _ in where.values()), default=0.0) - RIM
    top = min((y for _, y in where.values()), default=0.0) - RIM
    states = [_state(box, where[box["key"]][0] - left, where[box["key"]][1] - top) for box in boxes]
    by_id = {state["id"]: state for state in states}
    return {
        "width": max((state["x"] + state["w"] for state in states), default=0.0) + RIM,
        "height": max((state["y"] + state["h"] for state in states), default=0.0) + RIM,
        "states": states[:MOST_STATES],
        "lines": [
            _line(by_id[arrow["source"]], by_id[arrow["target"]], arrow["kind"])
            for arrow in arrows
            if arrow["source"] in by_id
            and arrow["target"] in by_id
            and arrow["source"] != arrow["target"]
        ][:MOST_LINES],
    }


def _state(box: Row, x: float, y: float) -> dict[str, Any]:
    return {
        "id": box["key"],
        "x": x,
        "y": y,
        "w": box["width"] or WIDTH,
        "h": box["height"] or HEIGHT,
        "kind": box["kind"],
        "terminal": box["terminal"],
        "entry": box["entry"],
    }


def _line(source: dict[str, Any], target: dict[str, Any], kind: str) -> list[Any]:
    return [
        source["x"] + source["w"] / 2,
        source["y"] + source["h"] / 2,
        target["x"] + target["w"] / 2,
        target["y"] + target["h"] / 2,
        kind in ("redirect", "fallback"),
    ]
