"""Synchronisation of an opened folder with its packs, in both directions."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from django.contrib.auth.models import User

from workflows.actions import packs as pack_actions
from workflows.actions import save_revision
from workflows.actions.file_merge import Place, merged, merged_files
from workflows.actions.save_revision import Step
from workflows.core.dialects import recognise
from workflows.core.pack.files import BadFiles, Files
from workflows.errors import NothingRecognised
from workflows.folder import disk
from workflows.models import Pack, Revision
from workflows.selectors.changes import SAME_PLACE
from workflows.selectors.revision_files import files_at
from workflows.selectors.sources import opened, read

log = logging.getLogger(__name__)
PATIENCE = 50
"""Writes in a row that wait for another program until the log has a warning."""
RECENT = 20
"""Revisions of a pack that are compared with the files of a write that did not end."""


@dataclass(slots=True)
class Tracked:
    """One pack: `base` has the bytes on disk when they were read or written last, and `head` the
    revision that was written there."""

    pack_id: int
    main: str
    base: dict[str, bytes]
    head: int = 0
    waits: int = 0
    """Writes in a row that found the file open in another program."""


@dataclass(slots=True)
class FolderSync:
    """The packs of one folder. Every change on disk becomes a revision of `person`, which undo
    reverts as any other; every newer revision is written to the files.

    `record`: a file with the revision of each pack that was written last, so that a later process
    distinguishes an edit that was not written from a change on disk.
    """

    root: Path
    person: User
    record: Path
    tracked: dict[str, Tracked] = field(default_factory=dict)
    recorded: dict[str, int] = field(default_factory=dict)

    @property
    def origin(self) -> str:
        """The mark of this folder's packs in the database."""
        return f"folder {self.root}"[:400]

    def scan(self) -> None:
        """Read the whole folder: take in new packs and changes. Raises BadFiles."""
        tree = disk.tree(self.root)
        written = self.recorded or disk.written_revisions(self.record)
        for found in recognise(tree):
            files = {path: tree[path] for path in found.paths}
            if found.main not in self.tracked:
                known = Pack.objects.filter(origin=self.origin, main=found.main).first()
                if known is None:
                    known = self._imported(files)
                if known is None:
                    continue
                number = min(written.get(found.main, known.head), known.head)
                base = dict(opened(known, number).files)
                self.tracked[found.main] = Tracked(known.pk, found.main, base, number)
            self._take_in(self.tracked[found.main], files)
        if not self.recorded:
            self._clean_up()
        self.exchange()

    def exchange(self) -> None:
        """Compare the tracked files with the disk, and write newer revisions."""
        heads = dict(
            Pack.objects.filter(pk__in=[one.pack_id for one in self.tracked.values()]).values_list(
                "pk", "head"
            )
        )
        for key, one in list(self.tracked.items()):
            if one.pack_id not in heads:
                del self.tracked[key]  # deleted in the gallery; its files stay
                continue
            if disk.content(self.root, one.main) is None:
                continue  # gone, or between the two steps of an editor's save
            now = disk.contents(self.root, one.base)
            if now != one.base:
                self._take_in(one, now)
                heads[one.pack_id] = Pack.objects.get(pk=one.pack_id).head
            if heads[one.pack_id] != one.head:
                self._write_out(one)
        self._remember()

    def _clean_up(self) -> None:
        """Delete what a killed process left of a write, if the history has its bytes."""
        for place in disk.leftovers(self.root):
            data = place.read_bytes()
            if data in self._recent_versions():
                place.unlink()
            else:
                log.warning(
                    "%s is from a write that did not end, and may be the save of another program. "
                    "Compare it with the pack, then delete it.",
                    place,
                )

    def _recent_versions(self) -> Iterator[bytes]:
        """File contents of the last revisions of each pack, and an empty file."""
        yield b""
        for one in self.tracked.values():
            head = Pack.objects.get(pk=one.pack_id)
            for number in range(head.head, max(0, head.head - RECENT), -1):
                yield from files_at(head.pk, number).values()

    def _remember(self) -> None:
        heads = {key: one.head for key, one in self.tracked.items()}
        if heads != self.recorded:
            disk.write_record(self.record, heads)
            self.recorded = heads

    def _imported(self, files: dict[str, bytes]) -> Pack | None:
        try:
            made = pack_actions.import_files(files, owner=self.person, origin=self.origin)
        except (BadFiles, NothingRecognised) as error:
            log.warning("%s", error)
            return None
        return made.packs[0]

    def _take_in(self, one: Tracked, files: dict[str, bytes]) -> None:
        """Save the disk's version as a revision, merged with edits that were not written yet.

        Where both changed the same place the disk's file wins; the edit stays in the history.
        """
        if files == one.base:
            return
        old = dict(one.base)
        save_revision.retried(one.pack_id, lambda pack: self._merge(pack, old, files))
        one.base = files

    def _merge(self, pack: Pack, old: dict[str, bytes], files: dict[str, bytes]) -> None:
        head = opened(pack)
        result, places = merged_files(old, head.files, files, merged)
        for place in places:
            result.pop(place.path, None)
            if place.path in files:
                result[place.path] = files[place.path]
            log.warning(
                "%s was changed on disk and on the canvas in the same place. The file's version is"
                " shown; revision %s of %r has the other.",
                place.path,
                pack.head,
                pack.name,
            )
        after = read(pack.pk, head.dialect, Files.of(result))
        if not after.source.readable:
            after = read(pack.pk, head.dialect, Files.of(files))
        if after.files == head.files:
            return
        step = Step(
            kind=Revision.Kind.EDIT,
            author=self.person,
            summary=_summary(pack.head, places),
            head=head,
            after=after,
        )
        save_revision.save(pack, step)

    def _write_out(self, one: Tracked) -> None:
        """Write the newest revision. A file that changed meanwhile is left for the next pass."""
        pack = Pack.objects.get(pk=one.pack_id)
        wanted = opened(pack).files
        for path in dict.fromkeys([*wanted, *one.base]):
            data, before = wanted.get(path), one.base.get(path)
            if data == before:
                continue
            try:
                disk.write(self.root, path, data, before)
            except disk.Busy:
                one.waits += 1
                if one.waits == PATIENCE:
                    log.warning("%s is written when the program that has it open closes it.", path)
                return
            except disk.Changed:
                found = disk.content(self.root, path)
                if before is None and found is not None:
                    self._take_in(one, {**one.base, path: found})
                return
            except (disk.Outside, OSError) as error:
                log.warning("%s cannot be written: %s.", path, error)
                continue
            one.waits = 0
            if data is None:
                one.base.pop(path, None)
            else:
                one.base[path] = data
        one.head, one.main = pack.head, pack.main


def _summary(edited: int, places: Sequence[Place]) -> str:
    """The summary of a revision from disk. `places` were changed by revision `edited` too."""
    if not places:
        return "Change in the folder"
    first = f"{places[0].path}:{places[0].line}"
    more = f" and {len(places) - 1} more" if len(places) > 1 else ""
    return f"{SAME_PLACE} {edited}: {first}{more}"[:300]
