"""Synchronisation of an opened folder with its packs, in both directions."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from time import monotonic

from django.contrib.auth.models import User
from django.db import transaction

from workflows.actions import folder_conflicts, folder_writes, save_revision
from workflows.actions import packs as pack_actions
from workflows.actions.file_merge import Place, merged_files
from workflows.actions.save_revision import Step
from workflows.core.dialects import recognise
from workflows.core.pack.files import BadFiles, Files
from workflows.errors import NothingRecognised
from workflows.folder import disk
from workflows.folder.layouts import Layouts
from workflows.folder.renames import SIMILAR, renamed_paths, similarity
from workflows.folder.tree import Contents, Tree, problem_of
from workflows.models import Pack, Revision
from workflows.opened_packs.view import Opened
from workflows.selectors.changes import DELETED, SAME_PLACE
from workflows.selectors.opened_folder import checkout_of, origin_of
from workflows.selectors.revision_files import files_at
from workflows.selectors.sources import opened, read

log = logging.getLogger(__name__)
PATIENCE = 50
"""Writes in a row that wait for another program until that is reported."""
FIRST_PAUSE, LONGEST_PAUSE = 0.5, 30.0
"""Seconds until a failed write is tried again."""
RECENT = 20
"""Revisions of a pack that are compared with the files of a write that did not end."""
ABSENCES = 2
"""Comparisons in a row without the main file after which a pack is deleted: an editor may save in
two steps, and a rename may be reported in two parts."""


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
    absences: int = 0
    """Comparisons in a row without the main file."""
    problem: str = ""
    """The reason why disk and canvas differ, as it is shown."""
    pause: float = 0.0
    """Seconds until a failed write is tried again; doubled by each."""
    retry_at: float = 0.0
    """On the monotonic clock. A newer revision is written at once."""
    tried: int = 0
    """The revision whose write failed."""


@dataclass(frozen=True, slots=True)
class OnDisk:
    """A pack that was recognised in the folder."""

    dialect: str
    main: str
    files: dict[str, bytes]


def no_files_ignored(_folder: Path) -> frozenset[str]:
    """The files that git ignores, in a folder without git."""
    return frozenset()


@dataclass(slots=True)
class FolderSync:
    """The packs of one folder. Every change on disk becomes a revision of `person`, which undo
    reverts as any other; every newer revision is written to the files.

    `Pack.written` is the revision that the folder has, so that a later process distinguishes an
    edit that was not written from a change on disk. `data`: the path of what else it keeps, without
    a suffix. `ignored`: the absolute paths below a folder that are not searched. `saves_layout`:
    write layout files.
    """

    root: Path
    person: User
    data: Path
    ignored: Callable[[Path], frozenset[str]] = no_files_ignored
    saves_layout: bool = False
    tracked: dict[int, Tracked] = field(default_factory=dict)
    """By the pack's id."""
    loaded: bool = False
    recorded: dict[int, tuple[int, str, str]] = field(default_factory=dict)
    """Pack id → the arguments of the last `folder_writes.record`."""
    left_out: set[str] = field(default_factory=set)
    """Packs whose file cannot be used, each logged once."""
    excluded: frozenset[str] = frozenset()
    """The ignored paths of the last scan."""
    contents: Contents = field(default_factory=Contents)
    layouts: Layouts = field(init=False)

    def __post_init__(self) -> None:
        record = self.data.with_suffix(".layouts")
        self.layouts = Layouts(self.root, self.person, record, self.staging, self.saves_layout)

    @property
    def origin(self) -> str:
        """The mark of this folder's packs in the database."""
        return origin_of(self.root)

    @property
    def staging(self) -> Path:
        """The folder for incomplete files, outside of the opened folder."""
        return self.data.with_suffix(".writes")

    def has_file(self, place: str) -> bool:
        """True for a file of a tracked pack, by its absolute path."""
        path = Path(place).relative_to(self.root).as_posix()
        return any(path in one.base for one in self.tracked.values())

    def scan(self) -> None:
        """Read the whole folder: take in new, renamed and changed packs."""
        first, self.loaded = not self.loaded, True
        if first:
            self._load()
        self._follow_rows()
        here = {one.main: one for one in self._recognised()}
        mains = {one.main: one for one in self.tracked.values()}
        for main, found in here.items():
            one = mains.get(main) or self._begin(found)
            if one is not None:
                self._take_in(one, found.files)
        if first:
            self._clean_up()
        self.exchange()

    def _load(self) -> None:
        """The packs of earlier processes, as they were written last. A pack that was never written
        has no files yet."""
        for pack in Pack.objects.filter(origin=self.origin, deleted=False):
            number = pack.written or 0
            base = dict(opened(pack, number).files) if number else {}
            self.tracked[pack.pk] = Tracked(pack.pk, pack.main, base, number)

    def _recognised(self) -> Iterator[OnDisk]:
        self.excluded = self.ignored(self.root)
        tree = Tree.below(self.root, self.root, ignored=self.excluded, contents=self.contents)
        for folder in tree.closed:
            self._leave_out(folder)
        for found in recognise(Files(tree)):
            try:
                files = disk.contents(self.root, filter(disk.is_storable, found.paths))
            except PermissionError:
                files = {}
            if found.main in files:
                yield OnDisk(found.dialect, found.main, files)
            else:
                for path in found.paths:
                    self._leave_out(path)

    def _leave_out(self, path: str) -> None:
        if path not in self.left_out and (why := problem_of(self.root, path)):
            self.left_out.add(path)
            log.warning("%s is left out: %s", ascii(path), why)

    def exchange(self) -> None:
        """Compare the tracked files with the disk, and write newer revisions."""
        heads = self._follow_rows()
        for one in list(self.tracked.values()):
            try:
                self._compare(one, heads[one.pack_id])
            except OSError as error:
                self._report(one, f"{one.main} cannot be read: {error.strerror}.")
        self.layouts.exchange({one.pack_id: one.main for one in self.tracked.values() if one.base})
        self._remember()

    def _follow_rows(self) -> dict[int, int]:
        """Track the packs made on the canvas. Returns the newest revision of each pack."""
        rows = {pack.pk: pack for pack in Pack.objects.filter(origin=self.origin)}
        for pk in self.tracked.keys() - rows.keys():
            del self.tracked[pk]
        for pk, pack in rows.items():
            if pk not in self.tracked and not pack.deleted:
                self.tracked[pk] = Tracked(pk, pack.main, {})
        return {pk: pack.head for pk, pack in rows.items()}

    def _compare(self, one: Tracked, head: int) -> None:
        if one.main in one.base and disk.content(self.root, one.main) is None:
            one.absences += 1
            if one.absences >= ABSENCES:
                self._take_in(one, {})
            return
        one.absences = 0
        now = disk.contents(self.root, one.base)
        if not now and one.main not in one.base:
            one.base = {}  # The pack was never whole on the disk, so nothing of it was deleted.
        elif now != one.base:
            self._take_in(one, now)
            head = Pack.objects.get(pk=one.pack_id).head
        if head != one.head and (head != one.tried or monotonic() >= one.retry_at):
            self._write_out(one)

    def _is_shared(self, one: Tracked, path: str) -> bool:
        """True if another pack has the file too."""
        return any(path in other.base for other in self.tracked.values() if other is not one)

    def _clean_up(self) -> None:
        """Delete what a killed process left of a write, if the history has its bytes."""
        for place in disk.leftovers(self.root, self.staging):
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
        checkout = checkout_of(self.root)
        for one in self.tracked.values():
            now = one.head, one.problem, checkout
            if self.recorded.get(one.pack_id) != now:
                folder_writes.record(one.pack_id, *now)
                self.recorded[one.pack_id] = now

    def _begin(self, found: OnDisk) -> Tracked | None:
        """Track a pack that is new at its place: one that was renamed or deleted before, or a new
        one."""
        data = found.files[found.main]
        absent = [one for one in self.tracked.values() if self._is_absent(one, found.dialect)]
        alike = {one.pack_id: similarity(one.base[one.main], data) for one in absent}
        best = max(absent, key=lambda one: alike[one.pack_id], default=None)
        if best is not None and alike[best.pack_id] == 1:
            return self._renamed(best, found)
        if (before := self._deleted_before(found)) is not None:
            return before
        if best is not None and alike[best.pack_id] >= SIMILAR:
            return self._renamed(best, found)
        try:
            made = pack_actions.import_files(found.files, owner=self.person, origin=self.origin)
        except (BadFiles, NothingRecognised) as error:
            log.warning("%s", error)
            return None
        for pack in made.packs:
            base = dict(opened(pack).files)
            self.tracked[pack.pk] = Tracked(pack.pk, pack.main, base, pack.head)
        return next((one for one in self.tracked.values() if one.main == found.main), None)

    def _is_absent(self, one: Tracked, dialect: str) -> bool:
        if one.main not in one.base or disk.content(self.root, one.main) is not None:
            return False
        return Pack.objects.filter(pk=one.pack_id, dialect=dialect).exists()

    def _deleted_before(self, found: OnDisk) -> Tracked | None:
        """The pack that was deleted at this place, or elsewhere with the same bytes."""
        gone = Pack.objects.filter(origin=self.origin, dialect=found.dialect, deleted=True)
        pack = gone.filter(main=found.main).first()
        if pack is None:
            data = found.files[found.main]
            pack = next((one for one in gone if last_files(one).get(one.main) == data), None)
        if pack is None:
            return None
        one = self.tracked[pack.pk] = Tracked(pack.pk, found.main, {}, pack.head)
        return one

    def _renamed(self, one: Tracked, found: OnDisk) -> Tracked:
        """Move the files of a pack in its history to their new places."""
        moved = renamed_paths(one.base, one.main, found.files, found.main)
        was, now = one.main, found.main

        def rename(pack: Pack) -> None:
            head = opened(pack)
            files = {moved.get(path, path): data for path, data in head.files.items()}
            after = read(pack.pk, head.dialect, Files.of(files))
            before = pack.head
            self._save(pack, head, after, f"Rename in the folder: {was} to {now}")
            folder_conflicts.move(pack, moved)
            if one.head == before:
                one.head = pack.head

        save_revision.retried(one.pack_id, rename)
        one.base = {moved.get(path, path): data for path, data in one.base.items()}
        one.main, one.absences = now, 0
        return one

    def _take_in(self, one: Tracked, files: dict[str, bytes]) -> None:
        """Save the disk's version as a revision, merged with edits that were not written yet. No
        files: the pack was deleted.

        Where both changed the same place, the pack has the disk's file until a user decides.
        """
        if files == one.base:
            return
        old = dict(one.base)
        try:
            save_revision.retried(one.pack_id, lambda pack: self._merge(pack, old, files))
        except BadFiles as error:
            self._report(one, error.message)
            return
        one.base, one.problem = files, ""
        if not files:
            del self.tracked[one.pack_id]

    def _merge(self, pack: Pack, old: Mapping[str, bytes], files: dict[str, bytes]) -> None:
        head = opened(pack)
        if not files:
            self._save(pack, head, read(pack.pk, head.dialect, Files({})), DELETED)
            return
        # A pack that was deleted on the canvas comes back whole.
        result, places = merged_files(old if head.files else {}, head.files, files)
        met = {place.path for place in places}
        for place in places:
            result.pop(place.path, None)
            if place.path in files:
                result[place.path] = files[place.path]
            log.warning(
                "%s was changed on disk and on the canvas in the same place. The file's version is"
                " shown until a user decides; revision %s of %r has the other.",
                place.path,
                pack.head,
                pack.name,
            )
        after = read(pack.pk, head.dialect, Files.of(result))
        if not after.readable:
            met |= {path for path, data in result.items() if data != files.get(path)}
            after = read(pack.pk, head.dialect, Files.of(files))
        with transaction.atomic():
            folder_conflicts.record(pack, old, head.files, met)
            self._save(pack, head, after, _summary(pack.head, places, met))

    def _save(self, pack: Pack, head: Opened, after: Opened, summary: str) -> None:
        if after.files == head.files:
            return
        step = Step(
            kind=Revision.Kind.EDIT,
            author=self.person,
            summary=summary[:300],
            head=head,
            after=after,
        )
        save_revision.save(pack, step)

    def _write_out(self, one: Tracked) -> None:
        """Write the newest revision. A file that changed meanwhile is left for the next pass."""
        pack = Pack.objects.get(pk=one.pack_id)
        wanted = opened(pack).files
        problem = ""
        for path in dict.fromkeys([*wanted, *one.base]):
            data, before = wanted.get(path), one.base.get(path)
            if data == before:
                continue
            try:
                self._write(one, path, data)
            except disk.Busy:
                one.waits += 1
                if one.waits == PATIENCE:
                    self._report(one, f"{path} is open in another program, which has to close it.")
                return
            except disk.Changed:
                found = disk.content(self.root, path)
                if before is None and found is not None:
                    self._take_in(one, {**one.base, path: found})
                return
            except disk.Outside:
                problem = problem or f"{path} leads out of the folder through a link."
                continue
            except OSError as error:
                problem = problem or f"{path} cannot be written: {error.strerror}."
                continue
            one.waits = 0
            if data is None:
                one.base.pop(path, None)
            else:
                one.base[path] = data
        if problem:
            one.tried, one.pause = pack.head, min(one.pause * 2 or FIRST_PAUSE, LONGEST_PAUSE)
            one.retry_at = monotonic() + one.pause
            self._report(one, problem)
            return
        one.head, one.main, one.problem, one.pause, one.tried = pack.head, pack.main, "", 0.0, 0
        if pack.deleted:
            self.tracked.pop(one.pack_id, None)

    def _report(self, one: Tracked, problem: str) -> None:
        if one.problem != problem:
            log.warning("%s", problem)
        one.problem = problem

    def _write(self, one: Tracked, path: str, data: bytes | None) -> None:
        """Write or delete one file, unless it has these bytes, or another pack has it too."""
        if data is None and self._is_shared(one, path):
            return
        if data is not None and path not in one.base and disk.content(self.root, path) == data:
            return
        disk.write(self.root, path, data, one.base.get(path), self.staging)
        if data is None:
            disk.remove_empty_folders(self.root, path)


def last_files(pack: Pack) -> Files:
    """The files of a deleted pack before it was deleted."""
    for number in range(pack.head - 1, 0, -1):
        if files := files_at(pack.pk, number):
            return files
    return Files({})


def _summary(edited: int, places: Sequence[Place], paths: Set[str]) -> str:
    """The summary of a revision from disk. `places` in these `paths` were changed by revision
    `edited` too; a file without a place cannot be read with both changes."""
    if not paths:
        return "Change in the folder"
    first = f"{places[0].path}:{places[0].line}" if places else min(paths)
    more = f" and {len(paths) - 1} more" if len(paths) > 1 else ""
    return f"{SAME_PLACE} {edited}: {first}{more}"[:300]
