"""Folders in a backup, with the modes, links and empty folders that git needs."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path, PurePosixPath

from signalbox.backups.archive import Archive, ArchiveWriter, copy_stream
from signalbox.commands.errors import Trouble


def write_folder(out: ArchiveWriter, folder: Path, name: str) -> int:
    """Write everything below `folder` under `name`. Files that disappear meanwhile are left out,
    and what is neither file, folder nor link. Returns the number of files."""
    count = 0
    for path in _below(folder):
        with suppress(FileNotFoundError, NotADirectoryError):
            count += _write(out, path, f"{name}/{path.relative_to(folder).as_posix()}")
    return count


def _below(folder: Path) -> Iterator[Path]:
    """Everything below a folder. Refs of a git repository come before the objects that they name,
    which are written before them."""
    for place, folders, files in os.walk(folder):
        folders.sort(key=lambda name: (name == "objects", name))
        for one in sorted((*folders, *files)):
            yield Path(place, one)


def _write(out: ArchiveWriter, path: Path, name: str) -> int:
    mode = path.lstat().st_mode
    if stat.S_ISLNK(mode):
        target = os.fsencode(path.readlink())
        with out.entry(name, mode) as stream:
            stream.write(target)
    elif stat.S_ISDIR(mode):
        with out.entry(f"{name}/", mode):
            pass
        return 0
    elif stat.S_ISREG(mode):
        with path.open("rb") as source, out.entry(name, mode) as stream:
            copy_stream(source, stream)
    else:
        return 0
    return 1


def extract_folder(archive: Archive, name: str, target: Path) -> None:
    """Make the folder `name` of a backup at `target`, which does not exist. Links come last, so
    that no file is written through one."""
    target.mkdir(parents=True, mode=0o700)
    links: list[tuple[Path, bytes]] = []
    folders: list[tuple[Path, int]] = []
    for entry in archive.names(name):
        path, mode = target / _inner(entry, name), archive.mode(entry)
        path.parent.mkdir(parents=True, exist_ok=True)
        with archive.open(entry) as stream:
            if stat.S_ISLNK(mode):
                links.append((path, stream.read()))
            elif stat.S_ISDIR(mode):
                path.mkdir(exist_ok=True)
                folders.append((path, mode))
            else:
                with path.open("xb") as file:
                    copy_stream(stream, file)
                path.chmod(stat.S_IMODE(mode))
    for path, link in links:
        path.symlink_to(os.fsdecode(link))
    for path, mode in reversed(folders):
        path.chmod(stat.S_IMODE(mode))


def _inner(entry: str, name: str) -> PurePosixPath:
    inner = PurePosixPath(entry).relative_to(name)
    if inner.is_absolute() or ".." in inner.parts:
        raise Trouble(f"The backup has a file outside of its folders: {entry!r}.")
    return inner
