"""The files of sample packs, read from the package."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.resources.abc import Traversable


def files_below(folder: Traversable, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Relative path and bytes of every file in a folder, in order of the names."""
    for item in sorted(folder.iterdir(), key=lambda item: item.name):
        if not item.is_dir():
            yield f"{prefix}{item.name}", item.read_bytes()
        elif item.name != "__pycache__":
            yield from files_below(item, f"{prefix}{item.name}/")
