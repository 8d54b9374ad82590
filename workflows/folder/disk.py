"""The files of an opened folder: reading, and writes that never replace a newer version."""

from __future__ import annotations

import errno
import json
import os
import stat
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from workflows.core.pack.files import MAX_FILE_BYTES, BadFiles, clean_path
from workflows.folder.exchange import exchange, has_writer
from workflows.folder.tree import is_visible

REFUSED = {errno.EACCES, errno.EBUSY, errno.EPERM, errno.EROFS, errno.EXDEV}
"""Errors of a replacement after which a file may still be writable."""
PREFIX = ".signalbox-"
"""The beginning of the names of files that exist during a write."""
CHILD_SECONDS = 10.0
"""Seconds that a write waits for a child of this process to begin its program."""


class Changed(Exception):
    """The file on disk is not the version that was read last."""


class Busy(Changed):
    """Another program has the file open for writing."""


class Outside(Exception):
    """The path leads out of the folder through a symbolic link."""


def is_storable(path: str) -> bool:
    """True for a path that every file system and git can keep."""
    try:
        return clean_path(path) == path
    except BadFiles:
        return False


def content(root: Path, path: str) -> bytes | None:
    """The bytes of a regular file; None if there is none, or if it is a link or too large."""
    try:
        place = inside(root, path)
        if not place.is_file() or place.stat().st_size > MAX_FILE_BYTES:
            return None
        return place.read_bytes()
    except (FileNotFoundError, NotADirectoryError, Outside):
        return None


def contents(root: Path, paths: Iterable[str]) -> dict[str, bytes]:
    """The bytes of those paths that are regular files."""
    read = {path: content(root, path) for path in paths}
    return {path: data for path, data in read.items() if data is not None}


def inside(root: Path, path: str) -> Path:
    """The place of a path. Raises Outside if any part below the folder is a symbolic link."""
    place = root
    for part in clean_path(path).split("/"):
        place = place / part
        if place.is_symlink():
            raise Outside(path)
    return place


def write(
    root: Path, path: str, data: bytes | None, expected: bytes | None, staging: Path | None = None
) -> None:
    """Replace one file in one step, with its mode kept. None deletes it.

    A version that another program saves at the same time stays. `staging`: a folder for incomplete
    files, so that `git add` never meets one; they are next to the file if that is another file
    system. Raises Changed if the bytes on disk are not `expected`, Busy if they are being written,
    and Outside.
    """
    place = inside(root, path)
    if data is None:
        _require(root, path, expected)
    else:
        place.parent.mkdir(parents=True, exist_ok=True)
    try:
        _write(root, path, data, expected, _folder_for(place, staging))
    except OSError as error:
        if error.errno != errno.EXDEV:  # two mounts of one file system
            _write_refused(root, path, data, expected, error)
            return
        try:
            _write(root, path, data, expected, place.parent)
        except OSError as again:
            _write_refused(root, path, data, expected, again)


def _write_refused(
    root: Path, path: str, data: bytes | None, expected: bytes | None, refusal: OSError
) -> None:
    """Write a file in place whose replacement was refused: it is a mount of its own, or its folder
    takes no new files. Raises the refusal if that is no reason, and OSError."""
    place = inside(root, path)
    if refusal.errno not in REFUSED or data is None or not place.is_file():
        raise refusal
    if has_writer(place):
        raise Busy(place.name)
    _require(root, path, expected)
    write_in_place(place, data, expected or b"")


def write_in_place(place: Path, data: bytes, expected: bytes) -> None:
    """Overwrite a file that has the bytes `expected`, which it has again if that fails. Raises
    OSError."""
    with place.open("r+b", buffering=0) as file:
        try:
            _overwrite(file.fileno(), data)
        except OSError:
            _overwrite(file.fileno(), expected)
            raise


def _overwrite(handle: int, data: bytes) -> None:
    """Shorten the file last: its blocks are needed if the disk is full."""
    done = 0
    while done < len(data):
        done += os.pwrite(handle, data[done:], done)
    os.ftruncate(handle, len(data))
    os.fsync(handle)


def _write(root: Path, path: str, data: bytes | None, expected: bytes | None, folder: Path) -> None:
    place = inside(root, path)
    if data is None:
        _delete(place, expected, folder)
        return
    made = _made(place, data, folder)
    try:
        made.chmod(place.stat().st_mode & 0o7777 if place.exists() else 0o666 & ~_umask())
        _require(root, path, expected)
        if expected is None:
            _create(made, place)
        else:
            _replace(made, place, data, expected)
    finally:
        with suppress(FileNotFoundError):
            made.unlink()


