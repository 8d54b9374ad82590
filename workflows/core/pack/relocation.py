"""Places for the files of a new pack in a folder that has other files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from posixpath import basename, commonpath, dirname

from workflows.core.text.ascii_names import ascii_name

MOST = 1_000
"""Number of folders that are tried."""
MOST_NAMES = 20
"""Number of names of one file that are tried; some formats need a certain name."""


def relocations(main: str, paths: Sequence[str], name: str) -> Iterator[dict[str, str]]:
    """Path → place, best first: a pack of one file gets a name of its own, or a folder of its own
    with the old name; a pack of several files gets a folder."""
    stems = [name, *(f"{name}-{number}" for number in range(2, MOST))]
    if len(paths) == 1:
        _, dot, ending = basename(main).partition(".")
        for stem in stems[:MOST_NAMES]:
            yield {main: _join(dirname(main), f"{stem}{dot}{ending}")}
    folder = _own_folder(paths)
    for stem in stems:
        if folder:
            target = _join(dirname(folder), stem)
            yield {path: target + path.removeprefix(folder) for path in paths}
        else:
            yield {path: f"{stem}/{path}" for path in paths}


def file_name_of(title: str) -> str:
    """A title as a file name without an ending: `review-loop` for `Review loop`."""
    return ascii_name(title).lower()[:60].strip("-") or "pack"


def _own_folder(paths: Sequence[str]) -> str:
    """The folder that has all files of a pack of several and can be renamed; "" for none."""
    folder = commonpath(paths) if len(paths) > 1 else ""
    return "" if basename(folder).startswith(".") else folder


def _join(folder: str, name: str) -> str:
    return f"{folder}/{name}" if folder else name
