"""Sample packs that a package ships."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable

from workflows.core.pack.files import Files


def shipped(
    package: str, *names: str, at: Callable[[str], str] = str
) -> Callable[[], Mapping[str, Files]]:
    """A function that returns the packs in a package by these names, by default all: each is a
    folder, or one file whose name begins with it. `at`: the path in the pack of a file's path in
    the package or folder.
    """

    @cache
    def samples() -> Mapping[str, Files]:
        places = [one for one in files(package).iterdir() if not one.name.startswith("__")]
        found = {one.name.split(".")[0]: one for one in places}
        return {
            name: Files.of({at(path): data for path, data in _files_at(found[name])})
            for name in names or sorted(found)
        }

    return samples


def _files_at(place: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Relative path and bytes of a file, or of every file in a folder, in order of the names."""
    if not place.is_dir():
        yield place.name, place.read_bytes()
        return
    for item in sorted(place.iterdir(), key=lambda item: item.name):
        if not item.is_dir():
            yield f"{prefix}{item.name}", item.read_bytes()
        elif item.name != "__pycache__":
            yield from _files_at(item, f"{prefix}{item.name}/")
