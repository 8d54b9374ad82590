"""The files below a folder as a mapping. A file is read when a dialect looks into it, so files that
belong to no pack have no limit."""

from __future__ import annotations

import os
import time
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from workflows.core.pack.files import MAX_FILE_BYTES, MAX_TOTAL_BYTES, TooMuch

SKIPPED = frozenset({".git", "node_modules", "__pycache__", ".venv"})
AGENTS = ".agent"
"""The hidden folder of Climpt's agents."""
TOOLS = frozenset({".claude", ".opencode", ".qwen", ".odw", ".pi", ".agents", ".qoder"})
"""Hidden folders of coding agents."""
IN_TOOLS = frozenset({"workflows", "agents", "agent"})
"""The folders in them that can have packs. Others can hold whole checkouts."""
SETTLED_NS = 2_000_000_000
"""Age of a change from which the file's stamp differs from that of every later change."""

Stamp = tuple[int, int, int]
"""Size, time of change and inode of a file."""


@dataclass(slots=True)
class Contents:
    """Bytes of files that were read before, while they do not change, up to a limit."""

    _kept: dict[str, tuple[Stamp, bytes]] = field(default_factory=dict)
    _total: int = 0

    def read(self, place: str, stamp: Stamp) -> bytes:
        """The bytes of a file; none if it is gone."""
        kept = self._kept.get(place)
        if kept and kept[0] == stamp:
            return kept[1]
        try:
            data = Path(place).read_bytes()
        except OSError:
            return b""
        self._forget(place)
        settled = time.time_ns() - stamp[1] > SETTLED_NS
        if settled and self._total + len(data) <= MAX_TOTAL_BYTES:
            self._kept[place] = stamp, data
            self._total += len(data)
        return data

    def keep_only(self, places: set[str]) -> None:
        """Forget the files that are not among these."""
        for place in self._kept.keys() - places:
            self._forget(place)

    def _forget(self, place: str) -> None:
        if place in self._kept:
            self._total -= len(self._kept.pop(place)[1])


class Tree(Mapping[str, bytes]):
    """Path → bytes of the regular files below a folder, in order. Links, hidden files and files
    that are too large for a pack are left out. `closed`: the folders that cannot be read."""

    def __init__(
        self, files: Mapping[str, tuple[str, Stamp]], contents: Contents, closed: Sequence[str]
    ) -> None:
        self._files, self._contents, self.closed = files, contents, closed

    @classmethod
    def below(
        cls,
        top: Path,
        root: Path,
        *,
        ignored: frozenset[str] = frozenset(),
        contents: Contents | None = None,
        most: int | None = None,
    ) -> Tree:
        """The files below `top`, with paths from `root`. `ignored`: absolute paths that are left
        out. Raises TooMuch for more than `most` files."""
        files: dict[str, tuple[str, Stamp]] = {}
        closed: list[str] = []
        start = len(os.path.join(root, ""))  # noqa: PTH118 - a path for each of many files
        for place, stamp in _walk(str(top), ignored, closed):
            files[unicodedata.normalize("NFC", place[start:].replace(os.sep, "/"))] = place, stamp
            if most is not None and len(files) > most:
                raise TooMuch(f"{top} has more than {most:,} files.")
        if contents is not None:
            contents.keep_only({place for place, _ in files.values()})
        return cls(files, contents or Contents(), [place[start:] for place in closed])

    def __getitem__(self, path: str) -> bytes:
        return self._contents.read(*self._files[path])

    def __iter__(self) -> Iterator[str]:
        return iter(self._files)

    def __contains__(self, path: object) -> bool:
        return path in self._files

    def __len__(self) -> int:
        return len(self._files)


def problem_of(root: Path, path: str) -> str:
    """The reason why a file of a tree cannot be a pack's; "" for none."""
    try:
        path.encode()
    except UnicodeEncodeError:
        return "The name is not UTF-8. Rename the file."
    if not path.isascii() and not os.path.lexists(root / path):
        return f"The name is in decomposed Unicode (NFD) on the disk. Rename the file to {path}."
    if not os.access(root / path, os.R_OK):
        return f"{path} cannot be read. Change its permissions."
    return ""


def is_visible(name: str, parent: str = "") -> bool:
    """True for the name of a file or folder that can have a pack, in a folder of this name."""
    if parent in TOOLS:
        return name in IN_TOOLS
    hidden = name.startswith(".") and name != AGENTS and name not in TOOLS
    return name not in SKIPPED and not hidden


def is_visible_path(parts: Sequence[str]) -> bool:
    """True if each part of a path is visible in the part before it."""
    return all(map(is_visible, parts, ("", *parts)))


def _walk(folder: str, ignored: frozenset[str], closed: list[str]) -> Iterator[tuple[str, Stamp]]:
    try:
        with os.scandir(folder) as entries:
            ordered = sorted(entries, key=lambda entry: entry.name)
            parent = os.path.basename(folder)  # noqa: PTH119 - called for each of many folders
    except FileNotFoundError:
        return
    except PermissionError:
        closed.append(folder)
        return
    for entry in ordered:
        if not is_visible(entry.name, parent) or entry.path in ignored:
            continue
        if entry.is_dir(follow_symlinks=False):
            yield from _walk(entry.path, ignored, closed)
        elif entry.is_file(follow_symlinks=False):
            try:
                about = entry.stat(follow_symlinks=False)
            except FileNotFoundError:
                continue
            if about.st_size <= MAX_FILE_BYTES:
                yield entry.path, (about.st_size, about.st_mtime_ns, about.st_ino)
