"""Layout files of an opened folder: `.signalbox/layout/<main file of the pack>.json`.

They are read whenever they exist, and written with `signalbox open --save-layout` only.
"""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from pathlib import Path

from django.contrib.auth.models import User

from workflows.actions import save_revision
from workflows.actions.save_revision import Step
from workflows.core.pack.layout_text import BadLayout, Places, layout_text, read_layout
from workflows.db.text import is_storable
from workflows.folder import disk
from workflows.models import Pack, Revision
from workflows.opened_packs.bodies import NOWHERE
from workflows.selectors.layout import layout_now
from workflows.selectors.sources import opened

log = logging.getLogger(__name__)
FOLDER = ".signalbox/layout"
NO_PLACE = {name: NOWHERE[name] for name in ("x", "y", "width", "height", "note")}
"""The part of a layout that files have."""


def path_of(main: str) -> str:
    """The path of a pack's layout file, from the top of the folder."""
    return f"{FOLDER}/{main}.json"


@dataclass(slots=True)
class LayoutFile:
    """The layout file of one pack. `base`: its bytes when it was read or written last; None: there
    was none. `places`: the last ones that could be read. `head`: the revision that was compared.
    `saved`: digest of the canvas' layout that the file has. `later`: places of states that the pack
    does not have yet."""

    main: str
    saved: str
    base: bytes | None = None
    places: Places = field(default_factory=dict)
    head: int = 0
    later: Places = field(default_factory=dict)
    is_readable: bool = True