def _folder_for(place: Path, staging: Path | None) -> Path:
    """The folder in which a file is made before it gets its place."""
    if staging is None or not place.parent.is_dir():
        return place.parent
    staging.mkdir(parents=True, exist_ok=True, mode=0o700)
    same = staging.stat().st_dev == place.parent.stat().st_dev
    return staging if same else place.parent


def _made(place: Path, data: bytes, folder: Path) -> Path:
    """A new file, complete on disk, with the group that it would have next to a place."""
    handle, name = tempfile.mkstemp(prefix=PREFIX, dir=folder)
    made = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
            parent = place.parent.stat()
            if parent.st_mode & stat.S_ISGID:
                with suppress(OSError):
                    os.fchown(file.fileno(), -1, parent.st_gid)
    except OSError:
        made.unlink()
        raise
    _wait_for_children(made)
    return made


def _wait_for_children(made: Path) -> None:
    """Wait until no process has this new file open. A child that this process started meanwhile
    has a copy of every handle until it begins its program, and counts as a writer until then."""
    deadline = time.monotonic() + CHILD_SECONDS
    while has_writer(made) and time.monotonic() < deadline:
        time.sleep(0.001)


def _create(made: Path, place: Path) -> None:
    """Name a new file, unless there is one by now."""
    try:
        place.hardlink_to(made)
    except FileExistsError:
        raise Changed(place.name) from None
    except OSError as error:
        if error.errno == errno.EXDEV:
            raise
        made.replace(place)  # a file system without hard links


def _replace(made: Path, place: Path, data: bytes, expected: bytes) -> None:
    """Exchange the two files; `made` is then the version that was on disk. Raises Changed, with the
    newest version of the other program in place, if that is not the expected one."""
    try:
        if has_writer(place):
            raise Busy(place.name)
        if not exchange(made, place):
            made.replace(place)
            return
        # Only a process that had the file open before can still write to it.
        if not has_writer(made) and _bytes(made) == expected:
            return
        shown: bytes | None = data
        while True:
            brought_back = _bytes(made)
            exchange(made, place)
            if _bytes(made) == shown:
                raise Changed(place.name)
            shown = brought_back  # and `made` is a version that was saved meanwhile
    except FileNotFoundError:
        raise Changed(place.name) from None


def _delete(place: Path, expected: bytes | None, folder: Path) -> None:
    """Delete a file through a rename; another version that was saved meanwhile is restored."""
    if not place.exists():
        return
    moved = _made(place, b"", folder)
    try:
        place.replace(moved)
        if has_writer(moved) or _bytes(moved) != expected:
            with suppress(FileExistsError):  # a newer version
                place.hardlink_to(moved)
            raise Changed(place.name)
    except FileNotFoundError:
        return
    finally:
        with suppress(FileNotFoundError):
            moved.unlink()


def remove_empty_folders(root: Path, path: str) -> None:
    """Delete the folders of a deleted file that are empty now."""
    for folder in inside(root, path).parents:
        if folder == root:
            return
        try:
            folder.rmdir()
        except OSError:  # it has other files
            return


def _bytes(place: Path) -> bytes | None:
    """The bytes of a regular file; None for anything else."""
    return place.read_bytes() if place.is_file() and not place.is_symlink() else None


def leftovers(root: Path, staging: Path) -> Iterator[Path]:
    """Files of writes that a killed process did not complete."""
    yield from staging.glob(f"{PREFIX}*")
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if is_visible(name, Path(folder).name)]
        yield from (Path(folder, name) for name in names if name.startswith(PREFIX))


def write_record(record: Path, values: Mapping[str, Any]) -> None:
    """Replace a record of what was written."""
    made = record.with_suffix(".new")
    made.write_text(json.dumps(values, sort_keys=True))
    made.replace(record)


def _require(root: Path, path: str, expected: bytes | None) -> None:
    """Raise Changed if the file has other bytes. A link or a folder counts as a change."""
    place = inside(root, path)
    if (content(root, path) if place.exists() else None) != expected or place.is_dir():
        raise Changed(path)


def _umask() -> int:
    mask = os.umask(0o077)
    os.umask(mask)
    return mask
