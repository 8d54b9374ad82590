"""An opened folder: random orders of canvas edits, saves of an editor, writes of an agent, git
checkouts, deletions and renames of a pack with several files."""

from __future__ import annotations

import errno
import random
import re
from contextlib import suppress
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from tests.support.git_program import contents_of, init
from tests.support.opened_folder import FIRST, MAIN, PART, on_disk, opened_folder
from workflows.actions import packs
from workflows.core.dialects import recognise
from workflows.core.pack.edits import AddState, SetField, WriteFile
from workflows.core.pack.files import Files
from workflows.errors import BuiltOn, Conflict, NothingToUndo, Refused
from workflows.folder import disk
from workflows.folder.conflicts import decide, open_conflict
from workflows.folder.sync import FolderSync
from workflows.models import FolderConflict, Pack, Revision
from workflows.selectors.revision_files import blobs, files_at
from workflows.selectors.sources import opened

pytestmark = pytest.mark.django_db


class World:
    """One folder, its repository, and the marks of everything that was written on either side."""

    def __init__(self, root: Path, seed: int) -> None:
        self.chance, self.root = random.Random(seed), root
        (root / PART).parent.mkdir(parents=True)
        (root / MAIN).write_bytes(FIRST)
        (root / PART).write_bytes(b"because\n")
        self.git = init(root)
        self.git.commit({})
        self.sync: FolderSync = opened_folder(root)
        self.sync.scan()
        self.marks: list[bytes] = []
        self.on_disk: set[tuple[int, int]] = set()
        """Pack and number of the revisions that were seen on the disk."""
        self.decided = 0
        self.check_saved()

    def step(self, number: int) -> None:
        """One random action of one side. Most are not followed by a comparison."""
        mark = f"Mark{number}x"
        actions = [
            self.edit_on_canvas, self.edit_on_canvas, self.write_on_canvas, self.undo_on_canvas,
            self.save_in_editor, self.save_in_editor, self.write_as_agent,
            self.switch_branch, self.delete_files, self.rename_files,
            self.change_the_title_on_both_sides, self.decide_a_conflict,
            self.compare, self.compare, self.compare, self.compare_while_writes_fail,
            self.restart,
        ]  # fmt: skip
        self.chance.choice(actions)(mark)
        self.check_saved()

    def check_saved(self) -> None:
        """The header of a page is "Saved" where `written` is the newest revision. Then its bytes
        are on the disk, or were there before another program changed them."""
        found = on_disk(self.root)
        for pack in Pack.objects.filter(origin=self.sync.origin, deleted=False):
            files = files_at(pack.pk, pack.head)
            if all(found.get(path) == data for path, data in files.items()):
                self.on_disk.add((pack.pk, pack.head))
            assert pack.written != pack.head or (pack.pk, pack.head) in self.on_disk

    def _pack(self) -> Pack | None:
        found = list(Pack.objects.filter(origin=self.sync.origin, deleted=False))
        return self.chance.choice(found) if found else None

    def _main(self) -> Path | None:
        found = sorted(self.root.glob("*.flow.json"))
        return self.chance.choice(found) if found else None

    def edit_on_canvas(self, mark: str) -> None:
        if pack := self._pack():
            packs.edit(pack.pk, pack.head, (AddState(id=mark),), self.sync.person)
            self.marks.append(mark.encode())

    def write_on_canvas(self, mark: str) -> None:
        if pack := self._pack():
            text = f"{mark} of the canvas\n"
            edit = WriteFile(path=f"{pack.main}.notes/why.md", text=text)
            packs.edit(pack.pk, pack.head, (edit,), self.sync.person)
            self.marks.append(mark.encode())

    def change_the_title_on_both_sides(self, mark: str) -> None:
        """The same place: with a decision of a user, one of both marks stays."""
        pack = self._pack()
        if pack is None or not (place := self.root / pack.main).exists():
            return
        with suppress(Refused, Conflict):
            edit = SetField(element="state:A", field="/title", value=f"{mark}canvas")
            packs.edit(pack.pk, pack.head, (edit,), self.sync.person)
            self.marks.append(f"{mark}canvas".encode())
        text = place.read_bytes()
        found = re.search(rb'"A": \{[^}]*?"title": "([^"]*)"', text)
        if found:
            self.marks = [one for one in self.marks if one != found[1]]  # replaced by its author
            place.write_bytes(
                text[: found.start(1)] + mark.encode() + b"disk" + text[found.end(1) :]
            )
            self.marks.append(f"{mark}disk".encode())

    def decide_a_conflict(self, _mark: str) -> None:
        """Decide about the oldest conflict of a pack, at random."""
        pack = self._pack()
        conflict = open_conflict(pack) if pack else None
        if pack is None or conflict is None:
            return
        choices = {
            one["id"]: {"take": self.chance.choice(("mine", "theirs"))}
            for one in conflict["conflicts"]
        }
        with suppress(Conflict):  # The chosen texts may not be a pack together.
            decide(
                pack, conflict["id"], self.sync.person,
                expected_revision=conflict["revision"], choices=choices,
            )  # fmt: skip
        self.decided += 1

    def undo_on_canvas(self, _mark: str) -> None:
        if pack := self._pack():
            with suppress(NothingToUndo, BuiltOn, Conflict):
                packs.undo(pack.pk, pack.head, self.sync.person)

    def save_in_editor(self, mark: str) -> None:
        """Save as most editors do: through a rename, or in place."""
        if place := self._main():
            old = place.read_bytes()
            new = old.replace(b'"states": {', b'"states": {\n    "%s": {},' % mark.encode(), 1)
            if self.chance.random() < 0.5:
                made = place.with_name("editor.tmp")
                made.write_bytes(new)
                made.replace(place)
            else:
                place.write_bytes(new)
            self.marks.append(mark.encode())

    def write_as_agent(self, mark: str) -> None:
        """Append to a file of a pack, or add one."""
        if place := self._main():
            name = self.chance.choice(("why.md", "how.md"))
            part = place.with_name(f"{place.name}.notes") / name
            part.parent.mkdir(exist_ok=True)
            with part.open("ab") as file:
                file.write(mark.encode() + b"\n")
            self.marks.append(mark.encode())

    def switch_branch(self, mark: str) -> None:
        self.git.commit({})
        branches = self.git.git("branch", "--format=%(refname:short)").split()
        if self.chance.random() < 0.4:
            self.git.git("switch", "--quiet", "--create", mark)
        else:
            self.git.git("switch", "--quiet", self.chance.choice(branches))

    def delete_files(self, _mark: str) -> None:
        if place := self._main():
            self.git.commit({})
            self.git.git("rm", "-r", "--quiet", "--", *self._names(place))

    def rename_files(self, mark: str) -> None:
        if place := self._main():
            self.git.commit({})
            for name in self._names(place):
                self.git.git("mv", name, name.replace(place.name, f"{mark}.flow.json"))

    def _names(self, place: Path) -> list[str]:
        names = (place.name, f"{place.name}.notes")
        return [name for name in names if (self.root / name).exists()]

    def compare(self, _mark: str) -> None:
        self.sync.scan()

    def compare_while_writes_fail(self, _mark: str) -> None:
        """A full disk, from one of the first writes on."""
        left = self.chance.randint(0, 1)

        def write(*args: Any) -> None:
            nonlocal left
            left -= 1
            if left < 0:
                raise OSError(errno.ENOSPC, "No space left on device")
            real(*args)

        real = disk.write
        with mock.patch.object(disk, "write", write):
            self.sync.scan()

    def restart(self, _mark: str) -> None:
        """A process that was killed: the next one knows what is stored."""
        self.sync = opened_folder(self.root)

    def lost(self) -> list[bytes]:
        """The marks that are neither in a revision, nor on disk, nor in git."""
        kept = [*on_disk(self.root).values(), contents_of(self.git)]
        for revision in Revision.objects.filter(pack__origin=self.sync.origin):
            kept += files_at(revision.pack_id, revision.number).values()
        text = b"\0".join(kept)
        return [mark for mark in self.marks if mark not in text]


