"""Packs at a path on the command line."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

from signalbox.commands.errors import Trouble
from signalbox.project.repository import ignored_below, root_of
from signalbox.terminal import print_lines
from workflows.core.dialects import dialects, file_names, recognise
from workflows.core.dialects.base import Dialect, PackLocation
from workflows.core.pack.files import (
    MAX_FILE_BYTES,
    BadFiles,
    Files,
    TooMuch,
)
from workflows.core.pack.graph import Graph
from workflows.folder.tree import AGENTS, TOOLS, Tree, is_visible_path, problem_of

LFS_POINTER = b"version https://git-lfs.github.com/spec/"
FOREIGN = (
    "AGENTS.md", "CLAUDE.md", "GEMINI.md", "langgraph.json", "*.agent.md", ".claude/agents/*.md",
    ".cursor/rules/*", ".github/agents/*.md", ".github/chatmodes/*.md", ".opencode/agent/*.md",
)  # fmt: skip
"""Places of agent files that are in no format of a pack."""
MOST_FOREIGN = 5
MOST_NEIGHBOURS = 2_000
"""Number of files up to which the neighbours of a single file are read too."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PackHere:
    """One pack on disk. `root` is the folder its paths are relative to; None for stdin."""

    dialect: Dialect
    location: PackLocation
    files: Files
    root: Path | None

    @property
    def shown(self) -> str:
        return self.show(self.location.main)

    @property
    def home(self) -> Path:
        """The folder that the paths are relative to; the working directory for stdin."""
        return self.root or Path.cwd()

    def show(self, path: str) -> str:
        """A pack's path relative to the working directory."""
        if self.root is None:
            return "-" if path == self.location.main else path
        whole = self.root / path
        try:
            return whole.relative_to(Path.cwd()).as_posix()
        except ValueError:
            return whole.as_posix()

    def profile(self, wanted: str | None) -> str:
        """The requested profile, else the dialect's first. Raises Trouble for an unknown one."""
        if wanted is None:
            return self.dialect.profiles[0]
        if wanted not in self.dialect.profiles:
            profiles = ", ".join(self.dialect.profiles)
            raise Trouble(f"{self.dialect.label} has no profile {wanted!r}; it has {profiles}.")
        return wanted

    def readable_source(self) -> Any:
        """The parsed pack. Raises Trouble with the first finding if it is unreadable."""
        source = self.dialect.read(self.files)
        if not source.readable:
            first = source.findings[0] if source.findings else None
            line = first.place.line if first else 0
            where = f"{self.shown}:{line}" if line else self.shown
            raise Trouble(f"{where}: {first.message if first else 'This cannot be read.'}")
        return source

    def graph(self, wanted: str | None = None) -> tuple[Any, Graph, str]:
        """Source, projection and profile of a readable pack."""
        profile = self.profile(wanted)
        source = self.readable_source()
        return source, self.dialect.graph(source, profile), profile


def packs_at(argument: str, *, of_parts: bool = False) -> list[PackHere]:
    """Every pack at a path: a file, a folder with packs, or `-` for standard input. With
    `of_parts`, the path can be any file of a pack, such as one of its prompts.

    Raises Trouble if no pack is found, and BadFiles if a pack is too large.
    """
    if argument == "-":
        return [_from_stdin()]
    path = Path(os.path.normpath(Path(argument).absolute()))
    if not path.exists():
        raise Trouble(f"{argument} does not exist.")
    packs = _in_folder(path) if path.is_dir() else _of_file(path, of_parts=of_parts)
    if not packs:
        formats = ", ".join(dialect.label for dialect in dialects().values())
        hint = f"Known formats: {formats}."
        if foreign := _foreign(path):
            hint = f"Agent files of other programs are not packs: {', '.join(foreign)}. {hint}"
        raise Trouble(f"There is no pack at {argument!r}.", hint=hint)
    return packs


def _foreign(path: Path) -> list[str]:
    """The first agent files of other programs at a path, relative to it."""
    if path.is_file():
        return [path.name] if any(path.match(pattern) for pattern in FOREIGN) else []
    found = (file for pattern in FOREIGN for file in sorted(path.glob(pattern)))
    return [file.relative_to(path).as_posix() for file in islice(found, MOST_FOREIGN)]


def pack_at(argument: str) -> PackHere:
    """The one pack at a path. Raises Trouble for several."""
    packs = packs_at(argument)
    if len(packs) > 1:
        names = ", ".join(pack.shown for pack in packs[:6]) + (", …" if len(packs) > 6 else "")
        raise Trouble(f"There are {len(packs)} packs at {argument!r}.", hint=f"Name one: {names}")
    return packs[0]


