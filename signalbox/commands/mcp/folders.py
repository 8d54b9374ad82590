"""The packs below the paths that a client may read and write."""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from signalbox.commands.check import selected_findings
from signalbox.commands.errors import Trouble
from signalbox.commands.output import write_files
from signalbox.commands.packs import (
    MOST_NEIGHBOURS,
    PackHere,
    packs_in,
    root_and_top,
    usable_packs,
)
from signalbox.commands.proposal import tools_of_session
from signalbox.commands.recorded_runs import listed_runs, recording
from signalbox.commands.run_files import run_files
from signalbox.project.settings_file import Project, forget_settings, project_of
from workflows.agent_tools.packs import AgentPack, Answer, Arguments, ListedPack, Report
from workflows.agent_tools.tools import CHANGED, Tool, proposed
from workflows.consequences.recordings import Recording
from workflows.consequences.version import Version
from workflows.core.dialects.base import Source
from workflows.core.pack.files import MAX_FILE_BYTES, BadFiles, Files, TooMuch
from workflows.folder.tree import Tree

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

    def listed(self, like: str) -> Iterator[ListedPack]:
        """Every pack once, by path. Raises Trouble."""
        found: dict[tuple[str, str], PackHere] = {}
        for root in self.roots:
            for pack in self._packs_at(root):
                found.setdefault((pack.shown, pack.dialect.name), pack)
        for path, dialect in sorted(found):
            name = found[path, dialect].location.name
            if like in path or like in name:
                yield ListedPack(address=path, dialect=dialect, name=name)

    def work(self, tool: Tool, given: Arguments, report: Report) -> Answer:
        assert tool.call is not None
        packs = (self._opened(self.pack(given[name])) for name in tool.packs)
        return tool.call(*packs, given, report)

    def apply(self, given: Arguments, report: Report) -> Answer:
        """Write the edits to the files."""
        with self.writing(given["pack"]) as pack:
            after, answer = proposed(self._opened(pack), given, report)
            changes = pack.files.difference(after.files)
            report("writing")
            self.write(pack, changes)
            return {**answer, **self._now(pack, after), "written": sorted(changes)}

    def _now(self, before: PackHere, after: Source) -> Answer:
        """The revision of the written pack, and its path if that is another one. Edits may have
        written a file that the pack does not use."""
        try:
            pack = self.pack(str(before.home / after.main))
        except (Trouble, BadFiles):
            return {"revision": "", "note": "The files are no longer recognised as this pack."}
        moved = {} if pack.shown == before.shown else {"pack": pack.shown}
        return {"revision": _revision(pack), **moved}

    def _opened(self, pack: PackHere) -> AgentPack:
        """A pack with the settings of its folder. Raises Trouble."""
        forget_settings()
        project = project_of(str(pack.home / pack.location.main))
        version = Version(
            dialect=pack.dialect,
            source=pack.dialect.read(pack.files),
            profile=pack.profile(project.profile_for(pack.dialect.profiles)),
            tools=tools_of_session,
            assumed=project.assume,
        )
        return AgentPack(
            name=pack.shown,
            revision=_revision(pack),
            version=version,
            selected=partial(selected_findings, pack, project),
            allowed_gaps=frozenset(project.allowed_gaps),
            recorded=partial(self._recorded, pack, project, version),
        )

    def _recorded(
        self, pack: PackHere, project: Project, version: Version, names: Sequence[str]
    ) -> dict[str, Recording]:
        """The runs in these files and folders, or in [verify.runs] of the settings. Raises Trouble
        for one outside the paths of this server."""
        files = [file for name in names for file in run_files(self._inside(name))]
        if not names:
            files = [self._inside(file) for file in listed_runs(pack, project)]
        return {
            file: recording(file, version.dialect, version.source, version.profile)[0]
            for file in files
        }

    def _inside(self, name: str) -> str:
        place = self.place(name)
        if not (place.is_file() or place.is_dir()):
            raise Trouble(f"There is no file {name!r}.", hint="Name a recorded run, or its folder.")
        return name

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


def _revision(pack: PackHere) -> str:
    """A name of the pack's bytes."""
    return pack.files.digest(pack.dialect.name)[:12]


def _main(pack: PackHere) -> Path:
    return pack.home / pack.location.main


def _absolute(name: str) -> Path:
    return Path(os.path.normpath(Path(name).absolute()))
