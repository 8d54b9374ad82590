"""Cache of revisions with their drawings and findings. A revision never changes, so neither does an
entry."""

from __future__ import annotations

from collections import OrderedDict
from threading import RLock

from workflows.core.dialects import dialects
from workflows.core.dialects.base import Dialect
from workflows.core.pack.files import Files
from workflows.errors import NotThere
from workflows.models import Pack
from workflows.opened_packs.view import Opened, View
from workflows.selectors.revision_files import files_at

MAX_ENTRIES = 60
MAX_BYTES = 12 * 1024 * 1024
"""Limit in bytes of files and drawn elements."""

MAX_BROKEN = 100
"""Consecutive unreadable revisions over which the last drawing stays."""


class SourceCache:
    """The newest entries by (pack, revision), within limits. Thread-safe."""

    def __init__(self) -> None:
        self._lock = RLock()
        self._kept: OrderedDict[tuple[int, int], Opened] = OrderedDict()

    def get(self, pack_id: int, number: int) -> Opened | None:
        with self._lock:
            opened = self._kept.get((pack_id, number))
            if opened is not None:
                self._kept.move_to_end((pack_id, number))
            return opened

    def put(self, pack_id: int, number: int, opened: Opened) -> None:
        with self._lock:
            self._kept[pack_id, number] = opened
            self._kept.move_to_end((pack_id, number))
            while len(self._kept) > 1 and (
                len(self._kept) > MAX_ENTRIES
                or sum(one.size for one in self._kept.values()) > MAX_BYTES
            ):
                self._kept.popitem(last=False)

    def same_files(self, pack_id: int, files: Files) -> Opened | None:
        """An entry of this pack with exactly these bytes, newest first; undo returns to earlier
        bytes."""
        with self._lock:
            candidates = [o for (pack, _), o in reversed(self._kept.items()) if pack == pack_id]
        return next((o for o in candidates if dict(o.files) == dict(files)), None)

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()


SHELF = SourceCache()


def opened(pack: Pack, number: int | None = None) -> Opened:
    """The files of one revision (None for the newest). Raises NotThere."""
    number = pack.head if number is None else number
    here = SHELF.get(pack.pk, number)
    if here is None:
        here = Opened(dialect_named(pack.dialect), files_at(pack.pk, number))
        SHELF.put(pack.pk, number, here)
    return here


def last_drawn(pack: Pack, number: int, here: Opened | None = None) -> Opened:
    """The revision itself, or if it cannot be read, the newest earlier one that can: the drawing
    stays while the text is broken."""
    newest = here or opened(pack, number)
    if newest.readable:
        return newest
    for earlier in range(number - 1, max(number - MAX_BROKEN, 1) - 1, -1):
        before = opened(pack, earlier)
        if before.readable:
            return before
    return newest


def read(pack_id: int, dialect: Dialect, files: Files) -> Opened:
    """These files, or the revision of the pack in the cache that has the same bytes."""
    return SHELF.same_files(pack_id, files) or Opened(dialect, files)


def view(pack: Pack, number: int | None = None, profile: str = "") -> View:
    """One revision under the pack's profile, or another one."""
    return opened(pack, number).under(profile or pack.profile)


def dialect_named(name: str) -> Dialect:
    """A dialect by name. Raises NotThere."""
    try:
        return dialects()[name]
    except KeyError:
        names = ", ".join(sorted(dialects()))
        raise NotThere(f"Unknown dialect {name!r}. Dialects: {names}.") from None