def interleave(root: Path, seed: int) -> int:
    """Random steps; then the packs are the folder, and nothing is lost: every conflict has both of
    its versions. Returns the number of conflicts that were decided."""
    world = World(root, seed)
    for number in range(world.chance.randint(6, 14)):
        world.step(number)
    for again in (world.restart, *[world.compare] * 4):  # The next process tries again at once.
        again("")
        world.check_saved()
    files = on_disk(root)
    shown = {
        path: data
        for pack in Pack.objects.filter(origin=world.sync.origin, deleted=False)
        for path, data in opened(pack).files.items()
    }
    here = {path: files[path] for one in recognise(Files.of(files)) for path in one.paths}
    assert shown == here, seed
    assert world.lost() == [], seed
    for row in FolderConflict.objects.filter(pack__origin=world.sync.origin):
        kept = blobs([*row.base.values(), *row.mine.values()])
        assert set(row.mine.values()) <= kept.keys(), seed
    return world.decided


def test_random_interleavings_lose_nothing(tmp_path: Path) -> None:
    decided = sum(interleave(tmp_path / str(seed), seed) for seed in range(8, 16))
    assert decided > 0


@pytest.mark.slow
def test_a_thousand_random_interleavings_lose_nothing(tmp_path: Path) -> None:
    for seed in range(16, 1_000):
        interleave(tmp_path / str(seed), seed)
