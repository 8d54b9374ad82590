"""Thumbnails and sizes of packs, from stored rows; no file is parsed.

The cost has a limit for packs of any size, and the newest drawings are cached.
"""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Iterable, Sequence
from threading import Lock
from typing import Any, Generic, TypeVar

from django.db.models import Count

from workflows.core.pack.thumbnail import MOST_ARROWS, MOST_STATES, Thumbnail, thumbnail
from workflows.core.pack.thumbnail_svg import thumbnail_svg
from workflows.models import Pack, State, Transition

KEPT = 500
DRAWN = ("key", "kind", "terminal", "entry", "x", "y", "width", "height", "routes")
Value = TypeVar("Value")
Key = tuple[int, int, str, str]


class RevisionCache(Generic[Value]):
    """Values of the newest revisions of packs, within a limit. Thread-safe."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[Key, Value] = OrderedDict()

    def get(
        self, packs: Iterable[Pack], make: Callable[[Sequence[Pack]], dict[int, Value]]
    ) -> dict[int, Value]:
        """By pack id; `make` is called with the packs that are not cached."""
        wanted = list(packs)
        with self._lock:
            values = {
                pack.pk: self._kept[_key(pack)] for pack in wanted if _key(pack) in self._kept
            }
        missing = [pack for pack in wanted if pack.pk not in values]
        if missing:
            values |= make(missing)
            with self._lock:
                self._kept.update({_key(pack): values[pack.pk] for pack in missing})
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
        return values

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


_drawings: RevisionCache[Thumbnail] = RevisionCache()
_documents: RevisionCache[str] = RevisionCache()
_sizes: RevisionCache[tuple[int, int]] = RevisionCache()


def thumbnails(packs: Iterable[Pack]) -> dict[int, Thumbnail]:
    """By pack id."""
    return _drawings.get(packs, _draw)


def sizes(packs: Iterable[Pack]) -> dict[int, tuple[int, int]]:
    """Numbers of states and transitions on the first level, by pack id."""
    return _sizes.get(packs, _count)


def document(pack: Pack) -> str:
    """The thumbnail of one pack as SVG."""
    return _documents.get([pack], lambda _: {pack.pk: thumbnail_svg(thumbnails([pack])[pack.pk])})[
        pack.pk
    ]


def version(pack: Pack) -> str:
    """A text that changes with the drawing."""
    return f"{pack.head}-{pack.profile}"


def forget() -> None:
    """Empty the caches, for tests."""
    for cache in (_drawings, _documents, _sizes):
        cache.clear()


def _key(pack: Pack) -> Key:
    return (pack.pk, pack.head, pack.profile, pack.created_at.isoformat())


def _draw(packs: Sequence[Pack]) -> dict[int, Thumbnail]:
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


def _count(packs: Sequence[Pack]) -> dict[int, tuple[int, int]]:
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
