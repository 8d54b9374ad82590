"""The paths that a client may read and write."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from signalbox.commands.errors import Trouble
from signalbox.commands.output import write_files
from signalbox.commands.packs import (
    MOST_NEIGHBOURS,
    PackHere,
    packs_in,
    root_and_top,
    usable_packs,
)
from signalbox.project.settings_file import Project, forget_settings, project_of
from workflows.core.pack.files import MAX_FILE_BYTES, BadFiles, Files, TooMuch
from workflows.folder.tree import Tree

CHANGED = "Read the pack again, and send the edits with its new revision."
MOST_NAMES = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Folders:
    """Files and folders, absolute and without `..`. Links below them are not followed. Files are
    read again for each call, because editors change them too."""

    roots: tuple[Path, ...]

    @classmethod
    def of(cls, names: Sequence[str]) -> Folders:
        """Raises Trouble for a path that does not exist."""
        for name in names:
            if not Path(name).exists():
                raise Trouble(f"{name} does not exist.")
        return cls(roots=tuple(_absolute(name) for name in names))

    def packs(self, below: str | None = None) -> list[PackHere]:
        """Every pack once, by path. `below`: only those at this path. Raises Trouble."""
        place = None if below is None else self.place(below)
        found: dict[tuple[str, str], PackHere] = {}
        for root in self.roots:
            for pack in self._packs_at(root):
                if place is None or _main(pack).is_relative_to(place):
                    found.setdefault((pack.shown, pack.dialect.name), pack)
        return [found[key] for key in sorted(found)]

    def pack(self, name: str) -> PackHere:
        """The pack of a file, or the only one in a folder. Raises Trouble and BadFiles."""
        place = self.place(name)
        packs = self._packs_at(place)
        if not packs:
            raise Trouble(f"There is no pack at {name!r}.", hint="Call `packs` for their paths.")
        if len(packs) > 1:
            names = ", ".join(repr(pack.shown) for pack in packs[:MOST_NAMES])
            raise Trouble(f"There are {len(packs)} packs at {name!r}.", hint=f"Name one: {names}")
        return packs[0]

    def place(self, name: str) -> Path:
        """The absolute path. Raises Trouble for one outside the roots or below a link."""
        if "\0" in name:
            raise Trouble("A path has a character that no file system can keep.")
        place = _absolute(name)
        root = next((one for one in self.roots if place.is_relative_to(one)), None)
        if root is None:
            raise Trouble(
                f"{name!r} is outside the paths of this server.",
                hint="Call `packs` for the paths that it has.",
            )
        steps = place.relative_to(root).parts
        for count in range(1, len(steps) + 1):
            if root.joinpath(*steps[:count]).is_symlink():
                raise Trouble(f"{name!r} is or passes a symbolic link, which is not followed.")
        return place

    def settings(self, pack: PackHere) -> Project:
        """The settings for a pack. Raises Trouble."""
        forget_settings()
        return project_of(str(pack.home / pack.location.main))

    @contextmanager
    def writing(self, name: str) -> Iterator[PackHere]:
        """The pack, while no other server or call writes it."""
        handle = os.open(_main(self.pack(name)).parent, os.O_RDONLY)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX)
            yield self.pack(name)
        finally:
            os.close(handle)

    def write(self, pack: PackHere, changes: Mapping[str, bytes | None]) -> None:
        """Write all changes or none. Raises Trouble for a path outside, and if a file is not as the
        pack was read."""
        for path in changes:
            place = self.place(str(pack.home / path))
            if place.exists() and not place.is_file():
                raise Trouble(f"{path!r} is not a file.", hint="Choose another path.")
            now = place.read_bytes() if place.exists() else None
            if now != pack.files.get(path):
                raise Trouble(f"{path!r} has changed on disk.", hint=CHANGED)
        write_files(pack.home, changes)

    def _packs_at(self, place: Path) -> list[PackHere]:
        if place.is_dir():
            return [pack for pack in _packs(place, None) if _main(pack).is_relative_to(place)]
        if not place.is_file():
            return []
        try:
            packs = [pack for pack in _packs(place.parent, MOST_NEIGHBOURS) if _main(pack) == place]
        except TooMuch:
            packs = []
        return packs or _alone(place)


def _packs(folder: Path, most: int | None) -> list[PackHere]:
    root, top = root_and_top(folder)
    return list(usable_packs(root, Tree.below(top, root, most=most)))


def _alone(place: Path) -> list[PackHere]:
    """The pack of one file without its neighbours."""
    if place.stat().st_size > MAX_FILE_BYTES:
        raise BadFiles(f"A file has more than {MAX_FILE_BYTES:,} bytes.", where=place.name)
    root, _ = root_and_top(place.parent)
    name = place.relative_to(root).as_posix()
    return packs_in(root, Files.of({name: place.read_bytes()}))


def _main(pack: PackHere) -> Path:
    return pack.home / pack.location.main


def _absolute(name: str) -> Path:
    return Path(os.path.normpath(Path(name).absolute()))