def _from_stdin() -> PackHere:
    data = sys.stdin.buffer.read()
    packs = [
        PackHere(dialect=dialects()[location.dialect], location=location, files=files, root=None)
        for files in (Files.of({name: data}) for name in file_names())
        for location in recognise(files)
    ]
    if not packs:
        raise Trouble("Standard input is not a pack in a supported format.")
    readable = (pack for pack in packs if pack.dialect.read(pack.files).readable)
    return next(readable, packs[0])


def _in_folder(folder: Path) -> list[PackHere]:
    root, top = root_and_top(folder)
    inside = folder.relative_to(root).as_posix()
    prefix = "" if inside == "." else f"{inside}/"
    packs = _packs(root, top)
    return [pack for pack in packs if pack.location.main.startswith(prefix)]


def _of_file(path: Path, *, of_parts: bool) -> list[PackHere]:
    root, top = root_and_top(path.parent)
    name = path.relative_to(root).as_posix()
    try:
        packs = _packs(root, top, MOST_NEIGHBOURS)
    except BadFiles:
        packs = ()
    whole = [pack for pack in packs if pack.location.main == name]
    if of_parts:
        whole = whole or [pack for pack in packs if name in pack.files]
    return (
        whole
        or packs_in(root, Files.of({name: _bytes(path)}))
        or (_with_part(path) if of_parts else [])
    )


def _with_part(path: Path) -> list[PackHere]:
    """The packs that this file belongs to, of the nearest folder that has such a pack."""
    last = root_of(path.parent) or Path.cwd()
    for folder in path.parent.parents:
        if not folder.is_relative_to(last):
            break
        root, top = root_and_top(folder)
        try:
            packs = _packs(root, top, MOST_NEIGHBOURS)
        except BadFiles:
            break
        name = path.relative_to(root).as_posix()
        if matches := [pack for pack in packs if name in pack.files]:
            return matches
    return []


def root_and_top(folder: Path) -> tuple[Path, Path]:
    """The root of the paths, and the folder to read. Agents belong to the tree around them."""
    parts = folder.parts
    hidden = next((name for name in parts if name == AGENTS or name in TOOLS), None)
    if hidden is not None:
        at = parts.index(hidden)
        return Path(*parts[:at]), Path(*parts[: at + 1])
    return folder, folder


@cache
def _packs(root: Path, top: Path, most: int | None = None) -> tuple[PackHere, ...]:
    tree = Tree.below(top, root, ignored=ignored_below(top), most=most)
    return tuple(usable_packs(root, tree))


def usable_packs(root: Path, tree: Tree) -> Iterator[PackHere]:
    """The packs of a folder. One with a file that cannot be used, and a folder that cannot be
    read, is named on standard error and skipped, so that it does not stop the check of all
    others."""
    files = Files(tree)
    for folder in tree.closed:
        _skip(folder, problem_of(root, folder))
    for location in recognise(files):
        problem = next(filter(None, (_problem(root, path, files) for path in location.paths)), "")
        if problem:
            _skip(location.main, problem)
        else:
            yield _pack(root, location, files)


def _skip(path: str, problem: str) -> None:
    print_lines([[f"signalbox: {path} is skipped: {problem}"]], sys.stderr)


def _problem(root: Path, path: str, files: Files) -> str:
    """The reason why a file of a pack cannot be used; "" for none."""
    if problem := problem_of(root, path):
        return problem
    if files[path].startswith(LFS_POINTER):
        return f"{path} is a pointer of Git LFS. Fetch the file with `git lfs pull`."
    return ""


def forget_packs() -> None:
    """Read folders again, because a file has changed."""
    _packs.cache_clear()


def is_searched(path: str) -> bool:
    """True if a search of folders reads this file: nothing hidden but agents and
    workflows of coding agents."""
    return is_visible_path(path.split("/"))


def packs_in(root: Path, files: Files) -> list[PackHere]:
    """The packs of these files, whose paths are relative to `root`."""
    return [_pack(root, location, files) for location in recognise(files)]


def _pack(root: Path, location: PackLocation, files: Files) -> PackHere:
    return PackHere(
        dialect=dialects()[location.dialect],
        location=location,
        files=Files.of({path: files[path] for path in location.paths}),
        root=root,
    )


def _bytes(path: Path) -> bytes:
    if path.stat().st_size > MAX_FILE_BYTES:
        raise TooMuch(f"{path} has more than {MAX_FILE_BYTES:,} bytes.")
    return path.read_bytes()