@dataclass(slots=True)
class Layouts:
    """The layout files of a folder. A change on disk becomes a revision of `person`. `saves`: newer
    layouts are written. `record`: a file with the digests of the last exchange, so that a later
    process distinguishes a move that was not written from a change on disk."""

    root: Path
    person: User
    record: Path
    staging: Path
    saves: bool = False
    files: dict[int, LayoutFile] = field(default_factory=dict)
    """By the pack's id."""
    recorded: dict[str, list[str]] | None = None

    def exchange(self, mains: Mapping[int, str]) -> None:
        """Compare the layouts of these packs with the disk. `mains`: pack id → main file."""
        if self.recorded is None:
            self.recorded = _recorded(self.record)
        for pack_id in self.files.keys() - mains.keys():
            self._forget(pack_id)
        heads = dict(Pack.objects.filter(pk__in=mains).values_list("pk", "head"))
        for pack_id, main in mains.items():
            if pack_id in heads:
                self._compare(pack_id, main, heads[pack_id])
        self._remember()

    def _compare(self, pack_id: int, main: str, head: int) -> None:
        one = self.files.get(pack_id)
        if one is None:
            one = self.files[pack_id] = self._begin(pack_id, main)
        if one.main != main:
            self._move(one, main)
        data = disk.content(self.root, path_of(one.main))
        if data != one.base:
            self._take_in(pack_id, one, data)
        elif head == one.head:
            return
        if one.later:
            one.later = self._place(pack_id, one.later)
        head = Pack.objects.get(pk=pack_id).head
        if not self.saves or self._write(pack_id, one):
            one.head = head

    def _begin(self, pack_id: int, main: str) -> LayoutFile:
        data = disk.content(self.root, path_of(main))
        known = (self.recorded or {}).get(main)
        if known is None:
            # With a file, only later moves are written to it; without one, all places are.
            return LayoutFile(main, "" if data is None else _digest(_text(pack_id)))
        one = LayoutFile(main, known[1])
        if data is not None and _digest(data) == known[0]:
            one.base = data
            one.is_readable = self._read(one, data)
        return one

    def _read(self, one: LayoutFile, data: bytes) -> bool:
        try:
            one.places = read_layout(data)
        except BadLayout as bad:
            log.warning(
                "%s cannot be read: %s. It is neither read nor written.", path_of(one.main), bad
            )
            return False
        return True

    def _take_in(self, pack_id: int, one: LayoutFile, data: bytes | None) -> None:
        """Move the states whose places changed on disk. Without a file they keep their places."""
        old, one.base = one.places, data
        if data is None:
            one.places, one.is_readable = {}, True
            return
        one.is_readable = self._read(one, data)
        if not one.is_readable:
            return
        new = {key: place for key, place in one.places.items() if place != old.get(key)}
        gone: Places = {key: {} for key in old.keys() - one.places.keys()}
        is_written = one.saved == _digest(_text(pack_id))
        self._place(pack_id, gone)
        one.later = self._place(pack_id, {**one.later, **new})
        if is_written:
            one.saved = _digest(_text(pack_id))

    def _place(self, pack_id: int, places: Places) -> Places:
        """Save places as a revision. Returns those of states that the pack does not have."""
        wanted = {key: {**NO_PLACE, **place} for key, place in places.items() if is_storable(key)}

        def save(pack: Pack) -> Places:
            head = opened(pack)
            states = head.under(pack.profile).states
            now = layout_now(pack.pk, wanted)
            changed = {
                key: place
                for key, place in wanted.items()
                if key in states and not place.items() <= {**NOWHERE, **now.get(key, {})}.items()
            }
            if changed:
                step = Step(
                    kind=Revision.Kind.EDIT,
                    author=self.person,
                    summary="Layout from the folder",
                    head=head,
                    after=head,
                    layout=changed,
                )
                save_revision.save(pack, step)
            return {key: places[key] for key in wanted if key not in states}

        return save_revision.retried(pack_id, save) if wanted else {}

    def _write(self, pack_id: int, one: LayoutFile) -> bool:
        """Write the canvas' layout if it is newer than the file. False: try again later."""
        if not one.is_readable:
            return True
        text = _text(pack_id)
        if _digest(text) == one.saved:
            return True
        path = path_of(one.main)
        if text != one.base and (one.base is not None or text != layout_text({})):
            try:
                disk.write(self.root, path, text, one.base, self.staging)
            except disk.Changed:
                return False
            except (disk.Outside, OSError) as error:
                log.warning("%s cannot be written: %r.", path, error)
                return True
            one.base, one.places = text, read_layout(text)
        one.saved = _digest(text)
        return True

    def _move(self, one: LayoutFile, main: str) -> None:
        """Follow a renamed pack. A file of its new name is read."""
        old, data = path_of(one.main), one.base
        one.main, one.base = main, None
        if not self.saves or data is None or disk.content(self.root, old) != data:
            return
        try:
            disk.write(self.root, path_of(main), data, None, self.staging)
            one.base = data
            self._delete(old, data)
        except (disk.Changed, disk.Outside, OSError) as error:
            log.warning("%s stays at its place: %r.", old, error)

    def _forget(self, pack_id: int) -> None:
        """Leave a pack that is no longer followed. The file of one that was deleted in the gallery
        is deleted with it."""
        one = self.files.pop(pack_id)
        if not self.saves or one.base is None or not _is_deleted_here(pack_id):
            return
        try:
            self._delete(path_of(one.main), one.base)
        except (disk.Changed, disk.Outside, OSError) as error:
            log.warning("%s is not deleted: %r.", path_of(one.main), error)

    def _delete(self, path: str, data: bytes) -> None:
        disk.write(self.root, path, None, data, self.staging)
        disk.remove_empty_folders(self.root, path)

    def _remember(self) -> None:
        now = {
            one.main: ["" if one.base is None else _digest(one.base), one.saved]
            for one in self.files.values()
        }
        if now != self.recorded:
            disk.write_record(self.record, now)
            self.recorded = now


def _text(pack_id: int) -> bytes:
    return layout_text(layout_now(pack_id))


def _digest(data: bytes) -> str:
    return sha256(data).hexdigest()


def _recorded(record: Path) -> dict[str, list[str]]:
    """Main file → digests of its file and of its layout. Empty if the record cannot be read."""
    try:
        found = json.loads(record.read_text())
        return {main: [str(file), str(saved)] for main, (file, saved) in found.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _is_deleted_here(pack_id: int) -> bool:
    """Return True for a pack that was deleted in the gallery, not on the disk."""
    pack = Pack.objects.filter(pk=pack_id).first()
    if pack is None or not pack.deleted:
        return pack is None
    return Revision.objects.get(pack=pack, number=pack.head).kind == Revision.Kind.EDIT
