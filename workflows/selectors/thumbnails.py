"""Thumbnails and sizes of packs, from stored rows; no file is parsed.

The cost has a limit for packs of any size, and browsers keep a drawing under its version.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from django.db.models import Count

from workflows.core.pack.thumbnail import MOST_ARROWS, MOST_STATES, Thumbnail, thumbnail
from workflows.core.pack.thumbnail_svg import thumbnail_svg
from workflows.models import Pack, State, Transition

DRAWN = ("key", "kind", "terminal", "entry", "x", "y", "width", "height", "routes")


def document(pack: Pack) -> str:
    """The thumbnail of one pack as SVG."""
    return thumbnail_svg(thumbnails([pack])[pack.pk])


def version(pack: Pack) -> str:
    """A text that changes with the drawing."""
    return f"{pack.head}-{pack.profile}"


def thumbnails(packs: Sequence[Pack]) -> dict[int, Thumbnail]:
    """By pack id."""
    totals = sizes(packs)
    small = [pack for pack in packs if sum(totals[pack.pk]) <= MOST_STATES + MOST_ARROWS]
    states: dict[int, list[dict[str, Any]]] = defaultdict(list)
    arrows: dict[int, list[dict[str, Any]]] = defaultdict(list)
    ends = ("key", "source", "target", "kind")
    for model, names, rows in ((State, DRAWN, states), (Transition, ends, arrows)):
        drawn = model.objects.filter(level="").order_by("pk").values("pack_id", *names)
        for row in drawn.filter(pack__in=small):
            rows[row["pack_id"]].append(row)
        for pack in packs:
            if pack not in small:
                most = MOST_STATES if model is State else MOST_ARROWS
                rows[pack.pk] = list(drawn.filter(pack=pack)[:most])
    return {
        pack.pk: thumbnail(states[pack.pk], arrows[pack.pk], totals[pack.pk][0]) for pack in packs
    }


def sizes(packs: Sequence[Pack]) -> dict[int, tuple[int, int]]:
    """Numbers of states and transitions on the first level, by pack id."""
    ids = [pack.pk for pack in packs]
    states, arrows = (
        dict(
            model.objects.filter(pack__in=ids, level="")
            .values_list("pack")
            .annotate(many=Count("pk"))
        )
        for model in (State, Transition)
    )
    return {id: (states.get(id, 0), arrows.get(id, 0)) for id in ids}
