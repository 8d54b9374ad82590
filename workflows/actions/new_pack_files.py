"""Files of a new pack on a server that has opened a folder: they get a place that is free there."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from posixpath import dirname

from workflows.core.cases.case_paths import with_cases
from workflows.core.dialects.base import Dialect, PackLocation
from workflows.core.pack.files import MAX_FILE_BYTES, BadFiles, Files
from workflows.core.pack.relocation import file_name_of, relocations
from workflows.errors import Refused
from workflows.models import Pack
from workflows.opened_packs.view import Opened
from workflows.selectors.opened_folder import opened_folder, origin_of

AGENTS = ".agent"
"""The folder of agents, which have fixed names in it."""
MOST_NEIGHBOURS = 500
"""Files of a folder that are read to see whether a new file would change another pack."""


def placed(read: Opened, main: str, *, title: str, keep: bool) -> tuple[Opened, str]:
    """The pack at a free place of the opened folder, and its main file there; unchanged on another
    server. With `keep`, its own paths are the first choice.

    Raises Refused if no place is free.
    """
    folder = opened_folder()
    if folder is None:
        return read, main
    for moved in _candidates(read, main, title, keep=keep):
        target = moved[main]
        if not _is_free(folder, read.files, moved, target, keep=keep):
            continue
        files = Files({moved[path]: data for path, data in read.files.items()})
        if _stays_itself(folder, read.dialect, files, target):
            if target == main:
                return read, main
            return Opened(read.dialect, files), target
    raise Refused(f"{folder} has no free place for this pack.", where="name")


def _candidates(read: Opened, main: str, title: str, *, keep: bool) -> Iterator[Mapping[str, str]]:
    paths = tuple(read.files)
    if keep or main.startswith(f"{AGENTS}/"):
        yield {path: path for path in paths}
    if keep:
        title = main.rsplit("/", 1)[-1].partition(".")[0]
    yield from relocations(main, paths, file_name_of(title))


def _is_free(
    folder: Path, files: Files, moved: Mapping[str, str], main: str, *, keep: bool
) -> bool:
    """True if the folder has no other file there, and no pack that is not written yet."""
    if Pack.objects.filter(origin=origin_of(folder), main=main, deleted=False).exists():
        return False
    try:
        Files.of(dict.fromkeys(moved.values(), b""))
    except BadFiles:
        return False
    for path, place in moved.items():
        there = folder / place
        same = keep and place != main and there.is_file() and there.read_bytes() == files[path]
        if not same and (there.exists() or there.is_symlink()):
            return False
    return True


def _stays_itself(folder: Path, dialect: Dialect, files: Files, main: str) -> bool:
    """True if the files are this pack there, and the packs next to it do not change."""
    near = _neighbours(folder / dirname(main), dirname(main))
    others, together = (
        _shapes(with_cases(tree, dialect.recognises(Files(tree))))
        for tree in (near, {**near, **files})
    )
    return together == others | {(main, frozenset(files))}


def _shapes(locations: Iterable[PackLocation]) -> set[tuple[str, frozenset[str]]]:
    return {(one.main, frozenset(one.paths)) for one in locations}


def _neighbours(folder: Path, inner: str) -> dict[str, bytes]:
    if not folder.is_dir():
        return {}
    near = sorted(path for path in folder.iterdir() if path.is_file() and not path.is_symlink())
    return {
        f"{inner}/{path.name}" if inner else path.name: path.read_bytes()
        for path in near[:MOST_NEIGHBOURS]
        if path.stat().st_size <= MAX_FILE_BYTES
    }
