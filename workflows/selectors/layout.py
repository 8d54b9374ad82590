"""Layout of a pack: stored per state of the newest revision, separate from the files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from workflows.db.text import is_storable
from workflows.models import Revision, State
from workflows.opened_packs.bodies import NOWHERE

Layout = dict[str, dict[str, Any]]


def layout_now(pack_id: int, keys: Iterable[str] | None = None) -> Layout:
    """State id → the fields of NOWHERE; only states that have any of them."""
    rows = State.objects.filter(pack_id=pack_id)
    if keys is not None:
        wanted = [key for key in keys if is_storable(key)]
        if not wanted:
            return {}
        if len(wanted) <= 500:
            rows = rows.filter(key__in=wanted)
    places = rows.values_list("key", *NOWHERE)
    return {key: place for key, *values in places if (place := _place(values)) != NOWHERE}


def layout_at(pack_id: int, number: int) -> Layout:
    """The layout of revision `number`: the current one with later changes reverted."""
    layout = layout_now(pack_id)
    later = Revision.objects.filter(pack_id=pack_id, number__gt=number).order_by("-number")
    for change in later.values_list("layout", flat=True):
        step_back(layout, change)
    return layout


def step_back(layout: Layout, change: dict[str, Any]) -> None:
    """Revert one revision's layout change, in place."""
    for key in change.get("after", {}):
        layout.pop(key, None)
    for key, place in change.get("before", {}).items():
        if {**NOWHERE, **place} != NOWHERE:
            layout[key] = {**NOWHERE, **place}


def _place(values: Iterable[Any]) -> dict[str, Any]:
    return dict(zip(NOWHERE, values, strict=True))
